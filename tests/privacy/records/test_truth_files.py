import io
from dataclasses import replace

import pytest

from privacy.designs import InputError
from privacy.records import TrueRow, read_truth
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

ASKED = design(
    plain(WORK, {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}),
    sensitive(
        "0.3", question("theft", *HALF, show_if={"shift": ["night"]}), question("drugs", *HALF), asked=1
    ),
)
FILE = """group,work,shift,theft,drugs
open,employed,night,yes,no
disguised,employed,day,-,yes
disguised,not,-,-,no
"""
ROWS = [TrueRow(0, (0, 1, 1, 0)), TrueRow(1, (0, 0, None, 1)), TrueRow(1, (1, None, None, 0))]


def rows_of(text: str, group_column: str | None = None) -> list[TrueRow]:
    return list(read_truth(io.BytesIO(text.encode()), "truth.csv", ASKED, group_column))


def test_true_answers_are_read() -> None:
    assert rows_of(FILE) == ROWS


def test_what_a_rule_hides_is_ignored_whatever_it_is() -> None:
    text = "group,work,shift,theft,drugs\ndisguised,not,night,yes,no\ndisguised,not,,nonsense,no\n"
    # A shift that is hidden shows nothing that depends on it, though it says "night".
    assert rows_of(text) == [TrueRow(1, (1, None, None, 0))] * 2


def test_without_a_group_column_everybody_is_disguised() -> None:
    assert rows_of("work,shift,theft,drugs\nnot,,,no\n") == [TrueRow(1, (1, None, None, 0))]


def test_the_group_may_stand_in_a_column_of_another_name() -> None:
    text = "work,shift,theft,drugs,how\nnot,,,no,open\n"
    assert rows_of(text, "how") == [TrueRow(0, (1, None, None, 0))]


@pytest.mark.parametrize("group_column", [None, "how"])
def test_an_open_row_is_refused_where_the_design_allows_none(group_column: str | None) -> None:
    closed = replace(ASKED, open_answers=False)
    text = FILE.replace("group", group_column or "group")
    with pytest.raises(InputError) as caught:
        list(read_truth(io.BytesIO(text.encode()), "truth.csv", closed, group_column))
    assert str(caught.value) == "truth.csv:2: in this design nobody can choose to answer without disguise"
    disguised = FILE.replace("open", "disguised").encode()
    assert len(list(read_truth(io.BytesIO(disguised), "truth.csv", closed))) == 3


def test_a_bad_file_is_refused_with_file_line_and_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str | None, str]] = [
        ("work,shift,theft\n", None, "truth.csv:1: the column 'drugs' is missing"),
        ("work,shift,theft,drugs,how\n", None, "truth.csv:1: unknown column 'how'"),
        (FILE, "how", "truth.csv:1: unknown column 'group'"),
        ("work,shift,theft,drugs\n", "group", "truth.csv:1: the column 'group' is missing"),
        (FILE, "work", "truth.csv:1: 'work' is a question, not the group"),
        (
            FILE + "disguised,employed,day,-,maybe\n",
            None,
            "truth.csv:5: drugs: 'maybe' is not one of its choices",
        ),
        (FILE + "disguised,employed,day,-,\n", None, "truth.csv:5: drugs: '' is not one of its choices"),
        (FILE + "disguised,employed,-,-,no\n", None, "truth.csv:5: shift: '-' is not one of its choices"),
        (FILE + "disguised,?,-,-,no\n", None, "truth.csv:5: work: '?' is not one of its choices"),
        (FILE + "me,employed,day,-,no\n", None, "truth.csv:5: the group is open or disguised, not 'me'"),
        (FILE + "disguised,employed,day,-\n", None, "truth.csv:5: 4 cells, not 5"),
        ("", None, "truth.csv:1: the line with the names of the columns is missing"),
    ]
    for text, group_column, said in cases:
        with subtests.test(f"{text!r:.60} {group_column!r:.60}"):
            with pytest.raises(InputError) as caught:
                rows_of(text, group_column)
            assert str(caught.value).startswith(said)
