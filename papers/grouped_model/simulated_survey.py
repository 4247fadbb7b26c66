"""Settings of document 004's experiment, the survey of each, and the posteriors of single records.

The document uses k for two things: in its section 3 it is the share of respondents who answer openly, in its
section 4 the share who are randomised. A setting names its reading; the two readings are the same surveys
under k <-> 1-k.

The original model and the improved one both send all true answers of a section with probability p. Else the
original sends the answer to one unrelated question for all of them: yes to all with probability theta, no to
all otherwise. So a record that is neither all yes nor all no is true. The improved model draws an unrelated
answer for each question, and every record can be chance.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mining.parameters import MAX_SIZE, Parameters
from mining.queries_and_counters import Item
from privacy.designs import Design, parse_design
from privacy.kinds.grouped.law import SectionLaw
from privacy.simulation.population import JointDistribution, Population

Floats = NDArray[np.float64]
Reading = Literal["open", "randomised"]
READINGS: tuple[Reading, ...] = ("open", "randomised")

PATTERNS = tuple(product((0, 1), repeat=3))
SHARES = (0.36, 0.06, 0.10, 0.04, 0.16, 0.06, 0.12, 0.10)
"""Shares of the answer patterns abc = 000 .. 111: a, b, c have .44, .36, .26, all three together .10."""
BLOCK = 3
"""Number of questions in a block; blocks have the same distribution and are independent."""
PARTS = 10_000


@dataclass(frozen=True)
class SimulatedSurvey:
    """A survey to simulate: `keep` is p, `theta` the probability of a random yes, `open_share` answer openly."""

    open_share: float
    keep: float
    theta: float
    questions: int
    respondents: int

    @cached_property
    def design(self) -> Design:
        noise = [f"{1 - self.theta:.4f}", f"{self.theta:.4f}"]
        questions = [
            {"name": name, "choices": ["no", "yes"], "noise": noise}
            for name in question_names(self.questions)
        ]
        section = {"kind": "unrelated-question", "keep": f"{self.keep:.4f}", "questions": questions}
        return parse_design(
            json.dumps({"format": "candor-design/1", "open_answers": True, "sections": [section]})
        )

    @property
    def population(self) -> Population:
        return Population(answer_distribution(self.questions), open_share=self.open_share)

    def rng(self, seed: int) -> np.random.Generator:
        """Returns a random generator seeded by this survey, so that other settings do not change its numbers."""
        parts = (round(share * PARTS) for share in (self.open_share, self.keep, self.theta))
        return np.random.default_rng([seed, *parts, self.questions, self.respondents])


@dataclass(frozen=True)
class PaperSetting:
    """A setting of the experiment in the document's symbols; each parameter has a default."""

    reading: Reading
    k: float = 0.2
    p: float = 0.3
    theta: float = 0.6
    questions: int = 3
    respondents: int = 10_000
    min_support: float = 0.15
    min_confidence: float = 0.55

    @property
    def survey(self) -> SimulatedSurvey:
        open_share = self.k if self.reading == "open" else round(1 - self.k, 4)
        return SimulatedSurvey(open_share, self.p, self.theta, self.questions, self.respondents)

    @property
    def parameters(self) -> Parameters:
        return Parameters(self.min_support, self.min_confidence)


Varied = Literal["k", "p", "theta", "questions", "respondents", "min_support", "min_confidence"]
TENTHS = tuple(round(step / 10, 1) for step in range(11))
VALUES: dict[Varied, tuple[float, ...]] = {
    "k": TENTHS,
    "p": TENTHS[1:-1],
    "theta": (0.2, 0.4, 0.6, 0.8),
    "questions": (3, 6, 9),
    "respondents": (1_000, 10_000, 100_000),
    "min_support": (0.05, 0.1, 0.15, 0.2, 0.25),
    "min_confidence": (0.35, 0.45, 0.55, 0.65),
}


def settings_over_parameter(varied: Varied, reading: Reading) -> Iterator[PaperSetting]:
    """Yields the settings in which `varied` takes all its values and the other parameters their defaults."""
    for value in VALUES[varied]:
        yield setting_with(reading, varied, value)


def setting_with(reading: Reading, varied: Varied, value: float) -> PaperSetting:
    changed: dict[str, Any] = {varied: value}
    return replace(PaperSetting(reading), **changed)


def question_names(questions: int) -> str:
    return "abcdefghi"[:questions]


def question_indexes_by_itemset(questions: int) -> list[tuple[int, ...]]:
    """Returns the question indexes of every itemset of up to three items, smaller itemsets first."""
    return [at for size in range(1, MAX_SIZE + 1) for at in combinations(range(questions), size)]


def itemsets_up_to_three(questions: int) -> list[tuple[Item, ...]]:
    return [tuple((index, 1) for index in at) for at in question_indexes_by_itemset(questions)]


def true_supports(questions: int) -> Floats:
    """Returns the exact support of every itemset in the population."""
    return np.array([prod(_block_supports(at)) for at in question_indexes_by_itemset(questions)])


def _block_supports(question_indexes: tuple[int, ...]) -> Iterator[float]:
    for block in {index // BLOCK for index in question_indexes}:
        mine = [index % BLOCK for index in question_indexes if index // BLOCK == block]
        rows = zip(PATTERNS, SHARES, strict=True)
        yield sum(share for pattern, share in rows if all(pattern[index] for index in mine))


@lru_cache
def answer_distribution(questions: int) -> JointDistribution:
    blocks = list(product(zip(PATTERNS, SHARES, strict=True), repeat=questions // BLOCK))
    patterns = tuple(tuple(code for pattern, _ in row for code in pattern) for row in blocks)
    return JointDistribution(patterns, tuple(prod(share for _, share in row) for row in blocks))


USUAL = PaperSetting("open")
"""The default values of all parameters."""
KEEP, THETA = Fraction(str(USUAL.p)), Fraction(str(USUAL.theta))
PRIOR = [Fraction(str(share)) for share in SHARES]
ALL_NO, ALL_YES = PATTERNS[0], PATTERNS[-1]


@dataclass(frozen=True)
class Posterior:
    """Posterior probability, by model, that a record's answers are true; `before`: their prior."""

    record: str
    before: float
    original: float
    improved: float

    @property
    def proves_answers_originally(self) -> bool:
        return self.original == 1


def improved_model_law(keep: Fraction = KEEP, theta: Fraction = THETA) -> SectionLaw:
    survey = replace(USUAL.survey, keep=float(keep), theta=float(theta))
    law = survey.design.sections[0].law
    assert isinstance(law, SectionLaw)
    return law


def original_model_probability(
    true_answers: tuple[int, ...], sent_answers: tuple[int, ...], keep: Fraction = KEEP
) -> Fraction:
    """Returns P(y|x) in the original model: the probability that the answers y are sent if the true ones are x."""
    unrelated = THETA if sent_answers == ALL_YES else 1 - THETA if sent_answers == ALL_NO else Fraction(0)
    return keep * (true_answers == sent_answers) + (1 - keep) * unrelated


def record_posteriors(keep: Fraction = KEEP) -> list[Posterior]:
    law = improved_model_law(keep)
    rows = []
    for at, record in enumerate(PATTERNS):
        original = [original_model_probability(x, record, keep) for x in PATTERNS]
        improved = [law.probability(x, record) for x in PATTERNS]
        shares = [
            PRIOR[at]
            * chances[at]
            / sum(share * chance for share, chance in zip(PRIOR, chances, strict=True))
            for chances in (original, improved)
        ]
        rows.append(Posterior("".join(map(str, record)), float(PRIOR[at]), *map(float, shares)))
    return rows


def revealing_record_share() -> Fraction:
    """Returns the share of randomised records that reveal the true answers (original model)."""
    return sum(
        (
            share * original_model_probability(x, x)
            for share, x in zip(PRIOR, PATTERNS, strict=True)
            if x not in (ALL_NO, ALL_YES)
        ),
        start=Fraction(0),
    )
