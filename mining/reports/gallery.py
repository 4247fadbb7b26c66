"""The pictures of a report, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from mining.reports import page_rows
from mining.reports.pictures.picture import Picture, PictureColumn

if TYPE_CHECKING:
    from mining.reports.report_page import ReportPage

Make = Callable[["ReportPage"], Picture | None]


@cache
def makers() -> dict[str, Make]:
    """The function that makes each picture, with Altair."""
    from mining.reports.pictures import errors, graph, observed, pairs, rules, shares  # late for cost

    return {
        "shares": lambda r: shares.picture(page_rows.sensitive_shares(r), r.naming),
        "observed": lambda r: observed.picture(*page_rows.most_common(r), r.naming),
        "rules": lambda r: rules.picture(*page_rows.top_rules(r, rules.MOST), r.about, r.naming),
        "pairs": lambda r: pairs.picture(r.content.pairs, r.naming),
        "graph": lambda r: graph.picture(*page_rows.top_irredundant_rules(r, graph.MOST), r.naming),
        "error-keep": lambda r: errors.against_keep(r.mined, page_rows.sensitive_shares(r), r.about),
        "error-respondents": lambda r: errors.against_respondents(
            r.mined, page_rows.sensitive_shares(r), r.about
        ),
    }


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
    made = makers()[name](report)
    if made is None:
        return None
    return PagePicture(made, report.url("picture", name), report.url("numbers", name))


def page_pictures(report: "ReportPage") -> list[PagePicture]:
    return [one for name in makers() if (one := page_picture(report, name))]
