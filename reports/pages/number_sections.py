"""Builds the sections of the page of sensitive numbers."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from django.core.paginator import Paginator

from mining.nodes.number_nodes import NumberShare
from reports.kinds.number.shown_number import NumberGroup, ShownNumber, shown_numbers
from reports.pages.named_pictures import make_picture
from reports.pictures.picture import Picture

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

PageGroup = tuple[NumberGroup, Picture | None]
ShareRow = tuple[str, NumberShare, float | None]
"""The words of a share, the share, and its truth in a rehearsal."""


def number_page_sections(
    report: "ReportPage", numbers: Iterable[ShownNumber], by: str | None
) -> Iterator[tuple[ShownNumber, list[list[ShareRow]], Picture | None, int, list[PageGroup]]]:
    """Yields the sections of the page of numbers: each number with the shares of its classes and of those above its
    limits, its picture, and its groups by the plain question `by`, counted from 1, with their picture."""
    truth = {share.items[0]: share.truth for share in report.content.shares}
    for number in numbers:
        chosen = Paginator(number.groups, 1).get_page(by)
        yield (
            number,
            [
                [(number.share_label(one).choice, one, truth.get(number.item_name(one))) for one in parts]
                for parts in (
                    number.all_records.classes,
                    () if number.is_scale else number.all_records.shares,
                )
            ],
            make_picture(report, f"number-{number.place}") if number.window else None,
            chosen.number,
            [
                (
                    group,
                    make_picture(report, f"number-{number.place}-{group.place}") if number.window else None,
                )
                for group in chosen
            ],
        )


def questions_with_number_classes(report: "ReportPage") -> list[tuple[str, str]]:
    """Returns the plain questions in whose classes numbers are estimated, each with its text."""
    texts = {group.node.question: group.text for number in shown_numbers(report) for group in number.groups}
    return list(texts.items())
