"""Reads data dictionaries of REDCap (.csv): converts them to LimeSurvey's structure, from which the
LimeSurvey reader makes the draft."""

import re
from collections.abc import Iterator
from itertools import groupby

from django.utils.translation import gettext as _

from importing.condition_tokens import with_straight_quotes
from importing.delimited_text import decode, find_separator, first_nonblank_line, numbered_rows
from importing.import_result import ImportResult
from importing.limesurvey.draft_reader import draft_from_survey
from importing.limesurvey.survey_structure import EQUATION, LimeGroup, LimeQuestion, LimeSurvey, Row
from surveys import default_draft_texts

COLUMNS = {
    "variable / field name": "field_name",
    "form name": "form_name",
    "section header": "section_header",
    "field type": "field_type",
    "field label": "field_label",
    "choices, calculations, or slider labels": "choices",
    "choices or calculations": "choices",
    "select_choices_or_calculations": "choices",
    "field note": "field_note",
    "text validation type or show slider number": "validation",
    "text_validation_type_or_show_slider_number": "validation",
    "text validation min": "text_validation_min",
    "text validation max": "text_validation_max",
    "identifier?": "identifier",
    "branching logic (show field only if...)": "branching_logic",
    "required field?": "required_field",
    "matrix group name": "matrix_group_name",
    "matrix ranking?": "matrix_ranking",
    "field annotation": "field_annotation",
}
"""Names of the columns in REDCap's pages, with the names in its API."""
NEEDED = frozenset({"field_name", "field_type", "field_label"})
MOST_ROWS = 5_000
LANGUAGE = "en"
"""Language of a data dictionary, which has only one and does not state it."""
KINDS = {
    "radio": "L",
    "dropdown": "L",
    "yesno": "L",
    "truefalse": "L",
    "checkbox": "M",
    "slider": "N",
    "notes": "T",
    "calc": "*",
    "file": "|",
    "descriptive": "X",
}
FIELD = re.compile(r"\[([a-z][a-z0-9_]{0,99})(?:\((-?[A-Za-z0-9_]{1,50})\))?\]")
TICKED = re.compile(
    r"\[([a-z][a-z0-9_]{0,99})\((-?[A-Za-z0-9_]{1,50})\)\] {0,3}(=|<>|!=) {0,3}(?:'([01])'|\"([01])\"|([01]))"
)
"""Pattern of a test of one option of a multiple-choice question: 1 if ticked, else 0."""
ACTION_TAG = re.compile(r"@[A-Z][A-Z-]{1,40}")
HIDING = frozenset({"@HIDDEN", "@HIDDEN-SURVEY"})


def looks_like_dictionary(data: bytes) -> bool:
    """True if the first line has the columns of a data dictionary."""
    first = first_nonblank_line(data)
    return set(_standard_column_names(numbered_rows(first, find_separator(first)))) >= NEEDED


def _standard_column_names(rows: Iterator[tuple[int, list[str]]]) -> list[str]:
    """Reads the first row of a table; returns the standard names of its columns."""
    _number, cells = next(rows, (0, []))
    return [COLUMNS.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]


def read(data: bytes) -> ImportResult:
    """Returns the draft made from a data dictionary, with the outcome of each question.

    Raises `FileRefused` with every reason if no question can be imported.
    """
    return draft_from_survey(parse(data))


def parse(data: bytes) -> LimeSurvey:
    """Returns the survey of a data dictionary in LimeSurvey's structure."""
    survey = LimeSurvey(languages={LANGUAGE: None})
    rows = list(_read_field_rows(data))
    names = {row.stripped_text("field_name") for row in rows}
    logics = {row.stripped_text("branching_logic") for row in rows}
    survey.written_conditions = {_branching_expression(logic): logic for logic in logics}
    form = ""
    for (matrix, _logic), together in groupby(rows, _matrix_key):
        fields = list(together)
        first = fields[0]
        header = first.stripped_text("section_header")
        if header or first.stripped_text("form_name") != form or not survey.groups:
            form = first.stripped_text("form_name")
            location = _("group %(number)s") % {"number": len(survey.groups) + 1}
            survey.groups.append(LimeGroup(location, _limesurvey_text_by_language(header, names)))
        is_table = matrix and all(
            each.stripped_text("field_type") == "radio" and not _is_identifier(each) for each in fields
        )
        made = (
            [_matrix_question(matrix, fields, names)]
            if is_table
            else [_question_from_field(each, names) for each in fields]
        )
        survey.groups[-1].questions += made
    return survey


def _read_field_rows(data: bytes) -> Iterator[Row]:
    text = decode(data, "cp1252").lstrip()
    rows = numbered_rows(text, find_separator(text), MOST_ROWS)
    header = _standard_column_names(rows)
    for _number, cells in rows:
        # R writes NA into cells that are empty.
        row = Row((key, "" if cell == "NA" else cell) for key, cell in zip(header, cells, strict=False))
        if row.stripped_text("field_name"):
            yield row


def _matrix_key(row: Row) -> tuple[str, tuple[str, ...]]:
    """Returns a key that the rows of one table share; a field outside of tables has a unique key."""
    matrix = row.stripped_text("matrix_group_name")
    shared = tuple(row.stripped_text(name) for name in ("choices", "branching_logic", "field_type"))
    return matrix, shared if matrix else (row.stripped_text("field_name"),)


def _is_identifier(row: Row) -> bool:
    return row.stripped_text("identifier").lower() in ("y", "yes", "1")


def _limesurvey_text_by_language(text: str, names: set[str]) -> dict[str, str]:
    """Returns a text by language; inserted answers, such as [name], are written in LimeSurvey's notation."""
    inserted = FIELD.sub(lambda match: f"{{{match[1]}}}" if match[1] in names else match[0], text)
    return {LANGUAGE: inserted} if text.strip() else {}


def _matrix_question(matrix: str, fields: list[Row], names: set[str]) -> LimeQuestion:
    """Returns a table made of several fields; conditions may name each field alone."""
    table = _question_from_field(fields[0], names)
    table.code, table.kind, table.text, table.aliases = matrix, "F", {}, ("",)
    table.mandatory = all(row.stripped_text("required_field").lower() == "y" for row in fields)
    table.subquestions = {
        ("0", row.stripped_text("field_name")): _limesurvey_text_by_language(
            row.raw_text("field_label"), names
        )
        for row in fields
    }
    left = dict.fromkeys(name for row in fields for name in _question_from_field(row, names).left_settings)
    table.left_settings = tuple(left)
    return table


def _question_from_field(row: Row, names: set[str]) -> LimeQuestion:
    code, kind = row.stripped_text("field_name"), row.stripped_text("field_type").lower()
    validation = row.stripped_text("validation").lower()
    question = LimeQuestion(
        _("question %(code)s") % {"code": code},
        code,
        _text_field_type(validation) if kind == "text" else KINDS.get(kind, "?"),
        relevance=_branching_expression(row.stripped_text("branching_logic")),
        mandatory=row.stripped_text("required_field").lower() == "y",
        text=_limesurvey_text_by_language(row.raw_text("field_label"), names),
        help=_limesurvey_text_by_language(row.raw_text("field_note"), names),
        obstacle=_("identifies people: not asked here") if _is_identifier(row) else "",
    )
    entries = question.subquestions if question.kind == "M" else question.answers
    for value, label in _choices(kind, row.raw_text("choices")):
        question.add_entry_or_remark(entries, value, label)
    ends = ("0", "100") if kind == "slider" else ("", "")
    for end, usual in zip(("min", "max"), ends, strict=True):
        limit = row.stripped_text(f"text_validation_{end}") or usual
        question.attributes[f"{end}_num_value_n"] = limit
    if kind == "calc":
        question.attributes[EQUATION] = _branching_expression(row.stripped_text("choices"))
    tags = dict.fromkeys(ACTION_TAG.findall(row.raw_text("field_annotation")))
    question.attributes["hidden"] = "1" if HIDING & tags.keys() else ""
    kept = [tag for tag in tags if tag not in HIDING]
    kept += ["Matrix Ranking?"] if row.stripped_text("matrix_ranking").lower() == "y" else []
    question.left_settings = tuple(kept)
    return question


def _text_field_type(validation: str) -> str:
    if validation.startswith(("date", "time")):
        return "D"
    return "N" if validation.startswith(("integer", "number")) else "S"


def _choices(kind: str, written: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields codes and labels of a field's choices, written like `1, Yes | 2, No` or fixed by the field's kind."""
    if kind == "yesno":
        yield "1", dict(default_draft_texts.shipped_words_by_language(default_draft_texts.YES, [LANGUAGE]))
        yield "0", dict(default_draft_texts.shipped_words_by_language(default_draft_texts.NO, [LANGUAGE]))
    elif kind == "truefalse":
        yield from (("1", {LANGUAGE: "True"}), ("0", {LANGUAGE: "False"}))
    elif kind in ("radio", "dropdown", "checkbox"):
        for part in written.replace("\n", "|").split("|"):
            value, _comma, label = part.strip().partition(",")
            if value.strip():
                yield value.strip(), {LANGUAGE: label.strip() or value.strip()}


def _branching_expression(logic: str) -> str:
    """Returns branching logic in LimeSurvey's notation; parts without an equivalent are refused later, quoted
    as written."""

    def checkbox_test(match: re.Match[str]) -> str:
        is_yes = (match[3] == "=") == ("1" in match.groups()[3:])
        return f'{match[1]}_{match[2]} {"==" if is_yes else "!="} "Y"'

    tested = TICKED.sub(checkbox_test, with_straight_quotes(logic))
    return FIELD.sub(r"\1", tested).replace("<>", "!=")
