"""Converts a hierarchy of values to indented text and back: one value or node per line, its content indented below
it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from privacy.anonymity.tables.hierarchies import EVERYTHING
from surveys.questionnaire.problems_and_refusals import NotAllowed

Nodes = list[str] | dict[str, Any]
"""Part of a hierarchy in a specification: the values below a node, or its child nodes with their contents."""
INDENT = "  "
TAB = 4  # spaces that a tab counts for
EMPTY = '""'
"""Text that stands for the value of an empty cell."""
DEEPEST = 30


class Line(NamedTuple):
    number: int
    indent: int
    name: str


def format_hierarchy(nodes: Sequence[str] | Mapping[str, Any], depth: int = 0) -> str:
    """Returns a hierarchy as the indented text that `parse_hierarchy` reads; `depth`: indentation of the first line."""
    lines = []
    for name in nodes:
        lines.append(INDENT * depth + (name or EMPTY))
        if isinstance(nodes, Mapping) and nodes[name]:
            lines.append(format_hierarchy(nodes[name], depth + 1))
    return "\n".join(lines)


def parse_hierarchy(text: str) -> Nodes:
    """Returns the hierarchy that an indented text describes; raises `NotAllowed` with the line if the indentation is
    wrong, a name comes twice, or values stand beside groups."""
    lines = [
        Line(number, len(line) - len(line.lstrip()), line.strip())
        for number, line in enumerate(text.expandtabs(TAB).splitlines(), 1)
        if line.strip()
    ]
    if not lines:
        raise NotAllowed(_("Write at least one value, each on a line of its own."))
    known = {EVERYTHING}
    for line in lines:
        if line.name in known:
            words = _("“%(name)s” is there already, or has a meaning of its own")
            raise _line_refusal(line, words % {"name": line.name})
        known.add(line.name)
    nodes, end = _read_level(lines, 0, 1)
    if end < len(lines):
        raise _line_refusal(lines[end], _("it is indented less than the first line"))
    return nodes


def _read_level(lines: Sequence[Line], start: int, depth: int) -> tuple[Nodes, int]:
    """Reads one level of a hierarchy from line `start` on: returns its nodes, and the index of the first line after
    them."""
    indent = lines[start].indent
    if depth > DEEPEST:
        raise _line_refusal(lines[start], _("there are at most %(most)s levels") % {"most": DEEPEST})
    inner: dict[str, Any] = {}
    values: list[str] = []
    index = start
    while index < len(lines) and lines[index].indent >= indent:
        line = lines[index]
        if line.indent > indent:
            raise _line_refusal(line, _("indent it exactly as far as the lines that it belongs with"))
        index += 1
        if index < len(lines) and lines[index].indent > indent:
            inner[line.name], index = _read_level(lines, index, depth + 1)
        else:
            values.append("" if line.name == EMPTY else line.name)
        if inner and values:
            raise _line_refusal(
                line, _("values and groups cannot be on one level; put the value into a group of its own")
            )
    return inner or values, index


def leaf_values(nodes: Sequence[str] | Mapping[str, Any]) -> Iterator[str]:
    if isinstance(nodes, Mapping):
        for below in nodes.values():
            yield from leaf_values(below)
    else:
        yield from nodes


def _line_refusal(line: Line, why: str) -> NotAllowed:
    """Returns the exception that refuses a hierarchy, with the number of the faulty line."""
    return NotAllowed(_("Line %(line)s: %(why)s.") % {"line": line.number, "why": why})
