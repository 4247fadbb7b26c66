"""The tables of sensitive numbers in files."""

from collections.abc import Iterator
from typing import Any

from mining.document.numbers import NumberEstimates, NumberTruth
from reports.export_table import ExportTable, said_among
from reports.kinds.number.distribution_bars import cells
from reports.kinds.number.shown_number import ShownNumber

OF = ("question", "question_text", "unit", "by", "class", "class_in_words", "among")
"""The columns that say of whom a row is: of everybody, or of a class of the plain question `by`."""

TRUTH_OF_NUMBERS = ("truth_blurred", "mean_truth")
"""Beside `truth`, the columns that only rehearsals have."""


OfWhom = tuple[ShownNumber, NumberEstimates, tuple[str, ...], NumberTruth | None]
"""Estimates of a number, the values of OF, and the truth."""


def number_tables(numbers: list[ShownNumber]) -> list[ExportTable]:
    whom = [one for number in numbers for one in of_whom(number)]
    return [statistics(whom), shares(whom), distribution(whom)]


def of_whom(number: ShownNumber) -> Iterator[OfWhom]:
    named = (number.name, number.text, number.unit)
    of_all = number.all_records
    yield number, of_all, (*named, "", "", "", said_among(of_all.disguised_only)), number.node.truth
    for group in number.groups:
        for one in group.classes:
            of_class = (group.node.question, one.item, one.words, said_among(one.node.disguised_only))
            yield number, one.node, (*named, *of_class), None


def statistics(whom: list[OfWhom]) -> ExportTable:
    qs = sorted({one.q for _number, node, *_said in whom for one in node.quantiles})
    ends = [f"quantile_{q:g}_{end}" for q in qs for end in ("at_least", "below")]
    mean = ("mean", "mean_se", "mean_low", "mean_high", "mean_truth")
    rows = []
    for number, node, said, truth in whom:
        estimate = node.mean
        values = (estimate.value, estimate.se, estimate.low, estimate.high) if estimate else (None,) * 4
        stated = {one.q: (one.at_least, one.below) for one in node.quantiles}
        quantiles = [end for q in qs for end in stated.get(q, (None, None))]
        counts = (number.node.law, node.n_asked, node.n_open)
        rows.append((*said, *counts, *values, truth.mean if truth else None, *quantiles))
    return ExportTable("numbers", (*OF, "law", "base", "opened", *mean, *ends), tuple(rows))


def shares(whom: list[OfWhom]) -> ExportTable:
    rows: list[tuple[Any, ...]] = []
    for number, node, said, _truth in whom:
        for one in number.parts(node):
            item = (number.item(one), number.in_full(one), one.at_least, one.below)
            rows.append((*said, *item, one.n_asked, one.share, one.se, one.low, one.high))
    columns = ("item", "item_in_words", "at_least", "below", "base", "share", "se", "low", "high")
    return ExportTable("number_shares", (*OF, *columns), tuple(rows))


CELL = ("received", "blurred", "low", "high", "illustration", "truth", "truth_blurred")


def distribution(whom: list[OfWhom]) -> ExportTable:
    rows: list[tuple[Any, ...]] = []
    for number, node, said, truth in whom:
        question, drawn = number.window, node.distribution
        if question is None or drawn is None:
            continue
        rows += [
            (*said, one.first, one.last, *(getattr(one, name) for name in CELL), drawn.modes)
            for one in cells(question, drawn, truth)
        ]
    return ExportTable("distribution", (*OF, "from", "to", *CELL, "modes"), tuple(rows))
