"""Removes from the nodes of a report the numbers that may not be published.

Only a node's own numbers are removed. Results that join several answers (a test of many answers, the list of
rules) are computed from publishable answers alone.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from mining.disclosure.verdict import Verdict
from mining.disclosure.withheld_cells_outside_regions import remove_cell_numbers
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_from_json
from mining.nodes.number_nodes import NumberClasses, NumberEstimates, NumberNode, NumberShare
from mining.nodes.place_nodes import PlaceNode
from mining.nodes.report_nodes import Cell, Estimate, GroupRow, GroupTable, HiddenClasses, Told
from mining.studies.group_comparisons import add_class_comparison
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _, unreadable_file
from privacy.grammar.json_text import parse_json
from privacy.kinds.place.law import PlaceItemsSection, PlaceLaw


def withhold_answer(share: Estimate, names: AnswerNames, verdict: Verdict) -> Estimate:
    """Returns the share of an answer, without its numbers if there is no estimate or they may not be published.

    Received and estimated shares reveal their base (the number of people). So if a rule may hide the question, the
    share is published with its base or not at all.
    """
    if share.support is not None and verdict.allows(map(names.item, share.items)):
        return share
    return Estimate(share.items, disguised_only=share.disguised_only)


def withhold_groups(table: GroupTable, names: AnswerNames, verdict: Verdict) -> GroupTable:
    """Removes the numbers that may not be published from a table of shares by group, then tests for differences between
    the remaining classes."""

    def withhold_row_cells(row: GroupRow) -> GroupRow:
        cells = zip(table.classes, row.cells, strict=True)
        return replace(
            row,
            cells=tuple(
                cell
                if cell.share is not None and verdict.allows(map(names.item, (class_item, row.item)))
                else Cell(disguised_only=cell.disguised_only)
                for class_item, cell in cells
            ),
        )

    compared = add_class_comparison(replace(table, rows=tuple(map(withhold_row_cells, table.rows))))
    return replace(compared, rows=tuple(map(_without_test_inputs, compared.rows)), part=None)


def _without_test_inputs(row: GroupRow) -> GroupRow:
    cells = tuple(replace(cell, second=None, slope=None, received=()) for cell in row.cells)
    return replace(row, cells=cells)


def withhold_node(
    node: NumberNode | PlaceNode, names: AnswerNames, verdict: Verdict
) -> NumberNode | PlaceNode:
    """Removes from a number's or place's report node the numbers that may not be published."""
    withhold = withhold_number if isinstance(node, NumberNode) else withhold_place
    return withhold(node, names, verdict)  # type: ignore[arg-type]


def withhold_number(node: NumberNode, names: AnswerNames, verdict: Verdict) -> NumberNode:
    """Removes a number question's estimates, of everybody or of a class, if their base (the people shown the question)
    may not be published."""
    number = names.question_index(node.question)

    def classes_without_withheld(classes: NumberClasses) -> NumberClasses:
        by = names.question_index(classes.question)
        is_told = verdict.may_tell([by, number])
        rows = enumerate(classes.classes)
        return replace(
            classes,
            classes=tuple(
                _remove_unestimated_record_counts(one)
                if is_told and verdict.may_publish_count_of((by, code))
                else one.without_numbers
                for code, one in rows
            ),
        )

    of_all = node.all_records
    return replace(
        node,
        all_records=_remove_unestimated_record_counts(of_all)
        if verdict.may_tell([number])
        else of_all.without_numbers,
        groups=tuple(map(classes_without_withheld, node.groups)),
    )


def _remove_unestimated_record_counts(estimates: NumberEstimates) -> NumberEstimates:
    """Removes the record counts of shares that have no estimate."""
    if not estimates.is_known:
        return estimates.without_numbers
    return replace(
        estimates,
        shares=_remove_unestimated_share_counts(estimates.shares),
        classes=_remove_unestimated_share_counts(estimates.classes),
    )


def _remove_unestimated_share_counts(shares: tuple[NumberShare, ...]) -> tuple[NumberShare, ...]:
    return tuple(one if one.share is not None else replace(one, n_asked=None) for one in shares)


def withhold_place(node: PlaceNode, names: AnswerNames, verdict: Verdict) -> PlaceNode:
    """Removes from a place's node the cells of withheld regions and the small cells outside the regions."""
    place = names.question_index(node.question)
    law = find_place_law(names, node.question)
    return remove_cell_numbers(node, law, _hidden_cells_unless_all(law, place, verdict))


def _hidden_cells_unless_all(law: PlaceLaw, index: int, verdict: Verdict) -> Collection[int] | None:
    """Returns the numbers of the withheld cells of a place; None where nothing of the place may be published."""
    if not verdict.may_tell([index]):
        return None
    regions = verdict.hidden.get(index, frozenset())
    hidden = {cell for region, cells in enumerate(law.regions) if region in regions for cell in cells}
    if len(law.regions) in regions:
        return hidden | {*law.cells_outside_regions}
    if index in verdict.cells:
        hidden |= {
            cell
            for cell, is_hidden in zip(law.cells_outside_regions, verdict.cells[index].hidden, strict=True)
            if is_hidden
        }
    return hidden


def find_place_law(names: AnswerNames, question: str) -> PlaceLaw:
    sections = (one for one in names.design.sections if isinstance(one, PlaceItemsSection))
    return next(section.law for section in sections if section.questions[0].name == question)


# --- told
# What a report says it was not made of, `told` of report.json: from a verdict, and back.

LARGEST_REPORT = 1 << 26


def withheld_content_from_verdict(verdict: Verdict, names: AnswerNames) -> Told:
    questions = verdict.design.questions

    def state_names(index: int, states: Iterable[int]) -> tuple[str | None, ...]:
        return tuple(
            names.name((index, code)) if code < questions[index].codes else None for code in sorted(states)
        )

    hidden = tuple(
        HiddenClasses(questions[index].name, state_names(index, states))
        for index, states in sorted(verdict.hidden.items())
        if states
    )
    sets = sorted(tuple(questions[index].name for index in table) for table in verdict.untold)
    return Told(hidden, tuple(sets))


def verdict_from_withheld_content(told: Told, names: AnswerNames) -> Verdict:
    """Converts the member `told` of a report back to its verdict; raises KeyError if the report is of another
    design."""
    hidden = {}
    for classes in told.hidden:
        index = names.question_index(classes.question)
        nowhere = names.design.questions[index].codes
        hidden[index] = frozenset(
            nowhere if answer is None else names.item(answer)[1] for answer in classes.answers
        )
    untold = frozenset(tuple(sorted(map(names.question_index, questions))) for questions in told.questions)
    return Verdict(names.design, hidden, untold=untold)


def read_report_verdict(path: Path, mined: Design) -> Verdict:
    """Reads a report file and returns its verdict (which numbers may be published); `mined` is the design of its
    survey."""
    try:
        with path.open("rb") as file:
            document = parse_json(file.read(LARGEST_REPORT), str(path))
        return verdict_from_withheld_content(node_from_json(Told, document["told"]), AnswerNames(mined))
    except OSError as error:
        raise unreadable_file(path, error) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise InputError(
            str(path), _("is no report.json of a survey with this design, or says nothing of `told`")
        ) from None
