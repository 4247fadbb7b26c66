"""Reads and changes the roles of columns in a specification (docs/formats.md, Specification of an anonymised table)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any

Document = dict[str, Any]
"""A specification, or a part of it, as JSON."""
DIVERSE = {"kind": "distinct", "value": 2}
"""The l-diversity that is added when the first column becomes sensitive."""
ABOUT_SENSITIVE = ("l", "t", "max_frequency", "rho", "weights", "falsification")
"""Keys of a specification that need a sensitive column."""


class ColumnRole(StrEnum):
    NUMBER = "number"
    DATE = "date"
    ORDERED = "ordered"
    CATEGORY = "category"
    SENSITIVE = "sensitive"
    OTHER = "other"
    IDENTIFIER = "identifier"
    DROPPED = "dropped"


QUASI = (ColumnRole.NUMBER, ColumnRole.DATE, ColumnRole.ORDERED, ColumnRole.CATEGORY)


def column_name(column: str | Mapping[str, Any]) -> str:
    """Returns the name of a column entry, which is a text or an object."""
    return column if isinstance(column, str) else str(column["name"])


def read_roles(document: Document, columns: Sequence[str]) -> dict[str, ColumnRole]:
    """Returns the role of each column in a specification; a column that it does not name is dropped."""
    known = {column["name"]: ColumnRole(column["kind"]) for column in document.get("quasi_identifiers", ())}
    known |= dict.fromkeys(map(column_name, document.get("sensitive", ())), ColumnRole.SENSITIVE)
    known |= dict.fromkeys(document.get("other", ()), ColumnRole.OTHER)
    known |= dict.fromkeys(document.get("identifiers", ()), ColumnRole.IDENTIFIER)
    return {column: known.get(column, ColumnRole.DROPPED) for column in columns}


def change_roles(
    document: Document,
    new_roles: Mapping[str, ColumnRole],
    propose_order: Callable[[str], Sequence[str]],
    proposed_quasi_identifiers: Sequence[Document] = (),
    columns_with_empty_cells: Collection[str] = (),
) -> Document:
    """Returns the specification with these roles of columns; a column that keeps its role keeps its order and
    hierarchy.

    `propose_order`: function from a column's name to its proposed order. `proposed_quasi_identifiers`: proposed
    quasi-identifiers. `columns_with_empty_cells`: columns with empty cells, which become values of their own.
    """
    known = (*document.get("quasi_identifiers", ()), *proposed_quasi_identifiers)
    sensitive = {column_name(column): column for column in document.get("sensitive", ())}

    def quasi_identifier_entry(name: str, role: ColumnRole) -> Document:
        for column in known:
            if column["name"] == name and column["kind"] == role:
                return dict(column)
        column = {"name": name, "kind": role.value}
        if role is ColumnRole.ORDERED:
            column["order"] = list(propose_order(name))
        if name in columns_with_empty_cells:
            column |= {"empty": True} if role is ColumnRole.CATEGORY else {"missing": [""]}
        return column

    def columns_with_role(role: ColumnRole) -> list[str]:
        return [name for name, new_role in new_roles.items() if new_role is role]

    changed = {
        **document,
        "quasi_identifiers": [
            quasi_identifier_entry(name, role) for name, role in new_roles.items() if role in QUASI
        ],
        "sensitive": [
            sensitive.get(name, {"name": name, "empty": True} if name in columns_with_empty_cells else name)
            for name in columns_with_role(ColumnRole.SENSITIVE)
        ],
        "other": columns_with_role(ColumnRole.OTHER),
        "identifiers": columns_with_role(ColumnRole.IDENTIFIER),
    }
    return _adapt_criteria(changed, document)


def remove_cell_values(document: Document) -> Document:
    """Returns the specification without what it quotes from cells: orders, groups, missing values, weights."""
    kinds = {ColumnRole.ORDERED.value: ColumnRole.CATEGORY.value}
    return {key: value for key, value in document.items() if key != "weights"} | {
        "quasi_identifiers": [
            {"name": column["name"], "kind": kinds.get(column["kind"], column["kind"])}
            for column in document.get("quasi_identifiers", ())
        ],
        "sensitive": list(map(column_name, document.get("sensitive", ()))),
    }


def undisguised_sensitive_columns(document: Document) -> list[Any]:
    """Returns the sensitive columns published undisguised, to which the criteria apply."""
    return [
        column for column in document.get("sensitive", ()) if isinstance(column, str) or "gamma" not in column
    ]


def _adapt_criteria(changed: Document, before: Document) -> Document:
    """Returns the changed specification without criteria that its columns do not allow; the first sensitive column
    brings l-diversity."""
    sensitive = undisguised_sensitive_columns(changed)
    if not sensitive:
        return {key: value for key, value in changed.items() if key not in ABOUT_SENSITIVE}
    if not undisguised_sensitive_columns(before):
        changed.setdefault("l", dict(DIVERSE))
    if len(sensitive) < 2 and (changed.get("l") or {}).get("joint"):
        changed["l"] = {key: value for key, value in changed["l"].items() if key != "joint"}
    names, names_before = (
        [column["name"] for column in document.get("quasi_identifiers", ())] for document in (changed, before)
    )
    has_expert_weights = not isinstance(changed.get("weights", "unit"), str)
    if len(sensitive) != 1 or (has_expert_weights and names != names_before):
        changed.pop("weights", None)
    return changed


def get_column_or_empty(document: Document, name: str) -> Document:
    """Returns the entry of a quasi-identifier or sensitive column in the specification; empty for any other column."""
    for column in (*document.get("quasi_identifiers", ()), *document.get("sensitive", ())):
        if column_name(column) == name:
            return {"name": name} if isinstance(column, str) else dict(column)
    return {}


def replace_column(document: Document, new_column: Mapping[str, Any]) -> Document:
    """Returns the document with `new_column` in place of the entry with its name, a quasi-identifier or sensitive
    column."""
    changed = {
        key: [
            dict(new_column) if column_name(column) == new_column["name"] else column
            for column in document.get(key, ())
        ]
        for key in ("quasi_identifiers", "sensitive")
    }
    return _adapt_criteria(document | changed, document)


def move_value(order: Sequence[str], value: str, by: int) -> list[str]:
    """Returns the order with this value moved down by `by` positions, at most to its ends."""
    rest = [other_value for other_value in order if other_value != value]
    if len(rest) == len(order):
        return rest
    index = max(0, min(len(rest), list(order).index(value) + by))
    return [*rest[:index], value, *rest[index:]]
