"""A check with its name."""

from collections.abc import Callable
from dataclasses import dataclass

from proof.context import ProofContext
from proof.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Check:
    """`means` says what it means for a respondent that this holds."""

    name: str
    means: str
    look: Callable[[ProofContext], Outcome]
