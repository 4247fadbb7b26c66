"""Reads surveys of SurveyJS: pages of elements, panels in panels, and expressions."""

import json
import re
from typing import Any

from tests.importing.flow.source import Fact, Item, Source, Words

Node = dict[str, Any]
SETTINGS = {
    "default": "defaultValue defaultValueExpression",
    "set": "setValueIf setValueExpression",
    "validation": "validators maxSelectedChoices minSelectedChoices eachRowUnique",
    "filter": "choicesVisibleIf choicesEnableIf rowsVisibleIf columnsVisibleIf choicesFromQuestion choicesByUrl",
    "hidden": "enableIf readOnly",
    "other": "showOtherItem hasOther",
}
SIGNS = (
    ("<>", "!="),
    ("&&", " and "),
    ("||", " or "),
    (" notempty", " != ''"),
    (" empty", " == ''"),
    (" notcontains ", " << -"),
    (" contains ", " << "),
    (" contain ", " << "),
    (" anyof ", " >> "),
    (" allof ", " << "),
)


def condition(text: str) -> str:
    made = re.sub(r"(?<![<>!=])=(?!=)", "==", re.sub(r"\{([^}]*)\}", r"v('\1')", text + " "))
    made = re.sub(r" in (\[[^\]]*\])", r" >> \1", made)
    for sign, python in SIGNS:
        made = made.replace(sign, python)
    made = re.sub(r"(v\('[^']*'\)) << -('[^']*'|\d+)", r"not (\1 << \2)", made)
    return re.sub(r"(== ?|!= ?)(true|false)\b", r"\1'\2'", re.sub(r"!(?!=)", " not ", made)).strip()


def words(value: Any, default: str = "en") -> Words:
    if isinstance(value, dict):
        return {default if key == "default" else key: str(text) for key, text in value.items()}
    return {default: str(value)} if value not in (None, "") else {}


class Survey:
    def __init__(self, data: bytes) -> None:
        root = json.loads(data)
        self.main = root.get("locale") or "en"
        self.source = Source([], [self.main])
        self.facts = self.source.facts
        for trigger in root.get("triggers") or ():
            self.facts.append(
                Fact(
                    {"complete": "end", "skip": "condition", "visible": "condition"}.get(
                        trigger["type"], "set"
                    ),
                    detail=f"trigger {trigger['type']}",
                )
            )
        self.facts += [Fact("end", detail=key) for key in ("navigateToUrlOnCondition",) if root.get(key)]
        self.facts += [Fact("random", detail="pages' questions")] * (root.get("questionsOrder") == "random")
        self.facts += [
            Fact("end", detail=key) for key in ("timeLimit", "maxTimeToFinish") if root.get(key)
        ] + [Fact("hidden", detail="mode")] * (root.get("mode") == "display")
        self.spoken = set(re.findall(r'"(de|fr|ar|zh-cn|es)":', json.dumps(root)))
        self.source.languages += sorted(self.spoken - {self.main})
        pages = root.get("pages") or [{"elements": root.get("elements") or root.get("questions") or []}]
        for page in pages:
            self.walk(page, [])

    def walk(self, node: Node, conditions: list[str]) -> None:
        inner = [*conditions, *([condition(node["visibleIf"])] if node.get("visibleIf") else [])]
        inner += ["0"] if node.get("visible") is False and not node.get("visibleIf") else []
        self.facts += [Fact("hidden", detail=f"readOnly {node['name']}")] * bool(
            node.get("readOnly") or node.get("enableIf")
        )
        self.facts += [Fact("end", detail="timeLimit")] * bool(
            node.get("timeLimit") or node.get("maxTimeToFinish")
        )
        if "random" in (node.get("questionsOrder"), node.get("questionOrder")):
            self.facts.append(Fact("random", detail=f"questions of {node.get('name')}"))
        for each in node.get("elements") or node.get("questions") or ():
            if each["type"] in ("panel", "flowpanel"):
                self.walk(each, inner)
            else:
                self.read_question(each, inner)

    def choices(self, values: Any) -> dict[str, Words]:
        made = dict[str, Words]()
        for each in values or ():
            code = each.get("value") if isinstance(each, dict) else each
            made[str(code).lower() if isinstance(code, bool) else str(code)] = words(
                each.get("text", code) if isinstance(each, dict) else each, self.main
            )
        return made

    def read_question(self, node: Node, conditions: list[str]) -> None:
        name, kind = node.get("valueName") or node["name"], node["type"]
        if kind in ("html", "expression", "image"):
            return
        shown_if = [*conditions, *([condition(node["visibleIf"])] if node.get("visibleIf") else [])]
        self.facts += [
            Fact(each, name, key) for each, keys in SETTINGS.items() for key in keys.split() if node.get(key)
        ]
        if node.get("visible") is False and not node.get("visibleIf"):
            self.facts.append(Fact("hidden", name))
        self.facts += [Fact("random", name)] * (
            "random" in (node.get("choicesOrder"), node.get("rowsOrder"), node.get("rowOrder"))
        )
        listed = [
            each
            for each in (*(node.get("choices") or ()), *(node.get("rows") or ()))
            if isinstance(each, dict)
        ]
        self.facts += [Fact("filter", name, "of a choice")] * any(
            each.get("visibleIf") or each.get("enableIf") for each in listed
        )
        self.facts += [Fact("exclusive", name, "isExclusive")] * any(
            each.get("isExclusive") for each in listed
        )
        title, many = (
            words(node.get("title") or node["name"], self.main),
            kind in ("checkbox", "tagbox") or bool(node.get("multiSelect")),
        )
        made = (
            self.choices(node.get("choices"))
            if kind in ("radiogroup", "dropdown", "checkbox", "tagbox", "imagepicker", "buttongroup")
            else {}
        )
        if node.get("choicesMax"):
            made = self.choices(range(int(node.get("choicesMin", 0)), int(node["choicesMax"]) + 1))
        made |= {
            code: Words()
            for key, code in (("showRefuseItem", "refused"), ("showDontKnowItem", "dontknow"))
            if node.get(key)
        }
        self.facts += [Fact("random", name, str(node.get("choicesOrder")))] * (
            node.get("choicesOrder") in ("asc", "desc")
        )
        if kind == "boolean":
            ends = [
                (node.get("valueTrue", "true"), node.get("labelTrue", "Yes")),
                (node.get("valueFalse", "false"), node.get("labelFalse", "No")),
            ]
            made = {str(value): words(label, self.main) for value, label in ends}
        if kind == "rating":
            low, high, step = (
                int(node.get(key) or usual)
                for key, usual in (("rateMin", 1), ("rateMax", node.get("rateCount", 5)), ("rateStep", 1))
            )
            made = self.choices(node.get("rateValues") or range(low, high + 1, step))
        if node.get("showOtherItem") or node.get("hasOther"):
            made["other"] = {}
        if (node.get("showNoneItem") or node.get("hasNone")) and not many:
            made["none"] = {}
        if kind == "matrix":
            columns = self.choices(node.get("columns"))
            for code, text in self.choices(node.get("rows")).items():
                self.source.items.append(Item(f"{name}.{code}", text, columns, head=title, shown_if=shown_if))
            return
        if kind == "paneldynamic":
            self.facts.append(Fact("repeat", name))
        is_number = kind in ("slider", "nouislider") or (
            kind == "text" and node.get("inputType") in ("number", "range")
        )
        self.source.items.append(Item(name, title, made, many, is_number, shown_if=shown_if))


def read(data: bytes) -> Source:
    return Survey(data).source
