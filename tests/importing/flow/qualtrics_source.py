"""Reads .qsf files: JSON of blocks (BL), the flow (FL), questions (SQ) and quotas (QO)."""

import json
import re
from typing import Any

from tests.importing.flow.source import Fact, Item, Source, Words

Node = dict[str, Any]
SIGNS = {
    "EqualTo": "==",
    "NotEqualTo": "!=",
    "GreaterThan": ">",
    "LessThan": "<",
    "GreaterThanOrEqual": ">=",
    "LessThanOrEqual": "<=",
}
JOINTS = {"If": "", "AndIf": "and", "OrIf": "or", "ElseIf": "or"}


def logic(node: Node) -> str:
    """Display or branch logic: sets of terms, the joint of each before it. AND is evaluated before OR, as in Python."""
    text = ""
    for each in numbered(node):
        terms = [one for one in numbered(each) if not one.get("_HiddenExpression")]
        joined = "".join(
            f" {one.get('Conjuction', 'And').lower() if at else ''} {term(one)}"
            for at, one in enumerate(terms)
        )
        text += (
            f" {JOINTS.get(each.get('Type', 'If'), 'and') if text else ''} ({joined.strip()})"
            if terms
            else ""
        )
    return text.strip()


def numbered(node: Node) -> list[Node]:
    return [node[key] for key in sorted((each for each in node if each.isdigit()), key=int)]


def term(node: Node) -> str:
    operand, sign = (
        str(node.get("LeftOperand") or node.get("Locator")),
        str(node.get("Operator") or node.get("Condition")),
    )
    match operand.removeprefix("q://").split("/"):
        case [question, "SelectableChoice", choice] if sign in ("Selected", "NotSelected"):
            return f"{'not ' if sign.startswith('Not') else ''}selected(v('{question}'), '{choice}')"
        case [question, "SelectableChoice", row, answer] if sign in ("Selected", "NotSelected"):
            return f"{'not ' if sign.startswith('Not') else ''}selected(v('{question}/{row}'), '{answer}')"
        case [question, "ChoiceTextEntryValue"] if sign in SIGNS:
            return f"v('{question}') {SIGNS[sign]} {node.get('RightOperand')!r}"
        case [question, "QuestionDisplayed"]:
            return f"asked('{question}')" if sign == "Displayed" else f"not asked('{question}')"
    return f"unclear({operand!r})"


class Survey:
    def __init__(self, data: bytes) -> None:
        root = json.loads(data)
        parts = [
            (each["Element"], each["PrimaryAttribute"], each["Payload"]) for each in root["SurveyElements"]
        ]
        payload = {element: content for element, _name, content in parts}
        self.questions = {name: content for element, name, content in parts if element == "SQ"}
        blocks = payload["BL"].values() if isinstance(payload["BL"], dict) else payload["BL"]
        self.blocks = {each["ID"]: each for each in blocks}
        self.main = root["SurveyEntry"]["SurveyLanguage"].lower()
        spoken = {
            code.lower(): None for each in self.questions.values() for code in each.get("Language") or ()
        }
        self.source = Source([], [self.main, *spoken])
        self.source.facts += [Fact("quota", detail=name) for element, name, _c in parts if element == "QO"]
        self.ended, self.shown = list[str](), set[str]()
        self.walk(payload["FL"]["Flow"], [])

    def walk(self, flow: list[Node], conditions: list[str]) -> None:
        for step in flow:
            inner, kind = conditions, step["Type"]
            if kind in ("Block", "Standard"):
                self.read_block(self.blocks[step["ID"]], conditions)
            elif kind == "Branch":
                inner = [*conditions, logic(step["BranchLogic"])]
            elif kind == "BlockRandomizer":
                count, shown = len(step["Flow"]), int(step.get("SubSet") or len(step["Flow"]))
                self.source.facts.append(
                    Fact("drawn" if shown < count else "random", detail=f"{shown} of {count} blocks")
                )
            elif kind == "EndSurvey":
                self.ended.append(f"not ({' and '.join(conditions) or '1'})")
            self.walk(step.get("Flow", []), inner)

    def read_block(self, block: Node, conditions: list[str]) -> None:
        if block["ID"] in self.shown:
            self.source.facts.append(Fact("repeat", detail=f"{block['ID']} twice"))
            return
        self.shown.add(block["ID"])
        options = block.get("Options") or {}
        if options.get("RandomizeQuestions", "false") not in ("false", False, ""):
            self.source.facts.append(Fact("random", detail=f"questions of {block['ID']}"))
        if options.get("Looping", "None") not in ("None", False, ""):
            first = next(
                (each["QuestionID"] for each in block["BlockElements"] if each["Type"] == "Question"), ""
            )
            self.source.facts.append(Fact("repeat", first, block["ID"]))
        skips: list[tuple[str, str]] = []
        for element in block.get("BlockElements") or ():
            if element["Type"] != "Question":
                continue
            name = element["QuestionID"]
            skips = [(goal, text) for goal, text in skips if goal != name]
            own = self.questions[name]
            shown = [text for text in [logic(own.get("DisplayLogic") or {})] if text]
            self.read_question(
                name, own, [*conditions, *self.ended, *(text for _goal, text in skips), *shown]
            )
            for rule in element.get("SkipLogic") or own.get("SkipLogic") or ():
                text = f"not (asked('{name}') and {term(rule)})"
                if rule["SkipToDestination"] == "ENDOFSURVEY":
                    self.ended.append(text)
                else:
                    skips.append((rule["SkipToDestination"], text))

    def words(self, question: Node, *path: str) -> Words:
        words = dict[str, str]()
        for code, spoken in {self.main: question, **(question.get("Language") or {})}.items():
            found: Any = spoken
            for key in path:
                found = found.get(key) if isinstance(found, dict) else None
            if found:
                words[code.lower()] = str(found)
        return words

    def labels(self, question: Node, table: str, order: str) -> dict[str, Words]:
        each = question.get(table) or {}
        codes = [str(code) for code in question.get(order) or each] if each else []
        return {code: self.words(question, table, code, "Display") for code in codes}

    def read_question(self, name: str, node: Node, shown_if: list[str]) -> None:
        kind, selector, facts = node["QuestionType"], node.get("Selector", ""), self.source.facts
        if kind in ("DB", "Timing", "Meta"):
            return
        validation = (node.get("Validation") or {}).get("Settings") or {}
        text, rows = self.words(node, "QuestionText"), self.labels(node, "Choices", "ChoiceOrder")
        is_number = (kind == "Slider" and len(rows) < 2) or validation.get("ContentType") == "ValidNumber"
        if validation.get("Type", "None") not in ("None", "") and not is_number:
            facts.append(Fact("validation", name, validation["Type"]))
        randomization = (node.get("Randomization") or {}).get("Type", "None")
        if randomization not in ("None", ""):
            is_part = (
                (node["Randomization"].get("Advanced") or node["Randomization"]).get("TotalRandSubset") or 0
            ) > 0
            facts.append(Fact("drawn" if is_part else "random", name, randomization))
        for key, fact in (("DefaultChoices", "default"), ("DynamicChoices", "filter")):
            if node.get(key):
                facts.append(Fact(fact, name))
        choices = node.get("Choices") or {}
        facts += (
            [Fact("filter", name, "choice") for each in choices.values() if each.get("DisplayLogic")]
            if choices
            else []
        )
        facts += (
            [Fact("other", name) for each in choices.values() if each.get("TextEntry")] if choices else []
        )
        if kind == "Matrix" and selector in ("Likert", "Bipolar"):
            many = node.get("SubSelector") == "MultipleAnswer"
            answers = self.labels(node, "Answers", "AnswerOrder")
            if selector == "Bipolar":
                answers = {code: {self.main: str(n)} for n, code in enumerate(answers, 1)}
            for code, words in rows.items():
                parts = [
                    re.sub(r"^(.*?):(.*)$", rf"1 = \1; {len(answers)} = \2", each) for each in words.values()
                ]
                own = dict(zip(words, parts, strict=True)) if selector == "Bipolar" else words
                self.source.items.append(
                    Item(f"{name}/{code}", own, answers, many, head=text, shown_if=shown_if)
                )
        else:
            is_choice = kind == "MC"
            many = is_choice and selector in ("MAVR", "MAHR", "MACOL", "MSB")
            self.source.items.append(
                Item(name, text, rows if is_choice else {}, many, is_number, shown_if=shown_if)
            )


def read(data: bytes) -> Source:
    return Survey(data).source
