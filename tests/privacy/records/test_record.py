import json
from typing import Any

import pytest

from privacy.designs import InputError
from privacy.records import (
    Envelope,
    Record,
    decode_answers,
    encode_answers,
    parse_envelope,
    parse_record,
    read_record,
)
from tests.privacy.questionnaires import ASKED, WORK, design, plain

PRINT = "0123456789abcdef" * 4
KEY = "00112233445566778899aabbccddeeff"
RECORD = Record(PRINT, 1, "0122")
WRITTEN = f'{{"design":"{PRINT}","group":1,"answers":"0122"}}'


def test_a_record_is_written_in_one_way() -> None:
    assert RECORD.json == WRITTEN
    assert parse_record(WRITTEN) == RECORD


def test_an_envelope_holds_the_key_the_record_and_perhaps_a_token() -> None:
    assert Envelope(KEY, RECORD).json == f'{{"key":"{KEY}","record":{WRITTEN}}}'
    with_token = Envelope(KEY, RECORD, KEY[::-1])
    assert with_token.json == f'{{"key":"{KEY}","record":{WRITTEN},"token":"{KEY[::-1]}"}}'
    assert parse_envelope(with_token.json) == with_token
    assert parse_envelope(Envelope(KEY, RECORD).json.encode()) == Envelope(KEY, RECORD)


def opened(text: str | bytes) -> Envelope | str:
    try:
        return parse_envelope(text)
    except InputError as refusal:
        return str(refusal)


@pytest.mark.parametrize("token", [None, KEY[::-1]])
def test_an_envelope_read_in_one_step_is_read_as_any_other_json(token: str | None) -> None:
    """Bytes as a page writes them are matched by one expression; a text is always taken apart."""
    written = Envelope(KEY, RECORD, token).json
    assert opened(written.encode()) == opened(written) == Envelope(KEY, RECORD, token)
    for place in range(len(written)):
        for other in ' 0gA"\\}\n':
            changed = written[:place] + other + written[place + 1 :]
            assert opened(changed.encode()) == opened(changed)


def envelope(**changes: Any) -> str:
    members = {"key": KEY, "record": json.loads(WRITTEN), **changes}
    return json.dumps({name: value for name, value in members.items() if value is not ...})


def test_a_malformed_envelope_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("[]", "envelope: must be an object"),
        (envelope(key=...), "envelope: 'key' is missing"),
        (envelope(record=...), "envelope: 'record' is missing"),
        (envelope(more=1), "envelope: unknown key 'more'"),
        (envelope(key=KEY[1:]), "key: must be 32 lowercase hexadecimal digits"),
        (envelope(key=KEY.upper()), "key: must be 32 lowercase hexadecimal digits"),
        (envelope(key=KEY + "\n"), "key: must be 32 lowercase hexadecimal digits"),
        (envelope(key=12), "key: must be 32 lowercase hexadecimal digits"),
        (envelope(token=None), "token: must be 32 lowercase hexadecimal digits"),
        (envelope(record=WRITTEN), "record: must be an object"),
        (envelope(record={}), "record: 'answers' is missing"),
        (
            envelope(record={"design": PRINT[1:], "group": 1, "answers": ""}),
            "record.design: must be 64 lowercase",
        ),
        (
            envelope(record={"design": PRINT, "group": True, "answers": ""}),
            "record.group: must be an integer",
        ),
        (
            envelope(record={"design": PRINT, "group": 2, "answers": ""}),
            "record.group: must lie between 0 and 1",
        ),
        (envelope(record={"design": PRINT, "group": 1, "answers": "١"}), "record.answers: must be digits"),
        (envelope(record={"design": PRINT, "group": 1, "answers": 1}), "record.answers: must be digits"),
    ]
    for text, said in cases:
        with subtests.test(f"{text!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                parse_envelope(text)
            assert str(caught.value).startswith(said)


def test_every_code_stands_in_its_place_as_wide_as_its_question_needs() -> None:
    nine = [f"c{code}" for code in range(9)]
    wide = design(plain({"name": "nine", "choices": nine}, WORK))
    # Nine choices have codes 0..10, two choices 0..3.
    assert wide.width == 3
    assert encode_answers(wide, (8, 1)) == "081"
    assert decode_answers(wide, "103") == (10, 3)


def test_a_text_that_is_not_of_the_design_is_not_decoded(subtests: pytest.Subtests) -> None:
    for answers in ["", "012", "01220", "0152", "4122", "01 2", "01-2", "01²2", "٠١٢٢"]:
        with subtests.test(f"{answers}"), pytest.raises(InputError, match="answers"):
            decode_answers(ASKED, answers)


def read(answers: str, group: int = 1) -> tuple[int, ...]:
    return read_record(ASKED, Record(ASKED.fingerprint, group, answers))


def test_a_possible_record_is_read_into_codes() -> None:
    assert read("0122") == (0, 1, 2, 2)
    assert read("1322") == (1, 3, 2, 2)
    assert read("0122", group=0) == (0, 1, 2, 2)


def test_an_impossible_record_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("0121", "answers: theft: 3 questions asked in the section that begins here, not 2"),
        ("0230", "answers: theft: 1 questions asked in the section that begins here, not 2"),
        ("2122", "answers: work: a question that is not disguised is always asked"),
        ("3122", "answers: work: not applicable, but the answers that are not disguised show it"),
        ("0322", "answers: theft: not applicable, but the answers that are not disguised show it"),
        ("1122", "answers: theft: answered, but the answers that are not disguised hide it"),
        ("0142", "answers: drink: not applicable, but the answers that are not disguised show it"),
    ]
    for answers, said in cases:
        with subtests.test(f"{answers!r:.60} {said!r:.60}"):
            for group in (0, 1):
                with pytest.raises(InputError) as caught:
                    read(answers, group)
                assert str(caught.value) == said


def test_a_question_that_is_hidden_and_not_drawn_is_not_asked() -> None:
    # Not employed, and drink and drugs were drawn: theft, hidden, is just not asked.
    assert read("1201") == (1, 2, 0, 1)
    with pytest.raises(InputError, match="3 questions asked"):
        read("1301")


def test_a_record_of_another_design_is_refused() -> None:
    with pytest.raises(InputError, match="design: is the fingerprint of another design"):
        read_record(ASKED, Record(PRINT, 1, "0122"))


def test_an_open_record_is_refused_where_the_design_allows_none() -> None:
    closed = design(plain(WORK), open_answers=False)
    assert read_record(closed, Record(closed.fingerprint, 1, "0")) == (0,)
    with pytest.raises(
        InputError, match="group: in this design nobody can choose to answer without disguise"
    ):
        read_record(closed, Record(closed.fingerprint, 0, "0"))


def test_a_group_that_is_neither_is_refused() -> None:
    with pytest.raises(InputError, match="group: must be 0 or 1"):
        read("0122", group=2)


def test_all_requests_of_a_design_have_the_same_number_of_bytes() -> None:
    texts = ["0122", "1322", "1201", "0201"]
    sent = {
        len(Envelope(KEY, Record(ASKED.fingerprint, group, text)).json) for text in texts for group in (0, 1)
    }
    assert len(sent) == 1
