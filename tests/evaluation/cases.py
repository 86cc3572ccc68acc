"""Two judged queries and a run, which the tests of evaluations share."""

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}, "q4": {"d", "e"}}
RUN = {"q3": ["x", "y", "z", "c"], "q1": ["a"], "q2": ["x", "b"], "q4": ["d"]}
MRR = [1.0, 1 / 2, 1 / 4, 1.0]


HALF = [set(), {"a"}], [["a"], ["x", "a"]]


def plain(value):
    """Whether a value is made of JSON's types alone."""
    if type(value) is dict:
        return all(type(key) is str and plain(one) for key, one in value.items())
    if type(value) is list:
        return all(map(plain, value))
    return type(value) in (str, int, float, bool, type(None)) and value == value
