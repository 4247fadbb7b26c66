"""The check of understanding in a design: its key, its place, and the designs that are refused."""

from typing import Any

import pytest

from privacy.designs import InputError, parse
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    UNDERSTOOD,
    WORK,
    design,
    plain,
    question,
    sensitive,
)

TAX = sensitive("0.5", question("tax", *HALF))
CHECK = UNDERSTOOD["questions"][0]


def test_the_check_is_the_last_question_and_the_design_is_read_again_as_it_is_written() -> None:
    checked = design(plain(WORK), TAX, UNDERSTOOD, understanding=True)
    assert checked.understanding_index == 2
    assert checked.mined.understanding_index == 2
    assert checked.as_json()["understanding"] is True
    assert parse(checked.canonical) == checked


def test_off_it_leaves_no_trace_in_the_canonical_form() -> None:
    off = design(plain(WORK), TAX)
    assert design(plain(WORK), TAX, understanding=False).canonical == off.canonical
    assert "understanding" not in off.canonical
    assert off.understanding_index is None


def test_what_is_no_check_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], ...]] = [
        (UNDERSTOOD, TAX),
        (TAX, plain(WORK)),
        (TAX, plain(WORK, CHECK)),
        (plain(WORK), TAX, plain(CHECK | IF_EMPLOYED)),
        (TAX, plain(CHECK | {"choices": ["at-once", "not"]})),
        (TAX, plain(CHECK | {"name": "clear"})),
        (plain(WORK), sensitive("0.5", question("understood", "0.2", "0.5", "0.3"))),
    ]
    for sections in cases:
        with (
            subtests.test(f"{sections!r:.60}"),
            pytest.raises(InputError, match="the last section must be the plain question 'understood'"),
        ):
            design(*sections, understanding=True)


def test_where_nothing_is_disguised_it_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is disguised"):
        design(plain(WORK), UNDERSTOOD, understanding=True)


def test_the_switch_is_true_or_false() -> None:
    with pytest.raises(InputError, match="must be true or false"):
        design(TAX, UNDERSTOOD, understanding="yes")
