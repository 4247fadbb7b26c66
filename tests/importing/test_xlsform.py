from typing import Any

import pytest

from importing import xlsform
from importing.faults import FileRefused
from importing.xlsform.question_types import REFUSAL_REASONS
from surveys.kinds.read_draft import read_questionnaire
from tests.importing.spreadsheets import CHOICES, HEADER, changed, form, left, refused, workbook
from tests.privacy.questionnaires import WORK, place_in_row, plain, written
from tests.surveys.drafts import normalized

pytestmark = pytest.mark.page
AGE = ["select_one ages", "age", "How old are you?", "yes"]


def questions(data: bytes) -> list[list[dict[str, Any]]]:
    return [section["questions"] for section in xlsform.read(data).draft["sections"]]


# --- what a form from elsewhere becomes


def test_a_form_becomes_questions_rules_sections_and_languages() -> None:
    # A form without our columns becomes plain questions.
    taken = xlsform.read(form(AGE, header=HEADER[:4], settings=[["form_title"], ["My form"]]))
    assert taken.draft["title"] == {"en": "My form"}
    assert taken.draft["sections"] == [
        {
            "kind": "plain",
            "questions": [
                {
                    "name": "age",
                    "form": "one",
                    "text": {"en": "How old are you?"},
                    "help": {},
                    "choices": [
                        {"name": "young", "label": {"en": "18 to 39"}},
                        {"name": "old", "label": {"en": "40 or older"}},
                    ],
                    "show_if": {},
                    "role": "other",
                }
            ],
        }
    ]
    assert [(line.questions, line.unmarked) for line in taken.lines] == [(("age",), True)]
    # Yes and no in the order of the file take how often chance says yes.
    ((question,),) = questions(
        form(["select_one yes_no", "theft", "Stolen?", "yes", "", "sensitive", 0.5, "0.6"])
    )
    assert [choice["name"] for choice in question["choices"]] == ["yes", "no"]
    assert question["noise"] == ["0.6000", "0.4000"]
    # Noise is given by choice.
    ((question,),) = questions(
        form(["select_one yes_no", "theft", "Stolen?", "yes", "", "", ".3", "yes=0.25, no=.75"])
    )
    assert question["noise"] == ["0.2500", "0.7500"]
    # Several of many become linked questions of yes and no.
    row = ["select_multiple paid", "pay", "How were you paid?", "yes", "", "sensitive", "", "cash=0.3"]
    (members,) = questions(form(row))
    assert [(each["name"], each["form"], each["of"]) for each in members] == [
        ("pay-cash", "many", "pay"),
        ("pay-goods", "many", "pay"),
    ]
    assert members[0]["text"] == {"en": "How were you paid?"}
    assert members[0]["choices"][1]["label"] == {"en": "In cash"}
    assert members[0]["noise"] == ["0.7000", "0.3000"]
    assert "noise" not in members[1]
    # Relevant on plain answers becomes a rule.
    theft = ["select_one yes_no", "theft", "Stolen?", "yes", "${age} = 'old'", "sensitive"]
    _plain, ((question),) = questions(form(AGE, theft))
    assert question["show_if"] == {"age": ["old"]}
    # The relevant of a group holds for each question in it.
    rows = [AGE, ["select_one yes_no", "works", "Do you work?"]]
    rows += [
        ["begin group", "g", "", "", "${age} = 'old'"],
        ["select_one paid", "how", "How?", "", "${works} = 'yes'"],
        ["end group"],
    ]
    ((_age, _works, how),) = questions(form(*rows))
    assert how["show_if"] == {"age": ["old"], "works": ["yes"]}


def test_groups_and_rows_marked_alike_make_sections() -> None:
    def row(name: str, *marks: Any) -> list[Any]:
        return ["select_one yes_no", name, f"{name}?", "yes", "", *marks]

    data = form(
        row("a"),
        row("b", "plain"),
        row("c", "sensitive", 0.5),
        row("d", "sensitive", 0.5),
        row("e", "sensitive", 0.25),
        ["begin_group", "g1", "", "", "", "sensitive", 0.25],
        row("f"),
        ["end_group"],
        row("g"),
    )
    draft = xlsform.read(data).draft
    found = [(s["kind"], s.get("keep"), [q["name"] for q in s["questions"]]) for s in draft["sections"]]
    assert found == [
        ("plain", None, ["a", "b"]),
        ("unrelated-question", "0.5000", ["c", "d"]),
        ("unrelated-question", "0.2500", ["e"]),
        ("unrelated-question", "0.2500", ["f"]),
        ("plain", None, ["g"]),
    ]


def test_languages_are_read_from_the_columns() -> None:
    choices = [
        ["list name", "name", "label::Deutsch", "label::English (en)"],
        ["x", "1", "eins", "one"],
        ["x", "2", "", "two"],
    ]
    header = ["type", "name", "label::Deutsch", "label::English (en)", "hint::English (en)", "label:French"]
    data = form(
        ["select_one x", "q", "Was?", "What?", "Think.", "Quoi ?"],
        header=header,
        choices=choices,
        settings=[["default_language"], ["English (en)"]],
    )
    draft = xlsform.read(data).draft
    assert draft["languages"] == ["en", "de", "fr"]
    question = draft["sections"][0]["questions"][0]
    assert question["text"] == {"en": "What?", "de": "Was?", "fr": "Quoi ?"}
    assert question["help"] == {"en": "Think."}
    assert question["choices"][1]["label"] == {"en": "two"}
    # A column of the default language is one without a language.
    ((question,),) = questions(form(AGE[:3], header=["type", "name", "label::default"]))
    assert question["text"] == {"en": "How old are you?"}
    # What is optional and what is ignored is remarked.
    header = [*HEADER[:4], "media::image", "my notes"]
    taken = xlsform.read(form([*AGE[:3], "no", "x.png", "n"], header=header))
    assert "1 question was not required" in " ".join(taken.remarks)
    assert "no meaning here: my notes." in " ".join(taken.remarks)
    assert taken.lines[0].remarks == (
        "Its image or recording (x.png) is left out: surveys here have words alone.",
    )


# --- what is left out or changed, by sheet and row


@pytest.mark.at_push(7)
@pytest.mark.parametrize("kind", sorted(REFUSAL_REASONS))
def test_a_type_that_cannot_be_asked_is_left_out_with_the_reason(kind: str) -> None:
    (remark,) = left(form(AGE, [kind, "q", "Q?"]))
    assert remark.startswith(f"sheet survey, row 3: {kind}: ")
    assert len(remark) > 60


@pytest.mark.parametrize("kind", ["geopoint", "geotrace", "geoshape"])
def test_a_continuous_place_is_left_out_with_the_way_out(kind: str) -> None:
    (remark,) = left(form(AGE, [kind, "home", "Where do you live?"]))
    assert "a continuous place cannot be disguised exactly; use a place question with cells" in remark


def test_a_place_question_is_left_out_and_named_and_the_rest_is_written() -> None:
    home = place_in_row("home", {"north": [0, 1]}, 3, 1, "6")
    draft = read_questionnaire(normalized(written(plain(WORK), home)))
    (left_out,) = xlsform.unsupported_parts(draft)
    assert left_out.startswith("Section 2: a place and its cells have no words in XLSForm")
    again = xlsform.read(xlsform.write(draft)).draft
    assert again["sections"] == normalized(written(plain(WORK)))["sections"]
    with pytest.raises(FileRefused) as refusal:
        xlsform.write(read_questionnaire(normalized(written(home))))
    assert [fault.location for fault in refusal.value.faults] == ["sections[0]"]


@pytest.mark.parametrize(
    "kind", ["select_one_from_file a.csv", "select_one_external ages", "select_one", "matrix"]
)
def test_a_select_that_cannot_be_asked_is_left_out(kind: str) -> None:
    (remark,) = left(form(AGE, [kind, "q", "Q?"]))
    assert remark.startswith("sheet survey, row 3: ")


def test_a_form_of_which_nothing_comes_in_is_refused_with_every_row() -> None:
    faults = refused(
        form(
            ["text", "a", "A?"],
            ["select_one nowhere", "b", "B?"],
            [],
            ["begin_repeat", "r", "R"],
            ["select_one yes_no", "d", "D?"],
            ["end_repeat"],
            ["end_group"],
        )
    )
    assert [fault.split(":")[0] for fault in faults] == [
        f"sheet survey, row {row}" for row in (2, 3, 5, 6, 8)
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (["select_one ages", "q", "Q?", "yes", "", "secret"], "candor_section is plain or sensitive"),
        (["select_one ages", "q", "Q?", "yes", "", "plain", 0.5], "belong to sensitive sections"),
        (["select_one ages", "q", "Q?", "yes", "", "sensitive", 1.5], "candor_keep is a probability"),
        (
            ["select_one ages", "q", "Q?", "yes", "", "", "", "0.5"],
            "candor_noise belongs to sensitive questions",
        ),
        (["select_one ages", "q", "Q?", "yes", "", "sensitive", "", "0.5"], "candor_noise holds 0.5"),
        (
            ["select_one ages", "q", "Q?", "yes", "", "sensitive", "", "old=0.5"],
            "gives a probability to each choice",
        ),
        (
            ["select_one ages", "q", "Q?", "yes", "", "sensitive", "", "old=0.5 young=0.4"],
            "sum to 0.9000, not 1",
        ),
        (["", "q", "Q?", "yes"], "the type is missing"),
        (["end_group"], "ends a group that never began"),
    ],
)
def test_a_row_that_cannot_be_is_left_out_by_its_number(row: list[Any], reason: str) -> None:
    data = form(AGE, row)
    (remark,) = left(data)
    assert remark.startswith("sheet survey, row 3: ")
    assert reason in remark
    assert [each["name"] for section in questions(data) for each in section] == ["age"]


@pytest.mark.parametrize(
    ("row", "remark"),
    [
        (["select_one ages", "q", "Q?", "${age} = 'old'"], "this cannot depend on other answers"),
        (["select_one ages", "q", "You are ${age}", "yes"], "“…” is shown instead"),
        (["select_one ages", "q", "Q?", "yes", "${age} > 3"], "so everybody is asked: it cannot be read"),
        (["select_one ages", "age", "Q?", "yes"], "It is called age-2 here"),
        (["select_one ages", "group", "Q?", "yes"], "It is called group-2 here"),
        (["select_one ages", "", "Q?", "yes"], "It has no name in the form"),
    ],
)
def test_a_row_that_is_changed_says_so_by_its_number(row: list[Any], remark: str) -> None:
    data = form(AGE, row)
    said = changed(data)
    assert said[0].startswith("sheet survey, row 3: ")
    assert remark in " ".join(said)
    assert sum(len(section) for section in questions(data)) == 2


def test_conditions_that_no_rule_can_say_are_left_out() -> None:
    # Words that repeat an answer lose it.
    ((_age, asked),) = questions(form(AGE, ["select_one ages", "q", "You said ${age}?", "yes"]))
    assert asked["text"] == {"en": "You said …?"}
    # A group without end ends with the form.
    data = form(AGE, ["begin_group", "g"], ["select_one ages", "q", "Q?", "yes"])
    assert "this group has no end" in changed(data)[0]
    assert [len(section) for section in questions(data)] == [2]
    # A condition on a sensitive answer is left out with what it would tell.
    theft = ["select_one yes_no", "theft", "Stolen?", "yes", "", "sensitive"]
    data = form(theft, [*AGE, "${theft} = 'yes'"])
    (remark,) = changed(data)
    assert remark == (
        "sheet survey, row 3: Its condition ${theft} = 'yes' is left out, so everybody is asked: it looks at theft,"
        " which is sensitive: whether this question was shown would tell its answer."
    )
    assert questions(data)[1][0]["show_if"] == {}
    # The condition of a group stays where that of a question is left out.
    rows = [
        AGE,
        ["begin_group", "g", "", "", "${age} = 'old'"],
        ["select_one paid", "how", "How?", "yes", "1 < 2"],
    ]
    ((_age, how),) = questions(form(*rows, ["end_group"]))
    assert how["show_if"] == {"age": ["old"]}
    # The condition of a group that no rule can say is left out once.
    rows = [
        AGE,
        ["begin_group", "g", "", "", "${age} > 3"],
        ["select_one paid", "how", "How?", "yes"],
        ["end_group"],
    ]
    data = form(*rows)
    assert [remark[:20] for remark in changed(data)] == ["sheet survey, row 3:"]
    assert questions(data)[0][1]["show_if"] == {}


@pytest.mark.parametrize("column", ["calculation", "constraint", "default", "choice_filter", "trigger"])
def test_a_cell_that_would_change_what_is_asked_is_left_out(column: str) -> None:
    (remark,) = changed(form([*AGE[:3], "x"], header=["type", "name", "label", column]))
    assert remark.startswith(f"sheet survey, row 2: The cell {column} is left out: ")


def test_a_question_that_cannot_be_answered_is_left_out() -> None:
    row = ["select_one ages", "q", "Q?", "yes"]
    (remark,) = left(form(AGE[:3], row, header=["type", "name", "label", "readonly"]))
    assert "shows a question that cannot be answered" in remark


@pytest.mark.parametrize(
    ("choices", "remark"),
    [
        (["ages", "old", "40 or older"], "two choices of this list are called old"),
        (["", "x", "listless"], "a choice needs list_name"),
    ],
)
def test_a_choice_that_cannot_be_is_left_out_by_its_row(choices: list[str], remark: str) -> None:
    data = form(AGE, choices=[*CHOICES, choices])
    assert left(data) == [f"sheet choices, row 8: {remark}"]
    assert [each["name"] for each in questions(data)[0][0]["choices"]] == ["young", "old"]


def test_a_choice_is_called_what_record_files_can_hold() -> None:
    data = form(AGE, choices=[*CHOICES, ["ages", "?", "As ${age}"]])
    assert changed(data)[1] == "sheet choices, row 8: It is called ?-2 here."
    assert questions(data)[0][0]["choices"][2] == {"name": "?-2", "label": {"en": "As …"}}


def test_a_question_needs_two_choices_only_when_it_is_opened() -> None:
    choices = [CHOICES[0], ["one", "a", "A"]]
    ((question,),) = questions(form(["select_one one", "q", "Q?"], choices=choices))
    assert len(question["choices"]) == 1


@pytest.mark.parametrize(
    ("header", "remark"),
    [
        (["type", "name", "label", "label::Klingon"], "does not know; it is called qaa here"),
        (["type", "name", "label::English (en)", "label"], "says the same as another column"),
        (["type", "name", "label", "name"], "appears twice; the second column is read only where"),
    ],
)
def test_a_column_that_cannot_be_is_left_out(header: list[str], remark: str) -> None:
    choices = [["list_name", "name", "label::English (en)"], ["ages", "a", "A"], ["ages", "b", "B"]]
    data = form([*AGE[:3], "x"], header=header, choices=choices)
    line = xlsform.read(data).lines[0]
    assert (line.location, line.words) == ("sheet survey, row 1", header[3])
    assert remark in line.remarks[0]
    assert questions(data)[0][0]["text"]["en"] == "How old are you?"


def test_the_only_language_of_a_form_is_read_though_it_is_not_known() -> None:
    data = form(AGE[:3], header=["type", "name", "label::Klingon"])
    assert "so the first language is taken" in changed(data)[0]
    assert questions(data)[0][0]["text"] == {"en": "How old are you?"}


def test_a_misspelt_column_of_ours_marks_nothing() -> None:
    taken = xlsform.read(form([*AGE[:3], "plain"], header=["type", "name", "label", "candor_secton"]))
    assert taken.lines[0].unmarked
    assert "candor_secton" in " ".join(taken.remarks)


@pytest.mark.parametrize(
    ("column", "cell", "remark"),
    [
        ("candor_least", "many", "candor_least is a whole number"),
        ("candor_least", 3, "least: must lie between 20"),
        ("candor_open_answers", "perhaps", "candor_open_answers is yes or no"),
        ("candor_retention", "soon", "retention: 'soon' is not a day"),
    ],
)
def test_settings_that_cannot_be_are_left_out(column: str, cell: Any, remark: str) -> None:
    data = form(AGE, settings=[["form_title", column], ["T", cell]])
    (said,) = left(data)
    assert said.startswith("sheet settings")
    assert remark in said
    draft = xlsform.read(data).draft
    assert draft.get(column.removeprefix("candor_")) in (None, False, "")


def test_a_workbook_needs_a_sheet_of_questions() -> None:
    assert refused(workbook(choices=CHOICES)) == ["the file: has no sheet called survey"]
