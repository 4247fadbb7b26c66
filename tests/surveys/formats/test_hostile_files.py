import io
import json
import random
import time
import zipfile
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings, strategies as st

from privacy.designs.design import FORMAT
from surveys.builder.shape import orderly
from surveys.draft import Draft
from surveys.formats import own, xlsform
from surveys.formats.faults import NotTaken
from surveys.formats.xlsform.workbook import MOST_COLUMNS, MOST_MEMBERS, MOST_ROWS, MOST_UNPACKED
from tests.surveys.drafts import bilingual, complete
from tests.surveys.formats.sheets import CHOICES, form, refused, workbook

HONEST = xlsform.written(orderly(bilingual()))


def repacked(change: Callable[[str, bytes], bytes], of: bytes = HONEST, **more: bytes) -> bytes:
    """An honest workbook with its members changed, and others added."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(of)) as before,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            after.writestr(name, change(name, before.read(name)))
        for name, data in more.items():
            after.writestr(name, data)
    return file.getvalue()


def taken_in(seconds: float, data: bytes) -> bool:
    began = time.process_time()
    try:
        xlsform.read(data)
        taken = True
    except NotTaken:
        taken = False
    assert time.process_time() - began < seconds
    return taken


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"\xd0\xcf\x11\xe0" * 200, b"type,name\ntext,a\n"]
)
def test_what_is_no_spreadsheet_is_refused(data: bytes) -> None:
    assert not taken_in(1, data)


def test_a_file_that_unpacks_into_too_much_is_refused_unread() -> None:
    bomb = repacked(lambda name, data: data, **{"xl/bomb.xml": bytes(MOST_UNPACKED)})
    assert len(bomb) < 60_000
    assert "unpacks to more" in refused(bomb)[0]


def test_a_member_cannot_unpack_into_more_than_it_declares() -> None:
    big = repacked(lambda name, data: data + b" " * 30_000_000 if name.endswith("sheet1.xml") else data)
    lying = big.replace(
        (30_000_000 + len_of("xl/worksheets/sheet1.xml")).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    )
    assert lying != big
    assert not taken_in(2, lying)


def len_of(name: str) -> int:
    with zipfile.ZipFile(io.BytesIO(HONEST)) as archive:
        return archive.getinfo(name).file_size


def test_too_many_members_are_refused() -> None:
    assert not taken_in(
        1, repacked(lambda name, data: data, **{f"a{number}": b"" for number in range(MOST_MEMBERS)})
    )


LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b"]>"
)


@pytest.mark.parametrize("name", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_entities_are_refused(name: str) -> None:
    def laughing(member: str, data: bytes) -> bytes:
        return LAUGHS + data.replace(b"<t>", b"<t>&j;") if member == name else data

    assert not taken_in(1, repacked(laughing, of=form(["select_one ages", "age", "Age?", "yes"])))


def test_a_row_in_the_far_distance_costs_nothing() -> None:
    def far(name: str, data: bytes) -> bytes:
        return data.replace(b'<row r="2"', b'<row r="1048576"') if name.endswith("sheet1.xml") else data

    assert taken_in(1, repacked(far)) in (True, False)


@pytest.mark.slow
def test_more_rows_or_columns_than_a_questionnaire_has_are_refused() -> None:
    rows = [["select_one ages", f"q{number}", "Q?", "yes"] for number in range(MOST_ROWS)]
    assert "has more rows" in refused(form(*rows))[0]
    wide = workbook(survey=[[f"c{number}" for number in range(MOST_COLUMNS + 1)]])
    assert "has more columns" in refused(wide)[0]


@pytest.mark.slow
def test_a_long_honest_form_is_read_in_a_moment() -> None:
    rows = [
        ["select_one ages", f"q{number}", "Q?", "yes", "${q0} = 'old'" if number else ""]
        for number in range(1_000)
    ]
    assert taken_in(5, form(*rows))


@pytest.mark.slow
def test_a_long_list_used_over_and_over_is_refused() -> None:
    choices = [CHOICES[0], *(["ages", f"c{number}", "x"] for number in range(1_000))]
    faults = refused(
        form(*(["select_one ages", f"q{number}", "Q?"] for number in range(22)), choices=choices)
    )
    assert [fault.split(": ")[0] for fault in faults] == ["sheet survey, row 22", "sheet survey, row 23"]
    assert "more answers in all" in faults[0]


def test_a_formula_is_a_text_like_any_other() -> None:
    draft = orderly(complete(contact="=HYPERLINK(1)", title={"en": "=1+1"}))
    data = xlsform.written(draft)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert not any(b"<f>" in archive.read(name) for name in archive.namelist())
    assert xlsform.read(data).draft == draft


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_workbook_is_taken_or_refused_in_words(seed: int) -> None:
    chance = random.Random(seed)

    def damaged(name: str, data: bytes) -> bytes:
        if chance.random() < 0.6:
            return data
        broken = bytearray(data)
        for _time in range(chance.randint(1, 6)):
            place = chance.randrange(len(broken))
            kind = chance.randrange(3)
            if kind == 0:
                broken[place] = chance.randrange(256)
            elif kind == 1:
                del broken[place : place + chance.randint(1, 40)]
            else:
                broken[place:place] = bytes(chance.choice(b"<>&\"'/=0123456789ax") for _ in range(3))
            broken = broken or bytearray(b" ")
        return bytes(broken)

    taken_in(5, repacked(damaged))


CELLS = [
    *(
        "select_one ages",
        "select_multiple paid",
        "begin_group",
        "end_group",
        "age",
        "q",
        "1",
        "A",
        "",
        "many",
        "#N/A",
    ),
    *(
        "${age} = 'old'",
        "selected(${q}, 'cash')",
        "not(",
        "=1",
        "yes",
        "no",
        "sensitive",
        "plain",
        "0.5",
        "old=0.5",
    ),
]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.lists(st.sampled_from(CELLS), max_size=8), max_size=6))
def test_any_cells_are_taken_or_refused_in_words(rows: list[list[str]]) -> None:
    taken_in(5, form(*rows))


# --- JSON


def refused_json(data: bytes) -> str:
    with pytest.raises(NotTaken) as found:
        own.read(data)
    ((place, reason),) = found.value.faults
    return f"{place}: {reason}"


HEAD = b'{"format": "candor-design/1", "sections": ['
ASKED = HEAD + b'{"kind": "plain", "questions": [{"name": %s}]}]}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "design: line 1, column 1: not JSON"),
        (b"\xff\xfe", "design: byte 0: not UTF-8"),
        (b"[]", "design: must be an object"),
        (b"{}", "design: 'format' is missing"),
        (b'{"format": "candor-design/2", "sections": []}', "format: must be candor-design/1"),
        (HEAD + b"], \"minutes\": 1e9}", "minutes: must be an integer"),
        (HEAD + b'], "expected": "many"}', "expected: must be an integer"),
        (HEAD + b'], "owner": 1}', "design: unknown key 'owner'"),
        (HEAD + b'], "title": {"de": "T"}}', "title: 'de' is not one of the languages"),
        (HEAD + b'{"kind": "plain", "kind": "plain", "questions": []}]}', "sections[0]: the key 'kind' stands twice"),
        (HEAD + b'{"kind": "place", "name": "home"}]}', "sections[0].kind: place sections are not possible yet"),
        (ASKED % b'"a=b", "choices": []', "sections[0].questions[0].name: a question's name holds no ="),
        (ASKED % b'"a", "choices": ["x", "x"]', "sections[0].questions[0].choices[1]: two choices are called 'x'"),
        (b"[" * 100_000, "design: is nested too deeply"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "design: is nested too deeply"),
        (b" " * 4_000_001, "design: is longer than 4000000 bytes"),
    ],
)  # fmt: skip
def test_a_file_of_our_own_that_cannot_be_is_refused_by_path_and_reason(data: bytes, said: str) -> None:
    assert refused_json(data).startswith(said)


def asking(names: Iterable[str]) -> bytes:
    return json.dumps(
        {"format": FORMAT, "sections": [{"kind": "plain", "questions": [{"name": "q", "choices": [*names]}]}]}
    ).encode()


def test_as_many_answers_as_a_questionnaire_holds_are_read_in_seconds() -> None:
    began = time.process_time()
    draft = own.read(asking(str(number) for number in range(20_000)))
    assert time.process_time() - began < 3
    assert len(draft["sections"][0]["questions"][0]["choices"]) == 20_000


def test_more_answers_than_a_questionnaire_holds_are_refused() -> None:
    refusal = refused_json(asking(str(number) for number in range(20_001)))
    assert refusal == "sections: hold more answers in all than a questionnaire can have"


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [["1"] * 20_000, [*map(str, range(10_000))] * 2, ["a"] * 20_000],
    ids=["one number", "every number twice", "one word"],
)
def test_names_that_stand_many_times_are_told_apart_in_seconds(names: list[str]) -> None:
    questions = [{"name": name, "choices": ["x", "y"]} for name in names]
    many = [{**question, "form": "many", "of": f"g{place % 3}"} for place, question in enumerate(questions)]
    began = time.process_time()
    alike, asked, options = (
        orderly({"sections": [{"kind": "plain", "questions": each}]})["sections"][0]["questions"]
        for each in ([{"name": "q", "choices": names}], questions, many)
    )
    assert time.process_time() - began < 6
    assert len({choice["name"] for choice in alike[0]["choices"]}) == 20_000
    assert len({question["name"] for question in asked}) == 20_000
    assert len(options) == 20_000


def test_a_rule_on_a_sensitive_answer_is_refused() -> None:
    draft = json.loads(own.written(orderly(complete())))
    draft["sections"].append(
        {
            "kind": "plain",
            "questions": [{"name": "more", "choices": ["a", "b"], "show_if": {"theft": ["yes"]}}],
        }
    )
    assert refused_json(json.dumps(draft).encode()) == (
        "sections[2].questions[0].show_if.theft: 'theft' is sensitive: what is shown after it would tell its answer"
    )


def test_what_is_only_unfinished_is_taken() -> None:
    unfinished = {
        "format": "candor-design/1",
        "sections": [
            {"kind": "plain", "questions": []},
            {"kind": "plain", "questions": [{"name": "q1", "choices": [{"name": "1"}]}]},
            {
                "kind": "unrelated-question",
                "keep": "0.5",
                "questions": [{"name": "q2", "choices": [], "show_if": {"q1": []}}],
            },
        ],
    }
    draft = own.read(json.dumps(unfinished).encode())
    assert [len(section["questions"]) for section in draft["sections"]] == [0, 1, 1]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damaged_json_is_taken_or_refused_in_words(data: st.DataObject) -> None:
    text = own.written(orderly(bilingual())).decode()
    place = data.draw(st.integers(0, len(text) - 1))
    cut = data.draw(st.integers(0, 30))
    put = data.draw(
        st.sampled_from(["", "{", "}", "[", "]", '"', "null", "1", "-1", "1.5", "\\ud800", ":", ","])
    )
    try:
        found: Draft = own.read((text[:place] + put + text[place + cut :]).encode())
    except NotTaken:
        return
    assert orderly(found) == found
