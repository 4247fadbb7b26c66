"""XLSForms: sheets of rows, from which workbooks and CSV files are made; and a reader of both."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree as ET

from tests.importing.flow.source import Fact, Item, Source, Words
from tests.importing.sheets import Lines, workbook

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


# A line is a file.
# fmt: off

H = ["type", "name", "label", "relevant"]
CHOICES: Lines = [
    ["list_name", "name", "label"], ["yn", "y", "Yes"], ["yn", "n", "No"],
    ["job", "full", "Full time"], ["job", "part", "Part time"], ["job", "none", "No job"],
    ["pay", "cash", "In cash"], ["pay", "goods", "In goods"], ["pay", "bank", "By transfer"],
]
Sheets = dict[str, Lines]
WORK, PAID, LIKE = ["select_one job", "work", "Do you work?"], ["select_multiple pay", "paid", "How are you paid?"], ["select_one yn", "like", "Do you like it?"]


def last(relevant: str, name: str = "last", *more: Any) -> list[Any]:
    return ["select_one yn", name, f"What of {name}?", relevant, *more]


def form(*rows: list[Any], more: Any = (), choices: Lines = CHOICES, header: Any = None, **sheets: Lines) -> Sheets:
    return {"survey": [header or [*H, *more], *rows], "choices": choices, **sheets}


SPOKEN = ["type", "name", "label::English (en)", "label::Deutsch (de)", "label::العربية (ar)", "relevant"]
REGIONS: Lines = [
    ["list_name", "name", "label", "region"], ["yn", "y", "Yes", ""], ["yn", "n", "No", ""], ["region", "n", "North", ""], ["region", "s", "South", ""],
    ["town", "a", "Aville", "n"], ["town", "b", "Btown", "n"], ["town", "a", "Aville", "s"], ["town", "c", "Cbury", "s"],
]
FORMS: dict[str, Sheets] = {
    "choices": form(WORK, PAID, LIKE, last("${work} = 'full'"), last("selected(${paid}, 'cash')", "a"), last("${work} = 'full' and ${like} = 'y'", "b"), last("selected(${work}, 'none')", "c")),
    "signs": form(WORK, LIKE, PAID, last("${work} != 'full'", "a"), last("${work} != ''", "b"), last("${work} = 'full' or ${work} = 'part'", "c"), last("${work} = 'full' or ${like} = 'y'", "d"), last("not(${work} = 'full')", "e"), last("not(selected(${paid}, 'cash'))", "f"), last("count-selected(${paid}) > 1", "g"), last("selected(${paid}, 'cash') or selected(${paid}, 'bank')", "h"), last("${paid} = 'cash'", "i"), last('(${work}="none")and(${like}="n")', "j"), last("true()", "k"), last("not(${work} = 'full' or ${like} = 'y')", "l"), last("selected(${paid}, 'cash goods')", "m")),
    "hidden_parents": form(WORK, last("${work} = 'full'", "more"), last("${more} != 'y'", "a"), last("${more} = ''", "b"), last("${more} = 'n'", "c"), last("not(${more} = 'y') and ${work} = 'full'", "d")),
    "numbers": form(["integer", "age", "How old?", "", ". >= 18 and . <= 99"], last("${age} >= 65", "a"), last("${age} > 17 and ${age} < 30", "b"), ["date", "born", "When born?"], last("${born} > date('2000-01-01')", "c"), ["text", "job", "Which job?"], last("${job} = 'miner'", "d"), ["decimal", "weight", "Weight?", "", ". > 0"], ["range", "pain", "Pain?", "", ""], last("${age} * 2 > 40", "e"), last("today() > ${born}", "f"), more=["constraint"]),
    "groups": form(WORK, ["begin group", "g", "Workers", "${work} != 'none'"], LIKE, ["begin_group", "h", "Deep", "${like} = 'y'"], PAID, last("selected(${paid}, 'cash')"), ["end_group"], ["begin group", "i", "", "${work} = 'full'"], ["end group"], last("", "a"), ["end group"], ["begin group", "j", "Or", "${work} = 'full' or ${like} = 'y'"], last("", "b"), last("${work} = 'part'", "c"), ["end group"], last("", "z")),
    "repeats": form(WORK, ["begin repeat", "each", "Each child", "${work} = 'full'"], ["select_one yn", "boy", "A boy?"], ["end repeat"], last("${boy} = 'y'"), ["begin repeat", "r", "Rooms", "", "3"], ["integer", "size", "Size?"], ["end repeat"], more=["repeat_count"]),
    "cells": form(["select_one job", "work", "Do you work?", "", "full"], ["select_multiple pay", "paid", "At most two?", "", "", "count-selected(.) <= 2"], ["select_one job", "job", "Random?", "", "", "", "randomize=true"], ["select_one job", "seen", "Only shown", "", "", "", "", "yes"], ["select_one yn", "made", "Computed?", "", "", "", "", "", "if(${work} = 'full', 'y', 'n')"], ["select_one job or_other", "what", "What else?"], ["rank pay", "rank", "Rank them"], ["acknowledge", "ok", "Please agree"], ["select_one_from_file towns.csv", "town", "Which town?"], ["select_one yn", "off", "Off?", "", "", "", "", "", "", "yes"], last("${what} = 'other'"), more=["default", "constraint", "parameters", "read_only", "calculation", "disabled"]),
    "cascade": form(["select_one region", "region", "Which region?"], ["select_one town", "town", "Which town?", "", "region=${region}"], last("${town} = 'a'"), ["select_one region", "r", "Other?", "", "name != ${region}"], ["select_multiple town", "t", "Which towns?", "", "region=${region}"], ["select_one town", "u", "And now?", "${region} = 'n'", "region=${region} or ${region} = 'n'"], more=["choice_filter"], choices=REGIONS),
    "languages": form(["select_one job", "work", "Do you work?", "Arbeiten Sie?", "هل تعمل؟"], ["select_one job", "past", "Did you?", "Haben Sie?", "هل عملت؟", "${work} = 'none'"], header=SPOKEN, choices=[["list_name", "name", *SPOKEN[2:5]], ["job", "full", "Yes", "Ja", "نعم"], ["job", "none", "No", "Nein", "لا"]], settings=[["default_language"], ["English (en)"]]),
    "second_language_missing": form(["select_one job", "work", "Do you work?", ""], ["select_one job", "past", "Did you?", "Haben Sie?"], header=[*SPOKEN[:4]], choices=[["list_name", "name", *SPOKEN[2:4]], ["job", "full", "Yes", "Ja"], ["job", "none", "No", ""]]),
    "odd_words": form(["select_one odd", "a", "<b>How</b> **old** is &lt;it&gt;?"], ["select_one yn", "b", ""], ["select_one twice", "c", "The same?"], ["select_one yn", "d", "You said ${a}: right?", "${c} = '2'"], ["note", "n", "Read this", "${c} = '2'"], ["select_one yn", "reserved-name", "Hyphens?"], ["select_one yn", "d", "Name twice?"], choices=[["list_name", "name", "label"], ["yn", "y", "Yes"], ["yn", "n", "No"], ["odd", 1, "<i>5</i> or less"], ["odd", 2, "more"], ["twice", 1, "Same"], ["twice", 2, "Same"], ["twice", 2, "Other"], ["unused", 1, "Nobody"]]),
    "backwards": form(last("${work} = 'full'"), WORK, last("${me} = 'y'", "me"), last("${nobody} = 'y'", "gone"), last("${work} = 'never'", "never"), last("${work} =", "broken"), last("work = 'full'", "bare")),
    "metadata": form(["start", "start"], ["today", "today"], ["deviceid", "dev"], ["calculate", "x", "", ""], WORK, [], [], last("${x} > 2"), last("${today} > '2020-01-01'", "day"), ["geopoint", "geo", "Where?"], ["image", "pic", "Picture"], ["barcode", "bar", "Code"], ["hidden", "hid"]),
    "table": form(["begin group", "t", "How true?", "${work} = 'full'", "table-list"], ["select_one yn", "r1", "First row"], ["select_one yn", "r2", "Second row"], ["end group"], more=["appearance"]),
    "table_shown": form(WORK, ["begin group", "t", "How true?", "${work} = 'full'", "table-list"], ["select_one yn", "r1", "First row"], ["select_one yn", "r2", "Second row", "${like} = 'y'"], ["end group"], last("${r1} = 'y'"), more=["appearance"]),
    "paths": form(WORK, LIKE, last("../work = 'full'", "a"), last("/data/work = 'full'", "b"), last("current()/../work = 'full'", "c"), last("${work} = 'full' and not(${like} = 'n')", "d"), last("coalesce(${work}, 'full') = 'full'", "e"), last("if(${work} = 'full', true(), false())", "f"), last("${work} = ${like}", "g"), last("'full' = ${work}", "h"), last("jr:choice-name(${work}, '${work}') = 'Full time'", "i"), last("${last-saved#work} = 'full'", "j"), last("random() < 0.5", "k"), last("position(..) = 1", "l")),
    "bind": {"survey": [["type", "name", "label", "bind::relevant", "bind::constraint", "trigger"], WORK, ["select_one yn", "a", "Ay?", "${work} = 'full'"], ["select_one yn", "b", "Bee?", "", "", "${work}"]], "choices": CHOICES},
    "external": {"survey": [["type", "name", "label", "choice_filter"], WORK, ["select_one_external town", "town", "Which town?", "job=${work}"], ["select_one job", "s", "Search?", "", "search('x')"]], "choices": CHOICES, "external_choices": [["list_name", "name", "job"], ["town", "a", "full"]]},
    "old": {"survey": [["type", "name", "caption", "relevance"], ["select one from job", "work", "Do you work?"], ["select all that apply from pay", "paid", "Paid?", ""], ["select1 yn", "last", "Last?", "${work} = 'full'"]], "choices": [["list name", "value", "caption"], *[list(row) for row in CHOICES[1:]]]},
}


def as_csv(sheets: Sheets) -> bytes:
    made = io.StringIO()
    rows = csv.writer(made)
    for name, lines in sheets.items():
        rows.writerow([name])
        rows.writerows(["", *line] for line in lines)
    return made.getvalue().encode()


WORKBOOKS = {name: workbook(**sheets) for name, sheets in FORMS.items()}
CSV = {name: as_csv(sheets) for name, sheets in FORMS.items()}
FILES = WORKBOOKS
