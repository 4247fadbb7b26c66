"""What the settings of the sensitive sections guarantee, and the errors to expect: the numbers of the protection page.

Errors are those to expect if a single answer is true of 20 % of people, two together of 10 %, three of 5 %, and
if everybody chooses disguise. They depend little on the first; open answers only lower them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from look.templatetags.look import count, percent
from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import GammaLimit, Guarantee
from privacy.guarantee.by_guarantee import Aim, Layout, NoiseLaw, one_section
from privacy.guarantee.decimals import down, up
from privacy.guarantee.error import ErrorCurve, ItemsetError, SectionParameters, Supposed, error_curve
from privacy.guarantee.frontier import LimitOption, frontier
from privacy.kinds.grouped.form import uniform
from privacy.kinds.grouped.law import SectionLaw
from surveys import draft as drafts
from surveys.builder.blocks import is_grouped
from surveys.builder.normal_form import Node
from surveys.draft import Draft

PRIOR = Fraction(1, 20)
"""How likely somebody thought an answer before, where nobody says otherwise."""
SUPPOSED = Supposed((0.2, 0.1, 0.05))
LENGTHS = (1, 2, 3)
WANTED = 0.05
"""Half the width of a 95 % interval that most surveys would be content with."""
MOST_TOGETHER = 8
NEARLY = 0.999


def noise_law(question: Node) -> NoiseLaw:
    if "noise" in question:
        return tuple(Fraction(each) for each in question["noise"])
    return tuple(Fraction(part, PARTS) for part in uniform(len(question["choices"])))


def law_of(section: Node) -> SectionLaw | None:
    """None while the section has no question, or one with fewer than two answers."""
    questions = section["questions"]
    if not questions or min(len(each["choices"]) for each in questions) < 2:
        return None
    noise = tuple(noise_law(each) for each in questions)
    return SectionLaw(Fraction(section["keep"]), noise, section.get("asked", len(questions)))


def laws(draft: Draft) -> Iterator[tuple[int, SectionLaw]]:
    """The number and the law of each section that is disguised and far enough to have one."""
    for number, section in enumerate(draft["sections"]):
        if is_grouped(section) and (law := law_of(section)):
            yield number, law


def expected(draft: Draft) -> int:
    return max(1, drafts.number(draft, "expected", drafts.EXPECTED))


def rounded_up(number: int) -> int:
    """To two figures: more would pretend to know."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // step) * step


@dataclass(frozen=True)
class Expectation:
    """For itemsets of one length: the error at the expected number of answers, None where never asked together."""

    length: int
    spread: ErrorCurve | None
    respondents: int

    @cached_property
    def error(self) -> ItemsetError | None:
        return self.spread.at(self.respondents) if self.spread else None

    @property
    def half_width(self) -> float | None:
        return self.error.half_width if self.error else None

    @property
    def asked(self) -> int | None:
        """How many of those who answer are asked all of them."""
        return int(self.error.base) if self.error else None

    @property
    def needed(self) -> int | None:
        """How many answers bring the half width down to five points, to two figures."""
        if self.spread is None:
            return None
        return rounded_up(self.spread.respondents_for_half_width(WANTED))


@dataclass(frozen=True)
class Protection:
    """The guarantee of one section, or of all together, and the errors to expect."""

    laws: tuple[SectionLaw, ...]
    respondents: int
    prior: Fraction

    @cached_property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.laws)

    @cached_property
    def gamma(self) -> Decimal:
        return up(self.guarantee.gamma, 2)

    @cached_property
    def epsilon(self) -> Decimal:
        return self.guarantee.epsilon(2)

    @cached_property
    def posterior(self) -> float:
        """Rounded up to a tenth of a per cent, like everything that is promised."""
        return float(self.guarantee.posterior_up(self.prior, 3))

    @property
    def gamma_words(self) -> str:
        return count(ceil(self.gamma)) if self.gamma >= 100 else str(number_format(self.gamma, 2))

    @property
    def posterior_words(self) -> str:
        """Never rounded into a promise: what is nearly certain is called so."""
        if self.posterior <= NEARLY:
            return percent(self.posterior).replace(" ", "\u00a0")
        return _("nearly %(share)s") % {"share": percent(1, 0).replace(" ", "\u00a0")}

    @cached_property
    def expectations(self) -> list[Expectation]:
        parts = [SectionParameters.of(law) for law in self.laws]
        longest = min(len(LENGTHS), sum(len(law.noise) for law in self.laws))
        found = (error_curve(parts, length, SUPPOSED) for length in LENGTHS[:longest])
        return [Expectation(length, each, self.respondents) for length, each in enumerate(found, 1)]


@dataclass(frozen=True)
class SectionProtection(Protection):
    @property
    def law(self) -> SectionLaw:
        return self.laws[0]

    @property
    def keep(self) -> float:
        return float(self.law.keep)

    @property
    def questions(self) -> int:
        return len(self.law.noise)

    @property
    def rotates(self) -> bool:
        return self.law.asked < self.questions

    def frontier(self, length: int) -> tuple[LimitOption, ...]:
        return steps(self.law.noise, length, self.respondents, self.prior)


@lru_cache(maxsize=256)
def _rotations(aim: Aim) -> tuple[Layout, ...]:
    """Asking more than a few together is never the best: each halves the odds that the limit leaves, or worse."""
    found = (one_section(aim, asked) for asked in range(1, min(MOST_TOGETHER, len(aim.noise)) + 1))
    return tuple(layout for layout in found if layout)


@lru_cache(maxsize=64)
def steps(
    noise: tuple[NoiseLaw, ...], length: int, respondents: int, prior: Fraction
) -> tuple[LimitOption, ...]:
    """For each usual protection of these questions the least error it allows, whatever keep and asked may be."""

    def plan(aim: Aim) -> Layout | None:
        possible = [layout for layout in _rotations(aim) if layout.error_curves[length - 1]]
        return min(possible, key=lambda layout: layout.variance(length), default=None)

    return frontier(
        Aim(noise, GammaLimit(Fraction(1), strict=False), SUPPOSED), respondents, prior, plan=plan
    )


def section_protection(section: Node, respondents: int, prior: Fraction) -> SectionProtection | None:
    law = law_of(section) if is_grouped(section) else None
    return SectionProtection((law,), respondents, prior) if law else None


def person_protection(draft: Draft, prior: Fraction) -> Protection | None:
    """All that one person's disguised answers tell together; None where nothing is disguised yet."""
    found = tuple(law for _number, law in laws(draft))
    return Protection(found, expected(draft), prior) if found else None


def combinations(questions: Sequence[Node]) -> int:
    """How many different answers these questions can get together, if all of them are asked of everybody."""
    made = 1
    for question in questions:
        made *= max(1, len(question["choices"]))
    return made


def unique(respondents: int, possible: int) -> float:
    """How many of `respondents` are expected to be alone with their combination, if all are equally likely.

    Real answers crowd together, which makes some more unique and others less: it is an order of magnitude.
    """
    if respondents <= 1 or possible <= 1:
        return float(respondents) if respondents == 1 else 0.0
    return float(respondents * (1 - 1 / possible) ** (respondents - 1))


def plain_questions(draft: Draft) -> list[Node]:
    return [each for s in draft["sections"] if s.get("kind") == "plain" for each in s["questions"]]


def keep_text(keep: Fraction) -> str:
    return str(down(keep, 4))
