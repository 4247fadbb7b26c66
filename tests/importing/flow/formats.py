"""Every format with its files and an independent reader, written after the format's documentation.

Nothing here uses `importing`.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from tests.importing.flow import made_files
from tests.importing.flow.comparison import Fact, Item, Source, Words, straighten

Row = dict[str, str]
Node = dict[str, Any]

# --- LimeSurvey: tables (.txt, .tsv), XML (.lss, with or without tables of words) and archives (.lsa)

LIME_CODES = {"Y": "YN", "G": "FM", "5": "12345"}
LIME_YES_NO = {"Y": "yes", "N": "no"}
LIME_ROWS = {"A": "12345", "B": "123456789A", "C": "YUN", "E": "ISD", "F": "", "H": ""}
LIME_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
LIME_SIGNS |= {"&&": "and", "||": "or", "!": " not "}
LIME_SETTINGS = {
    "filter": "array_filter array_filter_exclude",
    "validation": "min_answers max_answers em_validation_q em_validation_sq equals_num_value preg validation",
    "end": "time_limit",
    "hidden": "hidden",
    "random": "random_group random_order answer_order subquestion_order",
    "default": "default",
}


def lime_condition(text: str) -> str:
    """In Python. What is not asked is empty if called `.NAOK`, else its term is false."""
    made, asked = lime_value(text)
    return " and ".join([*(f"asked({name!r})" for name in dict.fromkeys(asked)), f"({made})"])


def lime_value(text: str) -> tuple[str, list[str]]:
    """The expression in Python, and the names that must be asked."""
    made, asked = "", list[str]()
    for quoted, name, called, sign in re.findall(
        r"(\"[^\"]*\"|'[^']*')|([A-Za-z]\w*)(\.\w+)?(?![\w(])|(&&|\|\||[!<>]=|!|[^\w\s]|\w+)",
        straighten(text),
    ):
        if name in LIME_SIGNS or sign in LIME_SIGNS:
            made += f" {LIME_SIGNS[name or sign]} "
        elif name in ("and", "or", "not"):
            made += f" {name} "
        elif name:
            made += f"v({name!r})"
            asked += [name] * (not called)
        else:
            made += quoted or sign
    return re.sub(r"(?<![<>!=])=(?!=)", "==", made).replace("= =", "=="), asked


def lime_table_rows(data: bytes) -> list[Row]:
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    rows = csv.DictReader(io.StringIO(text), delimiter="\t")
    return [{key: cell or "" for key, cell in row.items() if key} for row in rows]


def lime_xml_rows(data: bytes) -> list[Row]:
    """As the rows of a table."""
    root = ET.fromstring(data)

    def table(name: str) -> list[Row]:
        return [{cell.tag: cell.text or "" for cell in row} for row in root.iterfind(f"{name}/rows/row")]

    def rows_with_translations(rows: list[Row], words: str, key: str) -> list[Row]:
        translated = [{k: v for k, v in each.items() if k != "id"} for each in table(words)]
        pairs = [row | each for row in rows for each in translated if each[key] == row[key]]
        return pairs if translated else rows

    main, *languages = [each.text or "" for each in root.iterfind("languages/language")]
    made = [{"class": "S", "name": "language", "text": main}]
    made += [{"class": "S", "name": "additional_languages", "text": " ".join(languages)}]
    questions, titles = table("questions"), {each["qid"]: each["title"] for each in table("questions")}
    extra: dict[str, Row] = {each["qid"]: {} for each in questions}
    for each in table("question_attributes"):
        extra[each["qid"]][each["attribute"]] = each["value"]
    for each in table("defaultvalues"):
        extra[each["qid"]]["default"] = each.get("defaultvalue", "yes")
    for each in table("conditions"):
        found = re.fullmatch(r"\+?\d+X\d+X(\d+?)(SQ\d+)?", each["cfieldname"])
        name = titles.get(each["cqid"], "") + (f"_{found[2]}" if found and found[2] else "")
        before = extra[each["qid"]].get("conditions", "")
        term = f'{name}.NAOK {each["method"]} "{each["value"]}"'
        extra[each["qid"]]["conditions"] = f"{before}&&{term}" if before else term
    for group in rows_with_translations(table("groups"), "group_l10ns", "gid"):
        language = group.get("language", "")
        row = {"class": "G", "name": group["group_name"], "language": language}
        random = group.get("randomization_group", "")
        made.append(row | {"relevance": group.get("grelevance", ""), "random_group": random})
        mine = [each for each in questions if each["gid"] == group["gid"]]
        for each in rows_with_translations(mine, "question_l10ns", "qid"):
            if each["language"] != group.get("language", each["language"]):
                continue
            more = dict(extra[each["qid"]])
            relevance = each.get("relevance", "1")
            if relevance in ("", "1"):
                relevance = more.pop("conditions", "") or relevance
            named = {"class": "Q", "type/scale": each["type"]}
            named |= {"name": each["title"], "text": each["question"]}
            made.append({**each, **named, "relevance": relevance, "validation": each.get("preg", ""), **more})
            inner = [
                ("SQ", row) for row in rows_with_translations(table("subquestions"), "question_l10ns", "qid")
            ]
            inner += [("A", row) for row in rows_with_translations(table("answers"), "answer_l10ns", "aid")]
            for kind, row in inner:
                of, name, words = LIME_PARTS[kind]
                if row[of] == each["qid"] and row["language"] == each["language"]:
                    made.append({**row, "class": kind, "name": row[name], "text": row[words]})
    made += [{"class": "QTA", "name": each["name"], "default": each["active"]} for each in table("quota")]
    return made


LIME_PARTS = {"SQ": ("parent_qid", "title", "question"), "A": ("qid", "code", "answer")}
"""Of which question a part is, and its code and its words."""


def read_lime_rows(rows: list[Row]) -> Source:
    settings = {row["name"]: row["text"] for row in rows if row["class"] == "S"}
    source = Source([], [settings.get("language", "en"), *settings.get("additional_languages", "").split()])
    for row in rows:
        source.note_if(row["class"] == "QTA" and row.get("default") != "0", "quota", detail=row["name"])
    found = dict[str, tuple[Row, Words, dict[str, Words], dict[str, Words], list[str]]]()
    group, name = list[str](), ""
    for row in rows:
        language, relevance = row.get("language", ""), row.get("relevance", "")
        own = [lime_condition(relevance)] if relevance not in ("", "1") else []
        if row["class"] == "G":
            group = own
            is_new = Fact("random", detail="groups") not in source.facts
            source.note_if(row.get("random_group") and is_new, "random", detail="groups")
        elif row["class"] == "Q":
            name = row["name"]
            found.setdefault(name, (row, {}, {}, {}, [*group, *own]))[1][language] = row["text"]
        elif row["class"] in ("SQ", "A") and name:
            source.note_if(own and Fact("filter", name, "rows") not in source.facts, "filter", name, "rows")
            _row, _words, parts, labels, _shown_if = found[name]
            named = parts if row["class"] == "SQ" else labels
            named.setdefault(row["name"], {})[language] = row["text"]
    for name, (row, words, parts, labels, shown_if) in found.items():
        kind = row["type/scale"]
        if kind == "*" and row.get("relevance", "1") in ("", "1") and not group:
            source.computed[name] = lime_value(words.get("en", "").strip("{}"))[0]
        if kind in ("X", "*"):
            continue
        for fact, keys in LIME_SETTINGS.items():
            for key in keys.split():
                source.note_if(row.get(key) not in (None, "", "0", "N", "normal"), fact, name, key)
        has_other = row.get("other") == "Y"
        source.note_if(has_other, "other", name)
        codes = LIME_CODES.get(kind, LIME_ROWS.get(kind, ""))
        choices = labels or {code: {"": LIME_YES_NO[code]} if kind == "Y" else {} for code in codes}
        if kind in LIME_ROWS:
            for code, text in parts.items():
                source.items.append(Item(f"{name}_{code}", text, choices, head=words, shown_if=shown_if))
        elif kind in ("M", "P"):
            values = {f"{name}_{code}": (code, "Y", "") for code in parts}
            source.items.append(Item(name, words, parts, True, shown_if=shown_if, parts=values))
        else:
            choices = choices if kind in ("L", "!", "O", *LIME_CODES) else {}
            other = {"-oth-": Words()} if has_other and choices else {}
            source.items.append(Item(name, words, choices | other, number=kind == "N", shown_if=shown_if))
    return source


def read_lime(data: bytes) -> Source:
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = archive.read(next(name for name in archive.namelist() if name.endswith(".lss")))
    return read_lime_rows(lime_xml_rows(data) if data.lstrip().startswith(b"<") else lime_table_rows(data))


# --- REDCap: fields, branching logic, validation and action tags

REDCAP_COLUMNS = (
    *("name", "form", "header", "type", "label", "choices", "note", "validation", "least", "most"),
    *("identifier", "logic", "required", "alignment", "number", "matrix", "ranking", "tags"),
)
REDCAP_TAGS = {
    "hidden": "HIDDEN HIDDEN-SURVEY READONLY READONLY-SURVEY", "default": "DEFAULT", "set": "SETVALUE CALCTEXT",
    "validation": "NONEOFTHEABOVE MAXCHECKED", "filter": "HIDECHOICE SHOWCHOICE", "random": "RANDOMORDER",
    "condition": "IF", "quota": "MAXCHOICE",
}  # fmt: skip


def redcap_condition(text: str) -> str:
    made = re.sub(r"(?:\[[\w-]+\])?\[(\w+(?:\(\w+\))?)\]", r"v('\1')", straighten(text)).replace("<>", "!=")
    made = re.sub(r"\s+", " ", made)
    made = re.sub(r"(?<![<>!=])=(?!=)", "==", made)
    return re.sub(r"\b(AND|OR|NOT)\b", lambda found: found[0].lower(), made)


def read_redcap(data: bytes) -> Source:
    _header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    source = Source([], ["en"])
    for cells in rows:
        row = dict(zip(REDCAP_COLUMNS, (each.strip() for each in cells), strict=False))
        row = {key: "" if cell == "NA" else cell for key, cell in row.items()}
        name, kind = row["name"], row["type"]
        if kind == "calc":
            source.computed[name] = redcap_condition(row["choices"])
        if kind == "descriptive" or not name:
            continue
        for tag in re.findall(r"@([A-Z-]+)", row.get("tags", "")):
            for fact, names in REDCAP_TAGS.items():
                source.note_if(tag in names.split(), fact, name, row["tags"])
        source.note_if(row["identifier"].lower() in ("y", "yes"), "identifier", name)
        limits = f"{row['validation']} {row['least']}..{row['most']}"
        source.note_if(kind == "text" and limits != " ..", "validation", name, limits)
        source.note_if(row.get("ranking", "").lower() == "y", "validation", name, "ranking")
        is_number = kind == "slider" or (
            kind == "text" and re.match(r"integer|number", row["validation"]) is not None
        )
        choices = {"yesno": "1, Yes | 0, No", "truefalse": "1, True | 0, False"}.get(
            kind, row["choices"] if kind in ("radio", "dropdown", "checkbox") else ""
        )
        pairs = (each.partition(",") for each in choices.split("|"))
        labels = {code.strip(): {"en": label.strip()} for code, _comma, label in pairs if code.strip()}
        is_many = kind == "checkbox"
        parts = {f"{name}({code})": (code, "1", "0") for code in labels} if is_many else {}
        shown_if = [redcap_condition(row["logic"])] if row["logic"] else []
        unasked = "0" if parts else ""
        source.items.append(
            Item(name, {"en": row["label"]}, labels, is_many, is_number, {}, shown_if, parts, unasked)
        )
    return source


# --- Qualtrics: JSON of blocks (BL), the flow (FL), questions (SQ) and quotas (QO)

QUALTRICS_SIGNS = {"EqualTo": "==", "NotEqualTo": "!=", "GreaterThan": ">", "LessThan": "<"}
QUALTRICS_SIGNS |= {"GreaterThanOrEqual": ">=", "LessThanOrEqual": "<="}
QUALTRICS_JOINTS = {"If": "", "AndIf": "and", "OrIf": "or", "ElseIf": "or"}


def qualtrics_logic(node: Node) -> str:
    """Display or branch logic: sets of terms, the joint of each before it. AND is evaluated before OR, as in Python."""
    text = ""
    for each in entries_in_order(node):
        terms = [one for one in entries_in_order(each) if not one.get("_HiddenExpression")]
        joined = "".join(
            f" {one.get('Conjuction', 'And').lower() if at else ''} {qualtrics_term(one)}"
            for at, one in enumerate(terms)
        )
        joint = QUALTRICS_JOINTS.get(each.get("Type", "If"), "and") if text else ""
        text += f" {joint} ({joined.strip()})" if terms else ""
    return text.strip()


def entries_in_order(node: Node) -> list[Node]:
    return [node[key] for key in sorted((each for each in node if each.isdigit()), key=int)]


def qualtrics_term(node: Node) -> str:
    operand = str(node.get("LeftOperand") or node.get("Locator"))
    sign = str(node.get("Operator") or node.get("Condition"))
    no = "not " if sign.startswith("Not") else ""
    match operand.removeprefix("q://").split("/"):
        case [question, "SelectableChoice", choice] if sign in ("Selected", "NotSelected"):
            return f"{no}selected(v('{question}'), '{choice}')"
        case [question, "SelectableChoice", row, answer] if sign in ("Selected", "NotSelected"):
            return f"{no}selected(v('{question}/{row}'), '{answer}')"
        case [question, "ChoiceTextEntryValue"] if sign in QUALTRICS_SIGNS:
            return f"v('{question}') {QUALTRICS_SIGNS[sign]} {node.get('RightOperand')!r}"
        case [question, "QuestionDisplayed"]:
            return f"{'' if sign == 'Displayed' else 'not '}asked('{question}')"
    return f"unclear({operand!r})"


class QualtricsReader:
    def __init__(self, data: bytes) -> None:
        root = json.loads(data)
        keys = ("Element", "PrimaryAttribute", "Payload")
        parts = [tuple(each[key] for key in keys) for each in root["SurveyElements"]]
        payload = {element: content for element, _name, content in parts}
        self.questions = {name: content for element, name, content in parts if element == "SQ"}
        blocks = payload["BL"].values() if isinstance(payload["BL"], dict) else payload["BL"]
        self.blocks = {each["ID"]: each for each in blocks}
        self.main = root["SurveyEntry"]["SurveyLanguage"].lower()
        codes = [code.lower() for each in self.questions.values() for code in each.get("Language") or ()]
        self.source = Source([], [self.main, *dict.fromkeys(codes)])
        self.note_if = self.source.note_if
        for element, name, _content in parts:
            self.note_if(element == "QO", "quota", detail=name)
        self.ended, self.shown = list[str](), set[str]()
        self.walk_flow(payload["FL"]["Flow"], [])

    def walk_flow(self, flow: list[Node], conditions: list[str]) -> None:
        for step in flow:
            inner, kind = conditions, step["Type"]
            if kind in ("Block", "Standard"):
                self.read_block(self.blocks[step["ID"]], conditions)
            elif kind == "Branch":
                inner = [*conditions, qualtrics_logic(step["BranchLogic"])]
            elif kind == "BlockRandomizer":
                count, shown = len(step["Flow"]), int(step.get("SubSet") or len(step["Flow"]))
                is_drawn = shown < count
                self.note_if(True, "drawn" if is_drawn else "random", detail=f"{shown} of {count} blocks")
            elif kind == "EndSurvey":
                self.ended.append(f"not ({' and '.join(conditions) or '1'})")
            self.walk_flow(step.get("Flow", []), inner)

    def read_block(self, block: Node, conditions: list[str]) -> None:
        identity, options = block["ID"], block.get("Options") or {}
        if identity in self.shown:
            self.note_if(True, "repeat", detail=f"{identity} twice")
            return
        self.shown.add(identity)
        elements = [each for each in block.get("BlockElements") or () if each["Type"] == "Question"]
        is_random = options.get("RandomizeQuestions", "false") not in ("false", False, "")
        self.note_if(is_random, "random", detail=f"questions of {identity}")
        first = elements[0]["QuestionID"] if elements else ""
        self.note_if(options.get("Looping", "None") not in ("None", False, ""), "repeat", first, identity)
        skips: list[tuple[str, str]] = []
        for element in elements:
            name = element["QuestionID"]
            skips = [(goal, text) for goal, text in skips if goal != name]
            own = self.questions[name]
            shown = [text for text in [qualtrics_logic(own.get("DisplayLogic") or {})] if text]
            shown_if = [*conditions, *self.ended, *(text for _goal, text in skips), *shown]
            self.read_question(name, own, shown_if)
            for rule in element.get("SkipLogic") or own.get("SkipLogic") or ():
                text = f"not (asked('{name}') and {qualtrics_term(rule)})"
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
        kind, selector, items = node["QuestionType"], node.get("Selector", ""), self.source.items
        if kind in ("DB", "Timing", "Meta"):
            return
        validation = (node.get("Validation") or {}).get("Settings") or {}
        text, rows = self.words(node, "QuestionText"), self.labels(node, "Choices", "ChoiceOrder")
        is_number = (kind == "Slider" and len(rows) < 2) or validation.get("ContentType") == "ValidNumber"
        rule = validation.get("Type", "None")
        self.note_if(rule not in ("None", "") and not is_number, "validation", name, rule)
        order = node.get("Randomization") or {}
        is_part = ((order.get("Advanced") or order).get("TotalRandSubset") or 0) > 0
        how = order.get("Type", "None")
        self.note_if(how not in ("None", ""), "drawn" if is_part else "random", name, how)
        self.note_if(node.get("DefaultChoices"), "default", name)
        self.note_if(node.get("DynamicChoices"), "filter", name)
        for choice in (node.get("Choices") or {}).values():
            self.note_if(choice.get("DisplayLogic"), "filter", name, "choice")
            self.note_if(choice.get("TextEntry"), "other", name)
        if kind == "Matrix" and selector in ("Likert", "Bipolar"):
            many = node.get("SubSelector") == "MultipleAnswer"
            answers = self.labels(node, "Answers", "AnswerOrder")
            if selector == "Bipolar":
                answers = {code: {self.main: str(n)} for n, code in enumerate(answers, 1)}
            ends = rf"1 = \1; {len(answers)} = \2"
            for code, words in rows.items():
                both = {language: re.sub(r"^(.*?):(.*)$", ends, each) for language, each in words.items()}
                own = both if selector == "Bipolar" else words
                items.append(Item(f"{name}/{code}", own, answers, many, head=text, shown_if=shown_if))
        else:
            many = kind == "MC" and selector in ("MAVR", "MAHR", "MACOL", "MSB")
            items.append(Item(name, text, rows if kind == "MC" else {}, many, is_number, shown_if=shown_if))


# --- SurveyJS: pages, panels and expressions

SURVEYJS_SETTINGS = {
    "default": "defaultValue defaultValueExpression",
    "set": "setValueIf setValueExpression",
    "validation": "validators maxSelectedChoices minSelectedChoices eachRowUnique",
    "filter": "choicesVisibleIf choicesEnableIf rowsVisibleIf columnsVisibleIf choicesFromQuestion choicesByUrl",
    "hidden": "enableIf readOnly",
    "other": "showOtherItem hasOther",
}
SURVEYJS_TRIGGERS = {"complete": "end", "skip": "condition", "visible": "condition"}
SURVEYJS_SIGNS = (
    *(("<>", "!="), ("&&", " and "), ("||", " or "), (" notempty", " != ''"), (" empty", " == ''")),
    *((" notcontains ", " << -"), (" contains ", " << "), (" contain ", " << ")),
    *((" anyof ", " >> "), (" allof ", " << ")),
)


def surveyjs_condition(text: str) -> str:
    made = re.sub(r"(?<![<>!=])=(?!=)", "==", re.sub(r"\{([^}]*)\}", r"v('\1')", straighten(text) + " "))
    made = re.sub(r" in (\[[^\]]*\])", r" >> \1", made)
    for sign, python in SURVEYJS_SIGNS:
        made = made.replace(sign, python)
    made = re.sub(r"(v\('[^']*'\)) << -('[^']*'|\d+)", r"not (\1 << \2)", made)
    return re.sub(r"(== ?|!= ?)(true|false)\b", r"\1'\2'", re.sub(r"!(?!=)", " not ", made)).strip()


def surveyjs_words(value: Any, default: str = "en") -> Words:
    if isinstance(value, dict):
        return {default if key == "default" else key: str(text) for key, text in value.items()}
    return {default: str(value)} if value not in (None, "") else {}


class SurveyJSReader:
    def __init__(self, data: bytes) -> None:
        root = json.loads(data)
        self.main = root.get("locale") or "en"
        self.source = Source([], [self.main])
        self.note_if = self.source.note_if
        for trigger in root.get("triggers") or ():
            kind = SURVEYJS_TRIGGERS.get(trigger["type"], "set")
            self.note_if(True, kind, detail=f"trigger {trigger['type']}")
        for key in ("navigateToUrlOnCondition", "timeLimit", "maxTimeToFinish"):
            self.note_if(root.get(key), "end", detail=key)
        self.note_if(root.get("questionsOrder") == "random", "random", detail="pages' questions")
        self.note_if(root.get("mode") == "display", "hidden", detail="mode")
        for each in root.get("calculatedValues") or ():
            self.source.computed[each["name"]] = surveyjs_condition(each["expression"])
        spoken = set(re.findall(r'"(de|fr|ar|zh-cn|es)":', json.dumps(root)))
        self.source.languages += sorted(spoken - {self.main})
        for page in root.get("pages") or [{"elements": root.get("elements") or root.get("questions") or []}]:
            self.walk_elements(page, [])

    def walk_elements(self, node: Node, conditions: list[str]) -> None:
        inner = [*conditions, *([surveyjs_condition(node["visibleIf"])] if node.get("visibleIf") else [])]
        inner += ["0"] if node.get("visible") is False and not node.get("visibleIf") else []
        is_closed = node.get("readOnly") or node.get("enableIf")
        self.note_if(is_closed, "hidden", detail=f"readOnly {node.get('name')}")
        self.note_if(node.get("timeLimit") or node.get("maxTimeToFinish"), "end", detail="timeLimit")
        is_random = "random" in (node.get("questionsOrder"), node.get("questionOrder"))
        self.note_if(is_random, "random", detail=f"questions of {node.get('name')}")
        for each in node.get("elements") or node.get("questions") or ():
            if each["type"] in ("panel", "flowpanel"):
                self.walk_elements(each, inner)
            else:
                self.read_question(each, inner)

    def choices(self, values: Any) -> dict[str, Words]:
        made = dict[str, Words]()
        for each in values or ():
            code, text = (each.get("value"), each.get("text")) if isinstance(each, dict) else (each, None)
            name = str(code).lower() if isinstance(code, bool) else str(code)
            made[name] = surveyjs_words(code if text is None else text, self.main)
        return made

    def read_question(self, node: Node, conditions: list[str]) -> None:
        name, kind, note_if = node.get("valueName") or node["name"], node["type"], self.note_if
        if kind == "expression":
            self.source.computed[name] = surveyjs_condition(node.get("expression", ""))
        if kind in ("html", "expression", "image"):
            return
        shown_if = [*conditions, *([surveyjs_condition(node["visibleIf"])] if node.get("visibleIf") else [])]
        for fact, keys in SURVEYJS_SETTINGS.items():
            for key in keys.split():
                note_if(node.get(key), fact, name, key)
        note_if(node.get("visible") is False and not node.get("visibleIf"), "hidden", name)
        order = node.get("choicesOrder")
        note_if("random" in (order, node.get("rowsOrder"), node.get("rowOrder")), "random", name)
        note_if(order in ("asc", "desc"), "random", name, str(order))
        listed = [*(node.get("choices") or ()), *(node.get("rows") or ())]
        listed = [each for each in listed if isinstance(each, dict)]
        depends = any(each.get("visibleIf") or each.get("enableIf") for each in listed)
        note_if(depends, "filter", name, "of a choice")
        note_if(any(each.get("isExclusive") for each in listed), "exclusive", name, "isExclusive")
        note_if(kind == "paneldynamic", "repeat", name)
        title = surveyjs_words(node.get("title") or node["name"], self.main)
        if kind == "matrix":
            columns = self.choices(node.get("columns"))
            for code, text in self.choices(node.get("rows")).items():
                self.source.items.append(Item(f"{name}.{code}", text, columns, head=title, shown_if=shown_if))
            return
        many = kind in ("checkbox", "tagbox") or bool(node.get("multiSelect"))
        is_number = kind in ("slider", "nouislider")
        is_number |= kind == "text" and node.get("inputType") in ("number", "range")
        made = self.answers(node, kind, many)
        self.source.items.append(Item(name, title, made, many, is_number, shown_if=shown_if))

    def answers(self, node: Node, kind: str, many: bool) -> dict[str, Words]:
        has_choices = kind in ("radiogroup", "dropdown", "checkbox", "tagbox", "imagepicker", "buttongroup")
        made = self.choices(node.get("choices")) if has_choices else {}
        if node.get("choicesMax"):
            made = self.choices(range(int(node.get("choicesMin", 0)), int(node["choicesMax"]) + 1))
        for key, code in (("showRefuseItem", "refused"), ("showDontKnowItem", "dontknow")):
            made |= {code: Words()} if node.get(key) else {}
        if kind == "boolean":
            for value, label in ((True, "Yes"), (False, "No")):
                text = node.get(f"label{value}", label)
                made[str(node.get(f"value{value}", str(value).lower()))] = surveyjs_words(text, self.main)
        if kind == "rating":
            usual = {"rateMin": 1, "rateMax": node.get("rateCount", 5), "rateStep": 1}
            low, high, step = (int(node.get(key) or otherwise) for key, otherwise in usual.items())
            made = self.choices(node.get("rateValues") or range(low, high + 1, step))
        if node.get("showOtherItem") or node.get("hasOther"):
            made["other"] = {}
        if (node.get("showNoneItem") or node.get("hasNone")) and not many:
            made["none"] = {}
        return made


# --- XForms of ODK: instance, bindings and controls

X, H = "{http://www.w3.org/2002/xforms}", "{http://www.w3.org/1999/xhtml}"


def python_condition(text: str) -> str:
    """Of an expression in XPath, in which references are Python already."""
    text = re.sub(r"(?<![<>!=])=(?!=)", "==", straighten(text).replace("count-selected", "count_selected"))
    text = re.sub(r"\btrue\(\)", "1", re.sub(r"\bfalse\(\)", "0", text))
    return re.sub(r"\s+", " ", text.replace("string-length", "length")).strip()


class XFormReader:
    def __init__(self, data: bytes) -> None:
        root = ET.fromstring(data)
        model, body = root.find(f"{H}head/{X}model"), root.find(f"{H}body")
        assert model is not None
        assert body is not None
        self.model = model
        self.binds = {each.get("nodeset", ""): each for each in model.iter(f"{X}bind")}
        self.texts = dict[str, dict[str, str]]()
        languages = model.findall(f"{X}itext/{X}translation")
        for each in sorted(languages, key=lambda each: each.get("default") is None):
            code = each.get("lang", "")
            named = re.search(r"\(([\w-]+)\)", code)
            self.texts[named[1] if named else code] = {
                text.get("id", ""): "".join(
                    next((v for v in text.iter(f"{X}value") if not v.get("form")), text).itertext()
                )
                for text in each.iter(f"{X}text")
            }
        self.texts = self.texts or {"en": {}}
        self.main = next(iter(self.texts))
        self.source = Source([], [*self.texts])
        for each in root.iter(f"{X}setvalue"):
            kind = "default" if "first-load" in each.get("event", "") else "set"
            self.source.note_if(True, kind, self.name(each.get("ref", "")), "setvalue")
        self.walk_controls(body, False)
        for path, bind in self.binds.items():
            if text := bind.get("calculate"):
                where = " and ".join(f"({each})" for each in self.conditions_around(path))
                made = self.condition(text)
                self.source.computed[self.name(path)] = f"iff({where}, {made}, '')" if where else made

    @staticmethod
    def name(path: str) -> str:
        return path.rstrip("/").rpartition("/")[2]

    def condition(self, text: str) -> str:
        reference = r"(?<![\w'\"])(?:/|\.\./|current\(\)/)[\w./-]+(?![\w'\"])"
        return python_condition(re.sub(reference, lambda found: f"v('{self.name(found[0])}')", text))

    def words(self, node: ET.Element | None) -> Words:
        if node is None:
            return {}
        if found := re.match(r"jr:itext\('(.*)'\)", node.get("ref", "")):
            spoken = {code: texts.get(found[1], "").strip() for code, texts in self.texts.items()}
            return {code: text for code, text in spoken.items() if text not in ("", "-")}
        pieces = (node.text or "", *(each.tail or "" for each in node))
        text = " ".join(piece.strip() for piece in pieces if piece.strip())
        return {self.main: text} if text else {}

    def choices(self, node: ET.Element, name: str) -> tuple[dict[str, Words], dict[str, str]]:
        offered = dict[str, str]()
        made = {
            (each.findtext(f"{X}value") or "").strip(): self.words(each.find(f"{X}label"))
            for each in node.iterfind(f"{X}item")
        }
        for itemset in node.iterfind(f"{X}itemset"):
            nodeset = itemset.get("nodeset", "")
            self.source.note_if("randomize(" in nodeset, "random", name)
            self.source.note_if("[" in nodeset, "filter", name)
            listed, predicate = re.search(r"instance\('([^']*)'\)", nodeset), re.search(r"\[(.*)\]", nodeset)
            value, label = (itemset.find(f"{X}{tag}") for tag in ("value", "label"))
            if not listed or value is None or label is None:
                continue
            text = label.get("ref", "")
            for item in self.model.iterfind(f"{X}instance[@id='{listed[1]}']//{X}item"):
                id_ = item.findtext(X + re.sub(r"jr:itext\((.*)\)", r"\1", text)) or ""
                spoken = {code: texts[id_] for code, texts in self.texts.items() if id_ in texts}
                code = item.findtext(X + value.get("ref", "")) or ""
                code = code if code not in made else f"{code}#{len(made)}"
                made[code] = spoken if "itext" in text else {self.main: id_}
                if predicate:
                    cells = {each.tag.removeprefix(X): each.text or "" for each in item}
                    offered[code] = self.condition(
                        re.sub(
                            r"(?<![\w/'.])([a-z]\w*)(?![\w(/'])",
                            lambda found, cells=cells: repr(cells.get(found[0], found[0])),
                            predicate[1],
                        )
                    )
        return made, offered

    def conditions_around(self, path: str) -> list[str]:
        """Of a node and all nodes around it: what is around a control in the body does not matter."""
        names = path.split("/")
        binds = [self.binds.get("/".join(names[:size])) for size in range(2, len(names) + 1)]
        texts = [each.get("relevant", "") for each in binds if each is not None]
        return [self.condition(text) for text in texts if text]

    def walk_controls(self, node: ET.Element, is_repeated: bool) -> None:
        for each in node:
            kind, path = each.tag.rpartition("}")[2], each.get("ref") or each.get("nodeset") or ""
            if kind in ("group", "repeat"):
                self.source.note_if(kind == "repeat", "repeat", detail=self.name(path))
                self.walk_controls(each, is_repeated or kind == "repeat")
            elif kind in ("select", "select1", "input", "range", "upload", "trigger", "rank"):
                self.read_control(each, kind, path, is_repeated)

    def read_control(self, node: ET.Element, kind: str, path: str, is_repeated: bool) -> None:
        name, bind, note_if = self.name(path), self.binds.get(path), self.source.note_if
        settings = dict(bind.attrib) if bind is not None else {}
        is_closed = settings.get("readonly") == "true()"
        if is_closed and kind == "input":
            return
        for key, fact in (("constraint", "validation"), ("calculate", "set")):
            note_if(settings.get(key), fact, name, settings.get(key, ""))
        note_if(is_closed, "hidden", name)
        instance = self.model.find(f"{X}instance")
        nodes = instance.iter() if instance is not None else ()
        preset = [each for each in nodes if self.name(each.tag.replace("}", "/")) == name]
        note_if(any((each.text or "").strip() for each in preset), "default", name)
        choices, offered = self.choices(node, name) if kind in ("select", "select1") else ({}, {})
        is_number = kind == "range"
        is_number |= kind == "input" and settings.get("type") in ("int", "decimal", "xsd:int")
        words, shown_if = self.words(node.find(f"{X}label")), self.conditions_around(path)
        if is_repeated:
            choices, is_number = {}, False
        self.source.items.append(
            Item(name, words, choices, kind == "select", is_number, shown_if=shown_if, offered=offered)
        )


# --- XLSForms, as workbooks and as CSV

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
XLSFORM_NAMES = {"list_name": "list", "value": "name", "caption": "label", "relevance": "relevant"}
XLSFORM_NAMES |= {"bind::relevant": "relevant", "bind::constraint": "constraint"}
XLSFORM_CELLS = {"default": "default", "constraint": "validation", "choice_filter": "filter"}
XLSFORM_CELLS |= {"calculation": "set", "trigger": "set"}
UNASKED = (
    *("start", "end", "today", "deviceid", "username", "phonenumber", "note", "calculate", "hidden"),
    *("begin", "audit", "simserial", "subscriberid", "email"),
)
XLSFORM_TYPES = {"select one from": "select_one", "select one": "select_one", "select1": "select_one"}
XLSFORM_TYPES |= {"select all that apply from": "select_multiple"}
LANGUAGE_CODES = {"english": "en", "français": "fr", "deutsch": "de"}


def xlsform_condition(text: str) -> str:
    """A path means the question of its last name, which is given once."""
    text = re.sub(r"(?:current\(\)/)?(?:\.\./)+(?:\w+/)*(\w+)|/data/(?:\w+/)*(\w+)", r"${\1\2}", text)
    return python_condition(re.sub(r"\$\{([^}]*)\}", lambda found: f"v('{found[1].strip()}')", text))


def xlsform_offer(text: str, choice: Row) -> str:
    """A filter of choices in which the columns of the sheet have the values of this choice."""
    column = r"(?<![\w${'\"])[a-z_]\w*(?![\w(}'\"])"
    return xlsform_condition(
        re.sub(column, lambda found: repr(choice[found[0]]) if found[0] in choice else found[0], text)
    )


def sheets_of_workbook(data: bytes) -> dict[str, list[list[str]]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:

        def parse_part(name: str) -> ET.Element:
            return ET.fromstring(archive.read(f"xl/{name}"))

        strings: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            texts = parse_part("sharedStrings.xml")
            strings = ["".join(piece.text or "" for piece in each.iter(f"{MAIN}t")) for each in texts]
        targets = {each.get("Id"): each.get("Target", "") for each in parse_part("_rels/workbook.xml.rels")}
        made: dict[str, list[list[str]]] = {}
        for sheet in parse_part("workbook.xml").iter(f"{MAIN}sheet"):
            rows = made.setdefault(sheet.get("name", "").strip().lower(), [])
            path = targets[sheet.get(RELATION)].lstrip("/").removeprefix("xl/")
            for row in parse_part(path).iter(f"{MAIN}row"):
                cells: dict[int, str] = {}
                for cell in row.iter(f"{MAIN}c"):
                    column = 0
                    for letter in re.sub(r"\d", "", cell.get("r", "")):
                        column = column * 26 + ord(letter) - 64
                    pieces = [each.text or "" for each in cell.iter() if each.tag in (f"{MAIN}v", f"{MAIN}t")]
                    text = "".join(pieces)
                    cells[column] = strings[int(text)] if cell.get("t") == "s" and text else text
                rows.append([cells.get(n, "") for n in range(1, max(cells, default=0) + 1)])
    return made


def sheets_of_csv(data: bytes) -> dict[str, list[list[str]]]:
    made: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for name, *cells in csv.reader(io.StringIO(data.decode("utf-8-sig"))):
        rows = made.setdefault(name.strip().lower(), []) if name.strip() else rows
        if any(cells):
            rows.append(cells)
    return made


def xlsform_rows(rows: list[list[str]]) -> Iterable[Row]:
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    for row in filled[1:]:
        keys = [key.strip() if "::" in key else key.strip().replace(" ", "_").lower() for key in filled[0]]
        yield {XLSFORM_NAMES.get(key, key): cell.strip() for key, cell in zip(keys, row, strict=False) if key}


def xlsform_words(row: Row, main: str) -> Words:
    coded = dict[str, str]()
    for key, text in row.items():
        if key.lower().startswith("label::") and text:
            name = key.partition("::")[2]
            code = re.search(r"\(([\w-]+)\)", name)
            coded[code[1] if code else LANGUAGE_CODES.get(name.lower(), name)] = text
    ordered = dict(sorted(coded.items(), key=lambda each: each[0] != main))
    return ordered or ({main: row["label"]} if row.get("label") else {})


def read_xlsform(data: bytes) -> Source:
    sheets = sheets_of_workbook(data) if data.startswith(b"PK") else sheets_of_csv(data)
    settings = next(iter(xlsform_rows(sheets.get("settings", []))), {})
    main = re.sub(r".*\(([\w-]+)\)", r"\1", settings.get("default_language", "en"))
    lists: dict[str, dict[str, Words]] = {}
    rows_of: dict[str, list[Row]] = {}
    for row in xlsform_rows(sheets.get("choices", [])):
        made, name = lists.setdefault(row.get("list", ""), {}), row.get("name", "")
        made[name if name not in made else f"{name}#{len(made)}"] = xlsform_words(row, main)
        rows_of.setdefault(row.get("list", ""), []).append(row)
    source, groups = Source([], [main]), list[tuple[str, list[str]]]()
    for row in xlsform_rows(sheets["survey"]):
        written = row.get("type", "")
        older = next((each for each in XLSFORM_TYPES if written.startswith(each)), "")
        kind, _space, rest = written.replace(older, XLSFORM_TYPES.get(older, ""), 1).partition(" ")
        kind, name = kind.lower(), row.get("name", "")
        shown_if = [xlsform_condition(row["relevant"])] if row.get("relevant") else []
        if row.get("disabled", "").lower() in ("yes", "true", "true()"):
            continue
        if kind.startswith("begin"):
            groups.append((rest or kind.partition("_")[2], shown_if))
            source.note_if("repeat" in row["type"], "repeat", detail=name)
            continue
        if re.match("end.*(group|repeat)", written.lower()):
            groups.pop()
            continue
        if kind == "calculate" and row.get("calculation"):
            where = " and ".join(f"({each})" for _kind, outer in groups for each in outer)
            where = " and ".join(filter(None, [where, *(f"({each})" for each in shown_if)]))
            value = xlsform_condition(row["calculation"])
            source.computed[name] = f"iff({where}, {value}, '')" if where else value
        words = xlsform_words(row, main)
        source.languages += [code for code in words if code not in source.languages]
        if kind in UNASKED or not kind:
            continue
        name += "'" * sum(each.name.rstrip("'") == name for each in source.items)
        many, listed = kind == "select_multiple", rest.partition(" ")[0]
        choices = dict(lists.get(listed, {})) if kind in ("select_one", "select_multiple") else {}
        if "or_other" in rest:
            choices["other"] = {}
        offered = {}
        if choices and row.get("choice_filter"):
            offers = (xlsform_offer(row["choice_filter"], each) for each in rows_of[listed])
            offered = dict(zip(choices, offers, strict=False))
        is_number = kind in ("integer", "decimal", "range")
        shown_if = [*(each for _kind, conditions in groups for each in conditions), *shown_if]
        for key, fact in XLSFORM_CELLS.items():
            source.note_if(row.get(key), fact, name, row.get(key, ""))
        parameters = row.get("parameters", "").replace(" ", "").lower()
        source.note_if("randomize=true" in parameters, "random", name)
        source.note_if(row.get("read_only", "").lower() in ("yes", "true()"), "hidden", name)
        if any("repeat" in each for each, _conditions in groups):
            choices, is_number = {}, False
        source.items.append(Item(name, words, choices, many, is_number, shown_if=shown_if, offered=offered))
    return source


class Format(NamedTuple):
    ending: str
    read: Callable[[bytes], Source]
    files: Mapping[str, bytes]


FORMATS = {
    "Qualtrics": Format(".qsf", lambda data: QualtricsReader(data).source, made_files.QUALTRICS),
    "LimeSurvey, table": Format(".txt", read_lime, made_files.LIME_TABLES),
    "LimeSurvey, XML": Format(".lss", read_lime, made_files.LIME_XML),
    "LimeSurvey, archive": Format(".lsa", read_lime, made_files.LIME_ARCHIVES),
    "XLSForm, workbook": Format(".xlsx", read_xlsform, made_files.WORKBOOKS),
    "XLSForm, CSV": Format(".csv", read_xlsform, made_files.CSV),
    "ODK XForm": Format(".xml", lambda data: XFormReader(data).source, made_files.XFORMS),
    "REDCap": Format(".csv", read_redcap, made_files.REDCAP),
    "SurveyJS": Format(".json", lambda data: SurveyJSReader(data).source, made_files.SURVEYJS),
}
