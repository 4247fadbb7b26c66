"""What single records prove: the original grouped model next to the improved one.

Both send all true answers of a section with probability p. Else the original sends the answer to one unrelated question
for all of them: yes to all with probability theta, no to all otherwise. So a record that is neither all yes nor all no
is true. The improved model draws an unrelated answer for each question, and every record can be chance.
"""

from dataclasses import dataclass
from fractions import Fraction

from papers.grouped_model.settings import PATTERNS, SHARES, PaperSetting
from privacy.kinds.grouped.law import SectionLaw

USUAL = PaperSetting("open")
KEEP, THETA = Fraction(str(USUAL.p)), Fraction(str(USUAL.theta))
PRIOR = [Fraction(str(share)) for share in SHARES]
ALL_NO, ALL_YES = PATTERNS[0], PATTERNS[-1]


@dataclass(frozen=True)
class Posterior:
    """That the answers of a record are the true ones, of its `before` among all people."""

    record: str
    before: float
    original: float
    improved: float

    @property
    def proves(self) -> bool:
        return self.original == 1


def improved_law() -> SectionLaw:
    section = USUAL.survey.design.sections[0]
    law = section.law
    assert isinstance(law, SectionLaw)
    return law


def original_chance(x: tuple[int, ...], y: tuple[int, ...]) -> Fraction:
    """P(y|x)."""
    unrelated = THETA if y == ALL_YES else 1 - THETA if y == ALL_NO else Fraction(0)
    return KEEP * (x == y) + (1 - KEEP) * unrelated


def posteriors() -> list[Posterior]:
    law = improved_law()
    rows = []
    for at, record in enumerate(PATTERNS):
        shares = [
            PRIOR[at]
            * chance(record, record)
            / sum(share * chance(x, record) for share, x in zip(PRIOR, PATTERNS, strict=True))
            for chance in (original_chance, law.probability)
        ]
        rows.append(Posterior("".join(map(str, record)), float(PRIOR[at]), *map(float, shares)))
    return rows


def proven_share() -> Fraction:
    """Of the randomised records of the original model: those that prove themselves true."""
    return sum(
        (
            share * original_chance(x, x)
            for share, x in zip(PRIOR, PATTERNS, strict=True)
            if x not in (ALL_NO, ALL_YES)
        ),
        start=Fraction(0),
    )
