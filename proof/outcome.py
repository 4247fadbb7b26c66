"""Results of the checks of a proof: held, failed or not checked."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    HELD = "held"
    FAILED = "failed"
    UNCHECKED = "not checked"


EXIT_STATUS = {Result.HELD: 0, Result.FAILED: 1, Result.UNCHECKED: 2}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a check; `seen`: what was checked, what is wrong, or why it was not checked."""

    result: Result
    seen: str


def outcome_held(seen: str) -> Outcome:
    return Outcome(Result.HELD, seen)


def outcome_failed(seen: str) -> Outcome:
    return Outcome(Result.FAILED, seen)


def outcome_unchecked(seen: str) -> Outcome:
    return Outcome(Result.UNCHECKED, seen)


class CheckFailed(Exception):
    """Raised by a check if something that it needs is missing or wrong; the message says what."""
