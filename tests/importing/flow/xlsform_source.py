"""Reads XLSForms, as workbooks (.xlsx) and as one CSV whose first column names the sheet."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from tests.importing.flow.source import Fact, Item, Source, Words

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
Row = dict[str, str]
NAMES = {
    "list_name": "list",
    "value": "name",
    "caption": "label",
    "relevance": "relevant",
    "bind::relevant": "relevant",
    "bind::constraint": "constraint",
}
CELLS = {
    "default": "default",
    "constraint": "validation",
    "choice_filter": "filter",
    "calculation": "set",
    "trigger": "set",
}
UNASKED = (
    "start",
    "end",
    "today",
    "deviceid",
    "username",
    "phonenumber",
    "note",
    "calculate",
    "hidden",
    "begin",
    "audit",
    "simserial",
    "subscriberid",
    "email",
)
TYPES = {
    "select one from": "select_one",
    "select one": "select_one",
    "select1": "select_one",
    "select all that apply from": "select_multiple",
}


def condition(text: str) -> str:
    text = re.sub(r"\$\{([^}]*)\}", lambda found: f"v('{found[1].strip()}')", text)
    text = re.sub(
        r"(?<![<>!=])=(?!=)",
        "==",
        text.replace("count-selected", "count_selected").replace("string-length", "length"),
    )
    return re.sub(r"\s+", " ", re.sub(r"\btrue\(\)", "1", re.sub(r"\bfalse\(\)", "0", text))).strip()


def offer(text: str, choice: Row) -> str:
    """A filter of choices in which the columns of the sheet have the values of this choice."""
    return condition(
        re.sub(
            r"(?<![\w${'\"])[a-z_]\w*(?![\w(}'\"])",
            lambda found: repr(choice[found[0]]) if found[0] in choice else found[0],
            text,
        )
    )


def sheets_of_workbook(data: bytes) -> dict[str, list[list[str]]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        strings: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            strings = [
                "".join(part.text or "" for part in each.iter(f"{MAIN}t"))
                for each in ET.fromstring(archive.read("xl/sharedStrings.xml"))
            ]
        targets = {
            each.get("Id"): each.get("Target", "")
            for each in ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        }
        made: dict[str, list[list[str]]] = {}
        for sheet in ET.fromstring(archive.read("xl/workbook.xml")).iter(f"{MAIN}sheet"):
            path = targets[sheet.get(RELATION)].lstrip("/").removeprefix("xl/")
            rows = made.setdefault(sheet.get("name", "").strip().lower(), [])
            for row in ET.fromstring(archive.read(f"xl/{path}")).iter(f"{MAIN}row"):
                cells: dict[int, str] = {}
                for cell in row.iter(f"{MAIN}c"):
                    column = 0
                    for letter in re.sub(r"\d", "", cell.get("r", "")):
                        column = column * 26 + ord(letter) - 64
                    text = "".join(
                        each.text or "" for each in cell.iter() if each.tag in (f"{MAIN}v", f"{MAIN}t")
                    )
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


def table(rows: list[list[str]]) -> Iterable[Row]:
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    for row in filled[1:]:
        keys = [key.strip() if "::" in key else key.strip().replace(" ", "_").lower() for key in filled[0]]
        yield {NAMES.get(key, key): cell.strip() for key, cell in zip(keys, row, strict=False) if key}


def words(row: Row, main: str) -> Words:
    found = {
        key.partition("::")[2]: text
        for key, text in row.items()
        if key.lower().startswith("label::") and text
    }
    coded = {
        (
            code[1]
            if (code := re.search(r"\(([\w-]+)\)", name))
            else {"english": "en", "français": "fr", "deutsch": "de"}.get(name.lower(), name)
        ): text
        for name, text in found.items()
    }
    return dict(sorted(coded.items(), key=lambda each: each[0] != main)) or (
        {main: row["label"]} if row.get("label") else {}
    )


def read(data: bytes) -> Source:
    sheets = sheets_of_workbook(data) if data.startswith(b"PK") else sheets_of_csv(data)
    settings = next(iter(table(sheets.get("settings", []))), {})
    main = re.sub(r".*\(([\w-]+)\)", r"\1", settings.get("default_language", "en"))
    lists: dict[str, dict[str, Words]] = {}
    rows_of: dict[str, list[Row]] = {}
    for row in table(sheets.get("choices", [])):
        made = lists.setdefault(row.get("list", ""), {})
        made[row.get("name", "") if row.get("name", "") not in made else f"{row['name']}#{len(made)}"] = (
            words(row, main)
        )
        rows_of.setdefault(row.get("list", ""), []).append(row)
    source, groups = Source([], [main]), list[tuple[str, list[str]]]()
    for row in table(sheets["survey"]):
        written = row.get("type", "")
        older = next((each for each in TYPES if written.startswith(each)), "")
        kind, _space, rest = written.replace(older, TYPES.get(older, ""), 1).partition(" ")
        kind, name = kind.lower(), row.get("name", "")
        shown_if = [condition(row["relevant"])] if row.get("relevant") else []
        if row.get("disabled", "").lower() in ("yes", "true", "true()"):
            continue
        if kind.startswith("begin"):
            groups.append((rest or kind.partition("_")[2], shown_if))
            if "repeat" in row["type"]:
                source.facts.append(Fact("repeat", detail=name))
            continue
        if re.match("end.*(group|repeat)", written.lower()):
            groups.pop()
            continue
        source.languages += [code for code in words(row, main) if code not in source.languages]
        if kind in UNASKED or not kind:
            continue
        name += "'" * sum(each.name.rstrip("'") == name for each in source.items)
        many, listed, parameters = (
            kind == "select_multiple",
            rest.partition(" ")[0],
            row.get("parameters", ""),
        )
        choices = dict(lists.get(listed, {})) if kind in ("select_one", "select_multiple") else {}
        if "or_other" in rest:
            choices["other"] = {}
        offered = {}
        if choices and row.get("choice_filter"):
            offered = dict(
                zip(choices, (offer(row["choice_filter"], each) for each in rows_of[listed]), strict=False)
            )
        is_number = kind in ("integer", "decimal", "range")
        inside = [each for _kind, conditions in groups for each in conditions]
        is_repeated = any("repeat" in each for each, _conditions in groups)
        source.facts += [Fact(fact, name, row[key]) for key, fact in CELLS.items() if row.get(key)]
        source.facts += [Fact("random", name)] * ("randomize=true" in parameters.replace(" ", "").lower())
        source.facts += [Fact("hidden", name)] * (row.get("read_only", "").lower() in ("yes", "true()"))
        source.items.append(
            Item(
                name,
                words(row, main),
                {} if is_repeated else choices,
                many,
                is_number and not is_repeated,
                shown_if=[*inside, *shown_if],
                offered=offered,
            )
        )
    return source
