"""The picture of risk against loss, by hand."""

from releases import comparison_picture
from releases.column_values import natural

ROWS = [
    {"method": "tree", "k": 10, "ncp": 0.2, "max_frequency": 0.5, "discernibility": 9, "hasr": 0.0},
    {"method": "tree", "k": 2, "ncp": 0.0, "max_frequency": 1.0, "discernibility": 4, "hasr": 0.1},
    {"method": "unheard", "k": 10, "refusal": "it cannot"},
]


def test_more_loss_is_further_right_and_more_risk_further_up() -> None:
    picture = comparison_picture.picture(ROWS)
    assert picture
    (curve,) = picture.curves
    first, second = curve.points
    assert (first.k, second.k) == (2, 10)
    assert first.x == comparison_picture.LEFT
    assert first.y == comparison_picture.TOP
    assert second.x == comparison_picture.WIDTH - comparison_picture.RIGHT
    assert [points for _place, points in picture.across] == [0, 5, 10, 15, 20]
    assert [points for _place, points in picture.up] == [0, 25, 50, 75, 100]
    assert picture.of_values


def test_without_a_sensitive_column_the_risk_is_one_in_k() -> None:
    (row,) = comparison_picture.rows([{"method": "tree", "k": 4, "ncp": 0.1}])
    assert row.risk == 0.25


def test_points_that_are_near_each_other_share_a_label() -> None:
    same = [{"method": "tree", "k": k, "ncp": 0.1, "max_frequency": 0.5} for k in (2, 5)]
    far = {"method": "tree", "k": 50, "ncp": 0.4, "max_frequency": 0.5}
    picture = comparison_picture.picture([*same, far])
    assert picture
    assert [label.words for label in picture.curves[0].labels] == ["2, 5", "50"]


def test_what_was_refused_is_a_row_and_no_point() -> None:
    refused = comparison_picture.rows(ROWS)[2]
    assert (refused.name, refused.refusal, refused.risk) == ("unheard", "it cannot", None)
    assert comparison_picture.picture(ROWS[2:]) is None


def test_values_are_proposed_in_the_order_of_their_numbers() -> None:
    assert natural(["100 or more", "none", "20 to 99", "9 or less"]) == [
        "9 or less",
        "20 to 99",
        "100 or more",
        "none",
    ]
