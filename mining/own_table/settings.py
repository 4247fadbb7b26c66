"""The parameters by which one's own table is disguised and mined, and the protection that they guarantee."""

import json
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from mining.own_table.table import OwnTable
from mining.parameters import Parameters
from mining.reconstruction import Estimator
from privacy.designs import Design, parse_design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.guarantee.amplification import Guarantee
from privacy.guarantee.repeated_surveys import person_guarantee

LEAST, MOST = 0.05, 0.95
"""Smallest and largest p and theta: nearer to 0 nothing can be estimated, nearer to 1 nothing is disguised."""
MOST_OPEN = 0.9
PARTS = 10_000
"""Denominator of probabilities, which are multiples of 1/PARTS."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of the disguise and of mining.

    `keep` (p): the probability that the answers of a group are the true ones. `open_share` (k): the share of
    people who answer openly. `theta`: the probability of an unrelated yes. `group_size`: the number of columns
    disguised together. `mined` are the parameters of the mining run.
    """

    keep: float = 0.3
    open_share: float = 0.2
    theta: float = 0.6
    group_size: int = 3
    min_support: float = 0.1
    min_confidence: float = 0.6
    estimator: Estimator = "pooled"

    def __post_init__(self) -> None:
        bounds = {"keep": (LEAST, MOST), "theta": (LEAST, MOST), "open_share": (0.0, MOST_OPEN)}
        for name, (least, most) in bounds.items():
            if not (isfinite(value := getattr(self, name)) and least <= value <= most):
                raise InputError(name, _("must be from %(least)s to %(most)s"), least=least, most=most)
        if self.group_size < 1:
            raise InputError("group_size", _("must be at least 1"))
        Parameters(self.min_support, self.min_confidence, self.estimator)

    @property
    def mining_parameters(self) -> Parameters:
        return Parameters(self.min_support, self.min_confidence, self.estimator)


def design_for_table(table: OwnTable, settings: Settings) -> Design:
    """Returns a design with a question for each column of the table, named `c` and the number of the column."""
    yes = round(settings.theta * PARTS)
    questions = [
        {
            "name": f"c{index}",
            "choices": list(column.values)
            if column.is_yes_no
            else [f"v{code}" for code in range(len(column.values))],
            "noise": [_decimal_text(PARTS - yes), _decimal_text(yes)]
            if column.is_yes_no
            else [_decimal_text(parts) for parts in nearly_equal_parts(len(column.values))],
        }
        for index, column in enumerate(table.columns)
    ]
    size = settings.group_size
    sections = [
        {
            "kind": "unrelated-question",
            "keep": f"{settings.keep:.4f}",
            "questions": questions[first : first + size],
        }
        for first in range(0, len(questions), size)
    ]
    design = {"format": "candor-design/1", "title": "D", "open_answers": True, "sections": sections}
    return parse_design(json.dumps(design))


def nearly_equal_parts(values: int) -> list[int]:
    """Returns so many `values` nearly equal integers, which differ by at most one and sum to PARTS (10,000)."""
    return [PARTS * (index + 1) // values - PARTS * index // values for index in range(values)]


def _decimal_text(parts: int) -> str:
    return f"{parts / PARTS:.4f}"


@dataclass(frozen=True, slots=True)
class Protection:
    """The guarantee to people who choose disguise: gamma of one group of columns and of all answers of a person.

    Also the largest posterior probability of something whose prior probability was `prior`, after seeing one group and
    after seeing all.
    """

    group_gamma: float
    person_gamma: float
    prior: float
    group_posterior: float
    person_posterior: float


PRIOR = Fraction(1, 20)


def protection(design: Design) -> Protection:
    laws = [section.law for section in design.sections]
    weakest = max((Guarantee((law,)) for law in laws if law), key=lambda guarantee: guarantee.gamma)
    person = person_guarantee(design)
    assert person
    return Protection(
        float(weakest.gamma),
        float(person.gamma),
        float(PRIOR),
        float(weakest.posterior(PRIOR)),
        float(person.posterior(PRIOR)),
    )
