"""How likely what a device sends is true: the odds that the start page and each question state."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from look.odds import odds
from privacy.designs import Design, SensitiveQuestion, UnrelatedQuestionSection
from privacy.grammar.node import PARTS
from privacy.guarantee.amplification import Guarantee
from privacy.guarantee.presets import BEFORE
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.number.classes.section import REST_PARTS, ClassesSection
from privacy.kinds.number.window.section import WindowSection
from privacy.kinds.place.section import PlaceSection
from privacy.kinds.subset.section import SubsetSection

SentIf = list[tuple[Fraction, Fraction]]


@dataclass(frozen=True, slots=True)
class Chance:
    """A share to be said as odds and as a percentage; `places` are decimals: 60 % is not shown as 60.0 %."""

    value: float
    places: int


@dataclass(frozen=True, slots=True)
class SectionChances:
    """`keep`: how often the true answers go out. `yes`: how often chance draws a yes, where that is the same for
    every question of the section, else None; `yes_label`: the design's word for it, where all have the same.
    `rarest`: how often the least likely of all answers goes out
    from people whose answer it is not.
    """

    questions: int
    asked: int
    keep: Chance
    yes: Chance | None
    rarest: Chance
    yes_label: str = ""

    template: ClassVar[str] = "intake/odds-grouped.html"
    throws: ClassVar[bool] = True
    """Whether coins of the device decide what is sent."""
    near: ClassVar[bool] = False
    """Whether a true answer is made less exact before it is sent."""
    outside: ClassVar[bool] = False
    """Whether some true answers are not protected."""

    @property
    def rotates(self) -> bool:
        return self.asked < self.questions

    @property
    def strip(self) -> list[bool]:
        return _strip(self.keep)


@dataclass(frozen=True, slots=True)
class NumberChances:
    """`keep`: how often a number near the true one goes out, or its own class.

    A window has numbers from `low` to `high` and sends one at most `far` away. Of the `limits` a device draws `cuts`;
    `rest` is how often it sends a bit for the place inside the class instead, None: never.
    """

    keep: Chance
    low: int
    high: int
    far: int = 0
    limits: tuple[int, ...] = ()
    cuts: int = 0
    rest: Chance | None = None

    template: ClassVar[str] = "intake/odds-number.html"
    throws: ClassVar[bool] = True
    near: ClassVar[bool] = True
    outside: ClassVar[bool] = False

    @property
    def strip(self) -> list[bool]:
        return _strip(self.keep)


@dataclass(frozen=True, slots=True)
class LevelChances:
    """By how much a record can make one place inside these regions more likely: with one decimal, rounded up."""

    odds: Fraction
    regions: str


@dataclass(frozen=True, slots=True)
class PlaceChances:
    """`keep`: how often the exact place of somebody outside the regions goes out.

    `levels` are by odds, the highest first; `outside` says whether there are places outside the regions.
    """

    keep: Chance
    levels: tuple[LevelChances, ...]
    outside: bool

    template: ClassVar[str] = "intake/odds-place.html"
    throws: ClassVar[bool] = True
    near: ClassVar[bool] = True

    @property
    def strip(self) -> list[bool]:
        return _strip(self.keep)


@dataclass(frozen=True, slots=True)
class CrosswiseChances:
    """`share`: how many people answer yes to the other question, as `source` says; `rarest`:
    how many people whose true answer is another one have a record that says the same.
    """

    share: Chance
    rarest: Chance
    source: str

    template: ClassVar[str] = "intake/odds-crosswise.html"
    throws: ClassVar[bool] = False
    near: ClassVar[bool] = False
    outside: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class SetChances:
    """`keep`: how often the true choice is among the `size` of `choices` that are sent; `other`: any other."""

    keep: Chance
    other: Chance
    size: int
    choices: int

    template: ClassVar[str] = "intake/odds-set.html"
    throws: ClassVar[bool] = True
    near: ClassVar[bool] = False
    outside: ClassVar[bool] = False

    @property
    def strip(self) -> list[bool]:
        return _strip(self.keep)


Chances = SectionChances | NumberChances | PlaceChances | CrosswiseChances | SetChances


@dataclass(frozen=True, slots=True)
class ChanceCard:
    """What is said at once of all sections with the same chances; `numbers` count the sensitive sections from 1."""

    numbers: tuple[int, ...]
    chances: Chances


def section_chances(design: Design, language: str = "") -> list[Chances]:
    """Of the sensitive sections of a design, in their order; `language` is that of the regions' names."""
    return [
        KINDS[type(section)].section(section, language) for section in design.sections if section.sensitive
    ]


def chance_cards(sections: Sequence[Chances]) -> list[ChanceCard]:
    found: dict[Chances, list[int]] = {}
    for number, chances in enumerate(sections, start=1):
        found.setdefault(chances, []).append(number)
    return [ChanceCard(tuple(numbers), chances) for chances, numbers in found.items()]


def everything_together(design: Design) -> tuple[Chance, Chance] | None:
    """What somebody may believe of a respondent before all disguised answers, and at most after them.

    None: nothing is disguised. The second is rounded up, as `audit` and the builder round it.
    """
    laws = tuple(law for section in design.sections if (law := section.law))
    if not laws:
        return None
    return _share(BEFORE), _share(Fraction(Guarantee(laws).posterior_up(BEFORE, 3)))


def arm_chances(design: Design) -> tuple[Chance, Chance] | None:
    """How often people are asked directly, and how often they are disguised; None where a design has no arms."""
    if not design.has_arms:
        return None
    direct = Fraction(design.direct_parts, PARTS)
    return _share(direct), _share(1 - direct)


def _strip(share: Chance) -> list[bool]:
    """The odds as a row of marks, True for each time that the true answers go out; empty beyond twenty."""
    said = odds(share.value)
    if said is None or said[1] > 20:
        return []
    return [place < said[0] for place in range(said[1])]


def _share(share: Fraction) -> Chance:
    return Chance(float(share), 0 if (share * 100).denominator == 1 else 1)


def _same_yes(questions: tuple[SensitiveQuestion, ...]) -> Chance | None:
    laws = {(question.form in ("yes-no", "many"), question.noise) for question in questions}
    if len(laws) > 1:
        return None
    is_yes_no, noise = laws.pop()
    return _share(noise[1]) if is_yes_no else None


def _yes_label(questions: tuple[SensitiveQuestion, ...], language: str) -> str:
    """The label of an option among several is no word for yes."""
    labels = {
        "" if asks.form == "many" else asks.choices[1].label.in_language(language) for asks in questions
    }
    return labels.pop() if len(labels) == 1 else ""


def _rarest(questions: tuple[SensitiveQuestion, ...]) -> Fraction:
    return min(min(question.noise) for question in questions)


def sent_if(keep: Fraction, question: SensitiveQuestion) -> SentIf:
    """For each choice how often it goes out from people whose answer it is, and from people whose it is not.

    What others of its section are answered changes nothing in it, nor does the drawing of the questions: it
    is said of a question that was asked.
    """
    return [(keep + (1 - keep) * by_chance, (1 - keep) * by_chance) for by_chance in question.noise]


def question_chances(design: Design) -> dict[str, SentIf]:
    """For every sensitive question, by name: `sent_if`; of a number or place how often it is kept, or not; of a
    question sent as sets how often one holds the own choice, or any other. Nothing of a crosswise question, of which
    the device replaces no answer.
    """
    return {
        question.name: KINDS[type(section)].question(section, question)
        for section in design.sections
        if section.sensitive
        for question in section.questions
    }


# --- the kinds of sensitive sections


def _grouped(section: UnrelatedQuestionSection, language: str) -> SectionChances:
    return SectionChances(
        questions=len(section.questions),
        asked=section.asked,
        keep=_share(section.keep),
        yes=_same_yes(section.questions),
        rarest=_share((1 - section.keep) * _rarest(section.questions)),
        yes_label=_yes_label(section.questions, language),
    )


def _window(section: WindowSection, language: str) -> NumberChances:
    of = section.question
    return NumberChances(_share(section.law.windowed), of.low, of.high, far=of.half * of.step)


def _classes(section: ClassesSection, language: str) -> NumberChances:
    of = section.question
    rest = _share(Fraction(of.rest, REST_PARTS)) if of.rest else None
    return NumberChances(_share(section.law.keep), of.low, of.high, limits=of.limits, cuts=of.cuts, rest=rest)


def _place(section: PlaceSection, language: str) -> PlaceChances:
    law, by_odds = section.law, dict[Fraction, list[str]]()
    for place, region in enumerate(section.question.regions):
        name = region.label.in_language(language) or region.name
        by_odds.setdefault(_one_decimal_up(law.odds(place)), []).append(name)
    levels = (LevelChances(odds, ", ".join(by_odds[odds])) for odds in sorted(by_odds, reverse=True))
    return PlaceChances(_share(law.keep), tuple(levels), bool(law.outside))


def _crosswise(section: CrosswiseSection, language: str) -> CrosswiseChances:
    of = section.question
    share = Fraction(of.secret_parts, PARTS)
    return CrosswiseChances(_share(share), _share(min(share, 1 - share)), of.source)


def _subset(section: SubsetSection, language: str) -> SetChances:
    of = section.law
    return SetChances(_share(of.keep), _share(of.other), of.size, of.choices)


def _one_decimal_up(odds: Fraction) -> Fraction:
    return Fraction(ceil(odds * 10), 10)


@dataclass(frozen=True, slots=True)
class SaidOfKind:
    section: Callable[[Any, str], Chances]
    question: Callable[[Any, Any], SentIf]


KINDS: Mapping[type, SaidOfKind] = {
    UnrelatedQuestionSection: SaidOfKind(_grouped, lambda section, question: sent_if(section.keep, question)),
    WindowSection: SaidOfKind(_window, lambda section, question: [_kept_or_not(section.law.windowed)]),
    ClassesSection: SaidOfKind(_classes, lambda section, question: [_kept_or_not(section.law.keep)]),
    PlaceSection: SaidOfKind(_place, lambda section, question: [_kept_or_not(section.law.keep)]),
    CrosswiseSection: SaidOfKind(_crosswise, lambda section, question: []),
    SubsetSection: SaidOfKind(_subset, lambda section, question: [(section.law.keep, section.law.other)]),
}


def _kept_or_not(share: Fraction) -> tuple[Fraction, Fraction]:
    return share, 1 - share
