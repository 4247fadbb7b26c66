import json
from typing import Any

from privacy.designs import Design
from privacy.records import (
    Envelope,
    Record,
    decode_answers,
    encode_answers,
    parse_envelope,
    parse_record,
    read_record,
)
from tests.privacy.questionnaires import ASKED, WORK, design, plain, refusal, refused_otherwise

PRINT = "0123456789abcdef" * 4
KEY = "00112233445566778899aabbccddeeff"
RECORD = Record(PRINT, 1, "0122")
WRITTEN = f'{{"design":"{PRINT}","group":1,"answers":"0122"}}'


def test_record_has_one_form_and_an_envelope_holds_key_and_optional_token() -> None:
    assert RECORD.json == WRITTEN
    assert parse_record(WRITTEN) == RECORD
    assert Envelope(KEY, RECORD).json == f'{{"key":"{KEY}","record":{WRITTEN}}}'
    with_token = Envelope(KEY, RECORD, KEY[::-1])
    assert with_token.json == f'{{"key":"{KEY}","record":{WRITTEN},"token":"{KEY[::-1]}"}}'
    assert parse_envelope(with_token.json) == with_token
    assert parse_envelope(Envelope(KEY, RECORD).json.encode()) == Envelope(KEY, RECORD)


def envelope_or_refusal(text: str | bytes) -> Envelope | str:
    return refusal(parse_envelope, text) or parse_envelope(text)


def test_fast_envelope_reader_agrees_with_general_json() -> None:
    """Bytes as a page writes them are matched by one expression; a text is always taken apart."""
    for token in (None, KEY[::-1]):
        written = Envelope(KEY, RECORD, token).json
        assert (
            envelope_or_refusal(written.encode())
            == envelope_or_refusal(written)
            == Envelope(KEY, RECORD, token)
        )
        for place in range(len(written)):
            for other in ' 0gA"\\}\n':
                changed = written[:place] + other + written[place + 1 :]
                assert envelope_or_refusal(changed.encode()) == envelope_or_refusal(changed)


def envelope(**changes: Any) -> str:
    members = {"key": KEY, "record": json.loads(WRITTEN), **changes}
    return json.dumps({name: value for name, value in members.items() if value is not ...})


def record(group: object = 1, answers: object = "", **more: Any) -> str:
    return envelope(record={"design": PRINT, "group": group, "answers": answers, **more})


def test_a_malformed_envelope_is_refused() -> None:
    digits = "must be 32 lowercase hexadecimal digits"
    cases = [
        ("[]", "envelope: must be an object"),
        (envelope(key=...), "envelope: 'key' is missing"),
        (envelope(record=...), "envelope: 'record' is missing"),
        (envelope(more=1), "envelope: unknown key 'more'"),
        *((envelope(key=key), f"key: {digits}") for key in (KEY[1:], KEY.upper(), KEY + "\n", 12)),
        (envelope(token=None), f"token: {digits}"),
        (envelope(record=WRITTEN), "record: must be an object"),
        (envelope(record={}), "record: 'answers' is missing"),
        (record(design=PRINT[1:]), "record.design: must be 64 lowercase"),
        (record(True), "record.group: must be an integer"),
        (record(2), "record.group: must lie between 0 and 1"),
        *((record(answers=answers), "record.answers: must be digits") for answers in ("١", 1)),
    ]
    assert refused_otherwise(parse_envelope, cases) == []


def test_each_code_has_its_place_and_the_width_of_its_question() -> None:
    nine = [f"c{code}" for code in range(9)]
    wide = design(plain({"name": "nine", "choices": nine}, WORK))
    # Nine choices have codes 0..10, two choices 0..3.
    assert wide.width == 3
    assert encode_answers(wide, (8, 1)) == "081"
    assert decode_answers(wide, "103") == (10, 3)
    # A text that is not of the design is not decoded.
    texts = ("", "012", "01220", "0152", "4122", "01 2", "01-2", "01²2", "٠١٢٢")
    assert [text for text in texts if "answers" not in refusal(decode_answers, ASKED, text)] == []


def read(answers: str, group: int = 1, of: Design = ASKED) -> tuple[int, ...]:
    return read_record(of, Record(of.fingerprint, group, answers))


def test_a_possible_record_is_read_into_codes_and_an_impossible_one_refused() -> None:
    # Not employed, and drink and drugs were drawn: theft, hidden, is just not asked.
    possible = {"0122": (0, 1, 2, 2), "1322": (1, 3, 2, 2), "1201": (1, 2, 0, 1)}
    shows, hides = (f"the answers that are not disguised {what} it" for what in ("show", "hide"))
    asked = "questions asked in the section that begins here, not 2"
    impossible = {
        "0121": f"answers: theft: 3 {asked}",
        "1301": f"answers: theft: 3 {asked}",
        "0230": f"answers: theft: 1 {asked}",
        "2122": "answers: work: a question that is not disguised is always asked",
        "3122": f"answers: work: not applicable, but {shows}",
        "0322": f"answers: theft: not applicable, but {shows}",
        "1122": f"answers: theft: answered, but {hides}",
        "0142": f"answers: drink: not applicable, but {shows}",
    }
    for group in (0, 1):
        assert {text: read(text, group) for text in possible} == possible
        assert {text: refusal(read, text, group) for text in impossible} == impossible


def test_record_of_another_design_or_unknown_group_is_refused() -> None:
    another = refusal(read_record, ASKED, Record(PRINT, 1, "0122"))
    assert another.startswith("design: is the fingerprint of another design")
    assert refusal(read, "0122", 2) == "group: must be 0 or 1"
    closed = design(plain(WORK), open_answers=False)
    assert read("0", of=closed) == (0,)
    nobody = "group: in this design nobody can choose to answer without disguise"
    assert refusal(read, "0", 0, closed).startswith(nobody)


def test_all_requests_of_a_design_have_the_same_number_of_bytes() -> None:
    texts = ["0122", "1322", "1201", "0201"]
    sent = [Record(ASKED.fingerprint, group, text) for text in texts for group in (0, 1)]
    assert len({len(Envelope(KEY, record).json) for record in sent}) == 1
