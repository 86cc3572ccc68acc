"""What the plugin costs where it is not used, and what works without it or without its friends."""

from __future__ import annotations

import sys

import pytest

from pytest_rankmetrics.session.options import OPTION_TABLE
from tests.plugin.conftest import Suite, said

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "yaml", "sklearn_rank")
REPORT_HEAVY = f"""
    import sys
    from pathlib import Path

    def pytest_unconfigure(config):
        heavy = [name for name in {HEAVY!r} if name in sys.modules]
        print("HEAVY", sorted(heavy))
"""
USES = """
    from cases import case
    from pytest_rankmetrics import assert_map_at_least

    def test_met():
        assert_map_at_least(*case([1, 2]), 0.75)

    def test_not_met():
        assert_map_at_least(*case([1, 2]), 0.76)
"""


def test_a_suite_without_gates_imports_nothing_heavy_and_gets_no_section_and_no_file(
    suite: Suite,
) -> None:
    suite.write(conftest=REPORT_HEAVY, test_it="def test_nothing(): pass")
    before = suite.files()
    # Other plugins import what they like; here the plugin's own imports are seen.
    others = ("regressions", "pytest-datadir", "xdist", "rerunfailures")
    result = suite.spawn("-s", *[part for name in others for part in ("-p", f"no:{name}")])
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["HEAVY *"])
    assert "HEAVY []" in said(result)
    assert "rank" not in said(result).replace("sklearn-rank", "").replace(str(suite.path), "")
    assert suite.files() == before


def test_an_empty_suite_with_all_plugins_does_not_import_numpy(suite: Suite) -> None:
    suite.write(conftest=REPORT_HEAVY)
    before = suite.files()
    result = suite.spawn("-s")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    heavy = {"numpy", "scipy", "sklearn", "pandas", "sklearn_rank"}
    (line,) = [line for line in result.outlines if line.startswith("HEAVY ")]
    assert not heavy & set(line.replace("'", " ").replace(",", " ").split())
    assert suite.files() == before


def test_thresholds_alone_do_not_import_scipy_or_scikit_learn(suite: Suite) -> None:
    suite.write(
        conftest="""
            import sys

            def pytest_unconfigure(config):
                names = ("scipy.stats", "sklearn", "pandas")
                print("HEAVY", [name for name in names if name in sys.modules])
        """,
        test_it="""
            from cases import case
            from pytest_rankmetrics import assert_map_at_least

            def test_met():
                assert_map_at_least(*case([1, 2]), 0.75)
        """,
    )
    result = suite.spawn("-s")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["HEAVY []"])


def test_the_library_imported_before_pytest_warns_of_nothing(suite: Suite) -> None:
    suite.write(test_it="def test_nothing(): pass")
    suite.write(
        main="""
            import sys
            import sklearn_rank, pytest_rankmetrics, pytest
            sys.exit(pytest.main(["-W", "error", "test_it.py"]))
        """
    )
    result = suite.pytester.run(sys.executable, "main.py")
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_assertions_work_with_the_plugin_switched_off(suite: Suite) -> None:
    suite.write(test_it=USES)
    result = suite.run("-p", "no:rankmetrics")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["E *map 0.7500 < 0.7600 required (short by 0.0100; 2 queries*"])


def test_assertions_work_where_plugins_are_not_loaded_by_themselves(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suite.write(test_it=USES)
    suite.run().assert_outcomes(passed=1, failed=1)


def test_the_plugin_is_loaded_by_name(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suite.write(test_it=USES)
    result = suite.run("-p", "rankmetrics")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*ranking quality gates*"])


def test_a_gate_fails_closed_when_the_plugin_is_switched_off(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case

        def test_search(rank_gate):
            rank_gate.check(*case([1, 2]), at_least={"map": 0.5})
        """
    )
    result = suite.run("-p", "no:rankmetrics")
    result.assert_outcomes(errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*fixture 'rank_gate' not found*"])


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
        rank_regression.check(*system(), metrics=("map",), max_drop=0.005)
"""


def test_without_pytest_regressions_only_its_fixture_fails_and_says_what_to_install(
    suite: Suite,
) -> None:
    suite.write(conftest=blocked("pytest_regressions", "pytest_datadir"), test_it=WITHOUT)
    suite.system([2] * 30)
    off = ("-p", "no:regressions", "-p", "no:pytest-datadir")
    result = suite.spawn("--rank-update", *off)
    result.assert_outcomes(passed=2, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*rank_regression needs pytest-regressions: pip install 'sklearn-rank[[]pytest]'*"]
    )
    assert len(suite.baselines()) == 1


def test_without_pandas_everything_works(suite: Suite) -> None:
    suite.write(test_it=WITHOUT)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=3)
    suite.write(conftest=blocked("pandas"))
    suite.system([2] * 29 + [1])
    result = suite.spawn()
    result.assert_outcomes(passed=3)
    assert result.ret == 0


# Settings ------------------------------------------------------------------------------------

PRINT_ALPHA = """
    from cases import system

    def test_gate(rank_gate):
        rank_gate.check(*system(), max_drop={"map": 0.005})
"""
INI = {
    "native": ("pyproject.toml", "[tool.pytest]\nrank_alpha = 0.2\n"),
    "string": ("pyproject.toml", '[tool.pytest.ini_options]\nrank_alpha = "0.2"\n'),
    "ini": ("pytest.ini", "[pytest]\nrank_alpha = 0.2\n"),
}


@pytest.mark.parametrize("form", INI)
def test_a_setting_means_the_same_in_every_file(form: str, suite: Suite) -> None:
    if form == "native" and pytest.version_tuple < (9, 0):
        pytest.skip("native TOML settings came with pytest 9.0")
    # One of thirty queries falls from first to second: p = 0.163, between 0.05 and 0.2.
    suite.write(test_it=PRINT_ALPHA)
    suite.system([1] * 10 + [2] * 20)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1] * 10 + [2] * 17 + [3] * 3)  # three of thirty: p is at least 1 / 8
    suite.run().assert_outcomes(passed=1, warnings=1)
    name, text = INI[form]
    suite.file(name, text)
    suite.run().assert_outcomes(failed=1)


STRING, NATIVE = "[tool.pytest.ini_options]", "[tool.pytest]"
WRONG = {
    "no number": ("[pytest]", "rank_alpha = x"),
    "string": (STRING, 'rank_alpha = "x"'),
    "native": (NATIVE, 'rank_alpha = "0.05"'),
    "negative": ("[pytest]", "rank_alpha = -0.05"),
    "above one": ("[pytest]", "rank_alpha = 5"),
    "nan": ("[pytest]", "rank_alpha = nan"),
    "no bool": ("[pytest]", "rank_confirm = perhaps"),
    "no int": ("[pytest]", "rank_min_queries = 2.5"),
    "negative int": ("[pytest]", "rank_min_queries = -1"),
    "unknown test": ("[pytest]", "rank_test = wilcoxon"),
    "unknown correction": ("[pytest]", "rank_correction = none-at-all"),
    "unknown ratchet": ("[pytest]", "rank_ratchet = sometimes"),
    "unknown unused": ("[pytest]", "rank_unused = keep"),
    "hard drop": ("[pytest]", "rank_hard_drop = 5"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_setting_ends_the_run_before_any_test(mistake: str, suite: Suite) -> None:
    section, text = WRONG[mistake]
    if section == NATIVE and pytest.version_tuple < (9, 0):
        pytest.skip("native TOML settings came with pytest 9.0")
    suite.write(test_it="def test_nothing(): print('RAN')")
    suite.file("pytest.ini" if section == "[pytest]" else "pyproject.toml", f"{section}\n{text}\n")
    result = suite.run("-s")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert text.partition(" ")[0] in said(result)
    assert "RAN" not in said(result)
    assert "INTERNALERROR" not in said(result)


def test_settings_and_marker_are_known_to_a_strict_suite(suite: Suite) -> None:
    strictly = "addopts = --strict-markers --strict-config"
    suite.file(
        "pytest.ini",
        """
        [pytest]
        STRICTLY
        rank_alpha = 0.05
        rank_confirm = true
        rank_min_queries = 25
        rank_min_slice_size = 10
        rank_hard_drop = 0.05
        rank_correction = holm
        rank_test = t
        rank_seed = 0
        rank_worst_queries = 5
        rank_ratchet = notice
        rank_unused = report
        rank_junit = true
        rank_markdown = auto
        """.replace("STRICTLY", "strict = true" if pytest.version_tuple >= (9,) else strictly),
    )
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
    result = suite.run("-W", "error")
    result.assert_outcomes(passed=3)
    # The marker is added to every user of a fixture of the plugin.
    suite.run("-m", "rank_gate").assert_outcomes(passed=2, deselected=1)


def test_an_option_swallows_no_path(suite: Suite) -> None:
    suite.write(
        test_one="""
        from cases import case

        def test_gate(rank_gate):
            rank_gate.check(*case([2] * 3), max_drop={"map": 0.005})
        """,
        test_two="def test_nothing(): pass",
    )
    result = suite.run("--rank-update", "test_one.py")
    result.assert_outcomes(passed=1)
    assert list(suite.baselines()) == ["test_one/test_gate.rank.json"]


def test_the_options_stand_in_a_group_of_their_own(suite: Suite) -> None:
    _, _, own = suite.run("--help").stdout.str().partition("ranking quality gates:")
    assert not [option for option in OPTION_TABLE if option not in own]
