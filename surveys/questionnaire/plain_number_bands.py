"""Plain questions answered by a typed number, for which the device sends only the band, such as 20 to 39.

The question's choices are its bands, whose names and labels follow from the range, the limits and the unit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any, ClassVar, TypeGuard

from django.utils import timezone, translation

from mining.json_codec import OPTIONAL
from privacy.grammar.input_error import InputError
from privacy.grammar.number_range import FURTHEST, NumberRange
from privacy.grammar.question import SHUFFLED
from privacy.kinds.plain.number_bands import NUMBER, band_names, check_limits
from surveys.phrases.languages import shipped_language_for
from surveys.questionnaire.draft_question import Choice, DraftQuestion, Words, without_language
from surveys.questionnaire.value_normalization import list_or_empty, normal_texts
from ui.number_format import format_count
from ui.quantity_format import append_unit, format_half_open_range

FIRST_YEAR = 1900
LONG_YEAR = 10_000
MOST_PROPOSED = 5
"""Highest number of proposed limits, which make six bands."""
SIZES = (1, 2, 2.5, 5)


@dataclass(frozen=True)
class DraftBands:
    """Range, step, limits and unit of the bands of a number; a form checks them before they are stored."""

    low: int = 0
    high: int = 100
    step: int = 1
    limits: tuple[int, ...] = (20, 40, 60, 80)
    unit: Words = field(default_factory=dict, metadata=OPTIONAL)

    @property
    def range(self) -> NumberRange:
        """The possible numbers; raises `InputError` with the name of the invalid field."""
        return NumberRange(self.low, self.high, self.step)

    def check(self) -> None:
        """Checks that the bands are valid; raises `InputError` with the name of an invalid field."""
        check_limits(self.range, self.limits)


@dataclass(frozen=True, kw_only=True)
class BandsQuestion(DraftQuestion):
    """A plain question that people answer by typing a number."""

    takes_number: ClassVar[bool] = True

    number: DraftBands = field(default_factory=DraftBands)

    def without_number(self) -> DraftQuestion:
        return DraftQuestion(**{member.name: getattr(self, member.name) for member in fields(DraftQuestion)})


def takes_number(question: DraftQuestion) -> TypeGuard[BandsQuestion]:
    """True if people answer the question by typing a number."""
    return isinstance(question, BandsQuestion)


def question_with_bands(
    question: DraftQuestion, bands: DraftBands, languages: Iterable[str]
) -> BandsQuestion:
    """Returns the question with these bands as its choices; a band keeps its sentence texts for reports if
    its name is unchanged."""
    bands.check()
    names, spoken = band_names(bands.range, bands.limits), tuple(languages)
    labels = {code: band_labels(bands, code) for code in spoken}
    before = {choice.name: choice for choice in question.choices}
    choices = [
        Choice(name, {code: labels[code][row] for code in spoken}).with_sentence_texts_from(before.get(name))
        for row, name in enumerate(names)
    ]
    shared = {member.name: getattr(question, member.name) for member in fields(DraftQuestion)}
    own = {
        "form": "one",
        "choices": tuple(choices),
        "of": "",
        "known": "",
        "shares": (),
        "number": bands,
        SHUFFLED: 0,
    }
    return BandsQuestion(**{**shared, **own})


def band_labels(bands: DraftBands, language: str) -> list[str]:
    """Returns the labels of the bands in a language: in words, or with the signs <, – and ≥ if Candor does
    not ship the language."""
    unit, limits = bands.unit.get(language, ""), bands.limits
    shipped = shipped_language_for(language)
    if shipped is None:
        inner = [f"{low}–{high - bands.step}" for low, high in pairwise(limits)]
        return [append_unit(text, unit) for text in (f"< {limits[0]}", *inner, f"≥ {limits[-1]}")]
    with translation.override(shipped):
        return [
            format_half_open_range(low, high, unit, format_number_or_year)
            for low, high in pairwise((None, *limits, None))
        ]


def format_number_or_year(number: int) -> str:
    """Formats a number, grouped only from five digits on, since 1950 may be a year. intake/static/intake/bands.js does
    the same."""
    return format_count(number) if abs(number) >= LONG_YEAR else str(number).replace("-", "−")


def read_bands_question(
    question: DraftQuestion, data: Mapping[str, Any], languages: Sequence[str]
) -> DraftQuestion:
    """Returns the question with the bands in its JSON; unchanged if there are none or they are invalid."""
    given = data.get(NUMBER)
    if not isinstance(given, Mapping) or question.form != "one" or question.of:
        return question
    limits = list_or_empty(given.get("limits"))
    integers = (given.get("low"), given.get("high"), given.get("step", 1), *limits)
    if not all(type(value) is int and -FURTHEST <= value <= FURTHEST for value in integers):
        return question
    low, high, step, *limits = integers
    bands = DraftBands(low, high, step, tuple(limits), normal_texts(given.get("unit"), languages))
    try:
        number = question_with_bands(question, bands, languages)
    except InputError:
        return question
    if len(question.choices) == len(number.choices):
        # A file may name the bands in its own way, and rules know these names.
        named = zip(question.choices, number.choices, strict=True)
        choices = tuple(replace(choice, name=own.name).with_sentence_texts_from(own) for own, choice in named)
        number = replace(number, choices=choices)
    return number


def question_with_unit(question: BandsQuestion, language: str, text: str) -> BandsQuestion:
    """Sets the unit in one language, and the labels of the bands with it."""
    others = without_language(question.number.unit, language)
    bands = replace(question.number, unit={**others, language: text} if text else others)
    labels = band_labels(bands, language)
    choices = tuple(
        replace(choice, label={**choice.label, language: label})
        for choice, label in zip(question.choices, labels, strict=True)
    )
    return replace(question, number=bands, choices=choices)


def propose_round_limits(numbers: NumberRange) -> tuple[int, ...]:
    """Proposes two to five equally spaced limits of bands at round numbers.

    If no round numbers are possible answers, proposes limits of equally wide bands.
    """
    for power in range(10):
        for size in (int(size * 10**power) for size in SIZES if size * 10**power == int(size * 10**power)):
            first = numbers.low - numbers.low % size + size
            limits = tuple(range(first, numbers.high, size)) if numbers.width <= 10 * size else ()
            is_on_steps = size % numbers.step == 0 and (first - numbers.low) % numbers.step == 0
            if is_on_steps and 2 <= len(limits) <= MOST_PROPOSED:
                return limits
    bands = min(MOST_PROPOSED, numbers.values)
    steps = sorted({-(-numbers.values * row // bands) for row in range(1, bands)})
    return tuple(numbers.low + numbers.step * step for step in steps)


def year_bands_since_1900() -> DraftBands:
    """Returns bands for the years from 1900 to the current one."""
    numbers = NumberRange(FIRST_YEAR, timezone.localdate().year)
    return DraftBands(numbers.low, numbers.high, 1, propose_round_limits(numbers))
