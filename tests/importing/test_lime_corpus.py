"""Whole surveys of LimeSurvey: every label arrives or its loss is named."""

from typing import Any, NamedTuple

import pytest

from importing import questionnaire_file
from importing.import_result import LEFT, ImportResult
from tests.importing.lime_files import HEADER, answers, document, group, parts, question, row, table

MORE = (*HEADER, "other_replace_text", "suffix", "array_filter", "random_order", "exclude_all_others")


class WildSurvey(NamedTuple):
    """`left`: the codes of the questions that do not come in; `remarks`: pieces of what is said of others."""

    data: bytes
    asked: list[str]
    labels: list[str]
    left: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


TWO_LANGUAGES = [
    row("S", "language", "en"),
    row("S", "additional_languages", "de-informal xx-yy tlhIngan"),
    row("SL", "surveyls_title", "Work"),
    row("SL", "surveyls_title", "Arbeit", language="de-informal"),
    row("SL", "surveyls_title", "vum", language="tlhIngan"),
]
SURVEYS = {
    "all plain kinds, tsv": WildSurvey(
        table(
            group("Part A", "<b>About</b> work"),
            question("gender", "G", "Your gender?"),
            question("sure", "Y", "Are you sure?"),
            question("five", "5", "From 1 to 5?"),
            question("list", "!", "Which one?", other="Y", other_replace_text="Another one"),
            *answers("One", "Two"),
            question("many", "M", "Which of these?", other="Y", exclude_all_others="SQ2"),
            *parts("First", "None of them"),
            question("note", "X", "Half of it is done."),
            question("arr", "F", "How often?", random_order="1"),
            *parts("Late", "Absent"),
            *answers("Never", "Often"),
            header=MORE,
        ),
        ["gender", "sure", "five", "list", "many-SQ1", "many-other", "arr-SQ1", "arr-SQ2"],
        ["About work", "Your gender?", "Another one", "None of them", "Half of it is done.", "Late", "Often"],
        (),
        ("left out: random_order.",),
    ),
    "what cannot be asked, tsv": WildSurvey(
        table(
            group("Part B"),
            question("name", "S", "Your name?"),
            question("text", "T", "Tell us more"),
            question("when", "D", "When?"),
            question("rank", "R", "Order them"),
            *answers("Tea", "Coffee"),
            question("dual", "1", "Two scales"),
            *parts("Row"),
            question("nums", "K", "Several numbers"),
            question("file", "|", "Upload"),
            question("calc", "*", "{Q1 + 1}"),
            question("secret", "Y", "Hidden?", hidden="1"),
            question("income", "N", "Income?", min_num_value_n="0", max_num_value_n="9", suffix="euros"),
            question("age", "N", "Age, without ends?"),
            header=MORE,
        ),
        ["income", "age"],
        ["Part B", "Income?", "euros"],
        ("name", "text", "when", "rank", "dual", "nums", "file", "calc", "secret"),
    ),
    "languages, tsv": WildSurvey(
        table(
            group("Work"),
            question("q", "L", "How old?"),
            *answers("Young", "Old"),
            group("Arbeit", language="de-informal"),
            question("q", "L", "Wie alt?", language="de-informal"),
            *answers("Jung", "Alt", language="de-informal"),
            group("vum", language="tlhIngan"),
            question("q", "L", "nuq ben?", language="tlhIngan"),
            *answers("Qup", "qan", language="tlhIngan"),
            settings=TWO_LANGUAGES,
        ),
        ["q"],
        ["How old?", "Wie alt?", "nuq ben?", "Young", "Jung", "Qup", "qan", "Arbeit", "vum"],
        (),
        ("tlhIngan: qaa",),
    ),
    "conditions, tsv": WildSurvey(
        table(
            group("Late people", relevance='q.NAOK == "A1"'),
            question("q", "L", "How old?"),
            *answers("Young", "Old"),
            question("r", "Y", "Really?", relevance='q.NAOK == "A2"'),
            question("s", "Y", "How long, {q.shown}?", relevance="sum(q) > 3"),
            question("t", "M", "Which?", array_filter="q"),
            row("SQ", "SQ1", "Some only", scale="0", relevance='r == "Y"'),
            header=MORE,
        ),
        ["q", "r", "s", "t-SQ1"],
        ["Late people", "How long, …?", "Some only"],
        (),
        ("sum(q) > 3", "left out: array_filter.", "conditions of its rows", "inserts something"),
    ),
    "tables and attributes, lss": WildSurvey(
        document(
            {
                "groups": [{"gid": "1", "group_name": "<h2>Part</h2>", "description": "Read &amp; answer"}],
                "questions": [
                    {"qid": "2", "gid": "1", "type": "H", "title": "arr", "question": "How often?"},
                    {"qid": "3", "gid": "1", "type": "L", "title": "one", "question": "Which?", "other": "Y"},
                    {"qid": "6", "gid": "1", "type": "S", "title": "free", "question": "Say more"},
                ],
                "subquestions": [
                    {"qid": "4", "parent_qid": "2", "title": "a", "question": "Late", "relevance": "x"},
                    {"qid": "5", "parent_qid": "2", "title": "b", "question": "Absent", "relevance": "1"},
                ],
                "answers": [
                    {"qid": "2", "code": "n", "answer": "Never", "sortorder": "1"},
                    {"qid": "2", "code": "o", "answer": "Often", "sortorder": "2"},
                    {"qid": "3", "code": "x", "answer": "This", "sortorder": "1"},
                ],
                "question_attributes": [
                    {"qid": "3", "attribute": "other_replace_text", "value": "That", "language": "en"},
                    {"qid": "2", "attribute": "array_filter", "value": "one"},
                ],
            }
        ),
        ["arr-a", "arr-b", "one"],
        ["Part", "Read & answer", "Late", "Never", "This", "That"],
        ("free",),
        ("left out: array_filter.", "conditions of its rows"),
    ),
    "numbers, lss": WildSurvey(
        document(
            {
                "groups": [{"gid": "1", "group_name": "Numbers"}],
                "questions": [
                    {"qid": "2", "gid": "1", "type": "N", "title": "n", "question": "How many?"},
                    {"qid": "3", "gid": "1", "type": "N", "title": "m", "question": "How many more?"},
                    {"qid": "4", "gid": "1", "type": "X", "title": "bye", "question": "Thank you"},
                ],
                "question_attributes": [
                    {"qid": "2", "attribute": "min_num_value_n", "value": "0"},
                    {"qid": "2", "attribute": "max_num_value_n", "value": "8"},
                    {"qid": "2", "attribute": "suffix", "value": "days", "language": "en"},
                    {"qid": "2", "attribute": "prefix", "value": "about", "language": "en"},
                ],
            }
        ),
        ["n", "m"],
        ["Numbers", "How many?", "days", "Thank you"],
        (),
        ("left out: prefix.",),
    ),
}
EACH = pytest.mark.parametrize("name", SURVEYS)


def read(name: str) -> ImportResult:
    return questionnaire_file.read(SURVEYS[name].data)


@EACH
def test_what_can_be_asked_comes_in_and_the_rest_is_named(name: str) -> None:
    survey, taken = SURVEYS[name], read(name)
    asked: list[dict[str, Any]] = [
        each for section in taken.draft["sections"] for each in section["questions"]
    ]
    assert [each["name"] for each in asked] == survey.asked
    lost = [line for line in taken.lines if line.outcome == LEFT]
    assert (len(lost), all(line.remarks and line.words for line in lost)) == (len(survey.left), True)


@EACH
def test_every_label_arrives_and_every_change_is_said(name: str) -> None:
    survey, taken = SURVEYS[name], read(name)
    assert [label for label in survey.labels if label not in str(taken.draft)] == []
    said = " ".join([*taken.remarks, *(remark for line in taken.lines for remark in line.remarks)])
    assert [remark for remark in survey.remarks if remark not in said] == []
