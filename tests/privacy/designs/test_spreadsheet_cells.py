import pytest
from hypothesis import given, strategies as st

from privacy.designs.formula_escape import STARTS_A_FORMULA, escape_formula

pytestmark = pytest.mark.proof
TEXTS = st.text(st.sampled_from(["'", "=", "-", "a", "＝", "\n", "@"]), max_size=6)


@given(text=TEXTS)
def test_no_cell_begins_as_a_formula_does(text: str) -> None:
    assert not escape_formula(text).startswith(STARTS_A_FORMULA)
    assert (
        escape_formula(text).removeprefix("'") == text.removeprefix("'") or escape_formula(text) == f"'{text}"
    )


@given(one=TEXTS, other=TEXTS)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (escape_formula(one) == escape_formula(other)) == (one == other)
