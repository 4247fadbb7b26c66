"""Surveys of SurveyJS, as its creator saves them, and a reader of pages, panels and expressions."""

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


# A line is a file.
# fmt: off

def one(name: str, *choices: Any, kind: str = "radiogroup", **more: Any) -> Node:
    return {"type": kind, "name": name, "title": f"What of {name}?", **({"choices": [*choices]} if choices else {}), **more}


def survey(*elements: Node, **more: Any) -> bytes:
    return json.dumps({"title": "Study", "pages": [{"name": "page1", "elements": [*elements]}], **more}, ensure_ascii=False).encode()


def pages(*made: Node, **more: Any) -> bytes:
    return json.dumps({"title": "Study", "pages": [*made], **more}, ensure_ascii=False).encode()


WORK = one("work", "full", "part", "no")
PAID = one("paid", {"value": 1, "text": "In cash"}, {"value": 2, "text": "In goods"}, {"value": 3, "text": "By transfer"}, kind="checkbox")
LIKE, AGE = one("like", kind="boolean"), one("age", kind="text", inputType="number", min=18, max=99)


def last(visible: str, name: str = "last", **more: Any) -> Node:
    return one(name, "yes", "no", visibleIf=visible, **more)


FILES = {
    "choices": survey(WORK, PAID, LIKE, last("{work} = 'full'"), last("{paid} contains 2", "a"), last("{like} = true", "b"), last("{work} anyof ['full', 'part']", "c"), last("{work} == 'no' and {like} = false", "d")),
    "signs": survey(WORK, PAID, LIKE, last("{work} <> 'full'", "a"), last("{work} notempty", "b"), last("{work} = 'full' or {work} = 'part'", "c"), last("{work} = 'full' || {like} = true", "d"), last("!({work} = 'no')", "e"), last("{paid} notcontains 1", "f"), last("{paid} anyof [1, 2]", "g"), last("{paid} allof [1, 2]", "h"), last("{paid} = [1]", "i"), last("{work} empty", "j"), last("iif({work} = 'no', 1, 0) = 1", "k")),
    "hidden_parents": survey(WORK, one("more", "yes", "no", visibleIf="{work} = 'full'"), last("{more} <> 'yes'", "a"), last("{more} empty", "b"), last("{more} = 'no'", "c"), last("{more} != 'yes' and {work} = 'full'")),
    "numbers": survey(AGE, last("{age} >= 65", "a"), last("{age} > 17 and {age} < 30", "b"), one("born", kind="text", inputType="date"), last("{born} > '2000-01-01'", "c"), one("job", kind="text"), last("{job} = 'miner'", "d"), one("rated", kind="rating", rateMin=0, rateMax=10), last("{rated} > 6", "e"), last("{rated} = 3", "f"), one("slid", kind="slider", min=0, max=50), last("age({born}) > 18")),
    "panels": pages({"name": "p1", "elements": [WORK]}, {"name": "p2", "visibleIf": "{work} = 'full'", "elements": [{"type": "panel", "name": "in", "title": "Pay", "visibleIf": "{work} != 'no'", "elements": [LIKE, {"type": "panel", "name": "deep", "visibleIf": "{like} = true", "elements": [PAID, last("{paid} contains 1")]}]}]}, {"name": "p3", "elements": []}, {"name": "p4", "visible": False, "elements": [one("off", "a", "b")]}),
    "tables": survey({"type": "matrix", "name": "t", "title": "How often do you", "columns": ["never", {"value": 2, "text": "often"}], "rows": ["read", {"value": "s", "text": "swim"}]}, last("{t.read} = 'never'", "a"), {"type": "matrixdropdown", "name": "d", "title": "Two things", "columns": [{"name": "x", "cellType": "radiogroup"}], "choices": [1, 2], "rows": ["r"]}, {"type": "matrixdynamic", "name": "m", "title": "For each", "columns": [{"name": "x"}]}, one("rank", "a", "b", kind="ranking"), one("texts", kind="multipletext", items=[{"name": "x"}]), {"type": "paneldynamic", "name": "each", "title": "Each child", "templateElements": [one("inner", "a", "b")]}, one("sign", kind="signaturepad"), {"type": "matrix", "name": "u", "title": "Rows by answers", "columns": ["no", "yes"], "rows": ["u1", "u2"], "rowsVisibleIf": "{a} = 'yes'", "rowsOrder": "random"}),
    "settings": survey({**WORK, "defaultValue": "full", "choicesOrder": "random"}, {**PAID, "maxSelectedChoices": 2, "showNoneItem": True, "showOtherItem": True}, one("v", kind="text", inputType="number", validators=[{"type": "numeric", "minValue": 1, "maxValue": 5}]), one("f", "a", "b", choicesVisibleIf="{work} = {item}"), one("g", {"value": "x", "visibleIf": "{work} = 'no'"}, "y", "z"), one("c", kind="checkbox", choicesFromQuestion="paid", choicesFromQuestionMode="selected"), one("u", kind="dropdown", choicesByUrl={"url": "https://example.org/x"}), one("r", "a", "b", enableIf="{work} = 'no'"), one("s", "a", "b", setValueIf="{work} = 'no'", setValueExpression="'a'"), one("o", "a", "b", readOnly=True), one("h", "a", "b", visible=False), one("w", "a", "b", requiredIf="{work} = 'no'")),
    "triggers": survey(WORK, LIKE, *(one(name, "a", "b") for name in ("q1", "q2")), triggers=[{"type": "complete", "expression": "{work} = 'no'"}, {"type": "skip", "expression": "{like} = true", "gotoName": "q2"}, {"type": "setvalue", "expression": "{like} = true", "setToName": "q1", "setValue": "a"}], completedHtmlOnCondition=[{"expression": "{work} = 'no'", "html": "Bye"}], navigateToUrlOnCondition=[{"expression": "{work} = 'no'", "url": "https://example.org"}]),
    "skip_alone": survey(WORK, LIKE, *(one(name, "a", "b") for name in ("q1", "q2")), triggers=[{"type": "skip", "expression": "{like} = true", "gotoName": "q2"}]),
    "visible_trigger": survey(WORK, one("q1", "a", "b"), triggers=[{"type": "visible", "name": "work", "operator": "equal", "value": "no", "questions": ["q1"]}]),
    "random": pages({"name": "p1", "questionsOrder": "random", "elements": [WORK, LIKE]}, {"name": "p2", "elements": [{"type": "panel", "name": "in", "questionsOrder": "random", "elements": [one("x", "a", "b"), one("y", "a", "b")]}]}, questionsOrder="random"),
    "random_page": pages({"name": "p1", "questionOrder": "random", "elements": [WORK, LIKE]}),
    "languages": survey({**WORK, "title": {"default": "Do you work?", "de": "Arbeiten Sie?", "ar": "هل تعمل؟"}, "choices": [{"value": "y", "text": {"default": "Yes", "de": "Ja", "ar": "نعم"}}, {"value": "n", "text": {"default": "No", "de": "Nein", "ar": "لا"}}]}, last("{work} = 'n'")),
    "french": survey({**WORK, "title": {"default": "Work?", "fr": "Travaillez-vous ?"}}, last("{work} = 'no'", title={"fr": "La dernière ?", "default": "The last?"}), locale="fr"),
    "odd_words": survey(one("a", "<i>5</i> &amp; less", "more", title="<p>How **old** is &lt;it&gt;?</p>"), {"type": "radiogroup", "name": "untitled", "choices": ["Yes", "No"]}, one("c", "Same", {"value": 2, "text": "Same"}, "Not"), one("d", "x", "y", title="You said {a}: right?", visibleIf="{c} = 2"), one("single", "only"), one("none"), {"type": "html", "name": "words", "html": "<b>Read</b> this", "visibleIf": "{c} = 2"}, one("zero", 0, 1, False), last("{zero} = 0")),
    "backwards": survey(last("{work} = 'full'"), WORK, last("{me} = 'yes'", "me"), last("{nobody} = 'yes'", "gone"), last("{work} = 'never'", "never"), last("{work} =", "broken")),
    "more_choices": survey({**WORK, "showRefuseItem": True, "showDontKnowItem": True}, one("numbers", kind="dropdown", choicesMin=1, choicesMax=4), one("sorted", "pear", "apple", "fig", choicesOrder="asc"), one("tags", "a", {"value": "b", "isExclusive": True}, "c", kind="tagbox"), last("{work} = 'dontknow'"), last("{tags} contains 'b'", "x"), last("{numbers} = 3", "n")),
    "names": survey(WORK, one("v", "x", "y", valueName="shared"), LIKE, last("{shared} = 'x'", "a"), last("{work} = 'full'", "b"), last("{total} > 2", "c"), last("{work-Comment} notempty", "d"), last("{like}", "e"), last("{like} = 'true'", "f"), last("{LIKE} = true", "g"), last("{work} = \"full\"", "h"), last("{work} in ['full', 'part']", "i"), last("{work} != 'no' and ({like} = true or {like} = false)", "j"), calculatedValues=[{"name": "total", "expression": "1 + 1"}]),
    "modes": survey(WORK, last("{work} = 'no'"), mode="display", firstPageIsStarted=True, timeLimit=60),
    "panel_settings": pages({"name": "p1", "elements": [WORK, {"type": "panel", "name": "in", "readOnly": True, "elements": [one("x", "a", "b")]}, {"type": "panel", "name": "off", "visible": False, "elements": [one("y", "a", "b")]}, {"type": "flowpanel", "name": "flow", "visibleIf": "{work} = 'no'", "elements": [one("z", "a", "b")]}]}, {"name": "p2", "readOnly": True, "timeLimit": 20, "elements": [{"type": "matrix", "name": "t", "title": "Once each", "columns": ["c1", "c2"], "rows": ["r1", "r2"], "eachRowUnique": True, "visibleIf": "{work} = 'full'"}]}),
    "old": json.dumps({"pages": [{"name": "p", "questions": [WORK, last("{work} = 'no'"), {**one("o", "a", "b"), "hasOther": True}]}]}).encode(),
}
