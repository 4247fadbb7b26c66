"""Surveys of Qualtrics, written after what its exports hold (SurveyEntry, BL, FL, SQ, QO)."""

import json
from typing import Any

# A line is a file.
# fmt: off

Node = dict[str, Any]


def numbered(labels: Any, key: str = "Choices") -> Node:
    made = {str(n): each if isinstance(each, dict) else {"Display": each} for n, each in enumerate(labels, 1)}
    return {key: made, f"{key[:-1]}Order": [*made]}


def one(text: str, *labels: Any, selector: str = "SAVR", **more: Any) -> Node:
    return {"QuestionType": "MC", "Selector": selector, "QuestionText": text, "Language": [], **numbered(labels), **more}


def many(text: str, *labels: Any, **more: Any) -> Node:
    return one(text, *labels, selector="MAVR", **more)


def number(text: str, low: int = 0, high: int = 100, **more: Any) -> Node:
    ends = {"Type": "ContentType", "ContentType": "ValidNumber", "ValidNumber": {"Min": str(low), "Max": str(high)}}
    return {"QuestionType": "TE", "Selector": "SL", "QuestionText": text, "Validation": {"Settings": ends}, **more}


def other(kind: str, selector: str, text: str, **more: Any) -> Node:
    return {"QuestionType": kind, "Selector": selector, "QuestionText": text, **more}


def table(text: str, rows: Any, answers: Any, sub: str = "SingleAnswer", selector: str = "Likert", **more: Any) -> Node:
    return other("Matrix", selector, text, SubSelector=sub, **numbered(rows), **numbered(answers, "Answers"), **more)


def term(place: str, sign: str = "Selected", right: str = "", joint: str = "And") -> Node:
    question, _slash, choice = place.partition("/")
    left = f"q://{question}/SelectableChoice/{choice}" if choice.isdigit() else f"q://{question}/{choice}"
    return {"LogicType": "Question", "QuestionID": question, "LeftOperand": left, "Operator": sign, "RightOperand": right,
            "ChoiceLocator": left, "Conjuction": joint, "Type": "Expression", "Description": f"<b>If</b> {place} {sign}"}


def logic(*sets: list[Node], joint: str = "OrIf") -> Node:
    made: Node = {str(n): {**{str(m): each for m, each in enumerate(terms)}, "Type": joint if n else "If"} for n, terms in enumerate(sets)}
    return {**made, "Type": "BooleanExpression", "inPage": False}


def shown(*terms: Node) -> Node:
    return {"DisplayLogic": logic([*terms])}


def skip(place: str, to: str, sign: str = "Selected") -> Node:
    question, _slash, choice = place.partition("/")
    where = f"q://{question}/SelectableChoice/{choice}"
    return {"SkipLogic": [{"SkipLogicID": 1, "ChoiceLocator": where, "Locator": where, "Condition": sign,
                           "SkipToDestination": to, "QuestionID": question, "Description": f"Skip {place} to {to}"}]}


def survey(*blocks: list[Node], flow: Any = None, options: Any = None, quotas: Any = (), rules: Any = None, language: str = "EN") -> bytes:
    """Questions QID1, QID2, … in blocks B1, B2, …; `rules` hold what a block says of a question, by its id."""
    made, questions = list[Node](), list[Node]()
    for at, block in enumerate(blocks, 1):
        content = list[Node]()
        for each in block:
            questions.append(each)
            name = f"QID{len(questions)}"
            content += [{"Type": "Question", "QuestionID": name, **(rules or {}).get(name, {})}, {"Type": "Page Break"}]
        made.append({"Type": "Standard", "ID": f"B{at}", "Description": f"Block {at}", "BlockElements": content, "Options": (options or {}).get(at, {})})
    made.append({"Type": "Trash", "ID": "T", "Description": "Trash", "BlockElements": [{"Type": "Question", "QuestionID": "QID99"}]})
    steps = flow or [{"Type": "Block", "ID": f"B{at}", "FlowID": f"FL_{at}"} for at in range(1, len(blocks) + 1)]
    bag = one("What nobody is asked", "Yes", "No")
    parts: list[tuple[str, str, Any]] = [
        ("BL", "Survey Blocks", made),
        ("FL", "Survey Flow", {"Type": "Root", "FlowID": "FL_1", "Flow": steps, "Properties": {"Count": 9}}),
        *(("QO", f"QO_{n}", each) for n, each in enumerate(quotas, 1)),
        ("SO", "Survey Options", {"BackButton": "false", "SurveyTermination": "DefaultMessage"}),
        *(("SQ", f"QID{n}", each | {"QuestionID": f"QID{n}", "DataExportTag": f"Q{n}"}) for n, each in enumerate(questions, 1)),
        ("SQ", "QID99", bag),
    ]
    entry = {"SurveyID": "SV_1", "SurveyName": "Study", "SurveyLanguage": language}
    elements = [{"SurveyID": "SV_1", "Element": element, "PrimaryAttribute": name, "Payload": content} for element, name, content in parts]
    return json.dumps({"SurveyEntry": entry, "SurveyElements": elements}, ensure_ascii=False).encode()


def block(at: int) -> Node:
    return {"Type": "Block", "ID": f"B{at}", "FlowID": f"FL_{at + 1}"}


def branch(condition: Node, *flow: Node) -> Node:
    return {"Type": "Branch", "FlowID": "FL_9", "BranchLogic": condition, "Flow": [*flow]}


END = {"Type": "EndSurvey", "FlowID": "FL_8"}
CONSENT, AGE = one("Do you agree to take part?", "I agree", "I do not"), number("How old are you, in years?", 18, 99)
WORK = one("Do you work for pay?", "Yes, full time", "Yes, part time", "No")
PAID = many("How are you paid?", "In cash", "By transfer", "In goods", "By cheque")
WHY = one("Why do you not work?", "I study", "I care for others", "Other reasons")
HAPPY = one("How happy are you with it?", "Not at all", "Somewhat", "Very")
GERMAN = {"DE": {"QuestionText": "Arbeiten Sie gegen Lohn?", "Choices": {"1": {"Display": "Ja, Vollzeit"}, "2": {"Display": "Ja, Teilzeit"}, "3": {"Display": "Nein"}}}}
ARABIC = {"AR": {"QuestionText": "هل تعمل مقابل أجر؟", "Choices": {"1": {"Display": "نعم، بدوام كامل"}, "2": {"Display": "نعم، بدوام جزئي"}, "3": {"Display": "لا"}}}}

FILES = {
    "consent": survey([CONSENT, WORK], [PAID, HAPPY], rules={"QID1": skip("QID1/2", "ENDOFSURVEY")}),
    "consent_in_question": survey([CONSENT | skip("QID1/2", "ENDOFSURVEY"), WORK], [PAID]),
    "skips": survey([WORK, PAID, HAPPY, WHY], [CONSENT], rules={"QID1": skip("QID1/3", "QID4"), "QID3": skip("QID3/3", "ENDOFBLOCK")}),
    "skip_not": survey([CONSENT, WORK, HAPPY], rules={"QID1": skip("QID1/1", "ENDOFSURVEY", "NotSelected")}),
    "skip_back": survey([CONSENT, WORK, HAPPY], rules={"QID2": skip("QID2/3", "QID1")}),
    "skip_several": survey([PAID, WORK, HAPPY], [WHY], rules={"QID1": {"SkipLogic": skip("QID1/3", "ENDOFBLOCK")["SkipLogic"] + skip("QID1/4", "QID3")["SkipLogic"]}}),
    "skip_after_skip": survey([CONSENT, WORK, HAPPY, WHY], rules={"QID1": skip("QID1/2", "QID3"), "QID2": skip("QID2/3", "ENDOFBLOCK")}),
    "branches": survey([WORK], [PAID], [WHY], [HAPPY], flow=[block(1), branch(logic([term("QID1/1")], [term("QID1/2")]), block(2)), branch(logic([term("QID1/3")]), block(3), branch(logic([term("QID3/2")]), block(4)))]),
    "branch_ends": survey([CONSENT], [WORK], [HAPPY], flow=[block(1), branch(logic([term("QID1/2")]), END), block(2), branch(logic([term("QID2/3")]), block(3), END), {"Type": "Group", "FlowID": "FL_5", "Description": "G", "Flow": []}]),
    "questions_after_end": survey([CONSENT], [WORK], [HAPPY], flow=[block(1), block(2), END, block(3)]),
    "random_blocks": survey([WORK], [PAID], [WHY], [HAPPY], flow=[block(1), {"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": 1, "EvenPresentation": True, "Flow": [block(2), block(3)]}, block(4)]),
    "shuffled_blocks": survey([WORK], [PAID], [WHY], flow=[{"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": "3", "EvenPresentation": False, "Flow": [block(1), block(2), block(3)]}]),
    "drawn_groups": survey([WORK], [PAID], [WHY], [HAPPY], flow=[{"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": 1, "Flow": [{"Type": "Group", "FlowID": "FL_7", "Description": "A", "Flow": [block(1), block(2)]}, {"Type": "Group", "FlowID": "FL_8", "Description": "B", "Flow": [block(3)]}]}, block(4)]),
    "shuffled_questions": survey([WORK, HAPPY, WHY], [PAID], options={1: {"RandomizeQuestions": "RandomWithXPerPage", "RandomWithXPerPage": "1"}}),
    "loop": survey([PAID], [HAPPY], options={2: {"Looping": "Question", "LoopingOptions": {"Locator": "q://QID1/ChoiceGroup/SelectedChoices", "QID": "QID1"}}}),
    "joints": survey([WORK, CONSENT, PAID | shown(term("QID1/1"), term("QID2/1")), HAPPY | shown(term("QID1/1"), term("QID1/2", joint="Or")), WHY | {"DisplayLogic": logic([term("QID1/3"), term("QID2/1")], [term("QID2/2")])}]),
    "and_sets": survey([WORK, CONSENT, HAPPY | {"DisplayLogic": logic([term("QID1/1"), term("QID1/2", joint="Or")], [term("QID2/1")], joint="AndIf")}]),
    "negations": survey([WORK, PAID | shown(term("QID1/3", "NotSelected")), HAPPY | shown(term("QID2/3", "NotSelected"), term("QID2/1")), WHY | shown(term("QID2/1"), term("QID2/2", joint="Or"))]),
    "of_hidden": survey([CONSENT, WORK | shown(term("QID1/1")), HAPPY | shown(term("QID2/3", "NotSelected")), WHY | shown(term("QID2/QuestionDisplayed", "NotDisplayed"))]),
    "numbers": survey([AGE, WORK | shown(term("QID1/ChoiceTextEntryValue", "GreaterThanOrEqual", "65")), HAPPY | shown(term("QID1/ChoiceTextEntryValue", "LessThan", "30")), other("TE", "SL", "What is your job?"), WHY | shown(term("QID4/ChoiceTextEntryValue", "EqualTo", "student"))]),
    "embedded": survey([WORK, HAPPY | {"DisplayLogic": logic([{"LogicType": "EmbeddedField", "LeftOperand": "wave", "Operator": "EqualTo", "RightOperand": "2", "Description": "If wave is 2"}])}], [PAID], flow=[{"Type": "EmbeddedData", "EmbeddedData": [{"Field": "wave", "Type": "Custom", "Value": "1"}]}, block(1), branch(logic([{"LogicType": "EmbeddedField", "LeftOperand": "wave", "Operator": "EqualTo", "RightOperand": "2", "Description": "wave"}]), block(2))]),
    "languages": survey([WORK | {"Language": GERMAN | ARABIC}, HAPPY], language="EN"),
    "tables": survey([table("How often do you", ["read", "swim", "cook"], ["Never", "Often"]), table("The office is", ["Cold:Warm", "Loud:Silent"], ["", "", ""], selector="Bipolar"), table("Which do you use at", ["home", "work"], ["Car", "Bus", "Bike"], sub="MultipleAnswer"), other("SBS", "SBSMatrix", "Side by side", **numbered(["a", "b"])), other("RO", "DND", "Rank these", **numbered(["x", "y", "z"]))]),
    "table_shown": survey([WORK, table("How often do you", ["read", "swim"], ["Never", "Often"], **shown(term("QID1/3")))]),
    "settings": survey([one("Which one?", "A", "B", "C", Randomization={"Type": "All"}), many("Which ones?", "A1", "B1", "C1", Randomization={"Type": "Advanced", "Advanced": {"TotalRandSubset": 2, "RandomSubSet": ["1", "2", "3"]}}), WORK | {"DefaultChoices": {"1": {"Selected": True}}}, many("At most two?", "A2", "B2", "C2", Validation={"Settings": {"Type": "MaxChoices", "MaxChoices": "2"}}), one("Which of these?", "A3", {"Display": "B3", "DisplayLogic": logic([term("QID3/1")])}, "C3"), many("Carried", DynamicChoices={"Locator": "q://QID2/ChoiceGroup/SelectedChoices", "DynamicType": "ChoiceGroup"}), one("What else?", "A4", {"Display": "Something, namely", "TextEntry": "true"})]),
    "odd_words": survey([one("<p>How <b>old</b>&nbsp;is&amp;was it?</p>", "&lt; 5", "5 <i>or</i> more", ""), one("", "Yes", "No"), one("Twice the same?", "Same", "Same", "Not"), HAPPY | shown(term("QID3/2")), WORK | {"QuestionText": "You said ${q://QID3/ChoiceGroup/SelectedChoices}: do you work?"}], []),
    "twice": survey([WORK], [HAPPY], [PAID], flow=[block(1), block(2), block(3), branch(logic([term("QID1/1")]), block(2))]),
    "unused_block": survey([WORK], [PAID], [HAPPY], flow=[block(1), block(3)]),
    "block_draws": survey([WORK, HAPPY, WHY], [PAID], options={1: {"RandomizeQuestions": "Advanced", "Randomization": {"Advanced": {"FixedOrder": ["QID1", "{~Randomized~}"], "RandomSubSet": ["QID2", "QID3"], "TotalRandSubset": 1}}}}),
    "random_number": survey([WORK], [PAID], [HAPPY], flow=[{"Type": "EmbeddedData", "EmbeddedData": [{"Field": "arm", "Type": "Custom", "Value": "${rand://int/1:2}"}]}, block(1), *(branch(logic([{"LogicType": "EmbeddedField", "LeftOperand": "arm", "Operator": "EqualTo", "RightOperand": str(n), "Description": f"arm is {n}"}]), block(n + 1)) for n in (1, 2))]),
    "steps": survey([WORK], [PAID], [HAPPY], flow=[{"Type": "Authenticator", "FlowID": "FL_2", "Flow": [block(1)]}, {"Type": "WebService", "FlowID": "FL_3", "URL": "https://example.org"}, {"Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": 1, "Flow": [branch(logic([term("QID1/1")]), block(2)), block(3)]}]),
    "counts": survey([PAID, table("How often do you", ["read", "swim"], ["Never", "Often"]), HAPPY | shown(term("QID1/SelectedChoicesCount", "GreaterThan", "1")), WHY | shown(term("QID2/SelectableAnswer/2/1")), WORK | shown(term("QID9/1"))], [CONSENT | shown(term("QID99/1"))], rules={"QID1": skip("QID1/1", "ENDOFSURVEY", "Empty")}),
    "exclusive": survey([many("Which?", "A", "B", {"Display": "None", "ExclusiveAnswer": True}), HAPPY | shown(term("QID1/3")), WHY | shown(term("QID1/3", "NotSelected"))], [one("Scale?", "1", "2", "3", selector="NPS", Randomization={"Type": "ScaleReversal"})]),
    "more_settings": survey([table("Rows at random", ["x1", "y1"], ["No", "Yes"], Randomization={"Type": "All"}), many("Options at random", "A", "B", "C", Randomization={"Type": "All"}), many("Carried on", "D", "E", DynamicChoices={"Locator": "q://QID2/ChoiceGroup/SelectedChoices", "DynamicType": "ChoiceGroup"}), table("Rows by answers", [{"Display": "x2", "DisplayLogic": logic([term("QID2/1")])}, "y2"], ["No", "Yes"]), one("Validated?", "F", "G", Validation={"Settings": {"Type": "CustomValidation", "CustomValidation": {"Logic": logic([term("QID2/1")])}}}), HAPPY | {"DisplayLogic": logic([{"LogicType": "Quota", "LeftOperand": "QO_1", "Operator": "QuotaMet", "Description": "If quota is met"}])}, WHY | {"DisplayLogic": logic([{"LogicType": "DeviceType", "LeftOperand": "Device", "Operator": "Is", "RightOperand": "Mobile", "Description": "On a phone"}])}, table("Defaults", ["x3"], ["No", "Yes"], DefaultChoices={"1": {"1": {"Selected": True}}})]),
    "cells": survey([table("How often do you", ["read", "swim"], ["Never", "Often"]), HAPPY | shown(term("QID1/SelectableChoice/2/1")), WHY | shown(term("QID1/SelectableChoice/1/2", "NotSelected")), WORK | shown(term("QID1/SelectableAnswer/2")), CONSENT | shown(term("QID1/SelectableChoice/1/1"), term("QID1/SelectableChoice/2/1"))]),
    "hidden_expressions": survey([WORK, CONSENT, HAPPY | shown(term("QID1/1"), term("QID2/1") | {"_HiddenExpression": True}), WHY | shown(term("QID1/1") | {"_HiddenExpression": True})]),
    "arms": survey([WORK], [PAID], flow=[{"Type": "BlockRandomizer", "FlowID": "FL_6", "SubSet": 1, "Flow": [{"Type": "EmbeddedData", "FlowID": f"FL_{n}", "EmbeddedData": [{"Field": "arm", "Type": "Custom", "Value": n}]} for n in "ab"]}, block(1), branch(logic([{"LogicType": "EmbeddedField", "LeftOperand": "arm", "Operator": "EqualTo", "RightOperand": "b", "Description": "arm is b"}]), block(2))]),
    "subsets": survey([one("Which?", "A", "B", "C", Randomization={"Type": "Subset", "TotalRandSubset": 2}), table("Some rows", ["x", "y", "z"], ["No", "Yes"], Randomization={"Type": "Subset", "TotalRandSubset": 1})]),
    "three_joints": survey([WORK, CONSENT, HAPPY, WHY | shown(term("QID1/1"), term("QID2/1", joint="Or"), term("QID3/1")), PAID | {"DisplayLogic": logic([term("QID1/1")], [term("QID2/1")], [term("QID2/2")], joint="AndIf")}]),
    "loops": survey([PAID], [HAPPY, WHY | shown(term("1_QID2/1"))], [CONSENT | shown(term("QID2%232/1"))], options={2: {"Looping": "Static", "LoopingOptions": {"Static": {"1": {"1": "apples"}}, "Randomization": "All"}}}),
    "quota": survey([WORK, HAPPY], quotas=[{"Name": "Full time", "Occurrences": 200, "Logic": logic([term("QID1/1")]), "QuotaAction": "EndCurrentSurvey"}, {"Name": "Old", "Occurrences": 10, "Logic": logic([term("QID1/1"), term("QID2/1", "NotSelected")])}]),
}
