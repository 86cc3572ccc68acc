"""What each argument accepts and refuses: type, value, message and place; one file per layout.

Where other tools of the field decide otherwise:

| case | usual elsewhere | here |
|---|---|---|
| ties by default | input order | "average": the exact expectation |
| NaN score | an option to rank it last | error; there is no such option |
| query without a relevant item | 0 | `zero_division="warn"`: left out |
| judged query without a ranking | `missing_queries="zero"` | `missing="zero"` |
| ranked query without judgements | error | left out and counted |
| relevant means | grade of at least 1 | grade above 0, so 0.5 is relevant; `min_rel` raises it |
| negative grade as "unjudged" | option | the "trec_eval" convention |
| list of k | accepted | one k per measure; `evaluate` takes several measures |
| 1-D arrays without groups | one query if short | RankingConfigError |
| sparse y_true | refused | supported; sparse y_score is refused |
| AUC of a query without pairs | skipped | `zero_division` |
"""
