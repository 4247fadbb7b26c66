"""Decides how a map colours a region: by whether its share is shown to be below or above a reference value.

docs/mathematics.md, Maps of regions.
"""

from collections.abc import Sequence
from enum import IntEnum

from mining.inference.intervals import NORMAL_95
from mining.inference.selection_correction import LEVEL, critical_z
from mining.nodes.report_nodes import GroupRow, GroupTable, Report


class Comparison(IntEnum):
    """The outcome of comparing a region's interval with a reference."""

    BELOW = -1
    NOT_TOLD = 0
    ABOVE = 1


def compare_with_equal_share(
    share: float, low: float | None, high: float | None, equal_share: float, regions: int
) -> Comparison:
    """Compares a region's share with `equal_share`, the share of each answer if all were as common.

    Of all `regions` of a map, any is coloured wrongly in at most 5 % of surveys. The squared error is taken as a line
    through its values at both ends of the 95 % interval. That of a score test is concave, so beyond the interval the
    line lies above it.
    """
    if low is None or high is None or low <= equal_share <= high or low >= high:
        return Comparison.NOT_TOLD
    at_low, at_high = (((share - end) / NORMAL_95) ** 2 for end in (low, high))
    at_equal = at_low + (at_high - at_low) * (equal_share - low) / (high - low)
    error = max(at_low, at_high, at_equal) ** 0.5
    if abs(share - equal_share) <= critical_z(LEVEL / max(regions, 1)) * error:
        return Comparison.NOT_TOLD
    return Comparison.ABOVE if share > equal_share else Comparison.BELOW


def compare_with_other_classes(report: Report, table: GroupTable, row: GroupRow) -> tuple[Comparison, ...]:
    """Compares the share of an answer in each class of a plain question with that in all other published classes.

    Only the class with the clearest difference becomes BELOW or ABOVE, as in the first findings of a report. If there
    are two classes, the other becomes the opposite, since it is the same test. If a hypothesis of the analysis plan is
    about the answer, its verdict decides instead.
    """
    told = [name for name, cell in zip(table.classes, row.cells, strict=True) if cell.share is not None]
    # A plan compares a class with everybody else, the front with the published classes.
    has_mirror = len(told) == 2 and (row.front is not None or len(table.classes) == 2)
    result = dict.fromkeys(table.classes, Comparison.NOT_TOLD)
    for of_class, sign in _differing_classes(report, row):
        if of_class in told:
            result |= dict.fromkeys(told, Comparison(-sign)) if has_mirror else {}
            result[of_class] = Comparison(sign)
    return tuple(result.values())


def _differing_classes(report: Report, row: GroupRow) -> Sequence[tuple[str, int]]:
    """Returns the classes that the report shows to differ, each with a sign: 1 more, -1 fewer."""
    if row.front:
        return [(row.front.of_class, 1 if row.front.low > 0 else -1)]
    found = []
    for one in report.study.plan.published_hypotheses if row.met and report.study.plan else ():
        items = {*one.antecedent, *one.consequent}
        if one.met and row.item in items and len(items) == 2:
            (of_class,) = items - {row.item}
            found.append((of_class, 1 if one.low is not None and one.low > one.value_without_effect else -1))
    return found
