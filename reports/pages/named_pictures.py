"""Finds the pictures of a report by their names in addresses."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from reports.kinds.number.shown_number import shown_numbers
from reports.pictures.picture import Picture
from reports.review import question_shares

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage

ERRORS = ("error-keep", "error-respondents")
"""Names of the pictures of the expected error: by keep probability, and by number of respondents."""

PictureMakers = dict[str, Callable[[], Picture | None]]


def picture_makers(report: "ReportPage") -> PictureMakers:
    """Returns the functions that draw the pictures of a report, by picture name."""
    return expected_error_picture_makers(report) | number_picture_makers(report)


def expected_error_picture_makers(report: "ReportPage") -> PictureMakers:
    from reports.pictures import expected_error_plots  # late for cost

    made = (expected_error_plots.error_by_keep_picture, expected_error_plots.error_by_respondents_picture)
    return {
        name: partial(_make_expected_error_picture, report, make)
        for name, make in zip(ERRORS, made, strict=True)
    }


def _make_expected_error_picture(report: "ReportPage", make: Callable[..., Picture | None]) -> Picture | None:
    return make(report.mined_design, question_shares.sensitive_shares(report), report.about)


def number_picture_makers(report: "ReportPage") -> PictureMakers:
    """Returns the functions that draw the distributions of each number, by picture name: of all records, and by each
    plain question."""
    numbers = [number for number in shown_numbers(report) if number.window] if report.content.numbers else []
    if not numbers:
        return {}
    from reports.kinds.number import window_disguised_number_picture  # late for cost

    pictures: PictureMakers = {}
    for number in numbers:
        name = f"number-{number.place}"
        pictures[name] = partial(window_disguised_number_picture.distribution_picture, number)
        for group in number.groups:
            pictures[f"{name}-{group.place}"] = partial(
                window_disguised_number_picture.class_distributions_picture, group
            )
    return pictures


def make_picture(report: "ReportPage", name: str) -> Picture | None:
    """Returns the picture of this name; None if there is no such picture or nothing to draw."""
    make = picture_makers(report).get(name)
    return make() if make else None


def expected_error_pictures(report: "ReportPage") -> list[Picture]:
    return [one for name in ERRORS if (one := make_picture(report, name))]
