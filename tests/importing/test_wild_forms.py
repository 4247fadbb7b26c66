"""Forms as they are found in the wild: what is usable of them comes in, and every loss has its row."""

from typing import Any

import pytest

from importing import xlsform
from importing.faults import FileRefused
from importing.import_result import CAME, CHANGED, LEFT
from tests.importing.sheets import CHOICES, Lines, changed, form, left, workbook

pytestmark = pytest.mark.page
HEADER = [
    "type",
    "name",
    "label::English (en)",
    "hint::English (en)",
    "appearance",
    "bind::relevant",
    "disabled",
]
AGE = ["select_one ages", "age", "How old are you?"]


def wild(*rows: list[Any], header: list[str] = HEADER, choices: Lines = CHOICES) -> bytes:
    return form(*rows, header=header, choices=choices)


def asked(data: bytes) -> list[dict[str, Any]]:
    draft = xlsform.read(data).draft
    return [question for section in draft["sections"] for question in section["questions"]]


def said_of(data: bytes, row: int) -> tuple[str, str]:
    """What became of a row of the sheet survey, and why."""
    (line,) = (line for line in xlsform.read(data).lines if line.location == f"sheet survey, row {row}")
    return line.outcome, " ".join(line.remarks)


METADATA = ["start", "end", "today", "deviceid", "username", "phonenumber", "simserial", "imei", "audit"]


@pytest.mark.at_push(3)
@pytest.mark.parametrize("kind", METADATA)
def test_what_records_a_person_by_itself_is_left_out(kind: str) -> None:
    data = wild([kind, kind], AGE)
    outcome, why = said_of(data, 2)
    assert outcome == LEFT
    assert "Candor keeps nothing of that" in why
    assert [each["name"] for each in asked(data)] == ["age"]


def sections(data: bytes) -> list[tuple[Any, list[str]]]:
    """The text of each section, and the names of its questions."""
    return [
        (each.get("intro"), [question["name"] for question in each["questions"]])
        for each in xlsform.read(data).draft["sections"]
    ]


HOW = ["select_one paid", "how", "How are you paid?"]


def test_words_between_questions_become_texts() -> None:
    # Labels of groups and notes are the text of the section that they begin.
    data = wild(
        ["begin group", "g", "About you"],
        ["note", "n", "Please be honest.", "Nobody sees it."],
        [*AGE, "In years."],
        ["end group"],
        HOW,
    )
    words = {"en": "About you\n\nPlease be honest.\n\nNobody sees it."}
    assert sections(data) == [(words, ["age"]), (None, ["how"])]
    assert [each["help"] for each in asked(data)] == [{"en": "In years."}, {}]
    for row in (2, 3):
        assert said_of(data, row) == (CHANGED, "Its words are shown before the next question.")
    # A note between two questions stands above the help of the second.
    data = wild(AGE, ["note", "n", "Now about pay."], HOW)
    assert sections(data) == [(None, ["age", "how"])]
    assert asked(data)[1]["help"] == {"en": "Now about pay."}
    # A note before a number is the text of its section.
    header = ["type", "name", "label", "constraint", "candor_section"]
    number = ["integer", "x", "How many?", ". >= 0 and . <= 9", "sensitive"]
    data = wild(AGE, ["note", "n", "Roughly."], number, header=header)
    assert sections(data)[1] == ({"en": "Roughly."}, ["x"])
    # Words below the last question become thanks.
    taken = xlsform.read(wild(AGE, ["note", "bye", "Thank you!"]))
    assert taken.draft["thanks"] == {"en": "Thank you!"}
    assert "shown after answering, as thanks" in " ".join(taken.remarks)
    # Words with a condition are left out since everybody would read them.
    data = wild(
        AGE, ["note", "n", "For the old.", "", "", "${age} = 'old'"], ["select_one paid", "how", "How?"]
    )
    outcome, why = said_of(data, 3)
    assert (outcome, why) == (LEFT, "has a condition, and words between questions are read by everybody")
    assert "For the old." not in str(xlsform.read(data).draft)


@pytest.mark.parametrize(
    ("listed", "form_", "names"),
    [
        ([["yn", "yes", "Yes"], ["yn", "no", "No"]], "one", ["yes", "no"]),
        ([["yn", "no", "No"], ["yn", "yes", "Yes"]], "yes-no", ["no", "yes"]),
        ([["yn", "yes", ""], ["yn", "no", ""]], "yes-no", ["no", "yes"]),
    ],
)
def test_yes_and_no_keep_the_order_of_the_file(listed: Lines, form_: str, names: list[str]) -> None:
    (question,) = asked(wild(["select_one yn", "q", "Is it so?"], choices=[CHOICES[0], *listed]))
    assert (question["form"], [each["name"] for each in question["choices"]]) == (form_, names)


def test_an_empty_template_is_told_from_a_sheet_without_a_header() -> None:
    with pytest.raises(FileRefused, match="is an empty template: a header without rows"):
        xlsform.read(wild())


@pytest.mark.parametrize("column", ["bind::relevant", "bind:relevant", "relevance", "Relevant", "skip_logic"])
def test_relevant_is_honoured_however_its_column_is_called(column: str) -> None:
    data = wild(
        AGE, ["select_one paid", "how", "How?", "${age} = 'old'"], header=["type", "name", "label", column]
    )
    assert asked(data)[1]["show_if"] == {"age": ["old"]}


def test_rows_that_are_disabled_are_left_out() -> None:
    data = wild([*AGE, "", "", "", "yes"], ["select_one paid", "how", "How?", "", "", "", "no"])
    assert said_of(data, 2) == (LEFT, "is disabled in the form")
    assert [each["name"] for each in asked(data)] == ["how"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("**How** old are *you*?", "How old are you?"),
        ("# How old are you?", "How old are you?"),
        ('<span style="color:red">How</span> old&nbsp;are <b>you</b>?', "How old are you?"),
        ("How old<br/>are you?", "How old\nare you?"),
        ("See [here](https://example.org)", "See here (https://example.org)"),
        ("How old are you?<script>alert(1)</script>", "How old are you?"),
    ],
)
def test_markup_becomes_text_with_a_remark(written: str, text: str) -> None:
    data = wild(["select_one ages", "age", written])
    assert asked(data)[0]["text"] == {"en": text}
    assert said_of(data, 2) == (CHANGED, "Its markup was turned into plain text.")


@pytest.mark.parametrize("written", ["2 * 3 * 4", "a_b_c", "1 < 2 and 3 > 2", "<name>", "5 % & more", "#7"])
def test_what_is_no_markup_stays(written: str) -> None:
    data = wild(["select_one ages", "age", written])
    assert (asked(data)[0]["text"], said_of(data, 2)) == ({"en": written}, (CAME, ""))


def test_markup_in_choices_becomes_text_too() -> None:
    data = wild(AGE, choices=[*CHOICES, ["ages", "x", "<b>Older</b>"]])
    assert asked(data)[0]["choices"][2]["label"] == {"en": "Older"}
    assert [line.location for line in xlsform.read(data).lines][-1] == "sheet choices, row 8"


LANGUAGES = {
    "中文": "zh-hans",
    "简体中文": "zh-hans",
    "繁體中文": "zh-hant",
    "Español": "es",
    "espanol": "es",
    "العربية": "ar",
    "Deutsch": "de",
    "Français": "fr",
    "हिन्दी": "hi",
    "Русский": "ru",
    "Português (BR)": "pt-br",
    "English (UK)": "en",
    "Kiswahili (swa)": "sw",
    "中文 (zh)": "zh-hans",
    "မြန်မာ": "my",
    "ไทย": "th",
    "Kiswahili": "sw",
    "اردو": "ur",
    "አማርኛ": "am",
    "Tiếng Việt": "vi",
    "pt_BR": "pt-br",
    "French (fr)": "fr",
}


@pytest.mark.at_push(3)
@pytest.mark.parametrize("name", LANGUAGES)
def test_languages_are_known_by_their_names_in_their_own_script(name: str) -> None:
    header = ["type", "name", "label::English (en)", f"label::{name}"]
    taken = xlsform.read(wild([*AGE, "…"], header=header))
    assert taken.draft["languages"] == list(dict.fromkeys(["en", LANGUAGES[name]]))


TABLE = [
    ["begin_group", "t", "How often in the last month?", "", "table-list"],
    ["select_one ages", "a", "Late"],
    ["select_one ages", "b", "Absent"],
    ["end_group"],
]


def test_tables_become_batteries() -> None:
    # A table becomes questions that share their choices.
    data = wild(*TABLE)
    late, absent = asked(data)
    assert late["choices"] == absent["choices"]
    assert late["help"] == absent["help"] == {"en": "How often in the last month?"}
    assert (late["of"], absent["of"]) == ("t", "t")
    outcome, why = said_of(data, 2)
    assert (outcome, "became a battery" in why) == (CHANGED, True)
    # Lines of a table with other choices are a battery of their own.
    other = ["select_one paid", "c", "Paid"]
    data = wild(*TABLE[:3], other, ["select_one ages", "d", "Ill"], TABLE[3])
    assert [each["of"] for each in asked(data)] == ["t", "t", "t-2", "t-3"]
    # A question within a table that is no line splits it.
    data = wild(*TABLE[:2], ["select_multiple paid", "c", "Paid"], *TABLE[2:])
    assert [each["of"] for each in asked(data)] == ["t", "c", "c", "t-2"]
    # A table of yes and no is a battery.
    choices = [*CHOICES, ["yn", "yes", "Yes"], ["yn", "no", "No"]]
    rows = [["begin_group", "t", "This year?", "", "table-list"], ["select_one yn", "a", "Late"]]
    data = wild(*rows, ["select_one yn", "b", "Absent"], ["end_group"], choices=choices)
    assert [(each["form"], each["of"]) for each in asked(data)] == [("one", "t"), ("one", "t")]
    # The head of a table written by hand is kept as words.
    data = wild(
        ["select_one ages", "head", "How often?", "", "label"],
        ["select_one ages", "a", "Late", "", "list-nolabel"],
    )
    (late,) = asked(data)
    assert (late["name"], late["help"], late["of"]) == ("a", {"en": "How often?"}, "head")
    assert "only the head of a table" in said_of(data, 2)[1]


@pytest.mark.parametrize("kind", ["repeat", "loop over ages", "looped group"])
def test_loops_are_left_out_row_by_row(kind: str) -> None:
    data = wild(
        AGE, [f"begin {kind}", "r", "Each child"], ["select_one ages", "c", "Its age?"], [f"end {kind}"]
    )
    assert [said_of(data, row)[0] for row in (3, 4)] == [LEFT, LEFT]
    assert "is in a loop" in said_of(data, 4)[1]
    assert [each["name"] for each in asked(data)] == ["age"]


def test_a_group_within_a_loop_is_left_out_and_what_follows_comes_in() -> None:
    data = wild(
        ["begin_repeat", "r"],
        ["begin_group", "g"],
        AGE,
        ["end_group"],
        ["end_repeat"],
        ["select_one paid", "how"],
    )
    assert [each["name"] for each in asked(data)] == ["how"]


LEGACY = {
    "select one from ages": "one",
    "select1 ages": "one",
    "q select1 ages": "one",
    "add select one prompt using ages": "one",
    "select all that apply from ages": "many",
    "select all that apply ages": "many",
    "add select multiple prompt using ages": "many",
    "Select_One ages": "one",
}


@pytest.mark.parametrize("kind", LEGACY)
def test_types_of_older_forms_are_known(kind: str) -> None:
    assert {each["form"] for each in asked(wild([kind, "age", "Age?"]))} == {LEGACY[kind]}


@pytest.mark.parametrize(
    "kind", ["add text prompt", "q string", "add date prompt", "get device id", "q picture"]
)
def test_types_of_older_forms_that_cannot_be_asked_have_their_reason(kind: str) -> None:
    assert len(said_of(wild(AGE, [kind, "q", "Q?"]), 3)[1]) > 40


def test_older_forms_are_read() -> None:
    # Notes of older forms are words.
    assert sections(wild(["add note prompt", "n", "Hello"], AGE)) == [({"en": "Hello"}, ["age"])]
    # Sheets and columns of older forms are known.
    survey = [["command", "tag", "caption"], AGE]
    choices = [["list name", "value", "caption"], ["ages", "young", "Young"], ["ages", "old", "Old"]]
    (age,) = asked(workbook(survey=survey, **{"choices and columns": choices}))
    assert (age["name"], age["text"]) == ("age", {"en": "How old are you?"})
    assert [each["name"] for each in age["choices"]] == ["young", "old"]
    # Of two columns of one name the first is read.
    data = wild([*AGE, "Second"], header=["type", "name", "label", "label"])
    assert asked(data)[0]["text"] == {"en": "How old are you?"}
    assert said_of(data, 1)[0] == LEFT
    # An answer in ones own words becomes a choice.
    data = wild(["select_one ages or_other", "age", "Age?"])
    assert asked(data)[0]["choices"][-1] == {"name": "other", "label": {"en": "Something else"}}
    assert "became a choice" in said_of(data, 2)[1]
    # Two questions of one name are both asked.
    assert [each["name"] for each in asked(wild(AGE, AGE))] == ["age", "age-2"]
    # The labels of all arrive. Everything that real forms hold, in one.
    data = wild(
        ["start", "start"],
        ["begin_group", "g", "**Welcome**"],
        ["note", "n", "Be <i>honest</i>."],
        AGE,
        ["text", "name", "Your name?"],
        ["end_group"],
        *TABLE,
        ["calculate", "c"],
        ["begin_repeat", "r", "Children"],
        ["end_repeat"],
        ["select_multiple paid", "paid", "How paid, ${age}?", "", "", "${c} > 2"],
    )
    words = str(xlsform.read(data).draft)
    labels = ["Welcome", "Be honest.", "How old are you?", "How often in the last month?", "Late", "Absent"]
    labels += ["18 to 39", "40 or older", "How paid, …?", "In cash", "In goods"]
    assert [label for label in labels if label not in words] == []
    assert [remark.split(":")[0] for remark in left(data)] == [
        f"sheet survey, row {row}" for row in (2, 6, 12, 13)
    ]
    assert "its condition ${c} > 2 is left out" in said_of(data, 15)[1].lower()


@pytest.mark.parametrize(
    ("choices", "called", "remark"),
    [
        (["ages", "old", "70 or older"], "old-2", "It is called old-2 here."),
        (["ages", "", "Nameless"], "Nameless", "It has no name in the form."),
        (["ages", "x", ""], "x", "It has no words in the form: write them in the draft."),
    ],
)
def test_a_choice_that_lacks_something_comes_in_with_a_remark(
    choices: list[str], called: str, remark: str
) -> None:
    data = form(AGE, choices=[*CHOICES, choices])
    assert changed(data) == [f"sheet choices, row 8: {remark}"]
    assert asked(data)[0]["choices"][2]["name"] == called
    assert asked(data)[0]["choices"][2]["label"].get("en", "") == choices[2]
