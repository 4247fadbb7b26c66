"""The table of nodes of one sort: a column for each of their members, and answers also in words."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from mining.document.codec import members
from reports.export_table import ExportTable, column_name, said_among

JOINED = " & "
WORDED = ("items", "antecedent", "consequent", "item")
"""Members that are answers."""
Words = Callable[[Sequence[str]], str]


def node_table(
    kind: type, name: str, nodes: Sequence[Any], words: Words, leave: Collection[str] = ()
) -> ExportTable:
    names = [name for name in members(kind) if name not in {*leave, "heads"}]
    rows = tuple(tuple(cells(node, names, words)) for node in nodes)
    columns = tuple(
        column
        for member in names
        for column in ((member, f"{member}_in_words") if member in WORDED else (column_name(member),))
    )
    return ExportTable(name, columns, rows)


def cells(node: Any, names: Sequence[str], words: Words) -> Iterator[Any]:
    for name in names:
        value = getattr(node, name)
        if name == "disguised_only":
            value = said_among(value)
        if name not in WORDED:
            yield value
            continue
        answers = (value,) if isinstance(value, str) else value
        yield JOINED.join(answers)
        yield words(answers)
