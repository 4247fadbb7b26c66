"""Surveys of Qualtrics (.qsf), put together as its exports write them, and what becomes of each question."""

import json
from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_result import CAME, CHANGED, LEFT, ImportResult


def choices(*labels: str, **more: Any) -> dict[str, Any]:
    return {
        "Choices": {str(n): {"Display": label} for n, label in enumerate(labels, 1)},
        "ChoiceOrder": [str(n) for n in range(1, len(labels) + 1)],
        **more,
    }


def shown_if(*terms: str, sign: str = "Selected", joined: str = "And") -> dict[str, Any]:
    """Logic of display: each term is a question and a choice, such as QID1/2."""
    made = {}
    for number, term in enumerate(terms):
        identity, choice = term.split("/")
        operand = f"q://{identity}/SelectableChoice/{choice}"
        made[str(number)] = {
            "LogicType": "Question",
            "LeftOperand": operand,
            "Operator": sign,
            "Description": f"<b>If</b> {term}",
        }
        if number:
            made[str(number)]["Conjuction"] = joined
    return {"0": {**made, "Type": "If"}, "Type": "BooleanExpression", "inPage": False}


def asked(kind: str, selector: str, text: str, **more: Any) -> dict[str, Any]:
    return {"QuestionType": kind, "Selector": selector, "QuestionText": text, "Language": [], **more}


AGE = asked("MC", "SAVR", "How <b>old</b> are you?", **choices("18 to 39", "40 or older"))
PAID = asked(
    "MC", "MAVR", "How are you paid?", **choices("In cash", "In goods", "Not at all"), DataExportTag="paid"
)


def survey(*questions: dict[str, Any], flow: list[Any] | None = None, **entry: str) -> bytes:
    """Questions QID1, QID2, ...; each is the only one of a block B1, B2, ..."""
    numbered = [(f"QID{n}", each) for n, each in enumerate(questions, 1)]
    blocks = [
        {
            "Type": "Standard",
            "ID": f"B{n}",
            "Description": "Not shown",
            "BlockElements": [{"Type": "Question", "QuestionID": name}, {"Type": "Page Break"}],
        }
        for n, (name, _each) in enumerate(numbered, 1)
    ]
    trash = {"Type": "Trash", "ID": "T", "BlockElements": []}
    steps = flow or [{"Type": "Standard", "ID": block["ID"]} for block in blocks]
    elements = [
        {"Element": "BL", "PrimaryAttribute": "Survey Blocks", "Payload": [trash, *blocks]},
        {"Element": "FL", "PrimaryAttribute": "Survey Flow", "Payload": {"Type": "Root", "Flow": steps}},
        *({"Element": "SQ", "PrimaryAttribute": name, "Payload": each} for name, each in numbered),
        {"Element": "SO", "PrimaryAttribute": "Survey Options", "Payload": {"BackButton": "false"}},
    ]
    about = {"SurveyName": "Work", "SurveyLanguage": "EN", **entry}
    return json.dumps({"SurveyEntry": about, "SurveyElements": elements}).encode()


def questions_in(taken: ImportResult) -> list[dict[str, Any]]:
    return [question for section in taken.draft["sections"] for question in section["questions"]]


def outcomes(taken: ImportResult) -> list[tuple[str, str]]:
    return [(line.outcome, " ".join(line.remarks)) for line in taken.lines if line.words != line.location]


def test_questions_of_qualtrics_become_questions() -> None:
    # Choices become questions in the order of the flow.
    turned = [{"Type": "Standard", "ID": "B2"}, {"Type": "Block", "ID": "B1"}]
    taken = questionnaire_file.read(survey(AGE, PAID, flow=turned))
    cash, goods, none, age = questions_in(taken)
    assert taken.draft["title"] == {"en": "Work"}
    assert [each["form"] for each in (cash, goods, none, age)] == ["many", "many", "many", "one"]
    assert cash["choices"][1]["label"] == {"en": "In cash"}
    assert age["text"] == {"en": "How old are you?"}
    assert [each["label"]["en"] for each in age["choices"]] == ["18 to 39", "40 or older"]


def test_the_order_of_choices_is_the_questions_and_a_random_one_stays_random() -> None:
    turned = asked("MC", "DL", "Where?", **choices("North", "South", ChoiceOrder=[2, "1"]))
    (where,) = questions_in(questionnaire_file.read(survey(turned | {"Randomization": {"Type": "All"}})))
    assert [each["label"]["en"] for each in where["choices"]] == ["South", "North"]
    assert where["shuffled"] == 2


def test_a_choice_that_excludes_the_others_becomes_their_none() -> None:
    paid = json.loads(json.dumps(PAID))
    paid["Choices"]["3"]["ExclusiveAnswer"] = True
    cash, goods = questions_in(questionnaire_file.read(survey(paid)))
    assert cash["none"] == {"en": "Not at all"}
    assert "none" not in goods
    # A matrix becomes a battery in all its languages.
    answers = {
        "Answers": {"1": {"Display": "Never"}, "2": {"Display": "Often"}},
        "AnswerOrder": ["1", "2"],
        "SubSelector": "SingleAnswer",
    }
    german = {"QuestionText": "Wie oft?", **choices("Lügen"), "Answers": {"2": {"Display": "Oft"}}}
    matrix = asked("Matrix", "Likert", "How often?", **choices("Lie", "Steal"), **answers)
    lie, steal = questions_in(questionnaire_file.read(survey(matrix | {"Language": {"DE": german}})))
    assert lie["text"] == {"en": "Lie", "de": "Lügen"}
    assert [each["label"] for each in lie["choices"]] == [{"en": "Never"}, {"en": "Often", "de": "Oft"}]
    assert lie["of"] == steal["of"]


@pytest.mark.parametrize(
    "number",
    [
        asked(
            "TE",
            "SL",
            "How many?",
            Validation={"Settings": {"ContentType": "ValidNumber", "ValidNumber": {"Min": "0", "Max": "20"}}},
        ),
        asked(
            "Slider",
            "HSLIDER",
            "How many?",
            Configuration={"CSSliderMin": 0, "CSSliderMax": 20},
            **choices(""),
        ),
    ],
)
def test_numbers_and_sliders_become_numbers_in_bands(number: dict[str, Any]) -> None:
    taken = questionnaire_file.read(survey(AGE, number))
    assert [section["kind"] for section in taken.draft["sections"]] == ["plain"]
    limits = taken.draft["sections"][0]["questions"][1]["number"]["limits"]
    assert all(0 < limit < 20 for limit in limits)


def test_logic_becomes_rules_and_what_cannot_come_is_named() -> None:
    # Display logic and branches become rules.
    goods = PAID | {"DisplayLogic": shown_if("QID1/2")}
    last = asked(
        "MC",
        "SAVR",
        "Why?",
        **choices("Law", "Custom"),
        DisplayLogic=shown_if("QID2/1", "QID2/2", joined="Or"),
    )
    branch = {
        "Type": "Branch",
        "BranchLogic": shown_if("QID1/1", sign="NotSelected"),
        "Flow": [{"Type": "Standard", "ID": "B3"}],
    }
    flow = [{"Type": "Standard", "ID": "B1"}, {"Type": "Standard", "ID": "B2"}, branch]
    taken = questionnaire_file.read(survey(AGE, goods, last, flow=flow))
    age, cash, *_others, why = questions_in(taken)
    assert cash["show_if"] == {age["name"]: [age["choices"][1]["name"]]}
    assert why["show_if"][age["name"]] == [age["choices"][1]["name"]]
    # One of two options is no product of answers: the rule is left out, and the line says so.
    assert "is left out" in outcomes(taken)[-1][1]
    # One option that was chosen is a rule.
    last = asked("MC", "SAVR", "Why?", **choices("Law", "Custom"), DisplayLogic=shown_if("QID1/2"))
    *_paid, why = questions_in(questionnaire_file.read(survey(PAID, last)))
    assert why["show_if"] == {"paid-2": ["yes"]}
    # What cannot come is named by its question.
    unknown = {"0": {"0": {"LogicType": "EmbeddedField", "Description": "If <i>wave</i> is 2"}, "Type": "If"}}
    taken = questionnaire_file.read(
        survey(
            AGE | {"DisplayLogic": unknown, "SkipLogic": [{"SkipToDestination": "ENDOFSURVEY"}]},
            asked("TE", "ML", "Tell us"),
            asked("RO", "DND", "Rank these", **choices("a", "b")),
            asked("HeatMap", "Image", "Click"),
            asked("Slider", "HSLIDER", "Divide", **choices("a", "b")),
            asked(
                "MC",
                "SAVR",
                "Which?",
                Choices={"1": {"Display": "This"}, "2": {"Display": "Other", "TextEntry": "true"}},
            ),
            asked("DB", "TB", "Welcome, ${e://Field/name}"),
        )
    )
    said = outcomes(taken)
    assert [outcome for outcome, _remark in said] == [CHANGED, LEFT, LEFT, LEFT, LEFT, CHANGED, CHANGED]
    assert "If wave is 2" in said[0][1]
    assert any("skip rule" in remark for line in taken.lines for remark in line.remarks)
    assert "own words" not in said[0][1]
    assert taken.draft["thanks"] == {"en": "Welcome, …"}
    assert all(remark for _outcome, remark in said)


@pytest.mark.parametrize(
    "data",
    [
        b'{"SurveyElements": [',
        b'{"SurveyElements": 3}',
        b'{"SurveyElements": [[1], "x"]}',
        b'{"SurveyElements": ' + b"[" * 100_000,
        survey(),
        survey({"QuestionType": ["MC"], "Choices": 4, "Language": 3, "Validation": [], "DisplayLogic": "x"}),
    ],
)
def test_a_damaged_or_empty_file_is_refused(data: bytes) -> None:
    with pytest.raises(FileRefused):
        questionnaire_file.read(data)


def test_branches_without_end_are_refused() -> None:
    flow: list[Any] = []
    for _depth in range(50):
        flow = [{"Type": "Branch", "Flow": flow}]
    with pytest.raises(FileRefused):
        questionnaire_file.read(survey(AGE, flow=flow))


def test_every_question_that_came_says_so() -> None:
    assert {outcome for outcome, _remark in outcomes(questionnaire_file.read(survey(PAID)))} <= {
        CAME,
        CHANGED,
    }


def skip(choice: str, target: str) -> dict[str, Any]:
    """A skip rule: whoever selected the choice (QID1/2) goes on at the target."""
    identity, number = choice.split("/")
    locator = f"q://{identity}/SelectableChoice/{number}"
    rule = {"ChoiceLocator": locator, "Condition": "Selected", "SkipToDestination": target}
    return {"SkipLogic": [rule | {"Description": f"If {choice} skip to {target}"}]}


def test_a_skip_to_the_end_hides_every_later_question_from_who_refuses() -> None:
    consent = asked("MC", "SAVR", "Do you agree?", **choices("Yes", "No"), **skip("QID1/2", "ENDOFSURVEY"))
    work = asked("MC", "SAVR", "Do you work?", **choices("Yes", "No"), **skip("QID2/2", "ENDOFSURVEY"))
    agrees, works, age = questions_in(questionnaire_file.read(survey(consent, work, AGE)))
    assert works["show_if"] == {agrees["name"]: ["1"]}
    assert age["show_if"] == {agrees["name"]: ["1"], works["name"]: ["1"]}


def test_a_skip_rule_that_cannot_be_read_is_named() -> None:
    unread = AGE | skip("QID1/1", "QID9")
    assert "If QID1/1 skip to QID9" in str(questionnaire_file.read(survey(unread, PAID)).lines)


def test_an_end_of_the_survey_in_a_branch_is_a_condition_of_what_follows() -> None:
    end = {
        "Type": "Branch",
        "BranchLogic": shown_if("QID1/1"),
        "Flow": [{"Type": "EndSurvey", "FlowID": "FL_3"}],
    }
    flow = [{"Type": "Standard", "ID": "B1"}, end, {"Type": "Standard", "ID": "B2"}]
    age, cash, *_others = questions_in(questionnaire_file.read(survey(AGE, PAID, flow=flow)))
    assert cash["show_if"] == {age["name"]: ["2"]}


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"Type": "BlockRandomizer", "SubSet": "1"}, "shows 1 of 2 blocks at random"),
        ({"Type": "BlockRandomizer", "SubSet": "2"}, "shows its 2 blocks in random order"),
        ({"Type": "Branch", "BranchLogic": "x"}, "no condition that can be read"),
        ({"Type": "Authenticator"}, "Authenticator"),
    ],
)
def test_a_step_that_changes_who_is_asked_has_a_row(step: dict[str, Any], said: str) -> None:
    blocks = [{"Type": "Standard", "ID": "B1"}, {"Type": "Standard", "ID": "B2"}]
    taken = questionnaire_file.read(survey(AGE, PAID, flow=[{**step, "FlowID": "FL_2", "Flow": blocks}]))
    (row,) = [line for line in taken.lines if "FL_2" in line.location]
    assert said in row.remarks[0]
    assert len(questions_in(taken)) == 4


def test_a_bipolar_table_is_a_battery_whose_rows_say_both_ends() -> None:
    points = {"Answers": {str(n): {"Display": ""} for n in range(1, 6)}}
    table = asked("Matrix", "Bipolar", "The visit was", **choices("Cold:Warm", "Slow:Fast"), **points)
    cold, slow = questions_in(questionnaire_file.read(survey(table)))
    assert cold["text"] == {"en": "1 = Cold; 5 = Warm"}
    assert [each["label"]["en"] for each in slow["choices"]] == list("12345")
    assert cold["of"] == slow["of"]


def test_a_table_with_several_answers_a_row_asks_yes_or_no() -> None:
    answers = {"Answers": {"1": {"Display": "Mornings"}, "2": {"Display": "Evenings"}}}
    table = asked("Matrix", "Likert", "When?", **choices("Work", "Rest"), **answers)
    taken = questionnaire_file.read(survey(table | {"SubSelector": "MultipleAnswer"}))
    assert [each["form"] for each in questions_in(taken)] == ["many"] * 4
    assert questions_in(taken)[2]["text"] == {"en": "When?\n\nRest"}


def test_a_skip_rule_may_ask_whether_one_of_several_choices_was_not_selected() -> None:
    rule = skip("QID1/2", "ENDOFSURVEY")["SkipLogic"][0] | {"Condition": "NotSelected"}
    taken = questionnaire_file.read(survey(PAID | {"SkipLogic": [rule]}, AGE))
    assert questions_in(taken)[-1]["show_if"] == {"paid-2": ["yes"]}


def test_questions_below_the_end_for_everybody_are_left_out() -> None:
    group = {"Type": "Group", "Flow": [{"Type": "Block", "ID": "B1"}, {"Type": "EndSurvey"}]}
    taken = questionnaire_file.read(survey(AGE, PAID, flow=[group, {"Type": "Block", "ID": "B2"}]))
    (row,) = [line for line in taken.lines if line.words == "How are you paid?"]
    assert (row.outcome, row.remarks) == (LEFT, ("stands after the end of the survey, so nobody is asked",))
    assert len(questions_in(taken)) == 1


def test_an_end_that_is_drawn_ends_nothing_and_is_named() -> None:
    drawn = {
        "Type": "BlockRandomizer",
        "SubSet": 1,
        "Flow": [{"Type": "EndSurvey", "FlowID": "FL_7"}, {"Type": "Block"}],
    }
    branch = {"Type": "Branch", "BranchLogic": shown_if("QID1/1"), "Flow": [drawn]}
    taken = questionnaire_file.read(
        survey(AGE, PAID, flow=[{"Type": "Block", "ID": "B1"}, branch, {"Type": "Block", "ID": "B2"}])
    )
    assert not any(each.get("show_if") for each in questions_in(taken))
    assert ("flow FL_7", ("may end the survey; here the rest is asked",)) in [
        (line.location, line.remarks) for line in taken.lines
    ]
