"""Roles of columns in a specification, read and changed (docs/formats.md, Specification of an anonymised table)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any

Document = dict[str, Any]
Values = Callable[[str], Sequence[str]]
"""The values of a column, in the order that is proposed for them."""
DIVERSE = {"kind": "distinct", "value": 2}
"""The l-diversity that is asked for where a first column becomes sensitive."""
ABOUT_SENSITIVE = ("l", "t", "max_frequency", "rho", "weights", "falsification")
"""Keys that mean nothing without a sensitive column."""


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


def roles(document: Document, columns: Sequence[str]) -> dict[str, ColumnRole]:
    """The role of each column; a column that the specification does not name is dropped."""
    kinds = {column["name"]: ColumnRole(column["kind"]) for column in document.get("quasi_identifiers", ())}
    kinds |= dict.fromkeys(map(name_of, document.get("sensitive", ())), ColumnRole.SENSITIVE)
    kinds |= dict.fromkeys(document.get("other", ()), ColumnRole.OTHER)
    kinds |= dict.fromkeys(document.get("identifiers", ()), ColumnRole.IDENTIFIER)
    return {column: kinds.get(column, ColumnRole.DROPPED) for column in columns}


def name_of(sensitive: str | Mapping[str, Any]) -> str:
    """The name of a sensitive column, which may be written with the order of its values."""
    return sensitive if isinstance(sensitive, str) else str(sensitive["name"])


def with_roles(
    document: Document,
    wanted: Mapping[str, ColumnRole],
    values: Values,
    proposed: Sequence[Document] = (),
    with_empty: Collection[str] = (),
) -> Document:
    """The document with these roles; a column that keeps its role keeps its order and its hierarchy.

    `proposed`: quasi-identifiers as they are proposed, for columns that get the proposed kind; `with_empty`: columns
    with empty cells, which are then values of their own.
    """
    quasi = {column["name"]: column for column in document.get("quasi_identifiers", ())}
    sensitive = {name_of(column): column for column in document.get("sensitive", ())}

    def quasi_identifier(name: str, role: ColumnRole) -> Document:
        if name in quasi and quasi[name]["kind"] == role:
            return dict(quasi[name])
        for column in proposed:
            if column["name"] == name and column["kind"] == role:
                return dict(column)
        order = {"order": list(values(name))} if role is ColumnRole.ORDERED else {}
        empty = {"empty": True} if role is ColumnRole.CATEGORY else {"missing": [""]}
        return {"name": name, "kind": role.value, **order, **(empty if name in with_empty else {})}

    def listed(role: ColumnRole) -> list[str]:
        return [name for name, its in wanted.items() if its is role]

    changed = {
        **document,
        "quasi_identifiers": [quasi_identifier(name, role) for name, role in wanted.items() if role in QUASI],
        "sensitive": [
            sensitive.get(name, {"name": name, "empty": True} if name in with_empty else name)
            for name in listed(ColumnRole.SENSITIVE)
        ],
        "other": listed(ColumnRole.OTHER),
        "identifiers": listed(ColumnRole.IDENTIFIER),
    }
    return _fitting(changed, document)


def undisguised(document: Document) -> list[Any]:
    """The sensitive columns that are published as they are: those that the criteria are about."""
    return [
        column for column in document.get("sensitive", ()) if isinstance(column, str) or "gamma" not in column
    ]


def _fitting(changed: Document, before: Document) -> Document:
    """Without criteria that the new columns do not allow, and with l-diversity where the first becomes sensitive."""
    sensitive = undisguised(changed)
    if not sensitive:
        return {key: value for key, value in changed.items() if key not in ABOUT_SENSITIVE}
    if not undisguised(before):
        changed.setdefault("l", dict(DIVERSE))
    if len(sensitive) < 2 and (changed.get("l") or {}).get("joint"):
        changed["l"] = {key: value for key, value in changed["l"].items() if key != "joint"}
    names = [column["name"] for column in changed["quasi_identifiers"]]
    same = names == [column["name"] for column in before.get("quasi_identifiers", ())]
    weights = changed.get("weights", "unit")
    if len(sensitive) != 1 or not (isinstance(weights, str) or same):
        changed.pop("weights", None)
    return changed


def column_of(document: Document, name: str) -> Document:
    """What the specification says of one quasi-identifier or sensitive column; empty for any other column."""
    for column in (*document.get("quasi_identifiers", ()), *document.get("sensitive", ())):
        if name_of(column) == name:
            return {"name": name} if isinstance(column, str) else dict(column)
    return {}


def with_column(document: Document, column: Mapping[str, Any]) -> Document:
    """The document with another description of a quasi-identifier or sensitive column of this name."""

    def replaced(columns: Sequence[Any]) -> list[Any]:
        return [dict(column) if name_of(each) == column["name"] else each for each in columns]

    keys = ("quasi_identifiers", "sensitive")
    return _fitting({**document, **{key: replaced(document.get(key, ())) for key in keys}}, document)


def moved(order: Sequence[str], value: str, by: int) -> list[str]:
    """The order with this value so many places further down; it stays within the list."""
    rest = [each for each in order if each != value]
    if len(rest) == len(order):
        return rest
    at = max(0, min(len(rest), list(order).index(value) + by))
    return [*rest[:at], value, *rest[at:]]
