"""Reads surveys of LimeSurvey: tables (.txt, .tsv), XML (.lss, with or without tables of words) and archives (.lsa)."""

import csv
import io
import re
import zipfile
from xml.etree import ElementTree as ET

from tests.importing.flow.source import Fact, Item, Source, Words

Row = dict[str, str]
FIXED = {"Y": "YN", "G": "FM", "5": "12345"}
YES_NO = {"Y": "yes", "N": "no"}
ROWS = {"A": "12345", "B": "123456789A", "C": "YUN", "E": "ISD", "F": "", "H": ""}
SIGNS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "&&": "and",
    "||": "or",
    "!": " not ",
}
OF_QUESTIONS = {
    "filter": "array_filter array_filter_exclude",
    "validation": "min_answers max_answers em_validation_q em_validation_sq equals_num_value preg validation",
    "end": "time_limit",
    "hidden": "hidden",
    "random": "random_group random_order answer_order subquestion_order",
    "default": "default",
}


def condition(text: str) -> str:
    """In Python. What is not asked is empty if called `.NAOK`, else its term is false."""
    made, asked = "", list[str]()
    for quoted, name, called, sign in re.findall(
        r"(\"[^\"]*\"|'[^']*')|([A-Za-z]\w*)(\.\w+)?(?![\w(])|(&&|\|\||!=|!|[^\w\s]|\w+)", text
    ):
        if name in SIGNS or sign in SIGNS:
            made += f" {SIGNS[name or sign]} "
        elif name in ("and", "or", "not"):
            made += f" {name} "
        elif name:
            made += f"v({name!r})"
            asked += [name] * (not called)
        else:
            made += quoted or sign
    return " and ".join([*(f"asked({name!r})" for name in dict.fromkeys(asked)), f"({made})"])


def rows_of_table(data: bytes) -> list[Row]:
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    return [
        {key: cell or "" for key, cell in row.items() if key}
        for row in csv.DictReader(io.StringIO(text), delimiter="\t")
    ]


def rows_of_xml(data: bytes) -> list[Row]:
    """As the rows of a table."""
    root = ET.fromstring(data)

    def table(name: str) -> list[Row]:
        return [{cell.tag: cell.text or "" for cell in row} for row in root.iterfind(f"{name}/rows/row")]

    def spoken(rows: list[Row], words: str, key: str) -> list[Row]:
        translated = table(words)
        return (
            [
                row | {k: v for k, v in each.items() if k != "id"}
                for row in rows
                for each in translated
                if each[key] == row[key]
            ]
            if translated
            else rows
        )

    languages = [each.text or "" for each in root.iterfind("languages/language")]
    made = [
        {"class": "S", "name": "language", "text": languages[0]},
        {"class": "S", "name": "additional_languages", "text": " ".join(languages[1:])},
    ]
    extra: dict[str, Row] = {}
    for each in table("question_attributes"):
        extra.setdefault(each["qid"], {})[each["attribute"]] = each["value"]
    for each in table("defaultvalues"):
        extra.setdefault(each["qid"], {})["default"] = each.get("defaultvalue", "yes")
    questions, titles = table("questions"), {each["qid"]: each["title"] for each in table("questions")}
    for each in table("conditions"):
        found = re.fullmatch(r"\+?\d+X\d+X(\d+?)(SQ\d+)?", each["cfieldname"])
        name = titles.get(each["cqid"], "") + (f"_{found[2]}" if found and found[2] else "")
        extra.setdefault(each["qid"], {}).setdefault("conditions", "")
        extra[each["qid"]]["conditions"] += (
            f'{"&&" if extra[each["qid"]]["conditions"] else ""}{name}.NAOK {each["method"]} "{each["value"]}"'
        )
    for group in spoken(table("groups"), "group_l10ns", "gid"):
        made.append(
            {
                "class": "G",
                "name": group["group_name"],
                "relevance": group.get("grelevance", ""),
                "random_group": group.get("randomization_group", ""),
                "language": group.get("language", ""),
            }
        )
        for row in spoken(
            [each for each in questions if each["gid"] == group["gid"]], "question_l10ns", "qid"
        ):
            if row["language"] != group.get("language", row["language"]):
                continue
            more = extra.get(row["qid"], {})
            relevance = (
                more.pop("conditions", "") if row.get("relevance", "1") in ("", "1") else row["relevance"]
            )
            made.append(
                {
                    **row,
                    "class": "Q",
                    "type/scale": row["type"],
                    "name": row["title"],
                    "text": row["question"],
                    "relevance": relevance or row.get("relevance", ""),
                    "validation": row.get("preg", ""),
                    **more,
                }
            )
            made += [
                {**each, "class": "SQ", "name": each["title"], "text": each["question"]}
                for each in spoken(table("subquestions"), "question_l10ns", "qid")
                if each["parent_qid"] == row["qid"] and each["language"] == row["language"]
            ]
            made += [
                {**each, "class": "A", "name": each["code"], "text": each["answer"]}
                for each in spoken(table("answers"), "answer_l10ns", "aid")
                if each["qid"] == row["qid"] and each["language"] == row["language"]
            ]
    made += [{"class": "QTA", "name": each["name"], "default": each["active"]} for each in table("quota")]
    return made


def source_of(rows: list[Row]) -> Source:
    settings = {row["name"]: row["text"] for row in rows if row["class"] == "S"}
    source = Source([], [settings.get("language", "en"), *settings.get("additional_languages", "").split()])
    source.facts += [
        Fact("quota", detail=row["name"])
        for row in rows
        if row["class"] == "QTA" and row.get("default") != "0"
    ]
    found = dict[str, tuple[Row, Words, dict[str, Words], dict[str, Words], list[str]]]()
    group, name = list[str](), ""
    for row in rows:
        language, relevance = row.get("language", ""), row.get("relevance", "")
        if row["class"] == "G":
            group = [condition(relevance)] if relevance not in ("", "1") else []
            if row.get("random_group") and Fact("random", detail="groups") not in source.facts:
                source.facts.append(Fact("random", detail="groups"))
        elif row["class"] == "Q":
            name = row["name"]
            own = [condition(relevance)] if relevance not in ("", "1") else []
            found.setdefault(name, (row, {}, {}, {}, [*group, *own]))[1][language] = row["text"]
        elif row["class"] in ("SQ", "A") and name:
            if relevance not in ("", "1") and Fact("filter", name, "rows") not in source.facts:
                source.facts.append(Fact("filter", name, "rows"))
            _row, _words, parts, labels, _shown_if = found[name]
            named = parts if row["class"] == "SQ" else labels
            named.setdefault(row["name"], {})[language] = row["text"]
    for name, (row, words, parts, labels, shown_if) in found.items():
        kind = row["type/scale"]
        if kind in ("X", "*"):
            continue
        source.facts += [
            Fact(fact, name, key)
            for fact, keys in OF_QUESTIONS.items()
            for key in keys.split()
            if row.get(key) not in (None, "", "0", "N", "normal")
        ]
        source.facts += [Fact("other", name)] * (row.get("other") == "Y")
        fixed = FIXED.get(kind, ROWS.get(kind, ""))
        answers = labels or {code: {"": YES_NO[code]} if kind == "Y" else {} for code in fixed}
        if kind in ROWS:
            for code, text in parts.items():
                source.items.append(Item(f"{name}_{code}", text, answers, head=words, shown_if=shown_if))
        elif kind in ("M", "P"):
            values = {f"{name}_{code}": (code, "Y", "") for code in parts}
            source.items.append(Item(name, words, parts, True, shown_if=shown_if, parts=values))
        else:
            choices = answers if kind in ("L", "!", "O", *FIXED) else {}
            other = {"-oth-": Words()} if row.get("other") == "Y" and choices else {}
            source.items.append(Item(name, words, choices | other, number=kind == "N", shown_if=shown_if))
    return source


def read(data: bytes) -> Source:
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = archive.read(next(name for name in archive.namelist() if name.endswith(".lss")))
    return source_of(rows_of_xml(data) if data.lstrip().startswith(b"<") else rows_of_table(data))
