"""The plans that Spark runs, as SQL over two frames, ``{truth}`` and ``{run}``.

Both have the columns ``q`` (query), ``i`` (item) and ``x`` (grade, or score). SQL rather than
column functions, because Classic and Connect sessions read the same text, and a plan is seen whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

_FLOATING = ("float", "double")


def quoted(column: str) -> str:
    """The name of a column as SQL reads it."""
    return "`" + column.replace("`", "``") + "`"


def is_missing(column: str, kind: str) -> str:
    """Whether an id is no id: null, or NaN where a column of floats has a hole."""
    return f"({column} IS NULL OR isnan({column}))" if kind in _FLOATING else f"{column} IS NULL"


def wrong(column: str, kind: str, what: str) -> str:
    """Whether a number is missing, NaN, infinite or negative; never where the type rules it out."""
    floating = kind in _FLOATING
    return {
        "missing": f"{column} IS NULL",
        "NaN": f"isnan({column})" if floating else "false",
        "infinity": f"abs({column}) = double('infinity')" if floating else "false",
        # NaN is greater than everything in Spark.
        "negative": f"{column} < 0",
    }[what]


def _counts(conditions: Mapping[str, str], of: str) -> str:
    """Columns that count rows (as many as ``of`` says of each row) by condition."""
    return ", ".join(
        f"sum(CASE WHEN {condition} THEN {of} ELSE 0 END) AS {name}"
        for name, condition in conditions.items()
    )


def survey(kinds: Mapping[str, str], *, ranks: bool, skips: bool) -> str:
    """One row of numbers about both sides; what it has per query stays in Spark.

    Judgements are aggregated by query and item, the run by query alone: its repeated items would
    take a shuffle of all rows, which the plan for the waist makes anyway or does with hashes.
    """
    truth = {
        "no_item": is_missing("i", kinds["truth.i"]),
        "n_nan": wrong("x", kinds["truth.x"], "NaN"),
        "n_infinite": wrong("x", kinds["truth.x"], "infinity"),
        "n_negative": wrong("x", kinds["truth.x"], "negative"),
        "no_value": wrong("x", kinds["truth.x"], "missing"),
    }
    run = {
        "no_item": is_missing("i", kinds["run.i"]),
        "n_nan": wrong("x", kinds["run.x"], "NaN"),
        "no_value": wrong("x", kinds["run.x"], "missing"),
    }
    return Template(_SURVEY).substitute(
        truth_pair=_counts(truth, "1"),
        truth=", ".join(f"sum({name}) AS {name}" for name in truth),
        run=_counts(run, "1"),
        ranks="count(*) - count(DISTINCT x)" if ranks else "0",
        truth_missing=is_missing("t.q", kinds["truth.q"]),
        run_missing=is_missing("r.q", kinds["run.q"]),
        evaluated="t.n IS NOT NULL AND r.n IS NOT NULL" if skips else "t.n IS NOT NULL",
    )


_SURVEY = """
WITH pairs AS (
  SELECT q, i, count(*) AS n, max(x) AS most, min(x) AS least, $truth_pair
  FROM {truth} GROUP BY q, i
), judged AS (
  SELECT q, sum(n) AS n, $truth, sum(n - 1) AS repeated,
    count_if(most <> least) AS contradictory, count_if(most > 0) AS relevant,
    count_if(least <= 0) AS irrelevant
  FROM pairs GROUP BY q
), ranked AS (
  SELECT q, count(*) AS n, $run, $ranks AS repeated FROM {run} GROUP BY q
), queries AS (
  SELECT t.n AS t_n, r.n AS r_n, $truth_missing AS t_missing, $run_missing AS r_missing,
    $evaluated AS evaluated, t.relevant, t.irrelevant,
    t.no_item AS t_no_item, t.no_value AS t_no_value, t.n_nan AS t_nan,
    t.n_infinite, t.n_negative, t.repeated, t.contradictory,
    r.no_item AS r_no_item, r.no_value AS r_no_value, r.n_nan AS r_nan, r.repeated AS r_repeated
  FROM judged t FULL OUTER JOIN ranked r ON t.q = r.q
)
SELECT
  count_if(t_n > 0 AND NOT t_missing) AS n_judged,
  count_if(r_n > 0 AND NOT r_missing) AS n_ranked,
  count_if(t_n > 0 AND r_n > 0) AS n_common,
  coalesce(sum(t_n), 0) AS n_judgements,
  coalesce(sum(r_n), 0) AS n_rows,
  coalesce(sum(CASE WHEN evaluated THEN r_n END), 0) AS n_evaluated,
  coalesce(sum(CASE WHEN evaluated THEN relevant END), 0) AS n_relevant,
  coalesce(sum(CASE WHEN evaluated THEN irrelevant END), 0) AS n_irrelevant,
  coalesce(sum(CASE WHEN t_missing THEN t_n END), 0) AS truth_query_missing,
  coalesce(sum(CASE WHEN r_missing THEN r_n END), 0) AS run_query_missing,
  coalesce(sum(t_no_item), 0) AS truth_item_missing,
  coalesce(sum(r_no_item), 0) AS run_item_missing,
  coalesce(sum(t_no_value), 0) AS truth_value_missing,
  coalesce(sum(r_no_value), 0) AS run_value_missing,
  coalesce(sum(CASE WHEN evaluated THEN t_nan END), 0) AS truth_value_NaN,
  coalesce(sum(CASE WHEN evaluated THEN n_infinite END), 0) AS truth_value_infinity,
  coalesce(sum(CASE WHEN evaluated THEN n_negative END), 0) AS truth_value_negative,
  coalesce(sum(CASE WHEN evaluated THEN r_nan END), 0) AS run_value_NaN,
  coalesce(sum(CASE WHEN evaluated THEN repeated END), 0) AS truth_item_repeated,
  coalesce(sum(CASE WHEN evaluated THEN contradictory END), 0) AS truth_item_contradictory,
  coalesce(sum(r_repeated), 0) AS run_value_repeated
FROM queries
"""


def window(*, by_id: bool, skips: bool) -> str:
    """The waist by a rank over each query.

    Both sides go to the partition of their query together, in one shuffle. There a query's rows
    meet by item, which joins the sides and shows repeated items, and are then ranked.
    """
    kept = "judged > 0 AND n_ranked > 0" if skips else "judged > 0"
    return _placed(by_id=by_id) + Template(_WINDOW).substitute(kept=kept)


def unjudged(*, by_id: bool, depth: int | None) -> str:
    """Ranked items that nobody judged, where fewer than ``depth`` items stand above them."""
    cut = "" if depth is None else f" AND above < {depth}"
    return _placed(by_id=by_id) + (
        "SELECT q, CAST(above AS bigint) AS above, not_below - above AS tied FROM placed "
        f"WHERE judged > 0 AND x IS NOT NULL AND is_unjudged{cut}"
    )


def _placed(*, by_id: bool) -> str:
    order = "x DESC NULLS LAST" + (", CAST(i AS string) DESC" if by_id else "")
    return Template(_PLACED).substitute(order=order)


_PLACED = """
WITH rows AS (
  SELECT q, i, x, NULL AS grade FROM {run}
  UNION ALL
  SELECT q, i, NULL AS x, x AS grade FROM {truth}
), items AS (
  SELECT q, i, max(x) AS x, max(grade) AS grade, count(x) AS times,
    coalesce(max(grade), -1) < 0 AS is_unjudged
  FROM (SELECT * FROM rows DISTRIBUTE BY q) GROUP BY q, i
), placed AS (
  SELECT q, x, grade, is_unjudged,
    rank() OVER best - 1 AS above,
    count(x) OVER best AS not_below,
    row_number() OVER best AS number,
    count(x) OVER whole AS n_ranked,
    count(grade) OVER whole AS judged,
    count_if(grade > 0) OVER whole AS relevant,
    count_if(x IS NOT NULL AND is_unjudged) OVER whole AS unjudged,
    sum(CASE WHEN times > 1 THEN times - 1 ELSE 0 END) OVER whole AS repeated
  FROM items
  WINDOW best AS (PARTITION BY q ORDER BY $order),
    whole AS (PARTITION BY q ORDER BY $order
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
"""

_WINDOW = """
SELECT q, n_ranked, repeated, unjudged,
  CASE WHEN grade > 0 THEN CAST(grade AS double) ELSE 0 END AS grade,
  CASE WHEN grade > 0 AND x IS NOT NULL THEN CAST(above AS bigint) ELSE -1 END AS above,
  CASE WHEN grade > 0 AND x IS NOT NULL THEN not_below - above ELSE 1 END AS tied
FROM placed
WHERE $kept AND (grade > 0 OR (relevant = 0 AND number = 1))
"""


def hits(*, by_id: bool, all_judged: bool) -> str:
    """Every relevant judgement with the score that its item has in the run, if it was retrieved.

    The run is read as it lies: only the judgements are sent to it. ``all_judged`` takes those of
    grade 0, too. Ids come along where they break ties.
    """
    return Template(_HITS).substitute(
        wanted=">= 0" if all_judged else "> 0",
        id=", CAST(hits.i AS string) AS i" if by_id else "",
    )


_HITS = """
WITH wanted AS (
  SELECT q, i, max(x) AS grade FROM {truth} GROUP BY q, i HAVING max(x) $wanted
), hits AS (
  SELECT /*+ BROADCAST(wanted) */ run.q, run.i, run.x
  FROM {run} AS run JOIN wanted ON run.q = wanted.q AND run.i = wanted.i
), queries AS (
  SELECT DISTINCT q FROM {truth}
)
SELECT queries.q, coalesce(CAST(grade AS double), 0) AS grade, hits.x$id
FROM queries
  LEFT JOIN wanted ON wanted.q = queries.q
  LEFT JOIN hits ON hits.q = wanted.q AND hits.i = wanted.i
"""


def count(*, longest: int, by_id: bool) -> str:
    """How many rows of its query reach each hit but not the next better one, and how many equal it.

    ``{hits}`` has of each query the scores of its hits, each once and ascending, ``longest`` of
    them at most. Each row finds its place among them by halves, so that what it takes hardly
    depends on how many there are, and rows are counted by place. None of them is moved.
    """
    plan = Template(_STARTED).substitute(x=_key("run") if by_id else "run.x")
    # Out of an array comes null, which is no smaller than anything.
    for step in reversed([1 << power for power in range(longest.bit_length())]):
        plan = (
            f"SELECT base, scores, x, IF(get(scores, place + {step - 1}) <= x, "
            f"place + {step}, place) AS place FROM ({plan})"
        )
    return (
        "SELECT base + place AS bin, count(*) AS n, count_if(get(scores, place - 1) = x) AS same "
        f"FROM ({plan}) GROUP BY base + place"
    )


def _key(table: str) -> str:
    """What rows are ordered by where ids break ties."""
    return f"named_struct('x', {table}.x, 'i', CAST({table}.i AS string))"


_STARTED = """
SELECT /*+ BROADCAST(hits) */ hits.base, hits.scores, $x AS x, 0 AS place
FROM {run} AS run JOIN {hits} AS hits ON run.q = hits.q
"""


REPEATED = """
WITH suspects AS (
  SELECT h FROM (SELECT xxhash64(q, i) AS h FROM {run} DISTRIBUTE BY h)
  GROUP BY h HAVING count(*) > 1
), items AS (
  SELECT /*+ BROADCAST(suspects) */ q, i, count(*) AS times
  FROM {run} AS run LEFT SEMI JOIN suspects ON xxhash64(run.q, run.i) = h
  GROUP BY q, i HAVING count(*) > 1
)
SELECT coalesce(sum(times - 1), 0) AS repeated
FROM items LEFT SEMI JOIN {truth} AS truth ON items.q = truth.q
"""
"""Rows of the run that repeat an item of an evaluated query.

Rows of one hash meet in a shuffle of eight bytes each; only those are then compared by their ids.
They are sent off as they are: to count those of a task first would find hardly any twice.
"""


SIZES = """
SELECT q, first(n_ranked) AS n_ranked, first(repeated) AS repeated, first(unjudged) AS unjudged,
  count_if(grade > 0) AS n_relevant, count_if(above >= 0) AS n_retrieved,
  count_if(grade > 1) AS n_graded, coalesce(max(tied) > 1, false) AS in_ties
FROM {rows} GROUP BY q
"""
"""What is known of each query without its places."""


_DISTINCT = "(SELECT count(x) AS n, count(DISTINCT x) AS wide FROM {run} GROUP BY q)"
SCORES = {
    "at most 0": "SELECT count_if(x <= 0) AS n FROM {run}",
    "close": (
        "SELECT count_if(narrow < wide) AS n FROM (SELECT count(DISTINCT CAST(x AS float)) AS "
        "narrow, count(DISTINCT x) AS wide FROM {run} GROUP BY q)"
    ),
    "equal": "SELECT count_if(wide < n) AS n FROM " + _DISTINCT,
    "equal of 16": "SELECT count_if(wide < n AND n >= 16) AS n FROM " + _DISTINCT,
}
"""How many scores, or queries, there are of which a convention says something."""


def left_out(*, skips: bool) -> str:
    """Queries that are given but not evaluated."""
    judged, ranked = "SELECT DISTINCT q FROM {truth}", "SELECT DISTINCT q FROM {run}"
    unjudged = f"({ranked} EXCEPT {judged})"
    return f"({judged} EXCEPT {ranked}) UNION ALL {unjudged}" if skips else unjudged


def sample(side: str) -> str:
    """Some items of some queries that are in both sides."""
    return (
        f"SELECT q, i, x FROM (SELECT *, row_number() OVER (PARTITION BY q ORDER BY i) AS n "
        f"FROM {{{side}}} WHERE q IN (SELECT t.q FROM {{truth}} t JOIN {{run}} r ON t.q = r.q "
        f"GROUP BY t.q ORDER BY t.q LIMIT 100)) WHERE n <= 1000 ORDER BY q, n"
    )


ABSENT = """
SELECT DISTINCT q FROM {truth} WHERE q NOT IN (SELECT q FROM {run}) ORDER BY q
"""
"""Judged queries without a ranking."""


def example(side: str, condition: str) -> str:
    """The first row of a side, by query and item, that a condition holds for."""
    return f"SELECT q, i, x FROM {{{side}}} WHERE {condition} ORDER BY q, i, x LIMIT 1"


def first_pair(side: str, condition: str, also: str) -> str:
    """The first query and item whose rows of a side meet a condition together."""
    return (
        "SELECT q, i, count(*) AS times, min(x) AS least, max(x) AS most "
        f"FROM {{{side}}} WHERE true{also} GROUP BY q, i HAVING {condition} ORDER BY q, i LIMIT 1"
    )


FIRST_RANK = "SELECT q, x FROM {run} GROUP BY q, x HAVING count(*) > 1 ORDER BY q, x DESC LIMIT 1"
"""The first rank that two rows of a query have."""


UNREAD = """
SELECT count_if(least <> most) AS varies, sum(n) AS n_values, count_if(n > 0) AS n_queries,
  min(least) AS least, max(most) AS most
FROM (
  SELECT q, min(c) AS least, max(c) AS most, count(c) AS n
  FROM (SELECT q, CASE WHEN isnan(c) THEN NULL ELSE c END AS c FROM {side}) GROUP BY q
)
"""
"""What tells whether the numbers ``c`` of ``{side}`` say more than of a query alone."""
