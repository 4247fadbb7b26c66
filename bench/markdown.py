"""Tables of figures: as lines, and in the place of the one that a document has."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

FIGURES = Path(__file__).parent / "figures"


def table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The first column is text, the others are numbers."""
    yield line(heads)
    yield "|--|" + "--:|" * (len(heads) - 1)
    yield from map(line, rows)


def line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def show(lines: Iterable[str]) -> None:
    for text in lines:
        print(text, flush=True)


def with_table(document: Path, lines: Iterable[str]) -> str:
    """The document with these lines in the place of its table, which ends it."""
    prose = document.read_text(encoding="utf-8").partition("\n|")[0]
    return "\n".join([prose, *lines, ""])


def section(text: str, heading: str) -> str:
    """The section with this heading, up to the next one of its level or above; empty where there is none."""
    level = len(heading.partition(" ")[0])
    found = re.search(rf"^{re.escape(heading)}\n.*?(?=^#{{1,{level}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[0].rstrip("\n") + "\n" if found else ""
