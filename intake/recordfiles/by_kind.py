"""What record files, their codebook and the R script say of the questions of each kind of section: one table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from intake.recordfiles.labels import choice_words, class_words, unit_words
from privacy.designs import Design, PlainSection, Question, Section, UnrelatedQuestionSection
from privacy.grammar.node import decimal
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.number.classes.section import CLASSES, ClassesQuestion, ClassesSection
from privacy.kinds.number.window.section import WINDOW, WindowQuestion, WindowSection
from privacy.kinds.place.section import PlaceQuestion, PlaceSection
from privacy.kinds.subset.section import SubsetQuestion, SubsetSection

Fact = str | Decimal | int | bool | tuple["Fact", ...]
"""What the R script knows of a question: a text, a number, yes or no, or several of these."""

PLAIN, GROUPED, PLACE, SUBSET = "plain", "grouped", PlaceSection.kind, SubsetSection.kind
NUMBERS = (WINDOW, CLASSES)


def _choice_words(question: Question, language: str) -> list[str]:
    return [choice_words(choice, language) for choice in question.choices]


def _choice_names(question: Question) -> list[str]:
    return [choice.name for choice in question.choices]


def _nothing(*_of: object) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True)
class KindInFiles:
    """`law` names the part of the codebook; `has_keep`: its section has a keep probability.

    `names` are what the codebook lists of a question: its cells or, where `are_sets`, what these join. `words` says
    each of them in a language; `noise` is its probability under noise, as text. `numbers`: where the cells of a
    question are numbers, those by code. `script`: what the R script needs of a question, empty where it estimates
    nothing.
    """

    law: str
    has_keep: bool = False
    are_sets: bool = False
    names: Callable[[Any], Sequence[str]] = lambda question: question.code_names
    words: Callable[[Any, str], Sequence[str]] = _choice_words
    noise: Callable[[Any], Sequence[str]] = _nothing
    numbers: Callable[[Any], range | None] = lambda _question: None
    unit: Callable[[Any, str], str] = lambda _question, _language: ""
    script: Callable[[Any, Any], Mapping[str, Fact]] = lambda _section, _question: {}


def _numbers(question: WindowQuestion) -> range:
    return range(question.low, question.high + 1, question.step)


def _of_grouped(section: UnrelatedQuestionSection | CrosswiseSection, question: Any) -> Mapping[str, Fact]:
    return {
        "choices": question.code_names,
        "keep": Decimal(decimal(section.keep_parts)),
        "noise": tuple(Decimal(decimal(part)) for part in question.parts),
    }


def _of_window(_section: WindowSection, question: WindowQuestion) -> Mapping[str, Fact]:
    return {
        "low": question.low,
        "step": question.step,
        "values": question.values,
        "half": question.half,
        "uniform": Decimal(decimal(question.uniform_parts)),
    }


def _of_place(_section: PlaceSection, question: PlaceQuestion) -> Mapping[str, Fact]:
    """By cell its item, the region or the cell itself, and whether it lies inside."""
    law, names = question.law, question.code_names
    regions = [question.regions[place].name for place in law.region_of.values()]
    items = dict(zip(law.region_of, regions, strict=True))
    return {
        "choices": names,
        "items": tuple(items.get(cell, name) for cell, name in enumerate(names)),
        "inside": tuple(cell in items for cell in range(len(names))),
        "keep": Decimal(law.keep.numerator) / law.keep.denominator,
    }


def _of_classes(section: ClassesSection, question: ClassesQuestion) -> Mapping[str, Fact]:
    rest = "0" if section.rest_keep_parts is None else decimal(section.rest_keep_parts)
    return {
        "choices": question.code_names,
        "keep": Decimal(decimal(section.keep_parts)),
        "low": question.low,
        "high": question.high,
        "limits": question.limits,
        "cuts": question.cuts,
        "span": question.span,
        "rest": question.rest,
        "keep_rest": Decimal(rest),
        "mean": question.has_mean,
    }


def _of_subset(section: SubsetSection, question: SubsetQuestion) -> Mapping[str, Fact]:
    return {
        "choices": tuple(_choice_names(question)),
        "keep": Decimal(decimal(section.keep_parts)),
        "size": question.size,
    }


OF_GROUPED = KindInFiles(
    GROUPED,
    has_keep=True,
    noise=lambda question: list(map(decimal, question.parts)),
    script=_of_grouped,
)
KINDS: Mapping[type, KindInFiles] = MappingProxyType(
    {
        PlainSection: KindInFiles(PLAIN),
        UnrelatedQuestionSection: OF_GROUPED,
        CrosswiseSection: OF_GROUPED,
        WindowSection: KindInFiles(
            WINDOW, words=_nothing, numbers=_numbers, unit=unit_words, script=_of_window
        ),
        PlaceSection: KindInFiles(PLACE, script=_of_place),
        ClassesSection: KindInFiles(
            CLASSES, has_keep=True, words=class_words, unit=unit_words, script=_of_classes
        ),
        SubsetSection: KindInFiles(SUBSET, are_sets=True, names=_choice_names, script=_of_subset),
    }
)


def kind_of(section: Section) -> KindInFiles:
    return KINDS[type(section)]


def kinds(design: Design) -> Iterator[KindInFiles]:
    """The kind of each question."""
    for section in design.sections:
        for _question in section.questions:
            yield kind_of(section)
