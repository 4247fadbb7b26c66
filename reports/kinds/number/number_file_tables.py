"""Builds the tables of sensitive numbers for files: means and quantiles, shares, distributions."""

from collections.abc import Iterator
from typing import Any

from mining.nodes.number_nodes import NumberEstimates, NumberTruth
from reports.export_table import ExportTable, disguised_only_text
from reports.kinds.number.distribution_cells import distribution_cells
from reports.kinds.number.shown_number import ShownNumber

GROUP_COLUMNS = ("question", "question_text", "unit", "by", "class", "class_in_words", "among")
"""Columns that name the question of a row and its people: everybody, or a class of the plain question `by`."""

TRUTH_OF_NUMBERS = ("truth_blurred", "mean_truth")
"""Columns besides `truth` that only files of rehearsals have."""


GroupEstimates = tuple[ShownNumber, NumberEstimates, tuple[str, ...], NumberTruth | None]
"""A number, its estimates for one group of people, the group's values of `GROUP_COLUMNS`, and the truth of a
rehearsal."""


def number_tables(numbers: list[ShownNumber]) -> list[ExportTable]:
    group_estimates = [one for number in numbers for one in estimates_by_group(number)]
    return [
        statistics_table(group_estimates),
        shares_table(group_estimates),
        distribution_table(group_estimates),
    ]


def estimates_by_group(number: ShownNumber) -> Iterator[GroupEstimates]:
    """Yields the estimates of a number for everybody, then for each class of each plain question, with the values of
    `GROUP_COLUMNS`."""
    named = (number.name, number.text, number.unit)
    of_all = number.all_records
    yield number, of_all, (*named, "", "", "", disguised_only_text(of_all.disguised_only)), number.node.truth
    for group in number.groups:
        for one in group.classes:
            of_class = (
                group.node.question,
                one.item,
                one.words,
                disguised_only_text(one.node.disguised_only),
            )
            yield number, one.node, (*named, *of_class), None


def statistics_table(group_estimates: list[GroupEstimates]) -> ExportTable:
    qs = sorted({one.q for _number, node, *_said in group_estimates for one in node.quantiles})
    ends = [f"quantile_{q:g}_{end}" for q in qs for end in ("at_least", "below")]
    mean = ("mean", "mean_se", "mean_low", "mean_high", "mean_truth")
    rows = []
    for number, node, said, truth in group_estimates:
        estimate = node.mean
        values = (estimate.value, estimate.se, estimate.low, estimate.high) if estimate else (None,) * 4
        stated = {one.q: (one.at_least, one.below) for one in node.quantiles}
        quantiles = [end for q in qs for end in stated.get(q, (None, None))]
        counts = (number.node.law, node.n_asked, node.n_open)
        rows.append((*said, *counts, *values, truth.mean if truth else None, *quantiles))
    return ExportTable("numbers", (*GROUP_COLUMNS, "law", "base", "opened", *mean, *ends), tuple(rows))


def shares_table(group_estimates: list[GroupEstimates]) -> ExportTable:
    rows: list[tuple[Any, ...]] = []
    for number, node, said, _truth in group_estimates:
        for one in number.file_shares(node):
            item = (number.item_name(one), number.full_share_label(one), one.at_least, one.below)
            rows.append((*said, *item, one.n_asked, one.share, one.se, one.low, one.high))
    columns = ("item", "item_in_words", "at_least", "below", "base", "share", "se", "low", "high")
    return ExportTable("number_shares", (*GROUP_COLUMNS, *columns), tuple(rows))


CELL = ("received", "blurred", "low", "high", "illustration", "truth", "truth_blurred")


def distribution_table(group_estimates: list[GroupEstimates]) -> ExportTable:
    rows: list[tuple[Any, ...]] = []
    for number, node, said, truth in group_estimates:
        question, drawn = number.window, node.distribution
        if question is None or drawn is None:
            continue
        rows += [
            (*said, one.first, one.last, *(getattr(one, name) for name in CELL), drawn.modes)
            for one in distribution_cells(question, drawn, truth)
        ]
    return ExportTable("distribution", (*GROUP_COLUMNS, "from", "to", *CELL, "modes"), tuple(rows))
