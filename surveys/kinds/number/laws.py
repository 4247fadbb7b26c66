"""The two laws of a number, classes and window, and what pages show of a number by each."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil, floor

from privacy.grammar.node import PARTS, decimal
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.classes.section import CLASSES
from privacy.kinds.number.window.section import WINDOW
from surveys.draft import Draft
from surveys.kinds.number.draft import found_section, written_keep
from surveys.kinds.number.protection import NumberProtection, classes_protection, window_protection
from surveys.kinds.number.results import NumberResults, classes_results, window_results
from surveys.kinds.number.warnings import classes_warnings, window_warnings
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.settings_warning import SettingsWarning


class NumberLaw(ABC):
    """Of sections whose numbers fit; `unit` and `name` are those of the question."""

    @staticmethod
    @abstractmethod
    def protection(section: Node, respondents: int, prior: Fraction) -> NumberProtection: ...

    @staticmethod
    @abstractmethod
    def results(section: Node, respondents: int, prior: Fraction, unit: str, name: str) -> NumberResults: ...

    @staticmethod
    @abstractmethod
    def warnings(draft: Draft, number: int) -> Iterator[SettingsWarning]: ...

    @staticmethod
    @abstractmethod
    def within(section: Node, limit: GammaLimit) -> Node | None: ...


def least_uniform(values: int, half: int, limit: GammaLimit) -> int:
    """1 - u in ten-thousandths: gamma = 1 + u V / ((1-u) (2h+1)) is at most G if 1-u is 1 / (1 + (G-1) (2h+1)/V)."""
    least = PARTS / (1 + (limit.gamma - 1) * (2 * half + 1) / values)
    return max(floor(least) + 1 if limit.strict else ceil(least), 1)


def classes_within(section: Node, limit: GammaLimit) -> Node | None:
    question = section["questions"][0]
    try:
        rest = {"keep_rest": written_keep(limit, 1)} if question["rest"] else {}
        return {**section, "keep": written_keep(limit, question["cuts"]), **rest}
    except Refusal:
        return None


def window_within(section: Node, limit: GammaLimit) -> Node | None:
    question = section["questions"][0]
    parts = least_uniform(question["values"], question["window"], limit)
    made = {**section, "questions": [{**question, "uniform": decimal(parts)}]} if parts < PARTS else None
    return made if made and found_section(made) else None


class ClassesNumber(NumberLaw):
    protection = staticmethod(classes_protection)
    results = staticmethod(classes_results)
    warnings = staticmethod(classes_warnings)
    within = staticmethod(classes_within)


class WindowNumber(NumberLaw):
    protection = staticmethod(window_protection)
    results = staticmethod(window_results)
    warnings = staticmethod(window_warnings)
    within = staticmethod(window_within)


LAWS: Mapping[str, NumberLaw] = {CLASSES: ClassesNumber(), WINDOW: WindowNumber()}


def law_of_number(section: Node) -> NumberLaw:
    return LAWS[section["questions"][0]["law"]]


def number_results(
    section: Node, respondents: int, prior: Fraction, language: str = ""
) -> NumberResults | None:
    """None while its numbers do not fit."""
    if found_section(section) is None:
        return None
    question = section["questions"][0]
    unit = question["unit"].get(language) or next(iter(question["unit"].values()), "")
    return law_of_number(section).results(section, respondents, prior, unit, question["name"])
