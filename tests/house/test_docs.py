"""The documentation says what the package does; its examples run as doctests of the files."""

import ast
import importlib.util
import math
import re
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

import pytest_rankmetrics
import sklearn_rank
import sklearn_rank.evaluation
import sklearn_rank.inputs
import sklearn_rank.measures
from sklearn_rank.measures.catalogue import METRICS, find_metric
from sklearn_rank.model_selection.options import ScorerOptions

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / ".github" / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
    ]
)
METRIC_FILES = {f"metric/{metric.name}.md" for metric in METRICS}
FLAGS = re.MULTILINE | re.DOTALL
LINK = re.compile(r"\]\(([^)\s]+)\)")


def load(name: str) -> ModuleType:
    """A program of the documentation."""
    sys.path.insert(0, str(ROOT / "docs"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(ROOT / "docs"))
    return module


GENERATED = sorted(load("_generate").pages().items())
METRIC_PAGES = load("_metric_pages")


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, as Markdown renderers make them."""
    titles = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def prose(page: Path) -> str:
    """Text of a page without its code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def links(page: Path) -> list[str]:
    """Targets of the links of a page, without those in its code and to pages of metrics."""
    return [
        target
        for target in LINK.findall(prose(page))
        if "://" not in target and target not in METRIC_FILES
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(("page", "text"), GENERATED, ids=[name_of(page) for page, _ in GENERATED])
def test_generated_text_is_up_to_date(page, text):
    assert page.read_text(encoding="utf-8") == text, "run: python docs/_generate.py"


@pytest.mark.parametrize("metric", METRICS, ids=[metric.name for metric in METRICS])
def test_worked_examples_have_the_values_of_the_package(metric):
    by_hand = METRIC_PAGES.NOTES[metric.name].by_hand
    value = eval(by_hand, {"log2": math.log2})
    assert METRIC_PAGES.example(metric) == pytest.approx(value, rel=1e-12)
    page = METRIC_PAGES.page(metric)
    assert re.search(rf" = {re.escape(by_hand)}\n +" + f"= {value:.4f}\n", page)
    code = re.search(r"```python\n(.*?)```", page, FLAGS)[1]
    *lines, call = code.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(lines), names)
    assert [*eval(call, names).scores.values()] == [pytest.approx(value, rel=1e-12)]
    for name in metric.defaults.keys() - {"smoothing"}:  # which is of one convention alone
        assert re.search(rf"^\| `{name}` \| .+ \| `.+` \| .+ \|$", page, re.MULTILINE), name


def test_a_metric_page_says_what_is_undefined_and_who_computes_it_otherwise():
    page = METRIC_PAGES.page(find_metric("gauc"))
    assert "\n| the ranking is empty | undefined |\n| nothing relevant was retrieved | 0 |" in page
    assert "\n| Random ranking | 0.500 (`gauc`; " in page
    assert re.search(r"\n\| `sklearn` \| 1\.\S+ \| - \| warn \| - \|\n", page)
    assert re.search(r"\n\| `catboost` \| \S+ \| refused \| - \| CatBoost's QueryAUC counts", page)


PUBLIC = [
    *sklearn_rank.__all__,
    *pytest_rankmetrics.__all__,
    *sklearn_rank.evaluation.__all__,
    *sklearn_rank.inputs.__all__,
    *sklearn_rank.measures.__all__,
]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_install_from_a_clone_until_there_is_a_release(page):
    text = page.read_text(encoding="utf-8")
    install = load("_markdown").install_commands
    assert re.findall(r"pip install '?sklearn-rank(?!.*git\+)", text) == []
    assert install(text, released=False) == text
    released = install(text, released=True)
    assert "git clone https" not in released
    assert released.count("pip install ") == text.count("pip install ")
    assert re.findall(r"pip install '?\.(?!\w)", released) == []


def test_commands_of_a_release():
    install = load("_markdown").install_commands
    text = (
        "    git clone https://x/y && cd y\n    pip install .\n    pip install '.[pytest,plot]'\n"
    )
    expected = "    pip install sklearn-rank\n    pip install 'sklearn-rank[pytest,plot]'\n"
    assert install(text, released=True) == expected
    assert install("pip install -e '.[test]'", released=True) == "pip install -e '.[test]'"


def test_public_names_are_described():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = re.findall(r"^   (\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted({*PUBLIC} - {"__version__"})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_resolves_and_lines_of_prose_are_short(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.is_file(), f"{target} is no file"
        if anchor:
            assert anchor in anchors(linked), f"{target} is no heading"
    for line in prose(page).splitlines():
        if not line.startswith(("|", "<", "  <", "- Other names", "- Reference", "`", "    ")):
            assert len(line) <= 100, line


def test_every_page_is_in_one_table_of_contents():
    listed = []
    for page in (ROOT / "docs").glob("*.md"):
        for own in re.findall(
            r"^```{toctree}\n:hidden:\n(.*?)^```", page.read_text("utf-8"), FLAGS
        ):
            lines = [line.rpartition("<")[2].rstrip(">") for line in own.splitlines() if line]
            listed += [line for line in lines if line not in (":glob:", "metric/*")]
    pages = [page.stem for page in (ROOT / "docs").glob("*.md")]
    assert sorted([*listed, "index", "architecture"]) == sorted(pages)


def test_the_documentation_is_small_enough_to_read():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")]
    assert len(pages) <= 31
    assert sum(len(page.split()) for page in pages) <= 26_500
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 500


def test_the_text_for_language_models_names_pages_that_exist():
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    named = re.findall(r"sklearn-rank/stable/(\w+)\.html", text)
    assert len(named) > 5
    assert {f"{name}.md" for name in named} <= {page.name for page in PAGES}


def test_every_option_of_scorers_has_a_row_with_its_default():
    page = (ROOT / "docs" / "scorers.md").read_text(encoding="utf-8")
    table = page[page.index("| option | default | meaning |") :]
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \| .{20,} \|$", table, re.MULTILINE)
    options = [option for option in fields(ScorerOptions) if option.name != "given"]
    defaults = {option.name: option.default for option in options}
    assert {name: ast.literal_eval(default) for name, default in rows} == defaults


def test_links_of_the_readme_work_on_the_package_index_and_name_files():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^\[\w+\]: (.+)$", readme, re.MULTILINE)
    start = "https://github.com/sklearn-rank/sklearn-rank/blob/main/"
    assert len(targets) > 6
    others = [target for target in targets if not (ROOT / target.removeprefix(start)).is_file()]
    site = "https://sklearn-rank.github.io/sklearn-rank/"
    assert others == [site, f"{site}_static/report.html"]
    assert links(ROOT / "README.md") == []


def test_readme_has_the_two_commands_of_a_fresh_machine():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    start = "    python3 -m venv .venv && .venv/bin/pip install"
    assert f"{start} '.[pytest]' && .venv/bin/sklearn-rank demo\n" in readme
    assert readme[: readme.index("git clone")].count("\n") < 40
    assert f"{start} -e '.[test]' && .venv/bin/pytest -m 'not slow'\n" in readme
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert "\n    pip install '.[pytest]'\n" in index, "its second block is a test"


def test_a_preset_without_recorded_answers_says_what_to_do() -> None:
    with pytest.raises(
        LookupError, match=r"no answers of new: .* python -m tests.peers new=PYTHON"
    ):
        METRIC_PAGES.version_of("new")


@pytest.mark.parametrize("name", ["docs/architecture.md", ".github/CONTRIBUTING.md"])
def test_files_that_developers_are_told_of_exist(name):
    """A path stands below the root or below one of the packages, or is a module's name alone."""
    page = (ROOT / name).read_text(encoding="utf-8")
    names = set(re.findall(r"`([\w./]+(?:\.(?:py|md)|/))`", page))
    bases = [ROOT, ROOT / "sklearn_rank", ROOT / "pytest_rankmetrics"]
    assert len(names) > 20
    assert [name for name in names if not any((base / name).exists() for base in bases)] == []
