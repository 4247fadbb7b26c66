"""What somebody is told when a survey cannot do what they ask of it."""

from collections.abc import Sequence

from surveys.problems import Problem


class Refused(Exception):
    """One sentence in the person's language: why, and what to do instead."""


class NotReady(Refused):
    """A draft cannot be opened; `problems` names every place and reason."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{problem.path} {problem.reason}" for problem in problems))
