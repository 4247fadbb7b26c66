"""Files of true answers, and the simulated devices that disguise them."""

import io
from dataclasses import replace

import pytest

from privacy.designs import Design
from privacy.mechanisms.random_draws import seeded_words
from privacy.mechanisms.simulated_device import disguise_file
from privacy.records import DISGUISED, OPEN, TrueRow, read_truth
from tests.privacy import questionnaires as q
from tests.privacy.records.test_record_files import ARMS, NUMBERS

SHIFT = {"name": "shift", "choices": ["day", "night"], **q.IF_EMPLOYED}
THEFT = q.question("theft", *q.HALF, show_if={"shift": ["night"]})
ASKED = q.design(q.plain(q.WORK, SHIFT), q.sensitive("0.3", THEFT, q.question("drugs", *q.HALF), asked=1))
FILE = """group,work,shift,theft,drugs
open,employed,night,yes,no
disguised,employed,day,-,yes
disguised,not,-,-,no
"""
ROWS = [TrueRow(0, (0, 1, 1, 0)), TrueRow(1, (0, 0, None, 1)), TrueRow(1, (1, None, None, 0))]


def rows_of(text: str, group_column: str | None = None, of: Design = ASKED) -> list[TrueRow]:
    return list(read_truth(io.BytesIO(text.encode()), "truth.csv", of, group_column))


def answers(text: str, of: Design) -> list[tuple[int | None, ...]]:
    return [row.answers for row in rows_of(text, of=of)]


def test_true_answers_are_read_with_or_without_a_column_of_the_group() -> None:
    assert rows_of(FILE) == ROWS
    assert rows_of("work,shift,theft,drugs\nnot,,,no\n") == ROWS[2:]
    assert rows_of("work,shift,theft,drugs,how\nnot,,,no,open\n", "how") == [TrueRow(0, (1, None, None, 0))]
    # What a rule hides is ignored whatever it is: a hidden shift shows nothing, though it says "night".
    text = "group,work,shift,theft,drugs\ndisguised,not,night,yes,no\ndisguised,not,,nonsense,no\n"
    assert rows_of(text) == ROWS[2:] * 2


def test_a_bad_file_is_refused_with_file_line_and_reason() -> None:
    lines = {
        "disguised,employed,day,-,maybe": "drugs: 'maybe' is not one of its choices",
        "disguised,employed,day,-,": "drugs: '' is not one of its choices",
        "disguised,employed,-,-,no": "shift: '-' is not one of its choices",
        "disguised,?,-,-,no": "work: '?' is not one of its choices",
        "me,employed,day,-,no": "the group is open or disguised, not 'me'",
        "disguised,employed,day,-": "4 cells, not 5",
    }
    for text, group_column, said in (
        ("work,shift,theft\n", None, "1: the column 'drugs' is missing"),
        ("work,shift,theft,drugs,how\n", None, "1: unknown column 'how'"),
        (FILE, "how", "1: the column 'how' is missing"),
        ("work,shift,theft,drugs\n", "group", "1: the column 'group' is missing"),
        (FILE, "work", "1: 'work' is a question, not the group"),
        ("", None, "1: the line with the names of the columns is missing"),
        *((f"{FILE}{line}\n", None, f"5: {said}") for line, said in lines.items()),
    ):
        assert q.refusal(rows_of, text, group_column).startswith(f"truth.csv:{said}"), said


def test_an_open_row_is_refused_where_the_design_allows_none() -> None:
    closed = replace(ASKED, open_answers=False)
    for column in (None, "how"):
        said = q.refusal(rows_of, FILE.replace("group", column or "group"), column, closed)
        assert said == "truth.csv:2: in this design nobody can choose to answer without disguise"
    assert len(rows_of(FILE.replace("open", "disguised"), of=closed)) == 3


def test_true_answers_of_number_questions_are_numbers() -> None:
    header = "work,change,debt\n"
    assert answers(f"{header}employed,-2,10\nnot,4,nonsense\n", NUMBERS) == [(0, 1, 15), (1, 4, None)]
    for cell in ("0.5", "", ">=10", "1e1", "０"):
        said = q.refusal(answers, f"{header}employed,0,{cell}\n", NUMBERS)
        assert said.startswith("truth.csv:2: debt"), cell


# --- designs with arms, drawn questions and crosswise questions

TRUE = "version,m,s,tax,theft\n"


def disguise_text(text: str, seed: int, group_column: str | None = None) -> str:
    file = io.StringIO()
    disguise_file(ARMS, io.BytesIO(text.encode()), "truth.csv", file, seeded_words(seed), group_column)
    return file.getvalue()


def test_a_drawn_question_may_be_left_empty_and_hides_the_other_version_where_it_is_given() -> None:
    assert answers(TRUE + ",yes,no,no,yes\n", ARMS) == [(None, 1, 0, 0, 1)]
    assert answers(TRUE + ",,,no,yes\n", ARMS) == [(None, None, None, 0, 1)]
    assert answers(TRUE + "a,yes,no,no,yes\n", ARMS) == [(0, 1, None, 0, 1)]
    assert "m: '' is not one of its choices" in q.refusal(answers, TRUE + "a,,no,no,yes\n", ARMS)
    said = q.refusal(answers, TRUE + ",maybe,no,no,yes\n", ARMS)
    assert said.startswith("truth.csv:2: m: 'maybe' is not one of its choices")


def test_simulated_device_draws_arm_and_version_and_answers_by_its_secret() -> None:
    """400 people who are true *yes* everywhere: shares within 4.5 standard errors."""
    text = disguise_text(TRUE + ",yes,yes,yes,yes\n" * 400, 16)
    rows = list(q.read_records(io.BytesIO(text.encode()), "records.csv", ARMS))
    direct, others = ([row.codes for row in rows if row.group == group] for group in (OPEN, DISGUISED))
    assert len(direct) == pytest.approx(200, abs=45)
    assert sum(codes[0] for codes in direct + others) == pytest.approx(200, abs=45)
    assert {codes[3:] for codes in direct} == {(1, 1)}
    assert sum(codes[3] for codes in others) / len(others) == pytest.approx(0.95, abs=0.08)
    assert sum(codes[4] for codes in others) / len(others) == pytest.approx(0.75, abs=0.14)


def test_coins_decide_arm_and_version_whose_question_must_be_answered() -> None:
    text = disguise_text("group," + TRUE + "direct,,yes,yes,yes,yes\n" * 40, 2)
    assert {line.partition(",")[0] for line in text.splitlines()[1:]} == {"direct", "disguised"}
    assert "m: is not answered" in q.refusal(disguise_text, TRUE + ",,yes,yes,yes\n" * 40, 1)
    chosen = "'how': the random draws of this design choose the group: name no column for it"
    assert chosen in q.refusal(disguise_text, "how," + TRUE, 1, "how")
