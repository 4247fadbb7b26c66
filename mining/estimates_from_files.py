"""Estimates of one sensitive number or place from a file of records, and their JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mining.json_codec import node_to_json
from mining.kinds.number.report_node_from_counts import QUANTILES
from mining.kinds.registry import find_counted_kind
from mining.queries_and_counters import Counts
from privacy.anonymity.disguised_columns import corrected_shares, read_disguised_column
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import FORMAT, Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.designs import Design, InputError, Section
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import MAX_BYTES
from privacy.records import open_table_file

MEMBERS = ("base", "shares", "mean", "quantiles", "distribution", "modes")


def estimate_disguised_column(specification: Specification, table: Path, name: str) -> dict[str, Any]:
    """Estimates the true shares of a column's values from a published table of microdata, in which the column is
    disguised."""
    column = next((column for column in specification.disguised if column.name == name), None)
    if column is None:
        raise InputError("question", _("%(name)s is not a disguised column"), name=quote_value(name))
    with open_table_file(table) as file:
        shares = corrected_shares(read_disguised_column(file, str(table), column), column.gamma)
    return {
        "base": shares[0].records,
        "gamma": float(column.gamma),
        "shares": [*map(node_to_json, shares)],
    }


def read_specification_or_none(file: Path) -> Specification | None:
    """Reads the specification of an anonymised table; None if the file does not name that format."""
    with open_table_file(file) as opened:
        source = opened.read(MAX_BYTES + 1)
    if f'"{FORMAT}"'.encode() not in source:
        return None
    return read_specification(source, str(file), frozenset(METHODS))


def find_question_index_and_section(design: Design, name: str) -> tuple[int, Section]:
    """Returns the question index and the section of the number or place with this name."""
    index = 0
    for section in design.sections:
        if any(question.name == name for question in section.questions):
            if section.counted_by_code:
                return index, section
            raise InputError(
                "question", _("%(name)s is not a sensitive number or place"), name=quote_value(name)
            )
        index += len(section.questions)
    raise InputError("question", _("the design has no question %(name)s"), name=quote_value(name))


def check_quantiles(quantiles: Sequence[float]) -> None:
    for q in quantiles:
        if not 0 < q < 1:
            raise InputError("quantiles", _("%(q)s does not lie between 0 and 1"), q=f"{q:g}")


def estimate_section(
    section: Section, counts: Counts, quantiles: Sequence[float] = QUANTILES
) -> dict[str, Any]:
    """Returns the estimates of a number or place as JSON, from counts by group (open, disguised) and code.

    The counts are of records to which the question applies. A member is null if the kind of disguise does not allow it
    or there are too few records.
    """
    return dict.fromkeys(MEMBERS) | find_counted_kind(section).described(section, counts, quantiles)
