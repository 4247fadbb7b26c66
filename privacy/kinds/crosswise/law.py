"""The law of a crosswise question: a section of one question whose coin is the respondent's own secret.

With u the share of people of whom the secret is true, the record says *yes* with probability max(u, 1-u) where the true
answer is yes, and min(u, 1-u) where it is no. This is a section with keep |1-2u| and noise (1/2, 1/2), and

    gamma = max(u, 1-u) / min(u, 1-u)

Its inverse is that of the section (`SectionLaw.support`). Reference (docs/references.md): yu-2008.
See docs/mathematics.md, Crosswise questions.
"""

from fractions import Fraction

from privacy.grammar.node import PARTS
from privacy.kinds.grouped.law import SectionLaw

HALVES = (PARTS // 2, PARTS // 2)


def keep_parts(share_parts: int) -> int:
    """|1-2u| in ten-thousandths."""
    return abs(PARTS - 2 * share_parts)


def crosswise_law(share_parts: int) -> SectionLaw:
    halves = (Fraction(1, 2), Fraction(1, 2))
    return SectionLaw(Fraction(keep_parts(share_parts), PARTS), (halves,), 1)
