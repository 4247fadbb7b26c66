"""Reads data dictionaries of REDCap: a row for each field, with branching logic, validation and action tags."""

import csv
import io
import re

from tests.importing.flow.source import Fact, Item, Source

COLUMNS = (
    *(
        "name",
        "form",
        "header",
        "type",
        "label",
        "choices",
        "note",
        "validation",
        "least",
        "most",
        "identifier",
    ),
    *("logic", "required", "alignment", "number", "matrix", "ranking", "tags"),
)
TAGS = {
    "hidden": "HIDDEN HIDDEN-SURVEY READONLY READONLY-SURVEY",
    "default": "DEFAULT",
    "set": "SETVALUE CALCTEXT",
    "validation": "NONEOFTHEABOVE MAXCHECKED",
    "filter": "HIDECHOICE SHOWCHOICE",
    "random": "RANDOMORDER",
    "condition": "IF",
    "quota": "MAXCHOICE",
}


def condition(text: str) -> str:
    made = re.sub(r"(?:\[[\w-]+\])?\[(\w+(?:\(\w+\))?)\]", r"v('\1')", text).replace("<>", "!=")
    made = re.sub(r"\s+", " ", made)
    return re.sub(r"\bAND\b", "and", re.sub(r"\bOR\b", "or", re.sub(r"(?<![<>!=])=(?!=)", "==", made)))


def read(data: bytes) -> Source:
    _header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    source = Source([], ["en"])
    for cells in rows:
        row = dict(zip(COLUMNS, (each.strip() for each in cells), strict=False))
        name, kind = row["name"], row["type"]
        if kind == "descriptive" or not name:
            continue
        tags = re.findall(r"@([A-Z-]+)", row.get("tags", ""))
        kinds = [each for each, names in TAGS.items() for tag in tags if tag in names.split()]
        source.facts += [Fact(each, name, row["tags"]) for each in kinds]
        if row["identifier"].lower() in ("y", "yes"):
            source.facts.append(Fact("identifier", name))
        is_number = kind == "slider" or (
            kind == "text" and re.match(r"integer|number", row["validation"]) is not None
        )
        if (row["validation"] or row["least"] or row["most"]) and kind == "text":
            source.facts.append(
                Fact("validation", name, f"{row['validation']} {row['least']}..{row['most']}")
            )
        if row.get("ranking", "").lower() == "y":
            source.facts.append(Fact("validation", name, "ranking"))
        choices = {"yesno": "1, Yes | 0, No", "truefalse": "1, True | 0, False"}.get(
            kind, row["choices"] if kind in ("radio", "dropdown", "checkbox") else ""
        )
        labels = {
            code.strip(): {"en": label.strip()}
            for code, _comma, label in (each.partition(",") for each in choices.split("|"))
            if code.strip()
        }
        parts = {f"{name}({code})": (code, "1", "0") for code in labels} if kind == "checkbox" else {}
        shown_if = [condition(row["logic"])] if row["logic"] else []
        source.items.append(
            Item(
                name,
                {"en": row["label"]},
                labels,
                kind == "checkbox",
                is_number,
                {},
                shown_if,
                parts,
                "0" if parts else "",
            )
        )
    return source
