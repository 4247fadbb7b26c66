"""Records of a survey from a data frame that another tool has written."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mining.counting import MinedRecords
from mining.counting.mined_records import pack_columns
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.question import Question
from privacy.grammar.question_reading import RESERVED_NAME as GROUP_COLUMN
from privacy.kinds.answer_code_array_type import smallest_code_type
from privacy.records import DISGUISED
from privacy.records.record import check_codes
from privacy.records.record_file import group_names, map_cells_to_codes, normalise_cell

MISSING = ("", "na", "nan", "none", "null", ".")


def read_frame(
    frame: pd.DataFrame, design: Design, named: Mapping[str, str], values: Mapping[str, Mapping[Any, str]]
) -> tuple[MinedRecords, dict[str, int]]:
    """Returns the records of a data frame, and how many rows are left out by reason (`candor.records`)."""
    group = np.full(len(frame), DISGUISED, np.uint8)
    found = _column(frame, named.get(GROUP_COLUMN, GROUP_COLUMN))
    if found is not None:
        numbers = {name: number for number, name in enumerate(group_names(design))}
        group = _coded(GROUP_COLUMN, found, numbers, {})
    elif design.has_arms:
        raise InputError("frame", _("has no column for %(name)s: name it in columns"), name=GROUP_COLUMN)
    table = np.empty((len(design.questions), len(frame)), np.int64)
    for row, question in zip(table, design.questions, strict=True):
        column = _column(frame, named.get(question.name, question.name))
        if column is None:
            name = quote_value(question.name)
            raise InputError("frame", _("has no column for %(name)s: name it in columns"), name=name)
        row[:] = _coded(question.name, column, dict(_cells(question)), values.get(question.name, {}))
    whole = np.vstack([group, table]).astype(smallest_code_type(int(table.max(initial=1)) + 1))
    reasons = _checked(design, whole)
    withheld = (table == np.array([[question.withheld] for question in design.questions])).any(axis=0)
    used = np.array([reason is None for reason in reasons], np.bool_)
    parts = [np.flatnonzero(used & kind) for kind in (~withheld, withheld)]
    packed = [[pack_columns(design, group, whole[1:], rows)] if len(rows) else [] for rows in parts]
    left_out = Counter(reason for reason in reasons if reason is not None)
    return MinedRecords(design.mined, *packed), dict(left_out)


def _column(frame: pd.DataFrame, name: str) -> "pd.Series[Any] | None":
    """Returns the column of this name, in another case if that is the only one."""
    alike = [column for column in frame.columns if str(column).casefold() == name.casefold()]
    column = name if name in frame.columns else alike[0] if len(alike) == 1 else None
    return None if column is None else frame[column]


def _cells(question: Question) -> Iterator[tuple[str, int]]:
    """Yields what a value can be, in any case, and its code; what comes later counts."""
    exact = map_cells_to_codes(question)
    folded = Counter(cell.casefold() for cell in exact)
    if question.code_names == ("no", "yes"):
        yield from (("0", 0), ("1", 1), ("false", 0), ("true", 1))
    for code, choice in enumerate(question.choices):
        yield from ((text.casefold(), code) for _language, text in choice.label.entries)
    yield from ((cell.casefold(), code) for cell, code in exact.items() if folded[cell.casefold()] == 1)
    yield from ((cell, question.not_asked) for cell in MISSING)
    yield from exact.items()


def _coded(
    name: str, column: "pd.Series[Any]", codes: Mapping[str, int], meaning: Mapping[Any, str]
) -> "np.ndarray[Any, Any]":
    """Returns the code of each value; `meaning`: the choices of some values."""
    by_value = {}
    for value in column.unique():
        cell = "" if pd.isna(value) else normalise_cell(str(meaning.get(value, value)).strip())
        ways = (cell, cell.casefold(), cell.removesuffix(".0"))
        code = next((codes[way] for way in ways if way in codes), None)
        if code is None:
            reason = _("%(value)s is no answer to it: name it in codes")
            raise InputError(f"frame: {name}", reason, value=quote_value(cell))
        by_value[value] = code
    return np.asarray(column.map(by_value))


def _checked(design: Design, whole: "np.ndarray[Any, Any]") -> list[str | None]:
    """Returns for each record why it is left out; refuses a record that no device sends."""
    patterns, place = np.unique(whole, axis=1, return_inverse=True)
    reasons = list[str | None]()
    for group, *codes in patterns.T.tolist():
        asked = list(zip(design.questions, codes, strict=True))
        is_withheld = any(code == question.withheld for question, code in asked)
        try:
            check_codes(design, codes, is_withheld, group=group)
            reasons.append(None)
        except InputError as refusal:
            missing = [question.name for question, code in asked if code == question.not_asked]
            if not missing:
                raise refusal.with_outer_path("frame") from None
            reasons.append(f"no {', '.join(missing)}")
    return [reasons[index] for index in place.ravel()]
