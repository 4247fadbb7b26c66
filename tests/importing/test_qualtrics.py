"""Surveys of Qualtrics (.qsf): what becomes of questions and steps of the flow, and what is refused.

Who is asked what after skip rules, display logic and branches: tests/importing/flow, by brute force.
"""

import json
from typing import Any

import pytest

from importing import questionnaire_file
from importing.import_result import CAME, CHANGED, LEFT, ImportResult
from tests.importing.conftest import faults, questions_of, remarks_of, rules
from tests.importing.flow.made_files import (
    END,
    block,
    branch,
    choose_many,
    choose_one,
    logic,
    number_question,
    numbered_choices,
    qualtrics,
    question_of_kind,
    show_if,
    skip,
    table,
    term,
)

AGE = choose_one("How <b>old</b> are you?", "18 to 39", "40 or older")
PAID = choose_many("How are you paid?", "In cash", "In goods", "Not at all")


def read(*questions: dict[str, Any], **more: Any) -> ImportResult:
    """Each question is the only one of its block."""
    return questionnaire_file.read(qualtrics(*([each] for each in questions), **more))


def outcomes(taken: ImportResult) -> list[str]:
    return [line.outcome for line in taken.lines if line.words != line.location]


def test_questions_of_qualtrics_become_questions() -> None:
    taken = read(AGE, PAID, flow=[{"Type": "Standard", "ID": "B2"}, {"Type": "Block", "ID": "B1"}])
    cash, goods, none, age = questions_of(taken)
    assert taken.draft["title"] == {"en": "Study"}
    assert [each["form"] for each in (cash, goods, none, age)] == ["many", "many", "many", "one"]
    assert (cash["name"], cash["choices"][1]["label"]) == ("Q2-1", {"en": "In cash"})
    assert age["text"] == {"en": "How old are you?"}
    assert [each["label"]["en"] for each in age["choices"]] == ["18 to 39", "40 or older"]
    assert set(outcomes(read(PAID))) <= {CAME, CHANGED}
    # The order of choices is the question's, and a random one stays random.
    turned = choose_one("Where?", "North", "South", selector="DL", Randomization={"Type": "All"})
    (where,) = questions_of(read(turned | {"ChoiceOrder": [2, "1"]}))
    assert [each["label"]["en"] for each in where["choices"]] == ["South", "North"]
    assert where["shuffled"] == 2
    none = {"Display": "No", "ExclusiveAnswer": True}
    cash, goods = questions_of(read(choose_many("Paid?", "In cash", "In goods", none)))
    assert (cash["none"], "none" in goods) == ({"en": "No"}, False)


def test_tables_become_batteries_in_all_their_languages() -> None:
    german = {"QuestionText": "Wie oft?", **numbered_choices(["Lügen"]), "Answers": {"2": {"Display": "Oft"}}}
    battery = table("How often?", ["Lie", "Steal"], ["Never", "Often"], Language={"DE": german})
    lie, steal = questions_of(read(battery))
    assert lie["text"] == {"en": "Lie", "de": "Lügen"}
    assert [each["label"] for each in lie["choices"]] == [{"en": "Never"}, {"en": "Often", "de": "Oft"}]
    assert lie["of"] == steal["of"]
    bipolar = table("The visit was", ["Cold:Warm", "Slow:Fast"], [""] * 5, selector="Bipolar")
    cold, slow = questions_of(read(bipolar))
    assert (cold["text"], cold["of"]) == ({"en": "1 = Cold; 5 = Warm"}, slow["of"])
    assert [each["label"]["en"] for each in slow["choices"]] == list("12345")
    several = questions_of(read(table("When?", ["Work", "Rest"], ["Mornings", "Evenings"], "MultipleAnswer")))
    assert [each["form"] for each in several] == ["many"] * 4
    assert several[2]["text"] == {"en": "When?\n\nRest"}


def test_numbers_and_sliders_become_numbers_in_bands() -> None:
    ends = {"CSSliderMin": 0, "CSSliderMax": 20}
    slider = question_of_kind("Slider", "HSLIDER", "How many?", Configuration=ends, **numbered_choices([""]))
    for wanted in (number_question("How many?", 0, 20), slider):
        taken = read(AGE, wanted)
        assert [section["kind"] for section in taken.draft["sections"]] == ["plain"]
        assert all(0 < limit < 20 for limit in questions_of(taken)[1]["number"]["limits"])


def test_qualtrics_logic_becomes_rules() -> None:
    flow = [block(1), block(2), branch(logic([term("QID1/1", "NotSelected")]), block(3))]
    last = choose_one("Why?", "Law", "Custom") | show_if(term("QID2/1"), term("QID2/2", joint="Or"))
    taken = read(AGE, PAID | show_if(term("QID1/2")), last, flow=flow)
    made = rules(taken)
    assert made["Q2-1"] == {"Q1": ["2"]}
    # One of two options is no product of answers: the rule is left out, and the line says so.
    assert made["Q3"] == {"Q1": ["2"]}
    assert "is left out" in remarks_of(taken, "question Q3")
    not_in_goods = PAID | skip("QID1/2", "ENDOFSURVEY", "NotSelected")
    assert rules(read(not_in_goods, AGE))["Q2"] == {"Q1-2": ["yes"]}
    consent = choose_one("Do you agree?", "Yes", "No") | skip("QID1/2", "ENDOFSURVEY")
    work = choose_one("Do you work?", "Yes", "No") | skip("QID2/2", "ENDOFSURVEY")
    made = rules(read(consent, work, AGE))
    assert made == {"Q1": {}, "Q2": {"Q1": ["1"]}, "Q3": {"Q1": ["1"], "Q2": ["1"]}}
    ends = [block(1), branch(logic([term("QID1/1")]), END), block(2)]
    assert rules(read(AGE, PAID, flow=ends))["Q2-1"] == {"Q1": ["2"]}


def test_unsupported_qualtrics_part_is_named_by_its_question() -> None:
    field = {"LogicType": "EmbeddedField", "Description": "If <i>wave</i> is 2"}
    shown_if = {"DisplayLogic": {"0": {"0": field, "Type": "If"}}}
    taken = read(
        AGE | shown_if | {"SkipLogic": [{"SkipToDestination": "ENDOFSURVEY"}]},
        question_of_kind("TE", "ML", "Tell us"),
        question_of_kind("RO", "DND", "Rank these", **numbered_choices("ab")),
        question_of_kind("HeatMap", "Image", "Click"),
        question_of_kind("Slider", "HSLIDER", "Divide", **numbered_choices("ab")),
        choose_one("Which?", "This", {"Display": "Other", "TextEntry": "true"}),
        question_of_kind("DB", "TB", "Welcome, ${e://Field/name}"),
    )
    assert outcomes(taken) == [CHANGED, LEFT, LEFT, LEFT, LEFT, CHANGED, CHANGED]
    rows = [line for line in taken.lines if line.words != line.location]
    assert all(row.remarks for row in rows)
    assert "If wave is 2" in str(rows[0].remarks)
    assert "own words" not in str(rows[0].remarks)
    assert "skip rule" in remarks_of(taken)
    assert taken.draft["thanks"] == {"en": "Welcome, …"}
    assert "Skip QID1/1 to QID9" in remarks_of(read(AGE | skip("QID1/1", "QID9"), PAID))


@pytest.mark.parametrize(
    ("step", "remark"),
    [
        ({"Type": "BlockRandomizer", "SubSet": "1"}, "shows 1 of 2 blocks at random"),
        ({"Type": "BlockRandomizer", "SubSet": "2"}, "shows its 2 blocks in random order"),
        ({"Type": "Branch", "BranchLogic": "x"}, "no condition that can be read"),
        ({"Type": "Authenticator"}, "Authenticator"),
    ],
)
def test_flow_step_that_changes_who_is_asked_is_listed(step: dict[str, Any], remark: str) -> None:
    taken = read(AGE, PAID, flow=[{**step, "FlowID": "FL_2", "Flow": [block(1), block(2)]}])
    (row,) = [line for line in taken.lines if line.location == "flow FL_2"]
    assert remark in row.remarks[0]
    assert len(questions_of(taken)) == 4


def test_unconditional_end_ends_the_survey_and_a_random_one_is_named() -> None:
    taken = read(AGE, PAID, flow=[{"Type": "Group", "Flow": [block(1), END]}, block(2)])
    (row,) = [line for line in taken.lines if line.words == "How are you paid?"]
    assert (row.outcome, row.remarks) == (LEFT, ("stands after the end of the survey, so nobody is asked",))
    assert len(questions_of(taken)) == 1
    drawn = {"Type": "BlockRandomizer", "SubSet": 1, "Flow": [END, {"Type": "Block"}]}
    taken = read(AGE, PAID, flow=[block(1), branch(logic([term("QID1/1")]), drawn), block(2)])
    assert not any(rules(taken).values())
    assert remarks_of(taken, "flow FL_8") == "flow FL_8: may end the survey; here the rest is asked"


def test_damaged_or_empty_file_and_endless_branches_are_refused() -> None:
    wrong = {"QuestionType": ["MC"], "Choices": 4, "Language": 3, "Validation": [], "DisplayLogic": "x"}
    flow: list[Any] = []
    for _depth in range(50):
        flow = [{"Type": "Branch", "Flow": flow}]
    for data in (
        b'{"SurveyElements": [',
        b'{"SurveyElements": 3}',
        b'{"SurveyElements": [[1], "x"]}',
        b'{"SurveyElements": ' + b"[" * 100_000,
        qualtrics(),
        qualtrics([wrong]),
        qualtrics([AGE], flow=flow),
    ):
        assert faults(data), data[:60]


def test_unpaired_surrogate_is_read_as_a_question_mark() -> None:
    """JavaScript cuts emoji in halves, which no page can show."""
    cut = json.loads(qualtrics([AGE]))
    cut["SurveyEntry"]["SurveyName"] = "\ud83d"
    assert questionnaire_file.read(json.dumps(cut).encode()).draft["title"] == {"en": "?"}
