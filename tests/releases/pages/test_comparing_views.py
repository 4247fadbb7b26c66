"""The picture of risk against loss, by hand."""

from typing import Any

from releases.pages import method_comparison_views
from releases.pages.method_comparison_views import best_row, draw_picture, method_rows
from releases.source_tables import sort_values


def comparison_row(method: str, k: int, loss: float, **more: Any) -> dict[str, Any]:
    return {"method": method, "k": k, "smallest": k, "ncp": loss, "classes": 3, "hasr": 0.0, **more}


ROWS = [
    comparison_row("tree", 10, 0.2, max_frequency=0.5),
    comparison_row("tree", 2, 0.0, max_frequency=1.0),
    comparison_row("datafly", 5, 0.3),
    comparison_row("samarati", 5, 0.3, smallest=20),
    {"method": "unheard", "k": 10, "refusal": "it cannot"},
]


def test_comparison_chart_places_rows_and_marks_the_front() -> None:
    # More loss is further right and more risk further up.
    drawn = draw_picture(method_rows(ROWS[:2]))
    assert drawn
    first, second = drawn.points
    assert (first.words, second.words) == ("Tree, k = 2", "Tree, k = 10")
    assert first.x == method_comparison_views.LEFT
    assert second.x == method_comparison_views.WIDTH - method_comparison_views.RIGHT
    assert [percent for _place, percent in drawn.across] == [0, 5, 10, 15, 20]
    # One in two is drawn on an axis up to 60 %.
    assert [percent for _place, percent in drawn.up] == [0, 15, 30, 45, 60]
    up = method_comparison_views.HEIGHT - method_comparison_views.TOP - method_comparison_views.BOTTOM
    bottom = method_comparison_views.HEIGHT - method_comparison_views.BOTTOM
    assert (bottom - first.y, bottom - second.y) == (round(up * 0.5 / 0.6), round(up * 0.1 / 0.6))
    # The front has what nothing beats in both and comes first. Datafly has more loss than the tree with k =
    # 10, and more risk; Samarati loses as much, with less risk.
    found = method_rows(ROWS)
    fronts = [("tree", 2, 1), ("tree", 10, 2), ("samarati", 5, 3), ("datafly", 5, 0), ("unheard", 10, 0)]
    assert [(row.method, row.k, row.front) for row in found] == fronts
    drawn = draw_picture(found)
    assert drawn
    assert [point.front for point in drawn.points] == [0, 1, 2, 3]
    assert drawn.line.count("L") == 2
    # Of rows that reach the same the one with the largest k is on the front.
    found = method_rows([comparison_row("samarati", k, 0.3, smallest=20) for k in (2, 20, 5)])
    assert [(row.k, row.front) for row in found] == [(20, 1), (2, 0), (5, 0)]
    # The risk is one in the smallest class. Which may be larger than k.
    (row,) = method_rows([comparison_row("tree", 4, 0.1, smallest=5)])
    assert row.risk == 0.2
    # Of a k the row that loses least is best.
    found = method_rows(
        [comparison_row("bottom-up", 5, 0.3), comparison_row("tree", 5, 0.2), comparison_row("tree", 2, 0.1)]
    )
    chosen = best_row(found, 5)
    assert chosen
    assert (chosen.method, chosen.k) == ("tree", 5)
    assert best_row(found, 7) is None
    # Points of the front that are near each other share a label.
    near = [
        comparison_row("tree", 20, 0.1),
        comparison_row("tree", 21, 0.101),
        comparison_row("tree", 500, 0.4),
    ]
    drawn = draw_picture(method_rows(near))
    assert drawn
    assert [label.words for label in drawn.labels] == ["1–2", "3"]


def test_refused_method_is_a_row_without_a_point() -> None:
    (refused,) = method_rows(ROWS[4:])
    assert (refused.name, refused.refusal, refused.risk) == ("unheard", "it cannot", None)
    assert draw_picture([refused]) is None


def test_values_are_proposed_in_the_order_of_their_numbers() -> None:
    ordered = ["9 or less", "20 to 99", "100 or more", "none"]
    assert sort_values(["100 or more", "none", "20 to 99", "9 or less"]) == ordered
