"""Differences of each program from our defaults.

Every line is checked against values of the real program, recorded in docs/_presets.json; the table
in docs/coming_from.md is written from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def _gains(gain: Any, **others: Any) -> dict[str, dict[str, Any]]:
    return {name: {"gain": gain, **others} for name in ("dcg", "idcg", "ndcg")}


_AT_K = ("map", "mrr", "precision", "recall", "hit_rate", "ndcg")
_BY_CHANCE = {"tied": {"*": "the program leaves the order of tied items to chance"}}

_FLOAT32 = {
    "close": dict.fromkeys(
        (*_AT_K, "rprec", "bpref"),
        "scores are compared as float32, so scores that are equal as float32 are tied",
    )
}
_IPREC_9 = (
    "it runs trec_eval 9, which rounds the number of relevant items at a recall level up from a "
    "fraction of 0.1; trec_eval 10 and this package round up from 0.5"
)
_WHOLE_ALONE = dict.fromkeys(
    ("fbeta@", "set_map@", "dcg@", "idcg@"), "the program computes it only without a cutoff"
)

_TREC_EVAL: dict[str, Any] = {
    "ties": "docid",
    "zero_division": 0.0,
    "negative_grades": "unjudged",
    "assume": "partial",
    "parameters": {"map": {"denominator": "relevant"}, "ndcg": {"gain": "linear"}},
}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "trec_eval": {
        **_TREC_EVAL,
        "missing": "skip",
        "parameters": {**_TREC_EVAL["parameters"], **_gains("linear")},
        "measures": (*_AT_K, "fbeta", "rprec", "set_map", "iprec", "bpref", "dcg", "idcg"),
        "refused": {
            **_WHOLE_ALONE,
            "rbp": "trec_eval scales gains by a number that it never sets, so its rbp depends on "
            "the measures computed before; on its own it is rbp(gain=linear,persistence=0.9)",
        },
        "differs": {
            "empty": {"*": "a run file cannot hold an empty ranking, so its query is missing there"}
        },
    },
    "pytrec_eval": {
        **_TREC_EVAL,
        "missing": "skip",
        "measures": (*_AT_K, "fbeta", "rprec", "set_map", "bpref"),
        "refused": {
            **_WHOLE_ALONE,
            "iprec": _IPREC_9,
        },
        "differs": _FLOAT32,
    },
    "ir_measures": {
        **_TREC_EVAL,
        "negative_grades": "irrelevant",
        "parameters": {**_TREC_EVAL["parameters"], "err": {"max_grade": 4.0}},
        "measures": (*_AT_K, "fbeta", "rprec", "set_map", "err", "bpref"),
        "differs": {
            **_FLOAT32,
            "judged": {"judged": "its Judged@k breaks ties by ascending ids"},
            "below": {"bpref": "its bpref treats them as unjudged, and its Judged@k as judged"},
        },
        "refused": {
            **_WHOLE_ALONE,
            "iprec": _IPREC_9,
            "rbp": "its RBP comes from another provider, which ranks items differently",
            "mrr@": "its RR@k comes from another provider, which breaks ties differently",
        },
    },
    "sklearn": {
        "zero_division": 0.0,
        "parameters": {**_gains("linear"), "auc": {"average": "pooled"}},
        "undefined": {"map": 1.0, "auc": "warn", "gauc": "warn"},
        "measures": ("map", "dcg", "idcg", "ndcg", "auc", "gauc"),
        "refused": {"map@": "label_ranking_average_precision_score has no cutoff"},
        "differs": {
            "tied": {
                "map": "label_ranking_average_precision_score puts all tied items on the last rank "
                "of their tie"
            }
        },
    },
    "warprec": {
        "zero_division": np.nan,
        "lowest": "masked",
        "parameters": {
            "map": {"denominator": "min"},
            "ndcg": {"gain": "exp2_next"},
            **{name: {"smoothing": 1} for name in ("auc", "gauc", "lauc")},
        },
        # Its rankings are never empty: a query without one must not be left out in silence.
        "undefined": dict.fromkeys(("auc", "gauc", "lauc"), "warn"),
        "measures": (*_AT_K, "mar", "fbeta", "hmean", "auc", "gauc", "lauc"),
        "differs": _BY_CHANCE,
    },
    "ardoco": {
        "ties": "stable",
        "zero_division": np.nan,
        "parameters": {
            "map": {"denominator": "retrieved"},
            "lag": {"average": "pooled", "unretrieved": "ignore"},
            "auc": {"average": "pooled", "unretrieved": "ignore"},
        },
        "measures": ("map", "lag", "auc"),
        "refused": {"map@": "ArDoCo reads whole rankings"},
        "differs": {"unfound": {"map": "ArDoCo leaves out a query that found nothing"}},
    },
    "ptranking": {
        "zero_division": "raise",
        "parameters": {
            "map": {"denominator": "min"},
            "precision": {"denominator": "retrieved"},
            "ndcg": {"gain": "exp2"},
        },
        "undefined": {"precision": 0.0},
        "measures": ("map", "precision", "ndcg"),
        "refused": {
            "nerr": "PT-Ranking uses the highest grade in the data; pass it without this "
            "convention, as in nerr(max_grade=4)"
        },
        "differs": {
            **_BY_CHANCE,
            "graded": {"map": "PT-Ranking divides by a sum of grades"},
            "short": {"*": "PT-Ranking counts 0 at a cutoff beyond the end of a list"},
        },
    },
    "xgboost": {
        "ties": "stable",
        "zero_division": 1.0,
        "parameters": {
            "map": {"denominator": "min"},
            "precision": {"denominator": "retrieved"},
            "ndcg": {"gain": "exp2"},
        },
        "undefined": {"precision": 0.0},
        "cutoffs": dict.fromkeys(("map", "precision", "ndcg"), 32),
        "measures": ("map", "precision", "ndcg"),
        "refused": {
            "auc": "XGBoost's auc counts all pairs of a group in the order of their labels, even "
            "pairs with equal labels, and leaves out groups of fewer than three rows"
        },
    },
    "lightgbm": {
        "ties": "stable",
        "zero_division": 1.0,
        "parameters": {"map": {"denominator": "min"}, "ndcg": {"gain": "exp2"}},
        "measures": ("map", "ndcg"),
        "refused": {
            "auc": "LightGBM's auc ignores queries: it is auc(average=pooled) without a convention"
        },
    },
    "catboost": {
        "ties": "pessimistic",
        "zero_division": 0.0,
        "parameters": {
            "map": {"denominator": "min"},
            "precision": {"denominator": "retrieved"},
            **_gains("linear"),
        },
        "undefined": {"ndcg": 1.0, "recall": 1.0},
        "measures": ("map", "mrr", "precision", "recall", "dcg", "ndcg"),
        "refused": {
            "err": "CatBoost's ERR uses the grade as the probability of satisfaction",
            "auc": "CatBoost's AUC counts all pairs of all groups together, in the order of their "
            "labels",
            "gauc": "CatBoost's QueryAUC counts a tie half, but its other measures take the worst "
            "order; use gauc with zero_division=0.0 and without this convention",
        },
    },
    "torchmetrics": {
        "zero_division": 0.0,
        "parameters": {"map": {"denominator": "retrieved"}, "ndcg": {"gain": "linear"}},
        "measures": (*_AT_K, "rprec", "gauc"),
        "differs": {
            "tied": dict.fromkeys((*_AT_K[:-1], "rprec"), _BY_CHANCE["tied"]["*"]),
            "negative": dict.fromkeys(
                _AT_K[:4], "torchmetrics treats items with scores of at most 0 as irrelevant"
            ),
        },
    },
    "recbole": {
        "zero_division": 0.0,
        "parameters": {"map": {"denominator": "min"}, "ndcg": {"gain": "binary"}},
        "undefined": {"recall": "raise", "auc": np.nan},
        "measures": (*_AT_K, "auc"),
        "refused": {"gauc": "RecBole's GAUC weights users by their positives, which is auc here"},
        "differs": {"tied": dict.fromkeys(_AT_K, _BY_CHANCE["tied"]["*"])},
    },
    "rectools": {
        "ties": "stable",
        "zero_division": np.nan,
        "parameters": {"map": {"denominator": "relevant"}},
        "measures": ("map", "mrr", "precision", "recall", "fbeta", "hit_rate"),
        "refused": {
            "ndcg": "RecTools divides by the DCG of k relevant items, however few there are; its "
            "divide_by_achievable=True is ndcg(gain=binary) without this convention",
            "rprec": "RecTools cuts R-precision at k: it is recall(denominator=min)@k",
        },
    },
    "recommenders": {
        "ties": "stable",
        "zero_division": np.nan,
        "missing": "raise",
        "parameters": {"map": {"denominator": "min"}, "ndcg": {"gain": "binary"}},
        "measures": ("map", "precision", "recall", "ndcg"),
        "refused": {
            "rprec": "Recommenders reads at most k ranks, and leaves out users without a hit",
            "auc": "Recommenders' auc uses the ratings of items on both sides as labels",
        },
        "differs": {
            "empty": dict.fromkeys(
                ("map", "precision", "recall"),
                "Recommenders leaves out users without recommendations",
            ),
            "none": {"*": "Recommenders gives 0"},
        },
    },
    "spark": {
        "ties": "stable",
        "zero_division": 0.0,
        "parameters": {"map": {"denominator": "min"}, "ndcg": {"gain": "binary"}},
        "measures": ("map", "precision", "recall", "ndcg"),
    },
    "ranx": {
        "ties": "stable",
        "zero_division": 0.0,
        "missing": "raise",
        "parameters": {"map": {"denominator": "relevant"}, **_gains("linear")},
        "measures": (*_AT_K, "fbeta", "rprec", "dcg"),
        "refused": {
            "rbp": "ranx weights items by their grades, regardless of the highest grade",
            "bpref": "ranx gives 0 for all queries if one has no relevant or no irrelevant item; "
            "otherwise, use bpref with ties='stable' and without this convention",
            "iprec": "ranx rounds the number of relevant items at a recall level up from a "
            "fraction of 0.1",
        },
        "differs": {
            "long": {
                "*": "ranx keeps the order of tied items only in rankings of fewer than 16 items"
            }
        },
    },
    "lenskit": {
        "ties": "stable",
        "zero_division": np.nan,
        "parameters": {
            "map": {"denominator": "listed"},
            "precision": {"denominator": "retrieved"},
            "recall": {"denominator": "min"},
            **_gains("binary", discount="log2_rank"),
            "rbp": {"persistence": 0.85},
        },
        "undefined": {"precision": 0.0},
        "measures": (*_AT_K, "dcg", "rbp"),
        "differs": {
            "empty": {
                "map": "LensKit leaves an empty list out of the mean",
                "precision": "LensKit leaves an empty list out of the mean",
            }
        },
    },
}
"""Settings of each :class:`Convention`, by its name."""
