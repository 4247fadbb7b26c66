"""What changes who is asked what, in which order or within which limits, comes in or has a row that says so."""

from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_log import MOST_REPEATED
from importing.import_result import ImportResult
from tests.importing import lime_files, test_redcap, test_surveyjs, test_xlsform_csv
from tests.importing.lime_files import answers, group, parts, question, table
from tests.importing.sheets import form

AGES = ["list_name", "name", "label", "region"]
TOWNS = [
    AGES,
    *(["region", name, name] for name in ("n", "s", "w")),
    *(["town", str(n % 2), f"Town {n}", "nnss"[n]] for n in range(4)),
    ["town", "9", "Other", "n"],
    ["town", "9", "Other", "s"],
    ["town", "7", "Alone", "w"],
]
HEADER = ["type", "name", "label", "choice_filter", "relevant", "default", "parameters"]
REGION = ["select_one region", "region", "Region?"]


def xlsform(*rows: list[str]) -> ImportResult:
    return questionnaire_file.read(form(*rows, header=HEADER, choices=TOWNS))


def questions_in(taken: ImportResult) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for section in taken.draft["sections"] for each in section["questions"]}


def rules(taken: ImportResult) -> dict[str, Any]:
    return {name: each.get("show_if", {}) for name, each in questions_in(taken).items()}


def said(taken: ImportResult) -> str:
    return " ".join(f"{line.location}: {remark}" for line in taken.lines for remark in line.remarks)


# --- cascading lists


def test_a_list_that_depends_on_an_answer_becomes_a_question_for_each_of_them() -> None:
    taken = xlsform(
        REGION,
        ["select_one town", "town", "Town?", "region=${region}"],
        ["select_multiple town", "seen", "Seen?", "${region} = region", "${town} = '7'"],
        [*REGION[:1], "a", "A?", "", "${town} = '1'"],
        [*REGION[:1], "b", "B?", "", "selected(${seen}, '1')"],
    )
    made = questions_in(taken)
    assert [each["label"]["en"] for each in made["town-n"]["choices"]] == ["Town 0", "Town 1", "Other"]
    assert [each["label"]["en"] for each in made["town-s"]["choices"]] == ["Town 2", "Town 3", "Other"]
    assert made["seen-n-1"]["show_if"] == {"region": ["n"]}
    # Several choices are called 1, each of another question.
    assert (rules(taken)["a"], rules(taken)["b"]) == ({}, {})
    assert said(taken).count("joins different questions by or") == 2
    assert said(taken).count("it became 2 questions") == 2


def test_a_condition_on_a_choice_of_one_of_these_questions_names_that_question() -> None:
    towns = [*TOWNS[:4], *([*row[:1], f"{row[3]}{row[1]}", *row[2:]] for row in TOWNS[4:8])]
    asked = ["select_one town", "town", "Town?", "region=${region}"]
    below = [*REGION[:1], "a", "A?", "", "${town} = 's1'"]
    taken = questionnaire_file.read(form(REGION, asked, below, header=HEADER, choices=towns))
    assert rules(taken)["a"] == {"town-s": ["s1"]}


def test_a_filter_that_no_rule_can_say_offers_all_choices_once_and_is_named() -> None:
    taken = xlsform(
        REGION,
        ["select_one town", "town", "Town?", "region=${region} or true()"],
        [*REGION[:1], "a", "A?", "", "${town} = '1'"],
    )
    offered = questions_in(taken)["town"]["choices"]
    assert [each["label"]["en"] for each in offered] == [
        *("Town 0", "Town 1", "Town 2", "Town 3", "Other", "Alone"),
    ]
    assert "cell choice_filter is left out" in said(taken)
    # Town 1 and Town 3 are both called 1 in the file.
    assert rules(taken)["a"] == {"town": [offered[1]["name"], offered[3]["name"]]}


def test_a_question_that_nobody_is_shown_is_left_out() -> None:
    taken = xlsform(REGION, [*REGION[:1], "a", "A?", "", " false( )"])
    assert list(rules(taken)) == ["region"]
    assert "sheet survey, row 3: is hidden in the survey" in said(taken)


def test_two_questions_of_one_name_have_no_condition() -> None:
    taken = xlsform(REGION, REGION, [*REGION[:1], "a", "A?", "", "${region} = 'n'"])
    assert rules(taken)["a"] == {}
    assert "several questions are called that" in said(taken)


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        (["", "", "no"], "cell default is left out"),
        (["", "", "0"], "cell default is left out"),
        (["", "", "", "randomize=true seed=3"], ""),
    ],
)
def test_defaults_are_named_and_random_order_stays(cells: list[str], named: str) -> None:
    taken = xlsform([*REGION, *cells])
    assert named in said(taken)
    assert bool(questions_in(taken)["region"].get("shuffled")) is (not named)


def test_random_order_that_answers_cannot_have_is_named_at_its_row() -> None:
    rows = [["select_one likert", "q", "Q?", "likert", "randomize=true"]]
    choices = [["list_name", "name", "label"], *(["likert", str(n), str(n)] for n in range(3))]
    header = ["type", "name", "label", "appearance", "parameters"]
    taken = questionnaire_file.read(form(*rows, header=header, choices=choices))
    assert "sheet survey, row 2: Its random order is left out" in said(taken)


# --- the other formats


def test_defaults_patterns_and_random_groups_of_limesurvey_are_named() -> None:
    header = (*lime_files.HEADER, "random_group", "default")
    tsv = table(
        group("G", random_group="1"),
        question("a", "L", "A?", default="A1", validation="/x/"),
        *answers("x", "y"),
        question("b", "M", "B?"),
        *({**each, "default": "Y"} for each in parts("x", "y")),
        header=header,
    )
    lss = lime_files.document(
        {
            "groups": [{"gid": "1", "group_name": "G", "randomization_group": "r"}],
            "questions": [
                {"qid": "1", "gid": "1", "type": "Y", "title": "a", "question": "A?", "preg": "/x/"}
            ],
            "defaultvalues": [{"qid": "1", "defaultvalue": "Y"}],
        }
    )
    for data, names in (
        (tsv, ("random_group", "default, validation")),
        (lss, ("randomization_group", "default, preg")),
    ):
        taken = questionnaire_file.read(data)
        assert all(name in said(taken) for name in names)
    assert said(questionnaire_file.read(tsv)).count("left out: default") == 2


def test_conditions_in_the_table_of_old_versions_become_rules() -> None:
    conditions = [
        {"qid": "2", "scenario": "1", "cfieldname": "9X1X1", "method": "==", "value": "Y"},
        {"qid": "3", "scenario": "1", "cfieldname": "9X1X1", "method": "RX", "value": "Y"},
    ]
    asked = [
        {"qid": n, "gid": "1", "type": "Y", "title": f"q{n}", "question": "Q?", "question_order": n}
        for n in "123"
    ]
    tables = {"surveys": [{"sid": "9"}], "groups": [{"gid": "1", "group_name": "G"}]}
    taken = questionnaire_file.read(
        lime_files.document({**tables, "questions": asked, "conditions": conditions})
    )
    assert rules(taken) == {"q1": {}, "q2": {"q1": ["yes"]}, "q3": {}}
    assert "question q3: Its condition" in said(taken)


def test_settings_of_surveyjs_and_redcap_that_limit_answers_are_named() -> None:
    limited = test_surveyjs.element("a", requiredIf="{b} = 1", choicesOrder="desc")
    taken = questionnaire_file.read(test_surveyjs.survey(limited))
    assert "left out: requiredIf, choicesOrder" in said(taken)
    rows = [test_redcap.field(name, matrix="m") for name in ("a", "b")]
    ranked = test_redcap.dictionary(*rows).replace(b"Matrix Group Name", b"Matrix Group Name,Matrix Ranking?")
    assert "Matrix Ranking?" in said(questionnaire_file.read(ranked.replace(b",m,", b",m,y,")))


# --- remarks that repeat, languages


def test_a_remark_of_many_rows_is_said_once_with_their_number() -> None:
    rows = [["select_one region", f"q{n}", f"<b>Q{n}?</b>"] for n in range(MOST_REPEATED + 1)]
    taken = xlsform(*rows)
    assert "Of 10 rows marked as changed: Its markup was turned into plain text." in taken.remarks
    assert "markup" not in said(taken)
    assert all(line.outcome == "changed" for line in taken.lines if line.questions)
    assert said(xlsform(*rows[1:])).count("markup") == MOST_REPEATED


def test_a_lost_condition_stays_at_each_of_its_rows() -> None:
    rows = [["select_one region", f"q{n}", "Q?", "", "${x} > 1"] for n in range(MOST_REPEATED + 2)]
    assert said(xlsform(*rows)).count("Its condition ${x} > 1 is left out") == len(rows)


@pytest.mark.parametrize("written", ["zh-Hans", "Chinese (zh-Hans)", "中文 (zh-Hans)", "zh_Hans"])
def test_simplified_chinese_is_known_by_its_code(written: str) -> None:
    header = ["type", "name", f"label::{written}"]
    choices = [["list_name", "name", f"label::{written}"], ["yn", "a", "对"], ["yn", "b", "不对"]]
    taken = questionnaire_file.read(form(["select_one yn", "q", "对吗？"], header=header, choices=choices))
    assert taken.draft["languages"] == ["zh-hans"]
    lime = question("q", "L", "对吗？", language=written), *answers("对", "不对", language=written)
    settings = [lime_files.row("S", "language", written)]
    if " " not in written:
        taken = questionnaire_file.read(table(group("G", language=written), *lime, settings=settings))
        assert taken.draft["languages"] == ["zh-hans"]


# --- what nobody is asked, and words between questions


@pytest.mark.parametrize("condition", ["false()", " false() "])
def test_a_group_shown_to_nobody_is_left_out_with_its_questions(condition: str) -> None:
    taken = xlsform(
        ["begin group", "never", "Never", "", condition],
        ["note", "words", "Read this"],
        ["begin group", "inner", "Inner"],
        [*REGION],
        ["end group"],
        ["end group"],
        ["select_one region", "other", "Where else?"],
    )
    assert list(questions_in(taken)) == ["other"]
    assert said(taken).count("is hidden in the survey") == 4
    assert not taken.draft["sections"][0].get("intro")


def test_a_loop_shown_to_nobody_is_still_a_loop() -> None:
    taken = xlsform(
        ["begin repeat", "never", "Never", "", "false()"],
        [*REGION],
        ["end repeat"],
        ["select_one region", "other", "Where else?"],
    )
    assert list(questions_in(taken)) == ["other"]


NOTE = ["note", "words", "Read this"]
LOST = "Its condition ${region} = 'n' is left out, so everybody is asked"


@pytest.mark.parametrize(
    ("inside", "is_lost"), [([NOTE, ["select_one region", "a", "Ay?"]], False), ([NOTE], True)]
)
def test_a_note_is_named_only_if_people_without_its_condition_read_it(
    inside: list[list[str]], is_lost: bool
) -> None:
    group_of = [["begin group", "g", "", "", "${region} = 'n'"], *inside, ["end group"]]
    taken = xlsform([*REGION], *group_of, ["select_one region", "b", "Bee?"])
    assert (f"row 4: {LOST}" in said(taken)) == is_lost


def test_a_note_of_limesurvey_in_a_group_with_a_condition_is_named() -> None:
    taken = questionnaire_file.read(
        table(
            group("G"),
            question("a", "Y", "Ay?"),
            group("H", scale="G2", relevance='a == "Y"'),
            question("words", "X", "Read this"),
            group("I", scale="G3"),
            question("b", "Y", "Bee?"),
        )
    )
    assert 'Its condition a == "Y" is left out, so everybody is asked' in said(taken)


def test_groups_and_questions_of_limesurvey_with_relevance_0_are_left_out() -> None:
    taken = questionnaire_file.read(
        table(
            group("G"),
            question("a", "Y", "Ay?"),
            question("off", "Y", "Off?", relevance="0"),
            group("Never", "Words", scale="G2", relevance="0"),
            question("b", "Y", "Bee?"),
        )
    )
    assert list(questions_in(taken)) == ["a"]
    assert said(taken).count("is hidden in the survey") == 3


def test_a_condition_may_name_the_answer_in_ones_own_words() -> None:
    asked = question("a", "L", "Ay?", other="Y")
    taken = questionnaire_file.read(
        table(group("G"), asked, *answers("x"), question("b", "Y", "Bee?", relevance='a == "-oth-"'))
    )
    assert rules(taken)["b"] == {"a": ["other"]}


def test_a_form_of_words_alone_is_refused() -> None:
    with pytest.raises(FileRefused, match="has no questions"):
        xlsform(NOTE)


@pytest.mark.parametrize("separator", ";\t")
def test_a_table_is_read_by_what_separates_its_cells(separator: str) -> None:
    text = test_xlsform_csv.form(
        separator=separator, survey=test_xlsform_csv.SURVEY, choices=test_xlsform_csv.CHOICES
    )
    named = text.replace(f"{separator}{separator}\n", "\n")
    assert list(questions_in(questionnaire_file.read(named.encode()))) == ["ok", "age"]


def test_lines_may_end_as_excel_for_mac_ends_them() -> None:
    data = test_redcap.dictionary(test_redcap.field("a"), test_redcap.field("b"))
    assert questionnaire_file.read(
        data.replace(b"\r\n", b"\n").replace(b"\n", b"\r")
    ) == questionnaire_file.read(data)


def test_an_answer_whose_code_another_has_is_named() -> None:
    taken = questionnaire_file.read(
        test_redcap.dictionary(test_redcap.field("a", choices="1, One | 1, Twice | 2, Two"))
    )
    assert "“Twice” is left out: its code 1 is that of another answer." in said(taken)
