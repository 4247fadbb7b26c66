"""What a row, a column and a cell of an XLSForm become, by sheet and row."""

from typing import Any

import pytest

from importing import xlsform
from importing.xlsform.question_types import REFUSAL_REASONS
from surveys.kinds.read_draft import read_questionnaire
from tests.importing.conftest import changes_of, items_left_out, questions_of as questions_in, refusals
from tests.importing.flow.made_files import CHOICES, HEADER, form, workbook
from tests.privacy.questionnaires import WORK, make_design, place_in_row, plain
from tests.surveys.drafts import normalize_draft

pytestmark = pytest.mark.page
AGE = ["select_one ages", "age", "How old are you?", "yes"]
HOW = ["select_one paid", "how", "How?", "yes"]


def sections(*rows: list[Any], **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = xlsform.read(form(*rows, **more)).draft["sections"]
    return found


def questions_of_form(*rows: list[Any], **more: Any) -> list[dict[str, Any]]:
    return questions_in(xlsform.read(form(*rows, **more)))


# --- what a form from elsewhere becomes


def test_standard_xlsform_becomes_plain_questions() -> None:
    taken = xlsform.read(form(AGE, header=HEADER[:4], settings=[["form_title"], ["My form"]]))
    assert taken.draft["title"] == {"en": "My form"}
    age = {"name": "age", "form": "one", "text": {"en": "How old are you?"}, "help": {}, "show_if": {}}
    labels = {"young": "18 to 39", "old": "40 or older"}
    choices = [{"name": name, "label": {"en": label}} for name, label in labels.items()]
    question = {**age, "choices": choices, "role": "other"}
    assert taken.draft["sections"] == [{"kind": "plain", "questions": [question]}]
    assert [(line.questions, line.unmarked) for line in taken.lines] == [(("age",), True)]


def test_title_of_a_form_has_languages() -> None:
    settings = [["form_title::English (en)", "form_title::中文 (zh)"], ["My form", "我的表"]]
    header = ["type", "name", "label::English (en)", "required", "label::中文 (zh)"]
    taken = xlsform.read(form([*AGE, "您多大？"], header=header, settings=settings))
    assert taken.draft["title"] == {"en": "My form", "zh-hans": "我的表"}
    assert not [line for line in taken.lines if "form_title" in line.words]


def test_noise_options_and_conditions_are_read_from_our_columns() -> None:
    # Yes and no in the order of the file take how often chance says yes; other noise is given by choice.
    for marks, noise in (
        (["sensitive", 0.5, "0.6"], ["0.6000", "0.4000"]),
        (["", ".3", "yes=0.25, no=.75"], ["0.2500", "0.7500"]),
    ):
        (question,) = questions_of_form(["select_one yes_no", "theft", "Stolen?", "yes", "", *marks])
        assert [choice["name"] for choice in question["choices"]] == ["yes", "no"]
        assert question["noise"] == noise
    # Several of many become linked questions of yes and no.
    row = ["select_multiple paid", "pay", "How were you paid?", "yes", "", "sensitive", "", "cash=0.3"]
    cash, goods = questions_of_form(row)
    forms = [(each["name"], each["form"], each["of"]) for each in (cash, goods)]
    assert forms == [("pay-cash", "many", "pay"), ("pay-goods", "many", "pay")]
    assert (cash["text"], cash["choices"][1]["label"]) == ({"en": "How were you paid?"}, {"en": "In cash"})
    assert (cash["noise"], "noise" in goods) == (["0.7000", "0.3000"], False)
    # Conditions on plain answers become rules, of a question and of its groups.
    theft = ["select_one yes_no", "theft", "Stolen?", "yes", "${age} = 'old'", "sensitive"]
    assert questions_of_form(AGE, theft)[1]["show_if"] == {"age": ["old"]}
    rows = [AGE, ["select_one yes_no", "works", "Do you work?"]]
    rows += [["begin group", "g", "", "", "${age} = 'old'"], [*HOW, "${works} = 'yes'"], ["end group"]]
    assert questions_of_form(*rows)[2]["show_if"] == {"age": ["old"], "works": ["yes"]}


def test_groups_and_equally_marked_rows_make_sections() -> None:
    def row(name: str, *marks: Any) -> list[Any]:
        return ["select_one yes_no", name, f"{name}?", "yes", "", *marks]

    rows = [row("a"), row("b", "plain"), *(row(name, "sensitive", 0.5) for name in "cd")]
    rows.append(row("e", "sensitive", 0.25))
    group = [["begin_group", "g1", "", "", "", "sensitive", 0.25], row("f"), ["end_group"]]
    found = sections(*rows, *group, row("g"))
    assert [(each["kind"], each.get("keep"), [q["name"] for q in each["questions"]]) for each in found] == [
        ("plain", None, ["a", "b"]),
        ("unrelated-question", "0.5000", ["c", "d"]),
        ("unrelated-question", "0.2500", ["e"]),
        ("unrelated-question", "0.2500", ["f"]),
        ("plain", None, ["g"]),
    ]


def test_languages_are_read_from_column_headings() -> None:
    choices = [["list name", "name", "label::Deutsch", "label::English (en)"]]
    choices += [["x", "1", "eins", "one"], ["x", "2", "", "two"]]
    header = ["type", "name", "label::Deutsch", "label::English (en)", "hint::English (en)", "label:French"]
    row = ["select_one x", "q", "Was?", "What?", "Think.", "Quoi ?"]
    settings = [["default_language"], ["English (en)"]]
    draft = xlsform.read(form(row, header=header, choices=choices, settings=settings)).draft
    assert draft["languages"] == ["en", "de", "fr"]
    question = draft["sections"][0]["questions"][0]
    assert question["text"] == {"en": "What?", "de": "Was?", "fr": "Quoi ?"}
    assert question["help"] == {"en": "Think."}
    assert question["choices"][1]["label"] == {"en": "two"}
    # A column of the default language is one without a language; the only one is read though it is not known.
    for language in ("default", "Klingon"):
        data = form(AGE[:3], header=["type", "name", f"label::{language}"])
        assert questions_in(xlsform.read(data))[0]["text"] == {"en": "How old are you?"}
        assert ("so the first language is taken" in str(changes_of(data))) == (language == "Klingon")
    # What is optional and what is ignored is remarked.
    header = [*HEADER[:4], "media::image", "my notes"]
    taken = xlsform.read(form([*AGE[:3], "no", "x.png", "n"], header=header))
    assert "1 question was not required" in " ".join(taken.remarks)
    assert "no meaning here: my notes." in " ".join(taken.remarks)
    picture = "Its image or recording (x.png) is left out: surveys here have words alone."
    assert taken.lines[0].remarks == (picture,)


# --- what is left out or changed, by sheet and row


def test_unsupported_xlsform_type_is_left_out_with_the_reason() -> None:
    for kind in sorted(REFUSAL_REASONS):
        (remark,) = items_left_out(form(AGE, [kind, "q", "Q?"]))
        assert remark.startswith(f"sheet survey, row 3: {kind}: ")
        assert len(remark) > 60, kind
        if kind in ("geopoint", "geotrace", "geoshape"):
            way_out = "a continuous place cannot be disguised exactly; use a place question with cells"
            assert way_out in remark, kind
    for kind in ("select_one_from_file a.csv", "select_one_external ages", "select_one", "matrix"):
        (remark,) = items_left_out(form(AGE, [kind, "q", "Q?"]))
        assert remark.startswith("sheet survey, row 3: "), kind


def test_place_question_is_left_out_and_named_on_export() -> None:
    home = place_in_row("home", {"north": [0, 1]}, 3, 1, "6")
    draft = read_questionnaire(normalize_draft(make_design(plain(WORK), home)))
    (left_out,) = xlsform.unsupported_parts(draft)
    assert left_out.startswith("Section 2: a place and its cells have no words in XLSForm")
    again = xlsform.read(xlsform.write(draft)).draft
    assert again["sections"] == normalize_draft(make_design(plain(WORK)))["sections"]


def test_form_without_usable_rows_is_refused_naming_every_row() -> None:
    repeat = [["begin_repeat", "r", "R"], ["select_one yes_no", "d", "D?"], ["end_repeat"]]
    faults = refusals(
        form(["text", "a", "A?"], ["select_one nowhere", "b", "B?"], [], *repeat, ["end_group"])
    )
    rows = [fault.split(":")[0] for fault in faults]
    assert rows == ["the file", *(f"sheet survey, row {row}" for row in (2, 3, 5, 6, 8))]
    assert refusals(workbook(choices=CHOICES)) == ["the file: has no sheet called survey"]


def row_with_candor_columns(*marks: Any) -> list[Any]:
    return ["select_one ages", "q", "Q?", "yes", "", *marks]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (row_with_candor_columns("secret"), "candor_section is plain or sensitive"),
        (row_with_candor_columns("plain", 0.5), "belong to sensitive sections"),
        (row_with_candor_columns("sensitive", 1.5), "candor_keep is a probability"),
        (row_with_candor_columns("", "", "0.5"), "candor_noise belongs to sensitive questions"),
        (row_with_candor_columns("sensitive", "", "0.5"), "candor_noise holds 0.5"),
        (row_with_candor_columns("sensitive", "", "old=0.5"), "gives a probability to each choice"),
        (row_with_candor_columns("sensitive", "", "old=0.5 young=0.4"), "sum to 0.9000, not 1"),
        (["", "q", "Q?", "yes"], "the type is missing"),
        (["end_group"], "ends a group that never began"),
    ],
)
def test_impossible_row_is_left_out_by_its_number(row: list[Any], reason: str) -> None:
    (remark,) = items_left_out(form(AGE, row))
    assert remark.startswith("sheet survey, row 3: ")
    assert reason in remark
    assert [each["name"] for each in questions_of_form(AGE, row)] == ["age"]


def test_changed_row_is_reported_by_its_number() -> None:
    for row, remark in (
        (["select_one ages", "q", "Q?", "${age} = 'old'"], "this cannot depend on other answers"),
        (["select_one ages", "q", "You are ${age}", "yes"], "“…” is shown instead"),
        (
            ["select_one ages", "q", "Q?", "yes", "${age} > 3"],
            "so everybody is asked: it compares age to “3”",
        ),
        (["select_one ages", "age", "Q?", "yes"], "It is called age-2 here"),
        (["select_one ages", "group", "Q?", "yes"], "It is called group-2 here"),
        (["select_one ages", "", "Q?", "yes"], "It has no name in the form"),
    ):
        said = changes_of(form(AGE, row))
        assert said[0].startswith("sheet survey, row 3: "), remark
        assert remark in " ".join(said)
        assert len(questions_of_form(AGE, row)) == 2
    assert questions_of_form(AGE, ["select_one ages", "q", "You said ${age}?", "yes"])[1]["text"] == {
        "en": "You said …?"
    }


def test_inexpressible_conditions_are_left_out() -> None:
    # A group without end ends with the form.
    data = form(AGE, ["begin_group", "g"], ["select_one ages", "q", "Q?", "yes"])
    assert "this group has no end" in changes_of(data)[0]
    assert [len(section["questions"]) for section in xlsform.read(data).draft["sections"]] == [2]
    # A condition on a sensitive answer is left out with what it would tell.
    rows = [["select_one yes_no", "theft", "Stolen?", "yes", "", "sensitive"], [*AGE, "${theft} = 'yes'"]]
    lost = "sheet survey, row 3: Its condition ${theft} = 'yes' is left out, so everybody is asked: it looks at theft,"
    why = " which is sensitive: whether this question was shown would tell its answer."
    assert changes_of(form(*rows)) == [lost + why]
    assert questions_of_form(*rows)[1]["show_if"] == {}
    # The condition of a group stays where that of a question is left out.
    rows = [AGE, ["begin_group", "g", "", "", "${age} = 'old'"], [*HOW, "1 < 2"], ["end_group"]]
    assert questions_of_form(*rows)[1]["show_if"] == {"age": ["old"]}
    # The condition of a group that no rule can say is left out once.
    rows = [AGE, ["begin_group", "g", "", "", "${age} > 3"], HOW, ["end_group"]]
    assert [remark[:20] for remark in changes_of(form(*rows))] == ["sheet survey, row 3:"]
    assert questions_of_form(*rows)[1]["show_if"] == {}


def test_impossible_cells_choices_and_columns_are_left_out() -> None:
    header = ["type", "name", "label"]
    for column in ("calculation", "constraint", "default", "choice_filter", "trigger"):
        (remark,) = changes_of(form([*AGE[:3], "x"], header=[*header, column]))
        assert remark.startswith(f"sheet survey, row 2: The cell {column} is left out: ")
    (remark,) = items_left_out(
        form(AGE[:3], ["select_one ages", "q", "Q?", "yes"], header=[*header, "readonly"])
    )
    assert "shows a question that cannot be answered" in remark
    for choice, reason in (
        (["ages", "old", "40 or older"], "two choices of this list are called old"),
        (["", "x", "listless"], "a choice needs list_name"),
    ):
        data = form(AGE, choices=[*CHOICES, choice])
        assert items_left_out(data) == [f"sheet choices, row 8: {reason}"]
        assert [each["name"] for each in questions_in(xlsform.read(data))[0]["choices"]] == ["young", "old"]
    # A choice is called what record files can hold; two are needed only when the survey is opened.
    data = form(AGE, choices=[*CHOICES, ["ages", "?", "As ${age}"]])
    assert changes_of(data)[1] == "sheet choices, row 8: It is called ?-2 here."
    third = questions_in(xlsform.read(data))[0]["choices"][2]
    assert third == {"name": "?-2", "label": {"en": "As …"}}
    (alone,) = questions_of_form(["select_one one", "q", "Q?"], choices=[CHOICES[0], ["one", "a", "A"]])
    assert len(alone["choices"]) == 1
    choices = [["list_name", "name", "label::English (en)"], ["ages", "a", "A"], ["ages", "b", "B"]]
    for columns, remark in (
        (["type", "name", "label", "label::Klingon"], "does not know; it is called qaa here"),
        (["type", "name", "label::English (en)", "label"], "says the same as another column"),
        (["type", "name", "label", "name"], "appears twice; the second column is read only where"),
    ):
        taken = xlsform.read(form([*AGE[:3], "x"], header=columns, choices=choices))
        line = taken.lines[0]
        assert (line.location, line.words) == ("sheet survey, row 1", columns[3])
        assert remark in line.remarks[0]
        assert questions_in(taken)[0]["text"]["en"] == "How old are you?"
    # A misspelt column of ours marks nothing.
    taken = xlsform.read(form([*AGE[:3], "plain"], header=[*header, "candor_secton"]))
    assert taken.lines[0].unmarked
    assert "candor_secton" in " ".join(taken.remarks)


def test_impossible_settings_are_left_out() -> None:
    for column, cell, remark in (
        ("candor_least", "many", "candor_least is a whole number"),
        ("candor_least", 3, "least: must lie between 20"),
        ("candor_open_answers", "perhaps", "candor_open_answers is yes or no"),
        ("candor_retention", "soon", "retention: 'soon' is not a day"),
    ):
        data = form(AGE, settings=[["form_title", column], ["T", cell]])
        (said,) = items_left_out(data)
        assert said.startswith("sheet settings")
        assert remark in said
        assert xlsform.read(data).draft.get(column.removeprefix("candor_")) in (None, False, "")
