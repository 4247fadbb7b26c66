"""The heat map: which answers go together."""

import re

import pytest
from django.test import Client

from mining.report.report_nodes import Pair
from reports.answer_labels import Labels
from reports.models import Review
from reports.pages.heat_map import heat_map, lift_tint
from tests.reports import made
from tests.reports.paged import desk

pytestmark = pytest.mark.page
THEFT, LATE, CASH = "theft=yes", "late=yes", "cash=yes"
LABELS = Labels(made.design())


@pytest.mark.parametrize(
    ("lift", "name"),
    [(0.3, "less-3"), (0.5, "less-2"), (0.9, "less-1"), (1.0, "more-1"), (1.3, "more-2"), (8.0, "more-3")],
)
def test_a_tint_is_the_deeper_the_further_from_1(lift: float, name: str) -> None:
    assert lift_tint(lift) == name


def test_a_cell_has_its_figure_and_is_tinted_where_the_list_shows_an_association() -> None:
    """Its own interval, which excludes 1 of a third pair too, decides on nothing: the pairs are many."""
    pairs = [
        Pair((LATE, THEFT), 4.0, 2.0, 8.0, 1000),
        Pair((LATE, CASH), 0.5, 0.2, 0.9, 1000),
        Pair((THEFT, CASH), -0.9, None, None, 1000),
    ]
    drawn = heat_map(pairs, LABELS, {frozenset((LATE, THEFT)), frozenset((THEFT, CASH))})
    assert drawn
    assert list(drawn.columns) == ["Yes · Theft", "Yes · Late"]
    found = {
        (label, column): cell[:2]
        for label, cells in drawn.rows
        for column, cell in zip(drawn.columns, cells, strict=True)
        if cell
    }
    assert found == {
        ("Yes · Late", "Yes · Theft"): ("more-3", "4.0"),
        ("Yes · Cash", "Yes · Late"): ("untold", "0.50"),
        ("Yes · Cash", "Yes · Theft"): ("untold", ""),
    }


def test_without_a_lift_there_is_no_heat_map() -> None:
    assert heat_map([Pair((THEFT, LATE), None, None, None, 1000)], LABELS, ()) is None


def test_every_cell_of_the_page_says_its_interval(review: Review, judging: Client) -> None:
    page = judging.get(desk("itemsets")).content.decode()
    cells = re.findall(r'<td class="heat [a-z0-9-]+"><b>([^<]+)</b><span class="unseen"> \(([^)]+)\)', page)
    assert cells
    assert all(" to " in interval or interval == "cannot be estimated" for _figure, interval in cells)
