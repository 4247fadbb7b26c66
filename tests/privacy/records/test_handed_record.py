"""The text that a page inside another tool hands over; tests/js/handed.test.js holds the same vectors."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from privacy.designs.asked_at import MOST_ANSWERS
from privacy.records.handed_record import LONGEST, HandedRecord, read_handed_text
from privacy.records.record import Record
from tests.candor.exports import write_handed_text

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "vectors/handed.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("vector", VECTORS)
def test_the_text_is_that_of_the_vector(vector: dict[str, Any]) -> None:
    record, trial = Record(**vector["record"]), vector["trial"]
    assert write_handed_text(vector["key"], record, is_trial=trial) == vector["text"]
    assert read_handed_text(vector["text"]) == HandedRecord(vector["key"], record, trial)
    assert read_handed_text("'" + vector["text"]) == HandedRecord(vector["key"], record, trial)


def test_the_longest_answers_fit_a_field() -> None:
    record = Record("f" * 64, 1, "7" * MOST_ANSWERS)
    assert LONGEST - 100 < len(write_handed_text("0" * 32, record, is_trial=True)) <= LONGEST


@given(
    st.sampled_from([vector["text"] for vector in VECTORS]),
    st.integers(0, 400),
    st.characters(max_codepoint=127),
)
def test_a_text_with_another_letter_is_read_as_another_record_or_not_at_all(
    text: str, at: int, letter: str
) -> None:
    """No two texts are one record, so that a copy is a copy letter by letter."""
    place = at % len(text)
    changed = text[:place] + letter + text[place + 1 :]
    read = read_handed_text(changed)
    assert read is None or (changed == text) == (read == read_handed_text(text))
    assert read is None or write_handed_text(
        read.key, read.record, is_trial=read.is_trial
    ) == changed.removeprefix("'")


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_cut_text_is_no_record(cut: int) -> None:
    assert all(read_handed_text(vector["text"][:-cut]) is None for vector in VECTORS)
