"""XLSForms as they are found in the wild: what is usable of them comes in, and every loss has its row."""

from collections.abc import Callable
from typing import Any

import pytest

from importing import questionnaire_file, xlsform
from importing.import_result import CAME, CHANGED, LEFT, ImportResult
from importing.row_outcome_collector import MOST_REPEATED
from tests.importing.conftest import changes_of, items_left_out, questions_of, refusals, remarks_of, rules
from tests.importing.flow.made_files import (
    CHOICES,
    XLSFORMS,
    Lines,
    answers,
    form,
    group,
    lime_table,
    question,
    row,
    workbook,
)

pytestmark = pytest.mark.page
HEADER = [
    *("type", "name", "label::English (en)", "hint::English (en)", "appearance"),
    *("bind::relevant", "disabled"),
]
SHORT = ["type", "name", "label"]
AGE = ["select_one ages", "age", "How old are you?"]
HOW = ["select_one paid", "how", "How are you paid?"]
YES_NO = [["yn", "1", "Yes, it is"], ["yn", "0", "No, it is not"]]
YN = ["select_one yn", "q", "Is it so?"]


def wild_form(*rows: list[Any], header: list[str] = HEADER, choices: Lines = (*CHOICES, *YES_NO)) -> bytes:
    return form(*rows, header=header, choices=choices)


def read(*rows: list[Any], **more: Any) -> ImportResult:
    return xlsform.read(wild_form(*rows, **more))


def names(*rows: list[Any], **more: Any) -> list[str]:
    return [*rules(read(*rows, **more))]


def said_of(taken: ImportResult, row: int) -> tuple[str, str]:
    """What became of a row of the sheet survey, and why."""
    (line,) = (line for line in taken.lines if line.location == f"sheet survey, row {row}")
    return line.outcome, " ".join(line.remarks)


def left_rows(taken: ImportResult) -> list[int]:
    rows = [line.location.removeprefix("sheet survey, row ") for line in taken.lines if line.outcome == LEFT]
    return [int(row) for row in rows if row.isdigit()]


def sections(taken: ImportResult) -> list[tuple[Any, list[str]]]:
    """The text of each section, and the names of its questions."""
    found = taken.draft["sections"]
    return [(each.get("intro"), [question["name"] for question in each["questions"]]) for each in found]


# --- rows that nobody answers, and words between questions


def test_automatic_recording_of_people_is_left_out() -> None:
    for kind in (
        *("start", "end", "today", "deviceid", "username", "phonenumber", "simserial", "imei", "audit"),
        *("get device id", "email"),
    ):
        taken = read([kind, kind], AGE)
        outcome, why = said_of(taken, 2)
        assert (outcome, "Candor keeps nothing of that" in why) == (LEFT, True), kind
        assert [*rules(taken)] == ["age"], kind


def test_words_between_questions_become_texts() -> None:
    # Labels of groups and notes are the text of the section that they begin.
    note = ["note", "n", "Please be honest.", "Nobody sees it."]
    taken = read(["begin group", "g", "About you"], note, [*AGE, "In years."], ["end group"], HOW)
    words = {"en": "About you\n\nPlease be honest.\n\nNobody sees it."}
    assert sections(taken) == [(words, ["age"]), (None, ["how"])]
    assert [each["help"] for each in questions_of(taken)] == [{"en": "In years."}, {}]
    for number in (2, 3):
        assert said_of(taken, number) == (CHANGED, "Its words are shown before the next question.")
    # A note between two questions stands above the help of the second.
    taken = read(AGE, ["note", "n", "Now about pay."], HOW)
    assert sections(taken) == [(None, ["age", "how"])]
    assert questions_of(taken)[1]["help"] == {"en": "Now about pay."}
    # A note before a number is the text of its section.
    many = ["integer", "x", "How many?", ". >= 0 and . <= 9", "sensitive"]
    taken = read(AGE, ["note", "n", "Roughly."], many, header=[*SHORT, "constraint", "candor_section"])
    assert sections(taken)[1] == ({"en": "Roughly."}, ["x"])
    # Words below the last question become thanks.
    taken = read(AGE, ["note", "bye", "Thank you!"], ["note", "c", "Goodbye"])
    assert taken.draft["thanks"] == {"en": "Thank you!\n\nGoodbye"}
    assert "shown after answering, as thanks" in " ".join(taken.remarks)
    # Words with a condition are left out, since everybody would read them.
    taken = read(AGE, ["note", "n", "For the old.", "", "", "${age} = 'old'"], HOW)
    assert said_of(taken, 3) == (LEFT, "has a condition, and words between questions are read by everybody")
    assert "For the old." not in str(taken.draft)
    assert "has no questions" in refusals(wild_form(["note", "n", "Read this"]))[0]
    assert "is an empty template: a header without rows" in refusals(wild_form())[0]


@pytest.mark.parametrize(("more", "is_lost"), [([AGE], False), ([], True)])
def test_group_note_is_named_only_if_unconditionally_read(more: Any, is_lost: bool) -> None:
    condition = ["begin group", "g", "", "", "", "${how} = 'cash'"]
    taken = read(HOW, condition, ["note", "n", "Read this"], *more, ["end group"], YN)
    lost = "Its condition ${how} = 'cash' is left out, so everybody is asked"
    assert (lost in said_of(taken, 4)[1]) == is_lost


def test_disabled_or_invisible_rows_are_left_out() -> None:
    off = ["begin_group", "g", "Not shown", "", "", "", "yes"]
    taken = read([*AGE, "", "", "", "yes"], off, [*HOW, "", "", "", "no"], ["end_group", *[""] * 5, "yes"])
    assert said_of(taken, 2) == (LEFT, "is disabled in the form")
    assert ([*rules(taken)], left_rows(taken)) == (["how"], [2, 3, 5])
    for never in ("false()", " false( ) "):
        outer = ["begin group", "never", "Never", "", "", never]
        inner = ["begin group", "inner", "Inner"]
        ends = ["end group"]
        taken = read(outer, ["note", "n", "Read this"], inner, AGE, ends, ends, HOW)
        assert [*rules(taken)] == ["how"], never
        assert remarks_of(taken).count("is hidden in the survey") == 4
        assert not taken.draft["sections"][0].get("intro")
        taken = read(HOW, [*AGE, "", "", never])
        assert ([*rules(taken)], said_of(taken, 3)) == (["how"], (LEFT, "is hidden in the survey"))


def test_loops_are_left_out_row_by_row() -> None:
    for kind in ("repeat", "loop over ages", "looped group"):
        taken = read(AGE, [f"begin {kind}", "r", "Each child"], [*HOW], [f"end {kind}"])
        assert left_rows(taken)[:2] == [3, 4], kind
        assert "is in a loop" in said_of(taken, 4)[1], kind
        assert [*rules(taken)] == ["age"], kind
    within = [["begin_repeat", "r"], ["begin_group", "g"], AGE, ["end_group"], ["end_repeat"]]
    assert names(*within, HOW) == ["how"]
    assert names(["begin repeat", "never", "", "", "", "false()"], AGE, ["end repeat"], HOW) == ["how"]
    unclosed = read(["begin_group", "g", "Never closed"], AGE, ["begin_repeat", "r", "Nor this"], HOW)
    assert ([*rules(unclosed)], left_rows(unclosed)) == (["age"], [4, 5])


# --- markup, languages, tables


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("**How** old are *you*?", "How old are you?"),
        ("# How old are you?", "How old are you?"),
        ('<span style="color:red">How</span> old&nbsp;are <b>you</b>?', "How old are you?"),
        ("How old<br/>are you?", "How old\nare you?"),
        ("How old, \\*really\\*, __are__ you?", "How old, *really*, are you?"),
        ("See [here](https://example.org)", "See here (https://example.org)"),
        ("![logo](jr://images/a.png) How old?", "logo How old?"),
        ("How old are you?<script>alert(1)</script>", "How old are you?"),
    ],
)
def test_markup_becomes_text_with_a_remark(written: str, text: str) -> None:
    taken = read(["select_one ages", "age", written])
    assert questions_of(taken)[0]["text"] == {"en": text}
    assert said_of(taken, 2) == (CHANGED, "Its markup was turned into plain text.")


def test_plain_text_stays_and_markup_in_choices_becomes_text() -> None:
    for written in ("2 * 3 * 4", "a_b_c", "1 < 2 and 3 > 2", "<name>", "5 % & more", "#7"):
        taken = read(["select_one ages", "age", written])
        assert (questions_of(taken)[0]["text"], said_of(taken, 2)) == ({"en": written}, (CAME, "")), written
    taken = read(AGE, choices=[*CHOICES, ["ages", "x", "<b>Older</b>"]])
    assert questions_of(taken)[0]["choices"][2]["label"] == {"en": "Older"}
    assert taken.lines[-1].location == "sheet choices, row 8"


LANGUAGES = {
    "中文": "zh-hans", "简体中文": "zh-hans", "繁體中文": "zh-hant", "中文 (zh)": "zh-hans", "zh_Hans": "zh-hans",
    "zh-Hans": "zh-hans", "Chinese (zh-Hans)": "zh-hans", "Español": "es", "espanol": "es", "Deutsch": "de",
    "Français": "fr", "French (fr)": "fr", "Русский": "ru", "Português (BR)": "pt-br", "pt_BR": "pt-br",
    "English (UK)": "en", "Kiswahili (swa)": "sw", "Kiswahili": "sw", "Tiếng Việt": "vi", "tlhIngan Hol": "qaa",
    "العربية": "ar",
    "اردو": "ur",
    "हिन्दी": "hi", "မြန်မာ": "my", "ไทย": "th", "አማርኛ": "am",
}  # fmt: skip


def test_languages_are_recognised_by_their_own_names() -> None:
    for name, code in LANGUAGES.items():
        taken = read([*AGE, "…"], header=[*SHORT[:2], "label::English (en)", f"label::{name}"])
        assert taken.draft["languages"] == list(dict.fromkeys(["en", code])), name
    # Alone, in both formats that call it so.
    for written in ("zh-Hans", "中文 (zh-Hans)", "zh_Hans"):
        header, choices = [*SHORT[:2], f"label::{written}"], [[*CHOICES[0][:2], f"label::{written}"], *YES_NO]
        assert read(YN, header=header, choices=choices).draft["languages"] == ["zh-hans"], written
    for written in ("zh-Hans", "zh_Hans"):
        rows = [group("G", language=written), question("q", "L", "对吗？", language=written)]
        rows += answers("对", "不对", language=written)
        table = lime_table(*rows, settings=[row("S", "language", written)])
        assert questionnaire_file.read(table).draft["languages"] == ["zh-hans"], written


LINE = ["select_one ages", "a", "Late"]
BEGIN = ["begin_group", "t", "How often?", "", "table-list"]
TABLE = [BEGIN, LINE, ["select_one ages", "b", "Absent"], ["end_group"]]


def test_table_lists_become_batteries() -> None:
    taken = read(*TABLE)
    late, absent = questions_of(taken)
    assert late["choices"] == absent["choices"]
    assert late["help"] == absent["help"] == {"en": "How often?"}
    outcome, why = said_of(taken, 2)
    assert (outcome, "became a battery" in why) == (CHANGED, True)
    # Lines with other choices are a battery of their own; a question that is no line splits one.
    other, several = ["select_one paid", "c", "Paid"], ["select_multiple paid", "c", "Paid"]
    for rows, expected in (
        (TABLE, ["t", "t"]),
        ([*TABLE[:3], other, ["select_one ages", "d", "Ill"], TABLE[3]], ["t", "t", "t-2", "t-3"]),
        ([*TABLE[:2], several, *TABLE[2:]], ["t", "c", "c", "t-2"]),
        ([TABLE[0], YN, ["select_one yn", "b", "Absent"], TABLE[3]], ["t", "t"]),
    ):
        assert [each["of"] for each in questions_of(read(*rows))] == expected
    # The head of a table written by hand is kept as words.
    head = ["select_one ages", "head", "How often?", "", "label"]
    taken = read(head, [*LINE, "", "list-nolabel"])
    (late,) = questions_of(taken)
    assert (late["name"], late["help"], late["of"]) == ("a", {"en": "How often?"}, "head")
    assert "only the head of a table" in said_of(taken, 2)[1]
    # Tables of Kobo: scores come in, ranks and matrices do not.
    score = [["begin_score", "s", "Rate", "yn"], ["score__row", "r1", "Food"], ["score__row", "r2", "Rooms"]]
    rank = [["begin_rank", "k", "Order"], ["rank__level", "k1", "First"], ["end_rank"]]
    taken = read(*score, ["end_score"], *rank, header=[*SHORT, "kobo--score-choices"])
    assert ([*rules(taken)], left_rows(taken)) == (["r1", "r2"], [6, 7, 8])
    matrix = [["begin_kobomatrix", "m", "Your goods", "ages"], YN, ["end_kobomatrix"]]
    taken = read(*matrix, AGE, header=[*SHORT, "kobo--matrix_list"])
    assert ([*rules(taken)], left_rows(taken)) == (["age"], [2, 3])


# --- names of types, columns and sheets


def test_types_groups_and_columns_of_other_versions_are_recognised() -> None:
    for kinds, made in (
        (("select one from ages", "select1 ages", "q select1 ages", "select_one_ages", "Select_One ages"), "one"),
        (("add select one prompt using ages",), "one"),
        (("select all that apply from ages", "select all that apply ages", "select-multiple ages"), "many"),
        (("add select multiple prompt using ages",), "many"),
    ):  # fmt: skip
        for kind in kinds:
            assert {each["form"] for each in questions_of(read([kind, "age", "Age?"]))} == {made}, kind
    for kind in (
        *("add text prompt", "q string", "q string prompt", "add date prompt"),
        *("q picture", "select_one ${q}"),
    ):
        assert len(said_of(read(AGE, [kind, "q", "Q?"]), 3)[1]) > 40, kind
    assert sections(read(["add note prompt", "n", "Hello"], AGE)) == [({"en": "Hello"}, ["age"])]
    for begin, end in (
        ("Begin Group ", "End Group"),
        ("begingroup", "endgroup"),
        ("begin-group", "end-group"),
        ("begin_group d", "END_GROUP d"),
    ):
        assert sections(read([begin, "a", "Part"], AGE, [end], HOW))[0] == ({"en": "Part"}, ["age"]), begin
    for column in ("bind::relevant", "bind:relevant", "relevance", "Relevant", "skip_logic"):
        taken = read(AGE, [*HOW, "${age} = 'old'"], header=[*SHORT, column])
        assert rules(taken)["how"] == {"age": ["old"]}, column
    choices = [["list name", "value", "caption"], *(row for row in CHOICES[1:])]
    old = workbook(survey=[["command", "tag", "caption"], AGE], **{"choices and columns": choices})
    (age,) = questions_of(xlsform.read(old))
    assert (age["text"], [each["name"] for each in age["choices"]]) == ({"en": AGE[2]}, ["young", "old"])


def test_sheets_are_recognised_by_header_and_cells_may_be_numbers() -> None:
    questions: Lines = [[], [], SHORT, AGE, YN]
    sheets: dict[str, Lines] = {"Readme": [["How to use this"]], "Questions": questions}
    sheets["Answer options"] = [[], *CHOICES, *YES_NO]
    assert [*rules(xlsform.read(workbook(**sheets)))] == ["age", "q"]
    rows: list[list[Any]] = [["select_one ages", 1, 2020], ["select_one yn", 2.5, True]]
    assert names(*rows, ["select_one yn", None, "No name"], header=SHORT) == ["1", "2.5", "q4"]
    taken = read([], ["", "", ""], AGE, [None, None, "Words without a type"], [], YN, header=SHORT)
    assert ([*rules(taken)], left_rows(taken)) == (["age", "q"], [5])
    # Of two columns of one name the second is read where the first is empty.
    taken = read([*AGE, "Second"], [*YN[:2], "", "Only here"], header=[*SHORT, "label"])
    assert [each["text"]["en"] for each in questions_of(taken)] == ["How old are you?", "Only here"]
    assert said_of(taken, 1)[0] == LEFT
    # Pictures alone are no words.
    header = [*SHORT, "media::image", "media::audio::English (en)"]
    taken = read(AGE, [*YN[:2], "", "q.png", "q.mp3"], ["note", "n", "", "logo.png"], header=header)
    assert ([*rules(taken)], left_rows(taken)) == (["age", "q"], [4])


def _with_columns_of_notes(lines: Lines) -> Lines:
    """With columns of notes before and behind."""
    width = len(max(lines, key=len))
    return [
        ["my notes" if line else "", *line, *([""] * (width - len(line))), "x" if line else ""]
        for line in lines
    ]


def _with_upper_case_cells(lines: Lines) -> Lines:
    head, *below = lines
    return [[str(cell).upper() if cell and "::" not in str(cell) else cell for cell in head], *below]


def _with_spaces(lines: Lines) -> Lines:
    return [[f" {cell} " if isinstance(cell, str) and cell else cell for cell in line] for line in lines]


def _with_empty_rows(lines: Lines) -> Lines:
    """With an empty row behind each row."""
    return [each for line in lines for each in (line, [])]


def _with_columns_reversed(lines: Lines) -> Lines:
    """With its columns in the opposite order."""
    width = len(max(lines, key=len))
    return [[*([""] * (width - len(line))), *reversed(list(line))] for line in lines]


@pytest.mark.parametrize(
    "change",
    [_with_columns_of_notes, _with_upper_case_cells, _with_spaces, _with_empty_rows, _with_columns_reversed],
)
def test_other_layouts_of_a_form_lose_nothing(change: Callable[[Lines], Lines]) -> None:
    for name, sheets in XLSFORMS.items():
        if name in ("external", "cascade"):  # their cells name columns
            continue
        usual = xlsform.read(workbook(**sheets))
        taken = xlsform.read(workbook(**{key: change(lines) for key, lines in sheets.items()}))
        assert rules(taken) == rules(usual), name
        if change in (_with_columns_of_notes, _with_upper_case_cells):
            assert taken.draft == usual.draft, name


# --- lists of choices


def test_incomplete_choices_are_imported_with_a_remark() -> None:
    for listed, form_, expected in (
        ([["yn", "yes", "Yes"], ["yn", "no", "No"]], "one", ["yes", "no"]),
        ([["yn", "no", "No"], ["yn", "yes", "Yes"]], "yes-no", ["no", "yes"]),
        ([["yn", "yes", ""], ["yn", "no", ""]], "yes-no", ["no", "yes"]),
    ):
        (made,) = questions_of(read(YN, choices=[CHOICES[0], *listed]))
        assert (made["form"], [each["name"] for each in made["choices"]]) == (form_, expected)
    for choice, called, remark in (
        (["ages", "old", "70 or older"], "old-2", "It is called old-2 here."),
        (["ages", "", "Nameless"], "Nameless", "It has no name in the form."),
        (["ages", "x", ""], "x", "It has no words in the form: write them in the draft."),
    ):
        data = form(AGE, choices=[*CHOICES, choice])
        assert changes_of(data) == [f"sheet choices, row 8: {remark}"]
        third = questions_of(xlsform.read(data))[0]["choices"][2]
        assert (third["name"], third["label"].get("en", "")) == (called, choice[2])
    taken = read(["select_one ages or_other", "age", "Age?"], AGE)
    assert [*rules(taken)] == ["age", "age-2"]
    assert questions_of(taken)[0]["choices"][-1] == {"name": "other", "label": {"en": "Something else"}}
    assert "became a choice" in said_of(taken, 2)[1]
    assert names(["select_multiple ages or_other", "b", "B?"]) == ["b-young", "b-old", "b-other"]
    lookup = ["select_one wards", "ward", "Ward?", "minimal search('wards')"]
    computed = ["calculate", "c", "", "", "pulldata('wards', ${ward})"]
    alone = ["select_one one", "only", "Choice?"]
    choices = [*CHOICES, ["wards", "id", "name"], ["one", "a", "The only one"]]
    taken = read(lookup, computed, alone, header=[*SHORT, "appearance", "calculation"], choices=choices)
    reasons = ("another file or sheet", "computed from other answers", "fewer than two")
    for number, reason in enumerate(reasons, 2):
        assert reason in said_of(taken, number)[1]
    assert [*rules(taken)] == ["only"]


def test_exclusive_choice_becomes_none_unless_a_condition_names_it() -> None:
    choices = [*CHOICES, *YES_NO, *(["ill", name, name] for name in ("flu", "cold", "none"))]
    alone = "not(selected(., 'none') and count-selected(.) > 1)"
    more = "count-selected(.)=1 or not(selected(., 'none'))"
    constraints = {"ill": alone, "had": more, "two": "count-selected(.) <= 2", "now": alone}
    rows = [["select_multiple ill", name, name, constraint] for name, constraint in constraints.items()]
    last = [*YN, "", "selected(${now}, 'none')"]
    taken = read(*rows, last, header=[*SHORT, "constraint", "relevant"], choices=choices)
    nones = [{"en": "none"}, None] * 2
    assert [each.get("none") for each in questions_of(taken)] == [*nones, *[None] * 7]
    assert rules(taken)["q"] == {"now-none": ["yes"]}
    assert said_of(taken, 2)[1] == ""
    assert "The cell constraint is left out" in said_of(taken, 4)[1]


TOWNS = [
    ["list_name", "name", "label", "region"],
    *(["region", name, name] for name in "nsw"),
    *(["town", str(n % 2), f"Town {n}", "nnss"[n]] for n in range(4)),
    *(["town", "9", "Other", region] for region in "ns"),
    ["town", "7", "Alone", "w"],
]
REGION = ["select_one region", "region", "Region?"]


def read_with_filters(*rows: list[str], choices: Lines = TOWNS) -> ImportResult:
    return read(*rows, header=[*SHORT, "choice_filter", "relevant", "default", "parameters"], choices=choices)


def test_cascading_list_becomes_a_question_for_each_answer() -> None:
    town = ["select_one town", "town", "Town?", "region=${region}"]
    seen = ["select_multiple town", "seen", "Seen?", "${region} = region", "${town} = '7'"]
    below = ["select_one region", "a", "A?", "", "${town} = '1'"]
    taken = read_with_filters(
        REGION, town, seen, below, [*REGION[:1], "b", "B?", "", "selected(${seen}, '1')"]
    )
    made = rules(taken)
    assert (made["town-n"], made["seen-n-1"]) == ({"region": ["n"]}, {"region": ["n"]})
    # Several choices are called 1, each of another question.
    assert (made["a"], made["b"]) == ({}, {})
    assert remarks_of(taken).count("joins different questions by or") == 2
    assert remarks_of(taken).count("it became 2 questions") == 2
    # A condition on a choice of one of these questions names that question.
    towns = [*TOWNS[:4], *([*row[:1], f"{row[3]}{row[1]}", *row[2:]] for row in TOWNS[4:8])]
    of_south = [*below[:4], "${town} = 's1'"]
    assert rules(read_with_filters(REGION, town, of_south, choices=towns))["a"] == {"town-s": ["s1"]}
    # A filter that no rule can say offers all choices once, of which two are called 1 in the file.
    taken = read_with_filters(REGION, [*town[:3], "region=${region} or true()"], below)
    offered = questions_of(taken)[1]["choices"]
    every = [*(f"Town {n}" for n in range(4)), "Other", "Alone"]
    assert [each["label"]["en"] for each in offered] == every
    assert "cell choice_filter is left out" in remarks_of(taken)
    assert rules(taken)["a"] == {"town": [offered[1]["name"], offered[3]["name"]]}


def test_row_settings_are_named_at_their_rows() -> None:
    twice = read_with_filters(REGION, REGION, [*REGION[:1], "a", "A?", "", "${region} = 'n'"])
    assert rules(twice)["a"] == {}
    assert "several questions are called that" in remarks_of(twice)
    for default in ("no", "0"):
        assert "cell default is left out" in remarks_of(read_with_filters([*REGION, "", "", default]))
    assert questions_of(read_with_filters([*REGION, "", "", "", "randomize=true seed=3"]))[0]["shuffled"] == 3
    likert = [["select_one likert", "q", "Q?", "likert", "randomize=true"]]
    choices = [CHOICES[0], *(["likert", str(n), str(n)] for n in range(3))]
    taken = read(*likert, header=[*SHORT, "appearance", "parameters"], choices=choices)
    assert "Its random order is left out" in said_of(taken, 2)[1]


def test_repeated_remark_is_counted_but_lost_conditions_are_named_each() -> None:
    rows = [["select_one ages", f"q{n}", f"<b>Q{n}?</b>"] for n in range(MOST_REPEATED + 1)]
    taken = read(*rows)
    assert "Of 10 rows marked as changed: Its markup was turned into plain text." in taken.remarks
    assert "markup" not in remarks_of(taken)
    assert all(line.outcome == CHANGED for line in taken.lines if line.questions)
    assert remarks_of(read(*rows[1:])).count("markup") == MOST_REPEATED
    rows = [["select_one ages", f"q{n}", "Q?", "", "", "${x} > 1"] for n in range(MOST_REPEATED + 2)]
    assert remarks_of(read(*rows)).count("Its condition ${x} > 1 is left out") == len(rows)


def test_labels_of_all_real_forms_are_imported() -> None:
    data = wild_form(
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
    taken = xlsform.read(data)
    labels = ["Welcome", "Be honest.", "How old are you?", "How often?", "Late", "Absent"]
    labels += ["18 to 39", "40 or older", "How paid, …?", "In cash", "In goods"]
    assert [label for label in labels if label not in str(taken.draft)] == []
    rows = [remark.split(":")[0] for remark in items_left_out(data)]
    assert rows == [f"sheet survey, row {row}" for row in (2, 6, 12, 13)]
    assert "its condition ${c} > 2 is left out" in said_of(taken, 15)[1].lower()
