"""Refusals: exceptions whose text a person reads."""

from collections.abc import Sequence

from surveys.questionnaire.problems import Problem


class NotAllowed(Exception):
    """One sentence in the person's language: why it was refused, and what to do instead."""


class InputRefused(NotAllowed):
    """NotAllowed because of `problems`, each a place and a reason."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{problem.path} {problem.reason}" for problem in problems))
