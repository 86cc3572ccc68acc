"""Spark's RankingMetrics; it gives means of all queries only."""

from exchange import attempt, has, ranking, relevant, serve
from pyspark.mllib.evaluation import RankingMetrics
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()


def solve(problem):
    if has(problem, "unjudged", "missing"):
        return None
    pairs = [(ranking(query), list(relevant(query))) for query in problem["queries"]]
    metrics = RankingMetrics(session.sparkContext.parallelize(pairs, 1))
    answers = {"map": ([], attempt(lambda: metrics.meanAveragePrecision))}
    for k in (2, 5):
        answers[f"map@{k}"] = ([], attempt(metrics.meanAveragePrecisionAt, k))
        answers[f"precision@{k}"] = ([], attempt(metrics.precisionAt, k))
        answers[f"recall@{k}"] = ([], attempt(metrics.recallAt, k))
        answers[f"ndcg@{k}"] = ([], attempt(metrics.ndcgAt, k))
    return answers


if __name__ == "__main__":
    serve("spark", "pyspark", solve)
