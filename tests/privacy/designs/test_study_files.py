"""Record files and files of true answers of designs with arms, drawn questions and crosswise questions."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from privacy.designs import InputError, parse
from privacy.mechanisms.random_draws import seeded_words
from privacy.mechanisms.simulated_device import disguise_file
from privacy.records import DISGUISED, OPEN, RecordRow, read_truth, write_records
from tests.privacy.questionnaires import (
    HALF,
    crosswise,
    drawn,
    plain,
    question,
    read_records,
    sensitive,
    written,
)

IN_A, IN_B = {"show_if": {"version": ["a"]}}, {"show_if": {"version": ["b"]}}
MILD: dict[str, Any] = {"name": "mild", "choices": ["no", "yes"], **IN_A}
STRONG: dict[str, Any] = {"name": "strong", "choices": ["no", "yes"], **IN_B}
ARMS = parse(
    json.dumps(
        written(
            plain(drawn("version", *HALF), MILD, STRONG),
            crosswise("tax", "0.05"),
            sensitive("0.5", question("theft", *HALF)),
            open_answers=False,
            direct="0.5",
        )
    )
)
HEADER = "group,version,mild,strong,tax,theft\n"
ROWS = [RecordRow(OPEN, (0, 1, 3, 1, 0)), RecordRow(DISGUISED, (1, 3, 0, 0, 1))]
FILE = HEADER + "direct,a,yes,-,yes,no\ndisguised,b,-,no,no,yes\n"


def records(text: str, design: Any = ARMS) -> list[RecordRow]:
    return list(read_records(io.BytesIO(text.encode()), "records.csv", design))


def written_file(withhold: bool = False) -> str:
    file = io.StringIO()
    write_records(file, ARMS, ROWS, withhold=withhold)
    return file.getvalue()


def test_the_group_of_the_direct_arm_is_written_and_read() -> None:
    assert written_file() == FILE
    assert records(FILE) == ROWS


def test_plain_answers_of_direct_records_are_withheld_like_those_of_open_ones() -> None:
    withheld = HEADER + "direct,?,?,?,yes,no\ndisguised,b,-,no,no,yes\n"
    assert written_file(withhold=True) == withheld
    assert [row.group for row in records(withheld)] == [OPEN, DISGUISED]


def test_open_is_refused_in_a_design_with_arms_and_direct_without() -> None:
    with pytest.raises(InputError) as caught:
        records(FILE.replace("direct", "open"))
    assert str(caught.value) == "records.csv:2: the group is direct or disguised, not 'open'"
    for open_answers in (True, False):
        without = replace(ARMS, direct_parts=0, open_answers=open_answers)
        with pytest.raises(InputError) as caught:
            records(FILE, without)
        assert str(caught.value) == "records.csv:2: the group is open or disguised, not 'direct'"


TRUE = "version,mild,strong,tax,theft\n"


def answers(text: str) -> list[tuple[int | None, ...]]:
    return [row.answers for row in read_truth(io.BytesIO(text.encode()), "truth.csv", ARMS)]


def test_a_drawn_question_may_be_left_empty_with_the_answers_to_all_versions() -> None:
    assert answers(TRUE + ",yes,no,no,yes\n") == [(None, 1, 0, 0, 1)]
    assert answers(TRUE + ",,,no,yes\n") == [(None, None, None, 0, 1)]


def test_a_drawn_question_that_is_given_hides_the_other_version() -> None:
    assert answers(TRUE + "a,yes,no,no,yes\n") == [(0, 1, None, 0, 1)]
    with pytest.raises(InputError, match="mild: '' is not one of its choices"):
        answers(TRUE + "a,,no,no,yes\n")


def test_what_a_version_cannot_be_answered_with_is_refused() -> None:
    with pytest.raises(InputError, match=r"truth\.csv:2: mild: 'maybe' is not one of its choices"):
        answers(TRUE + ",maybe,no,no,yes\n")


def test_each_simulated_device_draws_arm_and_version_and_answers_by_its_secret() -> None:
    """400 people who are true *yes* everywhere: shares within 4.5 standard errors."""
    truth, file = io.BytesIO((TRUE + ",yes,yes,yes,yes\n" * 400).encode()), io.StringIO()
    disguise_file(ARMS, truth, "truth.csv", file, seeded_words(16))
    rows = records(file.getvalue())
    direct = [row.codes for row in rows if row.group == OPEN]
    disguised = [row.codes for row in rows if row.group == DISGUISED]
    assert len(direct) == pytest.approx(200, abs=45)
    assert sum(codes[0] for codes in direct + disguised) == pytest.approx(200, abs=45)
    assert {codes[3:] for codes in direct} == {(1, 1)}
    assert sum(codes[3] for codes in disguised) / len(disguised) == pytest.approx(0.95, abs=0.08)
    assert sum(codes[4] for codes in disguised) / len(disguised) == pytest.approx(0.75, abs=0.14)


def test_a_version_without_an_answer_is_refused_where_a_device_draws_it() -> None:
    truth = io.BytesIO((TRUE + ",,yes,yes,yes\n" * 40).encode())
    with pytest.raises(InputError, match="mild: is not answered"):
        disguise_file(ARMS, truth, "truth.csv", io.StringIO(), seeded_words(1))


def test_no_column_may_be_named_for_the_group_that_the_coins_draw() -> None:
    truth = io.BytesIO(b"how,version,mild,strong,tax,theft\n")
    with pytest.raises(
        InputError, match="'how': the random draws of this design choose the group: name no column for it"
    ):
        disguise_file(ARMS, truth, "truth.csv", io.StringIO(), seeded_words(1), "how")


def test_the_group_column_of_true_answers_does_not_decide_the_arm(tmp_path: Path) -> None:
    truth = io.BytesIO(("group," + TRUE + "direct,,yes,yes,yes,yes\n" * 40).encode())
    file = io.StringIO()
    disguise_file(ARMS, truth, "truth.csv", file, seeded_words(2))
    assert {row.group for row in records(file.getvalue())} == {OPEN, DISGUISED}
