"""The pictures of a report, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from reports.kinds.number.shown import shown_numbers
from reports.pages import page_rows
from reports.pictures.picture import Picture, PictureColumn

if TYPE_CHECKING:
    from reports.review.report_page import ReportPage

CLASSES = "classes"
"""The end of the name of a picture of classes."""

Make = Callable[["ReportPage"], Picture | None]


@cache
def makers() -> dict[str, Make]:
    """The function that makes each picture, with Altair."""
    from reports.pictures import (  # late for cost
        errors,
        forest,
        graph,
        matrix,
        observed,
        pairs,
        rules,
        shares,
    )

    return {
        "shares": lambda r: shares.picture(page_rows.sensitive_shares(r), r.labels),
        "observed": lambda r: observed.picture(*page_rows.most_common(r), r.labels),
        "rules": lambda r: rules.picture(*page_rows.top_rules(r, rules.MOST), r.about, r.labels, r.rule_url),
        "forest": lambda r: forest.picture(
            *page_rows.top_irredundant_rules(r, forest.MOST), r.labels, r.rule_url
        ),
        "matrix": lambda r: matrix.picture(
            *page_rows.top_irredundant_rules(r, matrix.READ), r.labels, r.rule_url
        ),
        "pairs": lambda r: pairs.picture(r.content.pairs, r.labels),
        "graph": lambda r: graph.picture(
            *page_rows.top_irredundant_rules(r, graph.MOST), r.labels, r.rule_url
        ),
        "error-keep": lambda r: errors.against_keep(r.mined, page_rows.sensitive_shares(r), r.about),
        "error-respondents": lambda r: errors.against_respondents(
            r.mined, page_rows.sensitive_shares(r), r.about
        ),
    }


def number_makers(report: "ReportPage") -> dict[str, Callable[[], Picture | None]]:
    """The pictures of each number: of everybody, and of the classes of each plain question."""
    if not report.content.numbers:
        return {}
    from reports.kinds.number import (  # late for cost
        classes_picture as classes,
        window_picture as distribution,
    )

    truth = {share.items[0]: share.truth for share in report.content.shares}
    pictures: dict[str, Callable[[], Picture | None]] = {}
    for number in shown_numbers(report):
        name = f"number-{number.place}"
        if number.classes is None:
            pictures[name] = partial(distribution.picture, number)
            for group in number.groups:
                pictures[f"{name}-{group.place}"] = partial(distribution.by_group, group)
            continue
        for part in classes.parts(number):
            pictures[f"{name}{part.name}"] = partial(classes.picture, part, truth)
            for group in number.groups:
                pictures[f"{name}-{group.place}{part.name}"] = partial(classes.by_group, part, group)
    return pictures


def names(report: "ReportPage") -> list[str]:
    return [*makers(), *number_makers(report)]


def picture(report: "ReportPage", name: str) -> Picture | None:
    """None: there is no such picture, or nothing to draw in it."""
    if name in makers():
        return makers()[name](report)
    make = number_makers(report).get(name)
    return make() if make else None


@dataclass(frozen=True)
class PagePicture:
    """A picture with its addresses in this report."""

    picture: Picture
    spec_url: str
    csv_url: str

    @property
    def cells(self) -> list[list[tuple[PictureColumn, object]]]:
        return [list(zip(self.picture.columns, row, strict=False)) for row in self.picture.rows]


def page_picture(report: "ReportPage", name: str) -> PagePicture | None:
    made = picture(report, name)
    if made is None:
        return None
    return PagePicture(made, report.url("picture", name), report.url("picture_csv", name))


def page_pictures(report: "ReportPage") -> list[PagePicture]:
    return [one for name in names(report) if (one := page_picture(report, name))]
