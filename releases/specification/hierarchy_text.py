"""A hierarchy as indented text: one value or node a line, what belongs to a node indented below it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from privacy.anonymity.tables.hierarchies import EVERYTHING
from surveys.questionnaire.problems import NotAllowed

Nodes = list[str] | dict[str, Any]
"""As in a specification: the values below a node, or its nodes with what is below each."""
INDENT = "  "
TAB = 4
"""Spaces that a tab counts for."""
EMPTY = '""'
"""How the value of an empty cell is written."""
DEEPEST = 30


def written(nodes: Sequence[str] | Mapping[str, Any], depth: int = 0) -> str:
    return "\n".join(_lines(nodes, depth))


def _lines(nodes: Sequence[str] | Mapping[str, Any], depth: int) -> Iterator[str]:
    for name in nodes:
        yield INDENT * depth + (name or EMPTY)
        if isinstance(nodes, Mapping):
            yield from _lines(nodes[name], depth + 1)


def read(text: str) -> Nodes:
    """The nodes that a text says. Refused with the line: what is indented oddly, and values beside nodes."""
    lines = [
        (number, len(line) - len(line.lstrip()), line.strip())
        for number, line in enumerate(text.expandtabs(TAB).splitlines(), 1)
        if line.strip()
    ]
    if not lines:
        raise NotAllowed(_("Write at least one value, each on a line of its own."))
    known = {EVERYTHING}
    for number, _indent, name in lines:
        if name in known:
            raise _refused(
                number, _("“%(name)s” is there already, or has a meaning of its own") % {"name": name}
            )
        known.add(name)
    nodes, after = _below(lines, 0, lines[0][1], 1)
    if after < len(lines):
        raise _refused(lines[after][0], _("it is indented less than the first line"))
    return nodes


Line = tuple[int, int, str]


def _below(lines: Sequence[Line], start: int, indent: int, depth: int) -> tuple[Nodes, int]:
    """The nodes of one depth from this line on, and the place of the first line after them."""
    if depth > DEEPEST:
        raise _refused(lines[start][0], _("there are at most %(most)s levels") % {"most": DEEPEST})
    inner: dict[str, Any] = {}
    values: list[str] = []
    at = start
    while at < len(lines) and lines[at][1] >= indent:
        number, here, name = lines[at]
        if here > indent:
            raise _refused(number, _("indent it exactly as far as the lines that it belongs with"))
        at += 1
        if at < len(lines) and lines[at][1] > indent:
            inner[name], at = _below(lines, at, lines[at][1], depth + 1)
        else:
            values.append("" if name == EMPTY else name)
        if inner and values:
            raise _refused(
                number, _("values and groups cannot be on one level; put the value into a group of its own")
            )
    return inner or values, at


def leaves(nodes: Sequence[str] | Mapping[str, Any]) -> Iterator[str]:
    """The values of a hierarchy."""
    for name in nodes:
        if isinstance(nodes, Mapping):
            yield from leaves(nodes[name])
        else:
            yield name


def _refused(line: int, why: str) -> NotAllowed:
    return NotAllowed(_("Line %(line)s: %(why)s.") % {"line": line, "why": why})
