"""The workflows run what .ci/ has, on the Pythons that are supported, with no more rights than due.

`actionlint` runs in the workflow "Tests", and `.ci/jobs` collects what the jobs test; what neither
can know of this project is here.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import sklearn_rank
from tests.conftest import SLOW

ROOT = Path(__file__).parents[2]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
JOBS = [
    pytest.param(job, id=f"{workflow}-{name}")
    for workflow, content in WORKFLOWS.items()
    for name, job in content["jobs"].items()
    if "steps" in job
]
every_job = pytest.mark.parametrize("job", JOBS)


def steps_of(job: dict[str, Any], key: str) -> list[str]:
    return [step[key] for step in job["steps"] if key in step]


@pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
def test_a_workflow_may_nothing_unless_a_job_says_more(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}


@every_job
def test_a_job_runs_what_there_is_and_uses_the_matrix_that_it_has(job: dict[str, Any]) -> None:
    assert job["timeout-minutes"] <= 60
    for action in steps_of(job, "uses"):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), "a tag can be moved"
    for command in steps_of(job, "run"):
        for script in re.findall(r"^(\.ci/\w+)", command):
            assert os.access(ROOT / script, os.X_OK), script
        for path in re.findall(r"\btests/[\w/]+\.py\b", command):
            assert (ROOT / path).is_file(), path
    used = set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job)))
    assert used == set(job.get("strategy", {}).get("matrix", {}))


def test_the_light_set_has_tests_of_every_room() -> None:
    tests = ROOT / "tests"
    files = {*tests.glob("*/test_*.py")}
    assert [name for name in SLOW if not (tests / name).exists()] == []
    slow = {path for path in files if any(path.is_relative_to(tests / name) for name in SLOW)}
    rooms, quick = ({path.parent.name for path in some} for some in (files, files - slow))
    assert rooms - quick == {"spark"}


def test_hooks_before_a_commit_use_the_versions_of_the_extras() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = {*project["dependencies"]}.union(*project["optional-dependencies"].values())
    for hook in yaml.safe_load(text)["repos"][0]["hooks"]:
        assert hook["language"] == "python", "an environment of its own"
        assert set(hook["additional_dependencies"]) <= known
    untyped = {"scikit-learn", "scipy"}  # the one has no types, the other those of scipy-stubs
    needed = {one for one in project["dependencies"] if re.split("[<>=]", one)[0] not in untyped}
    assert needed <= set(hook["additional_dependencies"]), "mypy reads what the package imports"


def test_only_our_warnings_fail_a_run_that_does_not_ask_for_more(
    pytester: pytest.Pytester, pytestconfig: pytest.Config
) -> None:
    """The README's command passes on the next release of NumPy; CI asks for `-W error`."""
    filters = "".join(f"\n    {line}" for line in pytestconfig.getini("filterwarnings"))
    pytester.makeini(f"[pytest]\nfilterwarnings ={filters}\n")
    pytester.makepyfile(
        """
        import warnings

        import pytest
        from pytest_rankmetrics import RankGateWarning
        from sklearn_rank.exceptions import ConventionWarning, RankingOrderWarning
        from sklearn.exceptions import UndefinedMetricWarning

        @pytest.mark.parametrize("kind", [DeprecationWarning, FutureWarning, UserWarning])
        def test_theirs(kind):
            warnings.warn("np.datetime64 without a unit", kind)

        @pytest.mark.parametrize("kind", [
            ConventionWarning, RankingOrderWarning, UndefinedMetricWarning, RankGateWarning
        ])
        def test_ours(kind):
            warnings.warn("data", kind)

        def test_deprecated():
            warnings.warn("write sklearn_rank.evaluate instead", DeprecationWarning)
        """
    )
    alone = ("-p", "no:asyncio")
    pytester.runpytest_inprocess(*alone).assert_outcomes(passed=3, failed=5, warnings=3)
    pytester.runpytest_inprocess(*alone, "-W", "error").assert_outcomes(failed=8)


def test_every_supported_python_is_tested_also_without_a_global_lock() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    supported = set(re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project))
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert set(re.findall(r'"(3\.\d+t?)"', tests)) == supported | {"3.14t"}


def release(tag: str, root: Path) -> tuple[int, str]:
    """Exit status and output of the check of a tag, in a copy of what it reads."""
    for name in (".ci/release", "sklearn_rank/__init__.py", "CITATION.cff", "CHANGELOG.md"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    done = subprocess.run(
        [sys.executable, root / ".ci" / "release", tag], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_a_tag_agrees_with_all_that_state_the_version(tmp_path: Path) -> None:
    version = sklearn_rank.__version__
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text("RELEASED = False\n", encoding="utf-8")
    status, output = release(f"v{version}", tmp_path)
    assert status == 1
    assert "docs/conf.py states False" in output
    assert "sklearn_rank/__init__.py" not in output
    assert "CITATION.cff" not in output
    assert f"\n## {version} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    status, output = release("v9.9.9", tmp_path)
    assert status == 1
    assert f"sklearn_rank/__init__.py states {version} for the tag v9.9.9" in output


@every_job
def test_no_job_keeps_credentials_that_it_does_not_push_with(job: dict[str, Any]) -> None:
    for step in job["steps"]:
        if step.get("uses", "").startswith("actions/checkout@"):
            stored = step.get("with", {}).get("persist-credentials", True)
            assert stored is ("git push" in str(job) or "push origin" in str(job))


def put(site: Path, pages: Path, version: str = "dev") -> subprocess.CompletedProcess[str]:
    """Put a built site among those of other versions."""
    return subprocess.run(
        [sys.executable, ROOT / ".ci" / "pages", site, pages, version],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_site_with_a_dead_link_is_refused(tmp_path: Path) -> None:
    site, pages = tmp_path / "site", tmp_path / "pages"
    for folder in (site / "_static", site / "metric", pages):
        folder.mkdir(parents=True)
    (site / "metric" / "map.html").write_text('<a href="../index.html?q=a%20b#one">', "utf-8")
    links = "metric/map.html _static/ #one index.html#two map.md /metric/map.html ../map.html"
    texts = [f'<a href="{link}">' for link in links.split()]
    (site / "index.html").write_text(
        f'<h1 id="one">{"".join(texts)}<img src="a.png"><a href="https://x.y/z">',
        encoding="utf-8",
    )
    done = put(site, pages)
    assert done.returncode == 1
    dead = ["_static/", "index.html#two", "map.md", "/metric/map.html", "../map.html", "a.png"]
    assert done.stderr.splitlines()[1:] == [f"index.html: {link}" for link in dead]
    assert list(pages.iterdir()) == []


def test_sites_of_all_versions_offer_each_other(tmp_path: Path) -> None:
    site, pages, stable = tmp_path / "site", tmp_path / "pages", []
    (site / "_static").mkdir(parents=True)
    for version in ("dev", "0.9.0", "0.10.0", "dev"):
        (site / "index.html").write_text(version, encoding="utf-8")
        assert put(site, pages, version).returncode == 0
        stable.append((pages / "stable" / "index.html").read_text(encoding="utf-8"))
    assert stable == ["dev", "0.9.0", "0.10.0", "0.10.0"]
    (menu,) = {path.read_text("utf-8") for path in pages.glob("*/_static/switcher.json")}
    assert [entry["version"] for entry in yaml.safe_load(menu)] == ["0.10.0", "0.9.0", "dev"]
