import pytest
from hypothesis import given, strategies as st

from privacy.designs.spreadsheet_cells import STARTS_A_FORMULA, harmless

pytestmark = pytest.mark.proof
TEXTS = st.text(st.sampled_from(["'", "=", "-", "a", "＝", "\n", "@"]), max_size=6)


@given(text=TEXTS)
def test_no_cell_begins_as_a_formula_does(text: str) -> None:
    assert not harmless(text).startswith(STARTS_A_FORMULA)
    assert harmless(text).removeprefix("'") == text.removeprefix("'") or harmless(text) == f"'{text}"


@given(one=TEXTS, other=TEXTS)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (harmless(one) == harmless(other)) == (one == other)
