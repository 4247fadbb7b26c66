"""Draws intervals in the rows of a table, all on one scale."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from math import inf

from mining.nodes.report_nodes import Cell, Estimate, GroupRow, GroupTable
from reports.estimate_texts import is_outside_interval
from reports.sentences.finding import Finding
from ui.interval_pictures import Interval, Scale, State


def interval_picture(
    scale: Scale,
    low: float | None,
    share: float | None,
    high: float | None,
    *,
    base: float | None = None,
    received: float | None = None,
    truth: float | None = None,
    state: State = "filled",
) -> Interval | None:
    """Returns the picture of an estimate with its interval; None if the estimate is unknown or impossible.

    An end below the start of the scale is drawn at the start. A mark outside of the scale is left out.
    """
    if (
        share is None
        or low is None
        or high is None
        or is_outside_interval(share, low, high)
        or share < scale.start
    ):
        return None
    return Interval(
        low=max(low, scale.start),
        high=min(high, scale.end),
        estimate=share,
        base=_value_if_on_scale(base, scale),
        received=_value_if_on_scale(received, scale),
        truth=_value_if_on_scale(truth, scale),
        state=state,
    )


def _value_if_on_scale(value: float | None, scale: Scale) -> float | None:
    return value if value is not None and scale.start <= value <= scale.end else None


def scale_of_estimates(rows: Iterable[Estimate]) -> Scale:
    ends = ((row.high, row.high_listed, row.observed, row.truth) for row in rows)
    return Scale.covering(chain.from_iterable(ends), most=1.0)


def scale_of_groups(tables: Iterable[GroupTable]) -> Scale:
    """Returns one scale for all tables of the page, so that classes of different questions can be compared."""
    cells = (cell for table in tables for row in table.rows for cell in row.cells)
    return Scale.covering(chain.from_iterable((cell.high, cell.truth) for cell in cells), most=1.0)


def cell_interval_picture(row: GroupRow, cell: Cell, scale: Scale) -> Interval | None:
    """Returns the picture of the share in one class, with a line at the share of all classes together; hollow if no
    difference is shown."""
    return interval_picture(
        scale,
        cell.low,
        cell.share,
        cell.high,
        base=row.together,
        truth=cell.truth,
        state="filled" if row.differs else "hollow",
    )


def finding_interval_picture(finding: Finding, scale: Scale) -> Interval | None:
    """Returns the picture of the number that a finding states; None if the estimate is unknown or impossible, or the
    interval excludes nothing.

    An interval without an upper end is an arrow without a dot, since the sentence then states the lower end alone.
    """
    measured, base = finding.measured, finding.base
    if not measured.is_known:
        return None
    drawn = interval_picture(
        scale,
        measured.low,
        measured.value,
        measured.high,
        base=base.value if base.is_known else None,
        state="filled" if finding.is_conclusive else "hollow",
    )
    return replace(drawn, estimate=None, is_endless=True) if drawn and measured.high == inf else drawn
