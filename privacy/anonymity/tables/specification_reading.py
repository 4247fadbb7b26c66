"""Reads the specification of an anonymised table from JSON; an error message names the path of the fault."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from privacy.anonymity.tables.hierarchies import (
    EVERYTHING,
    LABEL,
    MISSING,
    UP_TO,
    Branch,
    DateOrder,
    Level,
    date_label,
    first_day_of_label,
)
from privacy.anonymity.tables.range_rounding import DateTails, GridEnds
from privacy.anonymity.tables.specification import (
    FORMAT,
    HALF,
    LEVELS,
    MOST_COLUMNS,
    MOST_SECONDS,
    MOST_TRIES,
    PROPOSED,
    Criteria,
    Disguised,
    Diversity,
    DiversityKind,
    ProposedHierarchy,
    QuasiIdentifier,
    QuasiKind,
    Sample,
    Sensitive,
    Specification,
)
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, read_json
from privacy.records.csv_dialect_detection import DECIMALS, ENCODINGS, SEPARATORS, Layout

MOST_LEVELS = 30
DECIMAL = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,4}))?", re.ASCII)
SIGNED = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?", re.ASCII)
T = TypeVar("T")
Kind = TypeVar("Kind", bound=StrEnum)

REQUIRED = frozenset({"format", "quasi_identifiers", "k"})
OPTIONAL = frozenset(
    {
        "identifiers",
        "sensitive",
        "other",
        "l",
        "t",
        "max_frequency",
        "rho",
        "suppression",
        "falsification",
        "cell_suppression",
        "weights",
        "method",
    }
    | {"seed", "seconds", "tries", "table", "sample"}
)


def read_specification(source: str | bytes, name: str, methods: frozenset[str]) -> Specification:
    """Reads and checks the specification of an anonymised table; `methods`: names of the known methods."""
    root = read_json(source, name)
    members = root.members(REQUIRED, OPTIONAL)
    text = members["format"].text()
    if text != FORMAT:
        raise members["format"].refuse(
            _("%(format)s is not %(known)s"), format=quote_value(text), known=FORMAT
        )
    names = _ColumnNames()
    identifiers = names.read_new_names(members.get("identifiers"))
    quasi = tuple(_read_quasi_identifier(node, names) for node in members["quasi_identifiers"].items())
    written = members["sensitive"].items() if "sensitive" in members else ()
    kept = [_read_sensitive(node, names) for node in written]
    sensitive = tuple(column for column in kept if isinstance(column, Sensitive))
    disguised = tuple(column for column in kept if isinstance(column, Disguised))
    other = names.read_new_names(members.get("other"))
    sample = _read_sample(members["sample"], names) if "sample" in members else None
    if not quasi:
        raise members["quasi_identifiers"].refuse(_("at least one quasi-identifier"))
    return Specification(
        quasi_identifiers=quasi,
        sensitive=sensitive,
        criteria=_read_criteria(members, sensitive),
        identifiers=identifiers,
        other=other,
        suppression=_read_share_or_zero(members.get("suppression")),
        falsification=_read_share_or_zero(members.get("falsification")),
        weights=_read_utility_weights(members.get("weights"), quasi, sensitive),
        method=_read_method_or_tree(members.get("method"), methods),
        seed=members["seed"].integer(0, 2**31 - 1) if "seed" in members else 0,
        seconds=_read_seconds_or_one(members.get("seconds")),
        layout=_read_layout(members["table"]) if "table" in members else None,
        tries=members["tries"].integer(0, MOST_TRIES) if "tries" in members else None,
        disguised=disguised,
        sample=sample,
        cell_suppression=_read_share_or_zero(members.get("cell_suppression")),
    )


class _ColumnNames:
    """The column names read so far; a name that is read twice is refused, since a column has one role."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def read(self, node: Node) -> str:
        """Reads a column name; refuses a name that was read before."""
        name = node.name()
        if name in self._known:
            raise node.refuse(_("the column %(column)s appears twice"), column=quote_value(name))
        if len(self._known) == MOST_COLUMNS:
            raise node.refuse(_("at most %(most)s columns"), most=MOST_COLUMNS)
        self._known.add(name)
        return name

    def read_new_names(self, node: Node | None) -> tuple[str, ...]:
        """Reads a list of column names; refuses a name that was read before."""
        return tuple(self.read(item) for item in node.items()) if node else ()


def _read_layout(node: Node) -> Layout:
    members = node.members(frozenset(), frozenset({"separator", "encoding", "decimal"}))
    return Layout(**{key: _read_allowed_word(members[key], LAYOUTS[key]) for key in members})


LAYOUTS = {"separator": SEPARATORS, "encoding": ENCODINGS, "decimal": DECIMALS}


def _read_allowed_word(node: Node, allowed_words: Sequence[str]) -> str:
    text = node.text()
    if text not in allowed_words:
        kinds = ", ".join(map(quote_value, allowed_words))
        raise node.refuse(_("%(kind)s is none of %(kinds)s"), kind=quote_value(text), kinds=kinds)
    return text


KINDS_WITH: Mapping[str, tuple[QuasiKind, ...]] = {
    "empty": (QuasiKind.CATEGORY,),
    "order": (QuasiKind.ORDERED,),
    "missing": (QuasiKind.NUMBER, QuasiKind.DATE, QuasiKind.ORDERED),
    "dates": (QuasiKind.DATE,),
    "level": (QuasiKind.DATE,),
    "ends": (QuasiKind.NUMBER, QuasiKind.DATE),
}
"""Kinds of quasi-identifiers for which each key of the specification is allowed."""


def _read_quasi_identifier(node: Node, names: _ColumnNames) -> QuasiIdentifier:
    members = node.members(frozenset({"name", "kind"}), frozenset({"hierarchy", *KINDS_WITH}))
    name, role = names.read(members["name"]), _read_enum_member(members["kind"], QuasiKind)
    for key, kinds in KINDS_WITH.items():
        if key in members and role not in kinds:
            raise members[key].refuse(
                _("only a quasi-identifier of the kind %(kind)s has it"), kind=", ".join(kinds)
            )
    empty = members["empty"].boolean() if "empty" in members else False
    if role is QuasiKind.ORDERED and "order" not in members:
        raise node.refuse(_("%(key)s is missing"), key=quote_value("order"))
    order = _read_ordered_values(members["order"]) if "order" in members else ()
    missing = _read_missing_cells(members["missing"]) if "missing" in members else ()
    if missing and MISSING in order:
        raise members["order"].refuse(_("%(label)s appears twice"), label=quote_value(MISSING))
    branches, proposal = _read_hierarchy(members.get("hierarchy"), role)
    dates = _read_enum_member(members["dates"], DateOrder) if "dates" in members else DateOrder.YMD
    level = _read_enum_member(members["level"], Level) if "level" in members else Level.DAY
    ends_node = members.get("ends")
    ends = _read_grid_ends(ends_node) if ends_node and role is QuasiKind.NUMBER else None
    tails = _read_date_tails(ends_node, level) if ends_node and role is QuasiKind.DATE else None
    return QuasiIdentifier(name, role, order, branches, proposal, empty, missing, dates, level, ends, tails)


def _read_date_tails(node: Node, level: Level) -> DateTails:
    members = node.members(frozenset(), frozenset({"under", "from"}))
    days = {key: _read_first_day(member, level) for key, member in members.items()}
    if len(days) == 2 and days["under"] > days["from"]:
        raise members["from"].refuse(_("must not be less than %(key)s"), key=quote_value("under"))
    return DateTails(days.get("under"), days.get("from"))


def _read_first_day(node: Node, level: Level) -> date:
    text = node.text()
    try:
        day = first_day_of_label(text) if LABEL.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or date_label(day, level) != text:
        example = date_label(date(2024, 1, 1), level)
        raise node.refuse(
            _("must be a date as the column shows it, such as %(date)s"), date=quote_value(example)
        )
    return day


def _read_grid_ends(node: Node) -> GridEnds:
    members = node.members(frozenset({"grid"}), frozenset({"under", "from"}))
    grid = _read_number(members["grid"])
    if grid <= 0:
        raise members["grid"].refuse(_("must be a positive number"))
    points = {key: _read_number(members[key]) for key in ("under", "from") if key in members}
    for key, point in points.items():
        if point % grid:
            raise members[key].refuse(_("is no point of the grid: no multiple of %(grid)s"), grid=f"{grid:f}")
    if len(points) == 2 and points["under"] > points["from"]:
        raise members["from"].refuse(_("must not be less than %(key)s"), key=quote_value("under"))
    return GridEnds(grid, points.get("under"), points.get("from"))


def _read_number(node: Node) -> Decimal:
    if not isinstance(node.value, str) or not SIGNED.fullmatch(node.value):
        raise node.refuse(_('must be a text with a number, such as "5" or "-2.5"'))
    return Decimal(node.value)


def _read_missing_cells(node: Node) -> tuple[str, ...]:
    """Reads the cell texts that mean a missing value; an empty text means an empty cell."""
    return tuple(item.name() if item.value != "" else "" for item in node.items())


def _read_hierarchy(node: Node | None, role: QuasiKind) -> tuple[tuple[Branch, ...], ProposedHierarchy]:
    """Reads a given hierarchy, which only categories have, or the name of a derived hierarchy."""
    proposed = PROPOSED[role]
    if node is None:
        return (), proposed[0]
    if role is QuasiKind.CATEGORY and not isinstance(node.value, str):
        return _read_branches(node, 0), proposed[0]
    return (), _read_enum_member(node, proposed)


def _read_enum_member(node: Node, kinds: Iterable[Kind]) -> Kind:
    text = node.text()
    by_name = {kind.value: kind for kind in kinds}
    if text not in by_name:
        raise node.refuse(
            _("%(kind)s is none of %(kinds)s"), kind=quote_value(text), kinds=", ".join(by_name)
        )
    return by_name[text]


def _read_ordered_values(node: Node) -> tuple[str, ...]:
    values: dict[str, None] = {}
    for item in node.items():
        value = item.name()
        if UP_TO in value:
            raise item.refuse(_("an ordered value holds no %(sign)s"), sign=UP_TO)
        if value in values or value == EVERYTHING:
            raise item.refuse(_("%(label)s appears twice"), label=quote_value(value))
        values[value] = None
    if len(values) < 2:
        raise node.refuse(_("at least two values"))
    return tuple(values)


def _read_branches(node: Node, depth: int) -> tuple[Branch, ...]:
    if depth == MOST_LEVELS:
        raise node.refuse(_("at most %(most)s levels"), most=MOST_LEVELS)
    if isinstance(node.value, list):
        below: tuple[Branch, ...] = tuple(item.name() if item.value != "" else "" for item in node.items())
    else:
        pairs = node.object_members()
        below = tuple(
            (Node(key, child.path).name(), _read_branches(child, depth + 1)) for key, child in pairs.items()
        )
    if not below:
        raise node.refuse(_("at least one value"))
    return below


def _read_sensitive(node: Node, names: _ColumnNames) -> Sensitive | Disguised:
    if isinstance(node.value, str):
        return Sensitive(names.read(node))
    members = node.members(frozenset({"name"}), frozenset({"order", "empty", "gamma", "values"}))
    if "gamma" not in members and "values" not in members:
        order = _read_ordered_values(members["order"]) if "order" in members else ()
        empty = members["empty"].boolean() if "empty" in members else False
        if empty and order:
            raise members["empty"].refuse(_("an empty cell has no place in an order"))
        return Sensitive(names.read(members["name"]), order, empty)
    members = node.members(frozenset({"name", "gamma", "values"}), frozenset())
    gamma = _read_number(members["gamma"])
    if gamma <= 1:
        raise members["gamma"].refuse(_("must be more than 1"))
    return Disguised(names.read(members["name"]), gamma, _read_ordered_values(members["values"]))


def _read_sample(node: Node, names: _ColumnNames) -> Sample:
    members = node.members(frozenset(), frozenset({"fraction", "weight"}))
    if len(members) != 1:
        raise node.refuse(_("either the fraction or the column of the weights"))
    if "weight" in members:
        return Sample(weight=names.read(members["weight"]))
    fraction = _read_number(members["fraction"])
    if not 0 < fraction <= 1:
        raise members["fraction"].refuse(_("must be more than 0 and at most 1"))
    return Sample(fraction=fraction)


def _read_criteria(members: dict[str, Node], sensitive: tuple[Sensitive, ...]) -> Criteria:
    for key in ("l", "t", "max_frequency", "rho"):
        if members.get(key) and members[key].value is not None and not sensitive:
            raise members[key].refuse(_("no column is sensitive"))
    cap = members.get("max_frequency")
    return Criteria(
        members["k"].integer(1, 10**9),
        _read_unless_null(members.get("l"), lambda node: _read_diversity(node, len(sensitive))),
        _read_unless_null(members.get("t"), Node.probability),
        (HALF if sensitive else None) if cap is None else _read_unless_null(cap, Node.probability),
        _read_unless_null(members.get("rho"), _read_breach),
    )


def _read_unless_null(node: Node | None, read: Callable[[Node], T]) -> T | None:
    return None if node is None or node.value is None else read(node)


def _read_diversity(node: Node, columns: int) -> Diversity:
    members = node.members(frozenset({"kind", "value"}), frozenset({"c", "joint"}))
    kind, c = _read_enum_member(members["kind"], DiversityKind), members.get("c")
    if (c is not None) != (kind is DiversityKind.RECURSIVE):
        raise node.refuse(_("c belongs to the recursive kind, and only to it"))
    joint = members["joint"].boolean() if "joint" in members else False
    if joint and columns < 2:
        raise members["joint"].refuse(_("the multi-attribute form needs two sensitive columns"))
    return Diversity(kind, members["value"].integer(1, 10**6), _read_decimal_in_parts(c) if c else 0, joint)


def _read_decimal_in_parts(node: Node) -> int:
    """Reads a positive decimal of at most four places; returns the number of ten-thousandths."""
    match = DECIMAL.fullmatch(node.value) if isinstance(node.value, str) else None
    parts = int(match[1]) * PARTS + int((match[2] or "").ljust(4, "0")) if match else 0
    if not parts:
        raise node.refuse(_('must be a text with a positive decimal of up to four places, such as "2.5"'))
    return parts


def _read_breach(node: Node) -> tuple[int, int]:
    shares = [item.probability() for item in node.items()]
    if len(shares) != 2 or shares[0] >= shares[1]:
        raise node.refuse(_("must be two probabilities, the smaller one first"))
    return shares[0], shares[1]


def _read_share_or_zero(node: Node | None) -> int:
    return 0 if node is None or node.value == 0 else node.probability()


def _read_seconds_or_one(node: Node | None) -> float:
    if node is None:
        return 1.0
    seconds = (
        _read_decimal_in_parts(node) / PARTS
        if isinstance(node.value, str)
        else float(node.integer(0, MOST_SECONDS))
    )
    if seconds > MOST_SECONDS:
        raise node.refuse(_("must lie between %(low)s and %(high)s"), low=0, high=MOST_SECONDS)
    return seconds


def _read_method_or_tree(node: Node | None, methods: frozenset[str]) -> str:
    text = node.text() if node else "tree"
    if node and text not in methods:
        kinds = ", ".join(sorted(methods))
        raise node.refuse(
            _("%(method)s is not a method (%(methods)s)"), method=quote_value(text), methods=kinds
        )
    return text


def _read_utility_weights(
    node: Node | None, quasi: tuple[QuasiIdentifier, ...], sensitive: tuple[Sensitive, ...]
) -> str | Mapping[str, Mapping[str, int]]:
    if node is None or node.value == "unit":
        return "unit"
    if len(sensitive) != 1:
        raise node.refuse(_("weights need exactly one sensitive column"))
    if node.value == "data":
        return "data"
    names = frozenset(attribute.name for attribute in quasi)
    rows = {value: row.members(names, frozenset()) for value, row in node.object_members().items()}
    return {
        value: {name: level.integer(1, LEVELS) for name, level in row.items()} for value, row in rows.items()
    }
