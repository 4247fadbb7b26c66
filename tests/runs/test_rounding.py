import pytest

from runs.number_permissions import round_to_one_digit, round_up_threshold


def test_roughly_leaves_one_digit_and_none_of_fewer_than_ten(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int]] = [
        (0, 0),
        (1, 0),
        (7, 0),
        (9, 0),
        (10, 10),
        (14, 10),
        (43, 40),
        (45, 50),
        (99, 100),
        (1234, 1000),
        (1500, 2000),
    ]
    for number, said in cases:
        with subtests.test(f"{number} {said}"):
            assert round_to_one_digit(number) == said


def test_a_threshold_is_told_as_the_next_of_a_short_list(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float | None, float | None]] = [
        (0.001, 0.01),
        (0.01, 0.01),
        (0.0101, 0.02),
        (0.31, 0.5),
        (0.51, None),
        (None, None),
    ]
    for least, said in cases:
        with subtests.test(f"{least!r:.60} {said!r:.60}"):
            assert round_up_threshold(least) == said
