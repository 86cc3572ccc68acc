"""Settings of the documentation site: `python -m sphinx -W -n docs docs/_build/html`."""

from __future__ import annotations

import html
import inspect
import itertools
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

# The site describes this checkout, also where another copy of the package is installed.
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from _markdown import install_commands
from _metric_pages import NOTES, write
from _shop import write_report
from docutils import nodes
from latex2mathml.converter import convert
from sphinx import addnodes
from sphinx.errors import ExtensionError

import pytest_rankmetrics
import sklearn_rank

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SOURCES = "https://github.com/sklearn-rank/sklearn-rank/blob/main"
SITE = "https://sklearn-rank.github.io/sklearn-rank"
RELEASED = False
"""Whether the package index has a release; if so, pages install it instead of a clone."""
VERSION = os.environ.get("SITE_VERSION", sklearn_rank.__version__)  # "dev" on the main branch

project = "sklearn-rank"
author = "the sklearn-rank developers"
project_copyright = "2026, the sklearn-rank developers"
version = release = sklearn_rank.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.linkcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
autodoc_typehints = "none"  # numpydoc's sections have them, in words
autosummary_generate = True
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # words of prose, other than these
_ALIASES = {
    "array": "numpy.ndarray",
    "array-like": "numpy.typing.ArrayLike",
    "bool": "python:bool",
    "estimator": "sklearn.base.BaseEstimator",
    "generator": "python:collections.abc.Generator",
    "iterable": "python:collections.abc.Iterable",
    "mapping": "python:collections.abc.Mapping",
    "sequence": "python:collections.abc.Sequence",
    "sparse": "scipy.sparse",
}
_CLASSES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (sklearn_rank, pytest_rankmetrics)
    for name in module.__all__
    if inspect.isclass(getattr(module, name))
}
_OURS = {name.rpartition(".")[2]: name for name in _CLASSES}
# Tables of methods leave out what Python and scikit-learn give to a class.
numpydoc_show_inherited_class_members = {
    name: all(base.__module__.startswith(("sklearn_rank", "pytest")) for base in made.mro()[:-1])
    for name, made in _CLASSES.items()
}
# Inventories of other projects, by hand: the build has no network. They list what docstrings name.
_SITES = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "scipy": "https://docs.scipy.org/doc/scipy",
    "sklearn": "https://scikit-learn.org/stable",
    "matplotlib": "https://matplotlib.org/stable",
    "polars": "https://docs.pola.rs/api/python/stable/reference",
    "pytest": "https://docs.pytest.org/en/stable",
}
intersphinx_mapping = {
    name: (address, f"_inventories/{name}.inv") for name, address in _SITES.items()
}
_THEIRS = [
    line.split()[0]
    for name in _SITES
    for line in (DOCS / f"_inventories/{name}.inv").read_text(encoding="utf-8").splitlines()[3:]
]
numpydoc_xref_aliases = {
    name: f":py:obj:`{name} <{target}>`"
    for name, target in (*zip(_THEIRS, _THEIRS, strict=True), *_ALIASES.items(), *_OURS.items())
}
nitpicky = True

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

SEARCHED = {
    "beyond_accuracy": ["coverage", "catalog coverage", "gini", "novelty", "diversity"],
    "calculators": ["how many queries", "minimum detectable effect", "sample size"],
    "cli": ["audit", "ndcg wrong", "judge next", "rank.toml"],
    "coming_from": ["convention", "trec_eval", "pytrec_eval", "ranx", "ir_measures"],
    "comparing": [
        "significance",
        "significance test",
        "p-value",
        "compare two systems",
        "statistical power",
        "html report",
        "repeated runs",
        "paired test",
        "randomization test",
    ],
    "early_stopping": ["early stopping", "lightgbm", "xgboost", "eval_metric"],
    "evaluation": ["confidence interval"],
    "files": ["csv", "parquet", "trec files", "jsonl"],
    "gates": ["regression test", "quality gate", "pytest baseline", "github action"],
    "gates_reference": ["red gate", "hard_drop", "rank_required"],
    "inputs": ["ties", "string_provider", "relevance scores", "data frame"],
    "install": ["install", "installation"],
    "pictures": ["roc", "roc curve", "plot"],
    "recipes": ["nested search", "permutation importance", "optuna"],
    "scorers": ["gridsearchcv", "scoring", "query ids", "metadata routing", "groupkfold"],
    "search_tools": [
        "langchain",
        "llamaindex",
        "haystack",
        "elasticsearch",
        "opensearch",
        "vespa",
        "solr",
        "deepeval",
        "promptfoo",
        "ragas",
    ],
    "spark": ["spark", "pyspark"],
    "tutorial_home_made": ["golden file", "threshold in ci", "own metric"],
    "tutorial_rag": ["retrieval augmented generation", "rag"],
    "tutorial_recommender": ["recommender system"],
    "tutorial_search": ["offline evaluation", "search relevance"],
    "tutorial_traceability": ["traceability", "trace links"],
    "unjudged": ["unjudged", "unjudged items", "missing judgements"],
    "which_metric": ["which metric", "choose a metric"],
    **{f"metric/{name}": [notes.name.lower(), *notes.searched] for name, notes in NOTES.items()},
}
"""Words that people type, by the page that answers them."""

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "sklearn-rank"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}
html_extra_path = ["llms.txt"]
html_css_files = ["site.css"]
html_sidebars = {"index": []}
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    # Not as an icon: a font of 110 KB would be loaded for it.
    "external_links": [{"name": "GitHub", "url": "https://github.com/sklearn-rank/sklearn-rank"}],
    "switcher": {"json_url": "_static/switcher.json", "version_match": VERSION},
    "navbar_end": ["version-switcher", "theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_prev_next": False,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Address of the source of a documented object."""
    if domain != "py":
        return None
    found: Any = sys.modules[info["module"]]
    for name in info["fullname"].split("."):
        found = getattr(found, name, None)
    try:
        found = inspect.unwrap(found)
        path = Path(inspect.getsourcefile(found) or "").relative_to(ROOT)
        lines, first = inspect.getsourcelines(found)
    except (TypeError, ValueError, OSError):
        return None
    return f"{SOURCES}/{path.as_posix()}#L{first}-L{first + len(lines) - 1}"


def link_pages(
    _app: Any, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Link the pages that docstrings name by their files."""
    for place, line in enumerate(lines):
        lines[place] = re.sub(
            r"\bdocs/(\w+)\.md(#[\w-]+)?",
            lambda page: f"`{page[1].replace('_', ' ')} <../{page[1]}.html{page[2] or ''}>`__",
            line,
        )


def without_private_arguments(
    _app: Any, kind: str, _name: str, documented: Any, _options: Any, signature: str | None, _: Any
) -> tuple[str, None] | None:
    """Omit the arguments of classes that only functions create: their docstrings name none."""
    if kind != "class" or not signature:
        return None
    return None if "Parameters\n-------" in (inspect.getdoc(documented) or "") else ("", None)


def install_release(_app: Any, _page: str, source: list[str]) -> None:
    """Adapt the install commands of a page to whether there is a release."""
    source[0] = install_commands(source[0], released=RELEASED)


def index_words(app: Any, tree: Any) -> None:
    """Let the search find pages by the words that people type."""
    words = SEARCHED.get(app.env.current_document.docname, ())
    tree.insert(0, addnodes.index(entries=[("single", word, "", "main", None) for word in words]))


def describe(_app: Any, page: str, _template: str, context: dict[str, Any], tree: Any) -> None:
    """Give a page the description that link previews show: its title and first paragraph."""
    if tree is None:
        return
    first = next(iter(tree.findall(nodes.paragraph)), None)
    text = " ".join(first.astext().split())[:200] if first else ""
    meta = {
        "description": text,
        "og:title": re.sub(r"<[^>]+>", "", context.get("title", "")),
        "og:description": text,
        "og:type": "website",
        "og:image": f"{SITE}/{VERSION}/_static/report.png",
        "og:url": f"{SITE}/{VERSION}/{page}.html",
        "twitter:card": "summary_large_image",
    }
    for name, content in meta.items():
        kind = "property" if name.startswith("og:") else "name"
        context["metatags"] += f'<meta {kind}="{name}" content="{html.escape(content)}" />'


def visit_math(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers show without a script."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    translator.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode


def without_roles(
    _app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any
) -> None:
    """Remove the roles of references, which docutils nests in a way that browsers do not allow."""
    body = context.get("body", "").replace(' role="doc-biblioentry"', "")
    context["body"] = body.replace('role="list" class="citation-list"', 'class="citation-list"')


def without_addresses(_app: Any, tree: Any) -> None:
    """Remove the links from measures such as ndcg@10, which look like email addresses."""
    for link in [*tree.findall(nodes.reference)]:
        if link.get("refuri", "").startswith("mailto:"):
            link.parent.replace(link, link.children)


def finish(app: Any, error: Exception | None) -> None:
    """Name the theme's buttons for screen readers, and refuse pages that load from other hosts.

    A page may link to another host, but not load anything from there.
    """
    loads = r"<(?:script|link|img|iframe|source|object|embed)\b[^>]*(?:src|href|data)=.(?:\w+:)?//"
    for page in [] if error else Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if found := re.search(f"{loads}[^>]*|url\\(.?https?:[^)]*", text):
            msg = f"{page} loads {found[0]}"
            raise ExtensionError(msg)
        named = r'(<button[^>]*search-button-field[^>]* aria-label="Search)'
        text = re.sub(named, r"\1 Ctrl+K", text)
        text = text.replace('aria-label="Version switcher list"', "")  # its text is the version
        text = text.replace("<summary><span", '<summary aria-label="Pages below"><span')
        page.write_text(text, encoding="utf-8")
    if not error:
        without_attributes(Path(app.outdir) / "searchindex.js")
        styles = Path(app.outdir) / "_static"
        words = used_words(Path(app.outdir))
        for name in ("styles/pydata-sphinx-theme.css", "sphinx-design.min.css"):
            text = (styles / name).read_text(encoding="utf-8")
            text = without_unused_rules(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL), words)
            (styles / name).write_text(text, encoding="utf-8")


def without_attributes(path: Path) -> None:
    """Remove attributes of classes from the search: their names are words that pages explain."""
    start, end = "Search.setIndex(", ")"
    text = path.read_text(encoding="utf-8")
    read = json.loads(text.removeprefix(start).removesuffix(end))
    kept = [kind for kind, name in read["objtypes"].items() if name != "py:attribute"]
    for prefix, objects in read["objects"].items():
        read["objects"][prefix] = [one for one in objects if str(one[1]) in kept]
    path.write_text(f"{start}{json.dumps(read, separators=(',', ':'))}{end}", encoding="utf-8")


def used_words(site: Path) -> set[str]:
    """Classes and ids of the pages, and all words of scripts, which may add more."""
    words: set[str] = set()
    for page in site.rglob("*.html"):
        for value in re.findall(r'\b(?:class|id)="([^"]*)"', page.read_text(encoding="utf-8")):
            words.update(value.split())
    for script in site.rglob("*.js"):
        if script.name != "searchindex.js":
            words.update(re.findall(r"[\w-]+", script.read_text(encoding="utf-8")))
    return words


def without_unused_rules(css: str, words: set[str]) -> str:
    """Remove rules for classes that no page has: two thirds of the theme's styles."""
    parts = []
    for head, body in re.findall(r"([^{}]*)\{((?:[^{}]|\{[^{}]*\})*)\}", css):
        if head.strip().startswith(("@media", "@supports")):
            body = without_unused_rules(body, words)
        elif not head.strip().startswith("@"):
            selectors = re.split(r",(?![^()]*\))", head)
            plain = [
                re.sub(r":(?:not|is|where|has)\([^)]*\)|\[[^\]]*\]", "", it) for it in selectors
            ]
            named = [re.findall(r"[.#]((?:\\.|[\w-])+)", it) for it in plain]
            used = [{name.replace("\\", "") for name in names} <= words for names in named]
            head = ",".join(itertools.compress(selectors, used))
        if head and body:
            parts.append(f"{head}{{{body}}}")
    return "".join(parts)


def setup(app: Any) -> None:
    """Register the functions above, and write the menu of versions, which .ci/pages completes."""
    menu = [{"version": VERSION, "url": f"{SITE}/{VERSION}/"}]
    (DOCS / "_static" / "switcher.json").write_text(json.dumps(menu), encoding="utf-8")
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.connect("source-read", install_release)
    app.connect("autodoc-process-docstring", link_pages)
    app.connect("autodoc-process-signature", without_private_arguments)
    app.connect("html-page-context", without_roles)
    app.connect("html-page-context", describe)
    app.connect("doctree-read", index_words)
    app.connect("doctree-read", without_addresses)
    app.connect("build-finished", finish)
    app.connect("builder-inited", lambda _: write(DOCS / "metric"))
    app.connect("builder-inited", lambda _: write_report(DOCS / "_static" / "report.html"))
