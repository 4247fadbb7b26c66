"""Gives respondents' pages the last proof of a survey (docs/prove.md).

The function that reads it belongs to `proof`, a higher layer; `config.wiring` registers it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ProofResult = Literal["held", "failed", "not checked"]


@dataclass(frozen=True, slots=True)
class LastProof:
    """The last proof of a survey by `manage.py prove`; `address` is its page for respondents."""

    made: datetime
    result: ProofResult
    address: str


_readers: list[Callable[[int], LastProof | None]] = []


def register_last_proof_reader(read: Callable[[int], LastProof | None]) -> None:
    _readers[:] = [read]


def last_proof(survey: int) -> LastProof | None:
    """Returns the last proof of the survey with this id; None if there is none."""
    return next((read(survey) for read in _readers), None)
