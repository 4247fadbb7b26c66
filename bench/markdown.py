"""Tables of figures: as lines, and in the place of the one that a document has."""

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
