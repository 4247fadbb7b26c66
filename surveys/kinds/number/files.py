"""What record files say of a number."""

from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from privacy.grammar.node import decimal
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.section import CLASSES, ClassesQuestion, ClassesSection
from privacy.kinds.number.number import NumberQuestion
from privacy.kinds.number.window.section import WINDOW, WindowQuestion, WindowSection
from surveys.kinds.file_columns import Fact, FileColumns, cell_texts, nothing


def unit_words(question: NumberQuestion, language: str) -> str:
    return " ".join(question.unit.in_language(language).split())


def class_words(question: ClassesQuestion, language: str) -> list[str]:
    """Of each code between which limits the number lies, or the bit for the place inside the class."""
    unit = unit_words(question, language)
    limits = [f"{limit} {unit}".strip() for limit in question.limits]
    between = []
    for a, z in intervals(question.classes):
        ends = {"low": limits[a - 1] if a else "", "high": limits[z - 1] if z < question.classes else ""}
        if not ends["high"]:
            words = _("%(low)s or more") if a else _("any number")
        else:
            words = _("%(low)s or more, below %(high)s") if a else _("below %(high)s")
        between.append(words % ends)
    bits = [_("inside the class: no"), _("inside the class: yes")] if question.rest else []
    return between + bits


def _window_facts(_section: WindowSection, question: WindowQuestion) -> Mapping[str, Fact]:
    return {
        "low": question.low,
        "step": question.step,
        "values": question.values,
        "half": question.half,
        "uniform": Decimal(decimal(question.uniform_parts)),
    }


def _classes_facts(section: ClassesSection, question: ClassesQuestion) -> Mapping[str, Fact]:
    rest = "0" if section.rest_keep_parts is None else decimal(section.rest_keep_parts)
    return {
        "cells": cell_texts(question.code_names),
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


def _numbers(question: WindowQuestion) -> range:
    return range(question.low, question.high + 1, question.step)


WINDOW_COLUMNS = FileColumns(
    WINDOW,
    "windows",
    is_number=True,
    words=nothing,
    numbers=_numbers,
    unit=unit_words,
    script=_window_facts,
)
CLASSES_COLUMNS = FileColumns(
    CLASSES,
    "classes",
    is_number=True,
    has_keep=True,
    words=class_words,
    unit=unit_words,
    script=_classes_facts,
)
