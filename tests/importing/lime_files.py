"""Surveys of LimeSurvey as its exports write them, put together by hand."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

HEADER = (
    "id",
    "related_id",
    "class",
    "type/scale",
    "name",
    "relevance",
    "text",
    "help",
    "language",
    "validation",
    "mandatory",
    "other",
    "min_num_value_n",
    "max_num_value_n",
    "hidden",
)
Row = Mapping[str, str]


def row(kind: str, name: str, text: str = "", **cells: str) -> Row:
    """`scale` is the column type/scale."""
    scale = {"type/scale": cells.pop("scale")} if "scale" in cells else {}
    return {"class": kind, "name": name, "text": text, "language": "en", **scale, **cells}


def question(code: str, kind: str, text: str, **cells: str) -> Row:
    return row("Q", code, text, scale=kind, **{"relevance": "1", "mandatory": "Y", **cells})


def group(name: str, text: str = "", **cells: str) -> Row:
    return row("G", name, text, **{"scale": "G1", "relevance": "1", **cells})


def answers(*labels: str, language: str = "en") -> list[Row]:
    return [row("A", f"A{n}", label, scale="0", language=language) for n, label in enumerate(labels, 1)]


def parts(*labels: str, language: str = "en") -> list[Row]:
    return [row("SQ", f"SQ{n}", label, scale="0", language=language) for n, label in enumerate(labels, 1)]


SETTINGS = [row("S", "language", "en"), row("SL", "surveyls_title", "A survey")]


def table(*rows: Row, settings: Sequence[Row] = SETTINGS, header: Sequence[str] = HEADER) -> bytes:
    lines = [header, *([each.get(column, "") for column in header] for each in (*settings, *rows))]
    quoted = ("\t".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    return ("\ufeff" + "\r\n".join(quoted) + "\r\n").encode()


def document(
    tables: Mapping[str, Sequence[Row]], languages: Sequence[str] = ("en",), kind: str = "Survey"
) -> bytes:
    spoken = "".join(f"<language>{code}</language>" for code in languages)
    made = "".join(_table(name, rows) for name, rows in tables.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<document>\n'
        f" <LimeSurveyDocType>{kind}</LimeSurveyDocType>\n <DBVersion>443</DBVersion>\n"
        f" <languages>{spoken}</languages>\n{made}</document>\n"
    ).encode()


def _table(name: str, rows: Sequence[Row]) -> str:
    fields = "".join(f"<fieldname>{column}</fieldname>" for column in (rows[0] if rows else ()))
    cells = (
        "".join(f"<{column}><![CDATA[{text}]]></{column}>" for column, text in each.items()) for each in rows
    )
    body = "".join(f"<row>{each}</row>" for each in cells)
    return f" <{escape(name)}><fields>{fields}</fields><rows>{body}</rows></{escape(name)}>\n"


HONEST_TABLE = table(
    group("Work", "<p>About work</p>"),
    question("Q1", "L", "How old?"),
    *answers("Young", "Old"),
    question("Q2", "F", "How often?", relevance='Q1.NAOK == "A2"'),
    *parts("Late", "Absent"),
    *answers("Never", "Often"),
)
HONEST_XML = document(
    {
        "groups": [{"gid": "3", "group_name": "Work"}],
        "questions": [{"qid": "7", "gid": "3", "type": "Y", "title": "well", "question": "Well?"}],
    }
)
