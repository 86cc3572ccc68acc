"""Two judged queries and a run, which the tests of evaluations share."""

import time
from dataclasses import dataclass

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


@dataclass
class Gain:
    """A gain that has no hash, as data classes have none."""

    base: float = 3.0
    inside: int = 0
    most: int = 0

    def __call__(self, grade: float) -> float:
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.001)
        self.inside -= 1
        return self.base**grade - 1
