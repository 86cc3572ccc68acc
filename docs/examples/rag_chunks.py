"""Retrieval for question answering: chunks are retrieved, but documents are judged.

python docs/examples/rag_chunks.py [picture.svg]
"""

from __future__ import annotations

import sys
from pydoc_data.topics import topics

from sklearn.feature_extraction.text import TfidfVectorizer

from sklearn_rank import compare, evaluate

# Questions about Python, answered by the help pages that come with every Python.
QUESTIONS = {
    "how do I catch an exception": "try except finally raise exception handler clause",
    "how do I repeat a block for each item of a list": "for in loop iterable break continue else",
    "what may a name look like": "identifier keyword letters digits underscore reserved",
    "how do I format a number": "format specification width precision fill align sign",
    "how do I import from a package": "import from module package relative name",
    "how do I write a function with default arguments": "def parameter default argument decorator",
    "what does slicing return": "slice subscription sequence index step",
    "how do I define a class": "class inheritance bases namespace method attribute",
    "how do I compare two objects": "comparison is in equality identity operator value",
    "how do I use a with statement": "with context manager enter exit statement",
    "how do I delete a variable": "del deletion target name binding list",
    "what is a lambda": "lambda anonymous function expression parameter",
}
PAGES = {name: text for name, text in topics.items() if len(text) < 30_000}


def chunks_of(name: str, size: int = 600) -> dict[str, str]:
    """Pieces of a page; the id of a chunk names its page: "try#2"."""
    text = PAGES[name]
    return {
        f"{name}#{place}": text[at : at + size]
        for place, at in enumerate(range(0, len(text), size))
    }


def grade(answer: str, page: str) -> int:
    """0 to 2: a page with more of the words of the answer has a higher grade."""
    words = set(answer.split())
    share = len(words & set(page.lower().split())) / len(words)
    return 2 if share >= 0.9 else int(share >= 0.7)


CHUNKS = {chunk: text for name in PAGES for chunk, text in chunks_of(name).items()}
GRADES = {
    question: {name: grade(answer, page) for name, page in PAGES.items()}
    for question, answer in QUESTIONS.items()
}
# The pages of some Python versions lack an answer; such questions are left out.
TRUTH = {question: grades for question, grades in GRADES.items() if any(grades.values())}


def retrieve(**options: object) -> dict[str, list[str]]:
    """The twenty nearest chunks of each question."""
    vectorizer = TfidfVectorizer(**options)
    index = vectorizer.fit_transform(CHUNKS.values())
    names = list(CHUNKS)
    near = (vectorizer.transform(TRUTH) @ index.T).toarray().argsort(axis=1)[:, ::-1]
    return {
        question: [names[number] for number in numbers[:20]]
        for question, numbers in zip(TRUTH, near, strict=True)
    }


# A chunk counts as its page; only the best-ranked chunk of each page counts.
evaluations = {
    name: evaluate(
        TRUTH,
        retrieved,
        ("ndcg@5", "recall@5", "mrr"),
        string_provider=lambda chunk: chunk.partition("#")[0],
        duplicates="first",
    )
    for name, retrieved in {
        "words": retrieve(),
        "words, long texts damped": retrieve(sublinear_tf=True),
        "parts of words": retrieve(analyzer="char_wb", ngram_range=(3, 5)),
    }.items()
}
comparison = compare(evaluations)
print(comparison)

shown = comparison.plot("at_k", measure="recall", k=10)
if sys.argv[1:]:
    shown.figure_.savefig(sys.argv[1], metadata={"Date": None})
