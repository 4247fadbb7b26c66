"""Disguised records out of the export of another tool, beside that tool's other answers (docs/elsewhere.md)."""

import json
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from candor.laws import ResponseLaw
from candor.surveys import Records, read_design
from mining.counting import MinedRecords
from mining.counting.mined_records import pack_columns
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _, quote_value, unreadable_file
from privacy.grammar.question import YES_NO, Question
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.handed_record import CELL, read_handed_text
from privacy.records.mined_code_conversion import mined_codes_per_question
from privacy.records.record import DISGUISED, Record, read_record
from privacy.records.record_file import open_as_plain_csv
from privacy.records.record_file_blocks import block_if_possible

TRIAL, NEAR, MALFORMED, OTHER, REPEATED, FURTHER, NONE = (
    *("trial", "near miss", "malformed", "another design", "repeated key", "further record of its row"),
    "row without a record",
)
"""Why a cell, or a row, gives no record."""
AT_ONCE = 1 << 12
"""Number of records whose codes are checked together."""
NAMES_FIRST = _("must hold the names of the columns, one for each cell of a row")
NOTE = "These records stand beside what names people: nothing is withheld below any least number of them."


class AnswerColumn(NamedTuple):
    """A column of answers: its name, the index of the question, and of a sensitive answer its code and law."""

    name: str
    question: int
    code: int | None
    law: ResponseLaw | None


@dataclass(frozen=True, repr=False)
class Export:
    """The records of an export, and row for row its other columns.

    `records`: for `shares`, `itemsets`, `rules`, `fit_model` and the other functions of records; their `left_out`
    counts cells by the reason for which they give no record. `frame`: a row for each record, under the index of its row
    in the export, with the columns `beside`, 1 or 0 for each sensitive answer (NaN: not asked, or hidden by a rule) and
    the choice of each plain question. `laws`: the law of each sensitive answer, for `shares`, `differences` and
    `regress` of `frame`.
    """

    records: Records
    frame: pd.DataFrame
    laws: Mapping[str, ResponseLaw]

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        return f"<export: {self.records!r}. {NOTE}>"


def read_export(
    source: "Path | str | pd.DataFrame", design: Design | Path | str, beside: Sequence[str] | None = None
) -> Export:
    """Reads the records that pages inside another tool have handed over, out of that tool's export.

    `source`: a data frame, or a file in CSV of any common layout or JSON (objects in a list or one a line). `beside`:
    the other columns to take, by default all. A record may stand in any cell; of a row the first of this design counts,
    of a key the first in the file. Everything is mined that is there, below any `least`.
    """
    of = design if isinstance(design, Design) else read_design(design)
    if of.has_group_open:
        raise InputError("design", _("lets people answer openly or directly, so no tool may ask it"))
    export = source if isinstance(source, pd.DataFrame) else _read_table(Path(source))
    texts = _texts_by_column(export)
    columns, answers = _columns_beside(export, beside, texts), list(_answer_columns(of))
    if export is not source:
        columns = {name: _as_numbers(column) for name, column in columns.items()}
    if taken := sorted({*columns} & {answer.name for answer in answers}):
        reason = _("%(name)s is an answer of the design too: rename the column")
        raise InputError("beside", reason, name=quote_value(taken[0]))
    left_out = Counter[str]()
    by_row = dict(_first_of_each_row(_possible_records(_cells(texts, left_out), of, left_out), left_out))
    if not by_row:
        counts = ", ".join(f"{number:,} {reason}" for reason, number in left_out.items())
        raise InputError("export", _("holds no record of this design (%(counts)s)"), counts=counts or "0")
    if len(by_row) < len(export):
        left_out[NONE] = len(export) - len(by_row)
    rows = sorted(by_row)
    codes = _codes(of, [by_row[row] for row in rows])
    group = np.full(len(rows), DISGUISED, np.uint8)
    mined = np.stack(list(mined_codes_per_question(of, codes)))
    parts = {name: columns[name].iloc[rows] for name in columns}
    for name, index, code, _law in answers:
        values = _answer(of.mined.questions[index], mined[index], code)
        parts[name] = pd.Series(values, export.index[rows])
    records = Records(of, MinedRecords(of.mined, [pack_columns(of, group, codes)]), dict(left_out))
    laws = {answer.name: answer.law for answer in answers if answer.law}
    return Export(records, pd.DataFrame(parts, index=export.index[rows]), laws)


def _read_table(path: Path) -> pd.DataFrame:
    """Reads a file of any tool; all cells of CSV are texts."""
    try:
        if path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
            return _frame_of_json(path.read_bytes())
        with open_as_plain_csv(path) as file, warnings.catch_warnings():
            # Cells beyond the names are lost, or else move all columns by one.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(file, dtype=str, keep_default_na=False, index_col=False)
    except OSError as error:
        raise unreadable_file(path, error) from None
    except pd.errors.ParserWarning:
        raise InputError(f"{path}:1", NAMES_FIRST) from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(str(path), _("is no table (%(reason)s)"), reason=quote_value(str(error))) from None
    if any(CELL.fullmatch(str(name)) for name in frame):
        raise InputError(f"{path}:1", NAMES_FIRST)
    # Qualtrics has three rows of names, of which the third holds JSON.
    if len(frame) > 1 and frame.iloc[1].str.startswith('{"ImportId"').any():
        frame = frame.iloc[2:]
    return frame


def _frame_of_json(content: bytes) -> pd.DataFrame:
    """Reads a list of objects, or an object a line; what is nested gets names such as data.age."""
    try:
        rows = json.loads(content)
    except json.JSONDecodeError:
        rows = [json.loads(line) for line in content.splitlines() if line.strip()]
    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
        return pd.json_normalize(rows)
    return pd.DataFrame(rows)


def _as_numbers(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Returns a column of texts as numbers if it has nothing else; an empty cell has no value."""
    texts = column.where(column != "")
    try:
        return pd.to_numeric(texts)
    except (ValueError, TypeError):
        return texts


def _texts_by_column(export: pd.DataFrame) -> dict[int, list[tuple[int, str]]]:
    """Returns row and cell of all that resembles a text of a page, by the number of its column."""
    found = dict[int, list[tuple[int, str]]]()
    for place in range(export.shape[1]):
        column = export.iloc[:, place]
        cells = [] if pd.api.types.is_numeric_dtype(column) else enumerate(column.tolist())
        texts = [(row, cell) for row, cell in cells if isinstance(cell, str) and "candor1" in cell.lower()]
        if texts:
            found[place] = texts
    return found


def _columns_beside(
    export: pd.DataFrame, beside: Sequence[str] | None, texts: Mapping[int, Collection[tuple[int, str]]]
) -> dict[str, "pd.Series[Any]"]:
    """Returns the columns that were asked for; by default all that do not consist of texts of a page."""
    by_name = {str(name): place for place, name in reversed([*enumerate(export.columns)])}
    for name in beside or ():
        if name not in by_name:
            raise InputError("export", _("has no column %(name)s"), name=quote_value(name))

    def has_other_cells(place: int) -> bool:
        # A person may have typed a text of a page into a field of the tool, which takes no column away.
        column = export.iloc[:, place]
        return 2 * len(texts.get(place, ())) <= int((column.notna() & (column != "")).sum())

    others = [name for name, place in reversed(by_name.items()) if has_other_cells(place)]
    return {name: export.iloc[:, by_name[name]] for name in (others if beside is None else beside)}


def _cells(
    texts: Mapping[int, Iterable[tuple[int, str]]], left_out: Counter[str]
) -> Iterator[tuple[int, str, Record]]:
    """Yields row, key and record of each text of a page that reads well; counts the others."""
    for row, cell in chain.from_iterable(texts.values()):
        pattern = CELL.fullmatch(cell)
        if pattern is None:
            left_out[NEAR] += 1
        elif pattern[1]:
            left_out[TRIAL] += 1
        elif handed := read_handed_text(cell):
            yield row, handed.key, handed.record
        else:
            left_out[MALFORMED] += 1


def _possible_records(
    cells: Iterator[tuple[int, str, Record]], design: Design, left_out: Counter[str]
) -> Iterator[tuple[int, str, Record]]:
    """Yields the records that a device could have sent of this design; counts the others."""
    own = list[tuple[int, str, Record]]()
    for cell in cells:
        if cell[2].design == design.fingerprint:
            own.append(cell)
        else:
            left_out[OTHER] += 1
    for start in range(0, len(own), AT_ONCE):
        some = own[start : start + AT_ONCE]
        if not _are_all_possible(design, [record for _row, _key, record in some]):
            possible = [cell for cell in some if _is_possible(design, cell[2])]
            left_out[MALFORMED] += len(some) - len(possible)
            some = possible
        yield from some


def _are_all_possible(design: Design, records: Sequence[Record]) -> bool:
    if any(record.group != DISGUISED or len(record.answers) != design.width for record in records):
        return False
    codes = _codes(design, records)
    limits = np.array([question.not_applicable for question in design.questions])
    if (codes > limits[:, None]).any():
        return False
    return block_if_possible(design, np.full(len(records), DISGUISED, np.uint8), codes) is not None


def _is_possible(design: Design, record: Record) -> bool:
    try:
        read_record(design, record)
    except InputError:
        return False
    return True


def _first_of_each_row(
    found: Iterator[tuple[int, str, Record]], left_out: Counter[str]
) -> Iterator[tuple[int, Record]]:
    """Yields one record of each row and key, from the top; counts the others."""
    keys, rows = set[str](), set[int]()
    for row, key, record in sorted(found, key=lambda cell: cell[0]):
        if key in keys:
            left_out[REPEATED] += 1
        elif row in rows:
            left_out[FURTHER] += 1
            keys.add(key)
        else:
            keys.add(key)
            rows.add(row)
            yield row, record


def _codes(design: Design, records: Sequence[Record]) -> Codes:
    """Returns the codes of records whose answers have the right length: question x record."""
    texts = "".join(record.answers for record in records).encode()
    digits = np.frombuffer(texts, np.uint8).reshape(len(records), design.width) - np.uint8(ord("0"))
    codes, at = np.zeros((len(design.questions), len(records)), np.uint16), 0
    for row, question in zip(codes, design.questions, strict=True):
        for column in range(at, at + question.width):
            row[:] = 10 * row + digits[:, column]
        at += question.width
    return codes


def _answer_columns(design: Design) -> Iterator[AnswerColumn]:
    """Yields a column for each sensitive answer that is counted, and for each plain question."""
    index = 0
    for section in design.mined.sections:
        law = section.mined_law
        for question, noise in zip(section.questions, law.noise_parts, strict=True):
            if not section.sensitive:
                yield AnswerColumn(question.name, index, None, None)
            elif not question.scored:
                is_yes_no = question.code_names == YES_NO
                for code in (1,) if is_yes_no else range(question.codes):
                    name = question.name if is_yes_no else f"{question.name}={question.code_names[code]}"
                    chance = (1 - law.keep) * noise[code] / law.noise_whole
                    yield AnswerColumn(
                        name, index, code, ResponseLaw(law.keep, chance, name=f"law of {name}")
                    )
            index += 1


def _answer(question: Question, codes: Codes, code: int | None) -> "np.ndarray[Any, Any]":
    """Returns a column of answers: 1 or 0, or without a code the names of choices."""
    is_answer = codes < question.codes
    if code is not None:
        return np.where(is_answer, codes == code, np.nan)
    names = np.array([*question.code_names, None], object)
    return np.asarray(names[np.where(is_answer, codes, question.codes)])
