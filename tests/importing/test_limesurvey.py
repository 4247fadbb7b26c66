"""Surveys of LimeSurvey, as a table and as XML, and what becomes of each question."""

from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_result import CAME, CHANGED, LEFT, ImportResult
from importing.limesurvey.question_types import KINDS, REFUSAL_REASONS
from tests.importing.lime_files import HEADER, answers, document, group, parts, question, row, table

AGE = [question("Q1", "L", "How old are you?"), *answers("18 to 39", "40 or older")]
PAID = [question("Q2", "M", "How are you paid?"), *parts("In cash", "In goods")]


def read(*rows: Any, **more: Any) -> ImportResult:
    return questionnaire_file.read(table(group("Work"), *rows, **more))


def asked(taken: ImportResult) -> list[dict[str, Any]]:
    return [question for section in taken.draft["sections"] for question in section["questions"]]


def labels(question: dict[str, Any]) -> list[str]:
    return [choice["label"].get("en", choice["name"]) for choice in question["choices"]]


def outcome(taken: ImportResult, words: str) -> tuple[str, str]:
    (line,) = (line for line in taken.lines if line.words == words)
    return line.outcome, " ".join(line.remarks)


# --- types of question


@pytest.mark.parametrize("kind", ["L", "!", "O"])
def test_a_list_becomes_one_of_several(kind: str) -> None:
    taken = read(question("Q1", kind, "How old?"), *answers("18 to 39", "40 or older"))
    (age,) = asked(taken)
    assert (age["name"], age["form"], age["text"]) == ("Q1", "one", {"en": "How old?"})
    assert [choice["name"] for choice in age["choices"]] == ["A1", "A2"]
    assert labels(age) == ["18 to 39", "40 or older"]
    said = outcome(taken, "How old?")
    assert ("comment is left out" in said[1], said[0]) == ((True, CHANGED) if kind == "O" else (False, CAME))


@pytest.mark.parametrize(
    ("kind", "form", "expected"),
    [
        ("5", "scale", ["1", "2", "3", "4", "5"]),
        ("Y", "yes-no", ["no", "yes"]),
        ("G", "one", ["Female", "Male"]),
    ],
)
def test_types_with_answers_of_their_own(kind: str, form: str, expected: list[str]) -> None:
    (made,) = asked(read(question("Q1", kind, "Well?")))
    assert (made["form"], labels(made)) == (form, expected)


TABLES = {
    "A": ["1", "2", "3", "4", "5"],
    "B": [str(number) for number in range(1, 11)],
    "C": ["Yes", "Uncertain", "No"],
    "E": ["Increase", "Same", "Decrease"],
    "F": ["Never", "Often"],
    "H": ["Never", "Often"],
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_becomes_questions_that_share_their_choices(kind: str) -> None:
    rows = [question("Q1", kind, "How often?", help="Last month."), *parts("Late", "Absent")]
    taken = read(*rows, *answers("Never", "Often"))
    late, absent = asked(taken)
    assert [late["name"], absent["name"]] == ["Q1-SQ1", "Q1-SQ2"]
    assert [late["text"], absent["text"]] == [{"en": "Late"}, {"en": "Absent"}]
    assert late["choices"] == absent["choices"]
    assert labels(late) == TABLES[kind]
    assert absent["help"] == late["help"] == {"en": "How often?\n\nLast month."}
    assert (late["of"], absent["of"]) == ("Q1", "Q1")
    assert "became a battery" in outcome(taken, "How often?")[1]


def test_each_group_with_words_begins_a_section() -> None:
    rows = [group("Work"), *AGE, group("Pay", scale="G2"), *PAID]
    found = questionnaire_file.read(table(*rows)).draft["sections"]
    assert [each["intro"] for each in found] == [{"en": "Work"}, {"en": "Pay"}]


@pytest.mark.parametrize("kind", ["M", "P"])
def test_several_of_many_become_questions_of_yes_and_no(kind: str) -> None:
    taken = read(question("Q2", kind, "How paid?"), *parts("In cash", "In goods"))
    assert [(each["name"], each["form"], each["of"]) for each in asked(taken)] == [
        ("Q2-SQ1", "many", "Q2"),
        ("Q2-SQ2", "many", "Q2"),
    ]
    assert labels(asked(taken)[0]) == ["no", "In cash"]
    assert ("comment" in outcome(taken, "How paid?")[1]) == (kind == "P")


def test_a_number_with_ends_becomes_a_number_in_bands() -> None:
    taken = read(question("Q1", "N", "Income?", min_num_value_n="0", max_num_value_n="100"))
    (section,) = taken.draft["sections"]
    assert (section["kind"], section["questions"][0]["number"]["limits"]) == ("plain", [20, 40, 60, 80])
    assert outcome(taken, "Income?") == (CHANGED, "It is recorded in bands, which are only proposed.")
    assert [line.unmarked for line in taken.lines if line.questions] == [True]


def test_a_number_whose_end_is_no_number_is_left_out() -> None:
    ends = {"min_num_value_n": "0", "max_num_value_n": "{x}"}
    assert outcome(read(*AGE, question("Q2", "N", "Income?", **ends)), "Income?")[0] == LEFT


@pytest.mark.parametrize(
    ("ends", "asked"),
    [({}, (None, None)), ({"min_num_value_n": "0"}, (0, None)), ({"max_num_value_n": "9"}, (None, 9))],
)
def test_the_ends_that_the_file_lacks_are_asked(ends: dict[str, str], asked: tuple[int | None, ...]) -> None:
    taken = read(question("Q2", "N", "Income?", **ends))
    assert [line.asks for line in taken.lines if line.questions == ("Q2",)] == [asked]
    assert "without them this question is left out" in outcome(taken, "Income?")[1]


@pytest.mark.parametrize("kind", [*REFUSAL_REASONS, "?"])
def test_a_type_that_cannot_be_asked_is_left_out_with_the_reason(kind: str) -> None:
    said = outcome(read(*AGE, question("Q2", kind, "Why?")), "Why?")
    assert said[0] == LEFT
    assert len(said[1]) > 20


def test_questions_words_and_ticks_of_limesurvey_come_in() -> None:
    # Every type is known once.
    assert set(KINDS) & set(REFUSAL_REASONS) == set()
    # An answer in ones own words becomes a choice.
    taken = read(question("Q1", "L", "How old?", other="Y"), *answers("18 to 39"))
    assert labels(asked(taken)[0]) == ["18 to 39", "Something else"]
    assert "became a choice" in outcome(taken, "How old?")[1]
    # Words of groups and displays are the text of the section that they begin.
    taken = questionnaire_file.read(
        table(group("Work", "<p>About <b>work</b></p>"), question("X1", "X", "Read this."), *AGE)
    )
    assert taken.draft["sections"][0]["intro"] == {"en": "Work\n\nAbout work\n\nRead this."}
    assert asked(taken)[0]["help"] == {}
    assert "markup" in outcome(taken, "Work")[1]
    # What is hidden is left out.
    assert outcome(read(*AGE, question("Q2", "Y", "Hidden?", hidden="1")), "Hidden?") == (
        LEFT,
        "is hidden in the survey",
    )
    # An expression within words is taken out.
    taken = read(question("Q1", "Y", "Dear {TOKEN:FIRSTNAME}, well?"))
    assert asked(taken)[0]["text"] == {"en": "Dear …, well?"}
    assert "“…” is shown instead" in outcome(taken, "Dear …, well?")[1]
    # No question is plain without a tick.
    assert all(line.unmarked for line in read(*AGE, *PAID).lines if line.questions)
    # Optional questions are counted.
    assert "1 question was not required" in " ".join(
        read(question("Q1", "Y", "Well?", mandatory="N")).remarks
    )


# --- conditions


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ('((Q1.NAOK == "A2"))', {"Q1": ["A2"]}),
        ("Q1 eq 'A2'", {"Q1": ["A2"]}),
        ('Q1.NAOK != "A2"', {"Q1": ["A1"]}),
        ('Q1 ne "A2" && Q2_SQ1.NAOK == "Y"', {"Q1": ["A1"], "Q2-SQ1": ["yes"]}),
        ('Q1.code == "A1" or Q1.value == "A2"', {"Q1": ["A1", "A2"]}),
        ('Q1 == "A1" || Q1 == "A2"', {"Q1": ["A1", "A2"]}),
        ('! (Q1.NAOK == "A1")', {"Q1": ["A2"]}),
        ('!is_empty(Q1.NAOK) && Q1.NAOK == "A1"', {"Q1": ["A1"]}),
        ("is_empty(Q2_SQ1.NAOK)", {"Q2-SQ1": ["no"]}),
        ("1", {}),
        ("", {}),
    ],
)
def test_a_simple_condition_becomes_a_rule(written: str, rules: dict[str, list[str]]) -> None:
    taken = read(*AGE, *PAID, question("Q3", "Y", "Well?", relevance=written))
    assert asked(taken)[-1]["show_if"] == rules
    assert outcome(taken, "Well?") == (CAME, "")


@pytest.mark.parametrize(
    "written",
    [
        "Q1.NAOK > 3",
        'Q9.NAOK == "Y"',
        "count(Q2_SQ1, Q2_SQ2) == 1",
        'Q1.question == "x"',
        'Q1 == "A1" || Q2_SQ1 == "Y"',
        'regexMatch("/x/", Q1)',
        "Q1.NAOK ==",
        "{Q1}",
        '"' * 3,
    ],
)
def test_another_condition_is_left_out_with_the_reason(written: str) -> None:
    taken = read(*AGE, *PAID, question("Q3", "Y", "Well?", relevance=written))
    assert asked(taken)[-1]["show_if"] == {}
    said = outcome(taken, "Well?")
    assert said[0] == CHANGED
    assert said[1].startswith(f"Its condition {written} is left out, so everybody is asked: it ")


def test_conditions_become_rules_or_are_left_out() -> None:
    # A condition on a row of a table.
    rows = [question("Q4", "F", "How often?"), *parts("Late"), *answers("Never", "Often")]
    taken = read(*rows, question("Q5", "Y", "Why?", relevance='Q4_SQ1.NAOK == "A2"'))
    assert asked(taken)[-1]["show_if"] == {"Q4-SQ1": ["A2"]}
    # A condition on a number is left out.
    number = question("Q1", "N", "Income?", min_num_value_n="0", max_num_value_n="100")
    taken = read(number, question("Q2", "Y", "Well?", relevance='Q1 == "5"'))
    assert "looks at Q1, a number that is recorded in bands" in outcome(taken, "Well?")[1]
    # The condition of a group holds for its questions.
    second = group("More", relevance='Q1.NAOK == "A2"', scale="G2")
    assert asked(read(*AGE, second, question("Q2", "Y", "Well?")))[1]["show_if"] == {"Q1": ["A2"]}


# --- languages


def test_languages_and_words_of_the_survey_come_in() -> None:
    # Several languages of a table are put together.
    settings = [row("S", "language", "en"), row("S", "additional_languages", "zh-Hans de-informal")]
    taken = questionnaire_file.read(
        table(
            group("Work"),
            question("Q1", "L", "How old?"),
            *answers("Young", "Old"),
            group("工作", language="zh-Hans"),
            question("Q1", "L", "多大年纪？", language="zh-Hans"),
            *answers("年轻", "年长", language="zh-Hans"),
            settings=settings,
        )
    )
    (age,) = asked(taken)
    assert taken.draft["languages"] == ["en", "zh-hans", "de-informal"]
    assert age["text"] == {"en": "How old?", "zh-hans": "多大年纪？"}
    assert age["choices"][1]["label"] == {"en": "Old", "zh-hans": "年长"}
    assert taken.draft["sections"][0]["intro"] == {"en": "Work", "zh-hans": "工作"}
    # A language that is not known gets a code of its own with a remark.
    taken = read(*AGE, question("Q1", "L", "?", language="x-klingon"))
    assert taken.draft["languages"] == ["en", "qaa"]
    assert "x-klingon: qaa" in " ".join(taken.remarks)
    # The words of the survey stand on the start page.
    words = [
        row("SL", "surveyls_title", "A <b>survey</b>"),
        row("SL", "surveyls_welcometext", "Welcome!"),
        row("SL", "surveyls_endtext", "Bye!"),
    ]
    draft = read(*AGE, settings=words).draft
    assert [draft[key] for key in ("title", "intro", "thanks")] == [
        {"en": "A survey"},
        {"en": "Welcome!"},
        {"en": "Bye!"},
    ]


# --- the same as XML


def lss(l10n: bool) -> bytes:
    """A survey in two languages, as versions from 4 on write it or as older ones do."""
    texts = {"en": ("How old?", "Young", "Old"), "de": ("Wie alt?", "Jung", "Alt")}
    bare = {
        "qid": "7",
        "parent_qid": "0",
        "gid": "3",
        "type": "L",
        "title": "age",
        "mandatory": "Y",
        "question_order": "1",
    }
    sub = {"qid": "9", "parent_qid": "8", "gid": "3", "type": "T", "title": "SQ1", "question_order": "1"}
    many = {
        **bare,
        "qid": "8",
        "type": "M",
        "title": "paid",
        "question_order": "2",
        "relevance": '1X3X7.NAOK == "A2"',
    }
    groups = {"gid": "3", "group_order": "1", "grelevance": "1"}
    found: dict[str, list[Any]] = {"surveys": [{"sid": "1", "language": "en"}]}
    said = [
        {"qid": qid, "question": words[at], "help": "", "language": code}
        for code, words in texts.items()
        for qid, at in (("7", 0), ("8", 0), ("9", 1))
    ]
    labels = [
        {
            "answer": words[at],
            "code": f"A{at}",
            "aid": str(at),
            "qid": "7",
            "sortorder": str(3 - at),
            "language": code,
        }
        for code, words in texts.items()
        for at in (1, 2)
    ]
    if l10n:
        found |= {
            "groups": [groups],
            "questions": [many, bare],
            "subquestions": [sub],
            "question_l10ns": said,
        }
        found["group_l10ns"] = [{"gid": "3", "group_name": "Work", "description": "", "language": "en"}]
        found["answers"] = [
            {key: each[key] for key in ("aid", "code", "qid", "sortorder")} for each in labels[:2]
        ]
        found["answer_l10ns"] = [{key: each[key] for key in ("aid", "answer", "language")} for each in labels]
    else:
        found["groups"] = [{**groups, "group_name": "Work", "language": "en"}]
        found["questions"] = [
            {**of, **each} for of in (many, bare) for each in said if each["qid"] == of["qid"]
        ]
        found["subquestions"] = [{**sub, **each} for each in said if each["qid"] == "9"]
        found["answers"] = labels
    found["surveys_languagesettings"] = [{"surveyls_language": "de", "surveyls_title": "Umfrage"}]
    return document(found, ("en", "de"))


@pytest.mark.parametrize("l10n", [True, False])
def test_xml_of_old_and_new_versions_is_read(l10n: bool) -> None:
    taken = questionnaire_file.read(lss(l10n))
    age, paid = asked(taken)
    assert taken.draft["languages"] == ["en", "de"]
    assert taken.draft["title"] == {"de": "Umfrage"}
    assert age["text"] == {"en": "How old?", "de": "Wie alt?"}
    assert taken.draft["sections"][0]["intro"] == {"en": "Work"}
    assert [choice["label"] for choice in age["choices"]] == [
        {"en": "Old", "de": "Alt"},
        {"en": "Young", "de": "Jung"},
    ]
    assert (paid["name"], paid["of"], paid["show_if"]) == ("paid-SQ1", "paid", {"age": ["A2"]})
    assert [line.location for line in taken.lines] == ["group 1", "question age", "question paid"]


def test_attributes_of_xml_are_read() -> None:
    tables = {
        "groups": [{"gid": "3"}],
        "questions": [
            {"qid": "7", "gid": "3", "type": "N", "title": "income", "question": "Income?", "language": "en"}
        ],
        "question_attributes": [
            {"qid": "7", "attribute": "min_num_value_n", "value": "0"},
            {"qid": "7", "attribute": "max_num_value_n", "value": "8"},
        ],
    }
    assert asked(questionnaire_file.read(document(tables)))[0]["number"]["limits"] == [2, 4, 6]


# --- refused


@pytest.mark.parametrize("kind", ["Label set", "Responses"])
def test_another_file_of_limesurvey_is_refused(kind: str) -> None:
    with pytest.raises(FileRefused, match="is no survey, group or question of LimeSurvey"):
        questionnaire_file.read(document({}, kind=kind))


def test_a_survey_of_which_nothing_comes_in_is_refused_with_every_question() -> None:
    with pytest.raises(FileRefused) as refusal:
        read(question("Q1", "T", "Why?"), question("Q2", "D", "When?"))
    assert [fault.location for fault in refusal.value.faults] == ["row 5", "row 6"]


def test_a_survey_without_questions_is_refused() -> None:
    with pytest.raises(FileRefused, match="has no questions"):
        read()


@pytest.mark.parametrize("kind", ["Question", "Group"])
def test_a_single_question_or_group_is_read_too(kind: str) -> None:
    tables: dict[str, list[Any]] = {
        "questions": [
            {"qid": "7", "gid": "3", "type": "Y", "title": "paid", "question": "Paid?", "language": "en"}
        ]
    }
    if kind == "Group":
        tables["groups"] = [{"gid": "3", "group_name": "Work", "language": "en"}]
    taken = questionnaire_file.read(document(tables, kind=kind))
    assert [question["name"] for question in asked(taken)] == ["paid"]


def test_an_option_that_excludes_all_others_becomes_their_none() -> None:
    wanted = question("Q2", "M", "How are you paid?", exclude_all_others="SQ3")
    header = (*HEADER, "exclude_all_others")
    taken = read(wanted, *parts("In cash", "In goods", "Not at all"), header=header)
    cash, _goods = asked(taken)
    assert cash["none"] == {"en": "Not at all"}
    assert "exclude_all_others" not in outcome(taken, "How are you paid?")[1]
    # Of two options one would be left, which is no question of several.
    kept = read({**wanted, "exclude_all_others": "SQ2"}, *parts("In cash", "In goods"), header=header)
    assert len(asked(kept)) == 2
    assert "exclude_all_others" in outcome(kept, "How are you paid?")[1]
