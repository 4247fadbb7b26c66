"""The parameters of a mining run: thresholds, estimator, largest itemset size and pruning."""

from dataclasses import dataclass
from typing import Literal

from mining.reconstruction import ESTIMATORS, Estimator
from privacy.designs import InputError
from privacy.grammar.input_error import mark_for_translation as _

Engine = Literal["bitmap", "mlxtend"]
ENGINES: tuple[Engine, ...] = ("bitmap", "mlxtend")

MAX_SIZE = 3
ERRORS = 3.0
MOST = 200_000


@dataclass(frozen=True)
class Parameters:
    """Thresholds and limits of one mining run.

    A candidate survives if its estimate plus `errors` standard errors reaches `min_support`; with `exact`, if it
    or a larger itemset could provably be frequent. Itemsets have at most `max_size` items. A level of more than
    `most` candidates is not counted.
    """

    min_support: float
    min_confidence: float
    estimator: Estimator = "stratified"
    engine: Engine = "bitmap"
    exact: bool = False
    max_size: int = MAX_SIZE
    absences: bool = False
    errors: float = ERRORS
    most: int = MOST

    def __post_init__(self) -> None:
        for name in ("min_support", "min_confidence"):
            if not 0 < getattr(self, name) <= 1:
                raise InputError(name, _("must be above 0 and at most 1"))
        if self.estimator not in ESTIMATORS:
            raise InputError("estimator", _("is one of %(names)s"), names=", ".join(ESTIMATORS))
        if self.engine not in ENGINES:
            raise InputError("engine", _("is one of %(names)s"), names=", ".join(ENGINES))
        if self.max_size < 1:
            raise InputError("max_size", _("must be at least 1"))
        if not self.errors >= 0:
            raise InputError("errors", _("must not be negative"))
