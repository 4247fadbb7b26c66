"""What came of a check."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    HELD = "held"
    FAILED = "failed"
    UNCHECKED = "not checked"


EXIT_STATUS = {Result.HELD: 0, Result.FAILED: 1, Result.UNCHECKED: 2}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`seen` says in plain words what was looked at, or what is wrong, or why nothing was looked at."""

    result: Result
    seen: str


def held(seen: str) -> Outcome:
    return Outcome(Result.HELD, seen)


def failed(seen: str) -> Outcome:
    return Outcome(Result.FAILED, seen)


def unchecked(seen: str) -> Outcome:
    return Outcome(Result.UNCHECKED, seen)


class CheckFailed(Exception):
    """What a check needed is missing or wrong; the message says what."""
