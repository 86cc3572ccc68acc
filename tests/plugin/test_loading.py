"""What the plugin costs where it is not used, and what works without it or without its friends."""

import json
import sys

import pytest

from pytest_rankmetrics.options import INI, OPTION_TABLE
from tests.plugin.conftest import Suite, said

HEAVY = ("numpy", "scipy", "scipy.stats", "sklearn", "pandas", "yaml", "sklearn_rank")
REPORT_HEAVY = f"""
    import sys

    def pytest_unconfigure(config):
        print("HEAVY", sorted(name for name in {HEAVY!r} if name in sys.modules))
"""
NOTHING = "def test_nothing(): print('RAN')"
USES = """
    from cases import case
    from pytest_rankmetrics import assert_map_at_least

    def test_met():
        assert_map_at_least(*case([1, 2]), 0.75)

    def test_not_met():
        assert_map_at_least(*case([1, 2]), {limit})
"""


def heavy(result: pytest.RunResult) -> set[str]:
    """What a run had imported at its end."""
    (line,) = [line for line in result.outlines if line.startswith("HEAVY ")]
    return set(line.removeprefix("HEAVY [").rstrip("]").replace("'", "").split(", ")) - {""}


def test_a_suite_without_gates_imports_nothing_heavy_and_gets_no_section_and_no_file(suite):
    suite.write(conftest=REPORT_HEAVY, test_it=NOTHING)
    before = suite.files()
    # Other plugins import what they like; here the plugin's own imports are seen.
    others = ("regressions", "pytest-datadir", "xdist", "rerunfailures")
    result = suite.spawn(
        "-s", *[part for name in others for part in ("-p", f"no:{name}")], passed=1
    )
    assert heavy(result) <= {"sklearn_rank"}, "its settings, which need the standard library alone"
    assert "rank" not in said(result).replace("'sklearn_rank'", "").replace(
        "sklearn-rank", ""
    ).replace(str(suite.path), "")
    assert suite.files() == before


@pytest.mark.parametrize(
    ("test", "ret", "missing"),
    [("", 5, {"numpy", "pandas"}), (USES.format(limit=0.5), 0, {"scipy.stats", "sklearn"})],
    ids=["empty", "thresholds"],
)
def test_a_run_imports_what_it_needs(test, ret, missing, suite):
    suite.write(conftest=REPORT_HEAVY, test_it=test)
    assert not heavy(suite.spawn("-s", ret=ret)) & {*missing, "pandas"}


def test_the_library_imported_before_pytest_warns_of_nothing(suite):
    suite.write(
        test_it=NOTHING,
        main="""
            import sys
            import sklearn_rank, pytest_rankmetrics, pytest
            sys.exit(pytest.main(["-W", "error", "test_it.py"]))
        """,
    )
    result = suite.pytester.run(sys.executable, "main.py")
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_assertions_work_with_the_plugin_switched_off(suite, monkeypatch):
    suite.write(test_it=USES.format(limit=0.76))
    told = ["E *MAP is 0.750, below the 0.760 required (2 queries*"]
    suite.run("-p", "no:rankmetrics", ret=1, passed=1, failed=1, lines=told)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suite.run().assert_outcomes(passed=1, failed=1)
    suite.run("-p", "rankmetrics", passed=1, failed=1, lines=["*ranking quality gates*"])


def blocked(*names: str) -> str:
    """A conftest in which modules cannot be imported, as if they were not installed."""
    return f"""
        import sys

        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in {names!r}:
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
                return None

        sys.meta_path.insert(0, Missing())
        for name in [one for one in sys.modules if one.partition(".")[0] in {names!r}]:
            del sys.modules[name]
    """


WITHOUT = """
    from cases import system
    from pytest_rankmetrics import assert_map_at_least

    def test_assertion():
        assert_map_at_least(*system(), 0.4)

    def test_gate(rank_gate):
        rank_gate.check(*system(), at_least={"map": 0.4}, max_drop={"map": 0.005})

    def test_regression(rank_regression):
        rank_regression.check(*system(), measures=("map",), max_drop=0.005)
"""


def test_without_pytest_regressions_only_its_fixture_fails_and_says_what_to_install(suite):
    suite.write(conftest=blocked("pytest_regressions", "pytest_datadir"), test_it=WITHOUT)
    suite.system([2] * 30)
    off = ("-p", "no:regressions", "-p", "no:pytest-datadir")
    told = ["*rank_regression needs pytest-regressions: pip install 'sklearn-rank[[]pytest]'*"]
    suite.spawn("--rank-update", *off, ret=1, passed=2, errors=1, lines=told)
    assert len(suite.baselines()) == 1


def test_without_pandas_everything_works(suite):
    suite.write(test_it=WITHOUT)
    suite.run("--rank-update", now=[2] * 30, passed=3)
    suite.write(conftest=blocked("pandas"))
    suite.spawn(now=[2] * 29 + [1], ret=0, passed=3)


# Of pytest itself; a run without any other of its plugins does not start.
OWN = (
    "terminal",
    "cacheprovider",
    "stepwise",
    "skipping",
    "junitxml",
    "setuponly",
    "setupplan",
    "warnings",
    "doctest",
    "unittest",
    "subtests",
    "faulthandler",
    "debugging",
)


@pytest.mark.parametrize("name", OWN)
def test_no_plugin_of_pytest_is_needed(name, recorded):
    recorded.run("-p", f"no:{name}", "--rank-json=report.json", ret=0)
    (gate,) = json.loads((recorded.path / "report.json").read_text())["gates"]
    assert gate["state"] == "pass"
    recorded.system([5] * 30)
    assert recorded.run("-p", f"no:{name}").ret == 1


# Settings ----------------------------------------------------------------------------------------

NEW = pytest.version_tuple >= (9, 0)
PLAIN, STRING, NATIVE = "[pytest]", "[tool.pytest.ini_options]", "[tool.pytest]"
NATIVE_PARAM = pytest.param(
    NATIVE, marks=pytest.mark.skipif(not NEW, reason="native TOML settings came with pytest 9.0")
)


def settle(suite: Suite, section: str, text: str) -> None:
    suite.file("pytest.ini" if section == PLAIN else "pyproject.toml", f"{section}\n{text}\n")


@pytest.mark.parametrize("section", [PLAIN, STRING, NATIVE_PARAM])
def test_a_setting_means_the_same_in_every_file(section, recorded):
    # Four lost .3 and one won .5: p = 3/8.
    recorded.run(now=[5] * 4 + [1] + [2] * 25, passed=1, warnings=1)
    settle(recorded, section, 'rank_alpha = "0.4"' if section == STRING else "rank_alpha = 0.4")
    recorded.run().assert_outcomes(failed=1)


WRONG = [
    "rank_alpha = x",
    "rank_alpha = -0.05",
    "rank_alpha = 5",
    "rank_alpha = nan",
    "rank_strict = perhaps",
    "rank_min_slice_size = 2.5",
    "rank_hard_drop = 5",
]


@pytest.mark.parametrize(
    ("section", "text"),
    [
        *((PLAIN, text) for text in WRONG),
        (STRING, 'rank_alpha = "x"'),
        pytest.param(NATIVE, 'rank_alpha = "0.05"', marks=NATIVE_PARAM.marks),
    ],
)
def test_a_wrong_setting_ends_the_run_before_any_test(section, text, suite):
    suite.write(test_it=NOTHING)
    settle(suite, section, text)
    assert "RAN" not in said(suite.run("-s", ret=4, says=text.partition(" ")[0]))


def test_settings_and_marker_are_known_to_a_strict_suite(suite):
    strict = "strict = true" if NEW else "addopts = --strict-markers --strict-config"
    values = [(name, str(default).lower()) for name, kind, default, _ in INI if kind != "linelist"]
    lines = [f"{name} = {value}" for name, value in values if value]
    settle(suite, PLAIN, "\n".join([strict, *lines]))
    suite.write(
        test_it="""
        import pytest
        from cases import case

        @pytest.mark.rank_gate(name="search")
        def test_marked(rank_gate):
            rank_gate.check(*case([1, 2]), at_least={"map": 0.5})

        def test_gate(rank_gate):
            rank_gate.check(*case([1, 2]), at_least={"map": 0.5})

        def test_other():
            pass
        """
    )
    suite.run("-W", "error", passed=3)
    # The marker is added to every user of a fixture of the plugin.
    suite.run("-m", "rank_gate").assert_outcomes(passed=2, deselected=1)


def test_an_option_swallows_no_path(gate):
    gate.write(test_two=NOTHING)
    gate.run("--rank-update", "test_it.py").assert_outcomes(passed=1)
    assert list(gate.baselines()) == ["test_it/test_bm25.rank.json"]


def test_the_options_stand_in_a_group_of_their_own(suite):
    _, _, own = suite.run("--help").stdout.str().partition("ranking quality gates:")
    assert not [option for option in OPTION_TABLE if option not in own]
