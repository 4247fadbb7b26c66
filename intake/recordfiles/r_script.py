"""R code that estimates the shares of single answers, and what numbers tell, from a record file.

In one sensitive question alone an answer is the true one with probability keep, else drawn from the noise. Inverting
that takes one line of R; the package RRreg has the same as its FR, forced response, with p = (1 - keep) noise.
"""

import json
from collections.abc import Callable, Iterator, Mapping

from django.template.loader import render_to_string

from intake.recordfiles.variables import names
from privacy.designs import Design
from privacy.designs.spreadsheet_cells import harmless
from surveys.kinds.file_columns import Fact, FileColumns
from surveys.kinds.registry import kind_of

Cell = Callable[[str], str]


def code(design: Design, file: str, title: str) -> str:
    """A script that reads `file`, which lies beside it; in ASCII but for its comments."""
    cell = harmless if file.endswith(".csv") else str
    listed: dict[str, list[str]] = {}
    for columns, facts in _questions(design):
        listed.setdefault(columns.listed, []).append(_list(facts, cell))
    context = {
        "file": file,
        "kind": file.rpartition(".")[2],
        "title": " ".join(title.split()),
        "fingerprint": design.fingerprint,
        **listed,
    }
    return render_to_string("intake/recordfiles/analysis.txt", context)


def _questions(design: Design) -> Iterator[tuple[FileColumns, Mapping[str, Fact]]]:
    """What the script needs of each question that it estimates."""
    variables = iter(names(design))
    for section in design.sections:
        columns = kind_of(section).file_columns(section)
        for question, variable in zip(section.questions, variables, strict=False):
            if facts := columns.script(section, question):
                yield columns, {"name": question.name, "variable": variable, **facts}


def _list(facts: Mapping[str, Fact], cell: Cell) -> str:
    return f"list({', '.join(f'{name} = {_written(fact, cell)}' for name, fact in facts.items())})"


def _written(fact: Fact, cell: Cell) -> str:
    """With texts as they are written in the cells of the file."""
    if isinstance(fact, str):
        return literal(cell(fact))
    if isinstance(fact, tuple):
        return f"c({', '.join(_written(each, cell) for each in fact)})"
    if isinstance(fact, bool):
        return str(fact).upper()
    return str(fact)


def literal(text: str) -> str:
    r"""A string of R in ASCII; beyond the plane of \u, R writes \U and eight digits."""
    written = (
        f"\\U{ord(character):08x}" if ord(character) > 0xFFFF else json.dumps(character)[1:-1]
        for character in text
    )
    return f'"{"".join(written)}"'
