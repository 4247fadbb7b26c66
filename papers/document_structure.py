"""Data structure of the page of a reproduced document: judged quotes, tables and figures.

Texts are in the active language.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext as _

from papers.quotes import PrintedDocument, Quote, printed_documents, quotes_by_id
from papers.svg_figures import Figure, Lattice
from ui.number_format import MINUS

STUDIES = "studies"
DOCUMENTS = {
    "privacy-breach": "papers.privacy_breach.document",
    "k-anonymity": "papers.k_anonymity.document",
    "location": "papers.location.document",
    "publishing": "papers.publishing.document",
    "grouped-model": "papers.grouped_model.document",
    STUDIES: "papers.studies.document",
}
"""Module of each document, as in docs/references.md; its function `reproduce` takes `ReproductionOptions`."""
LONG = {"publishing": ("adult", "seconds"), "grouped-model": ("posteriors", "mined", "w", "bias")}
"""Documents with long experiments, and the names of their tables, which are stored in the repository."""

HYPHEN = re.compile(r"(?<![\w.])-(?=\.?\d)")
"""A hyphen before a number that is below 0."""
NUMBER_CELL = re.compile(r"$|[-−<]? ?\.?\d")


@dataclass(frozen=True)
class ReproductionOptions:
    """Options of a reproduction of a document.

    `say`: function called with a line of progress for every step. `seed`: random seed, used by grouped-model alone.
    `stored`: tables of a long experiment by name; without them the experiment is run again.
    """

    say: Callable[[str], object] = print
    seed: int = 1
    repetitions: int = 30
    stored: Mapping[str, str] | None = None


class Verdict(Enum):
    """Verdict on what a document prints; BEYOND: the document leaves it open, or ours goes further."""

    HOLDS = "holds"
    IN_PART = "in-part"
    FAILS = "fails"
    NOT_PUBLIC = "not-public"
    BEYOND = "beyond"

    def __str__(self) -> str:
        return {
            "holds": _("holds"),
            "in-part": _("holds in part"),
            "fails": _("fails"),
            "not-public": _("data not public"),
            "beyond": _("beyond the document"),
        }[self.value]


@dataclass(frozen=True)
class Judgement:
    """A row of a page: what a document prints, and its verdict.

    `ours`: the result computed here; `reason`: why it does not hold, where it does not, or what to mind.
    """

    quote: Quote
    verdict: Verdict
    ours: str
    reason: str


def judge(quote: Quote | str, verdict: Verdict | bool, **numbers: object) -> Judgement:
    """Returns the judgement of a quote, which its id names; of a verdict True is HOLDS and False is FAILS.

    `numbers`: those that the words of the quote name.
    """
    if not isinstance(verdict, Verdict):
        verdict = Verdict.HOLDS if verdict else Verdict.FAILS
    found = quotes_by_id()[quote] if isinstance(quote, str) else quote
    return Judgement(found, verdict, found.our_result(numbers), found.reason_with(numbers))


def in_part_if(holds: bool) -> Verdict:
    """Returns the verdict on something that holds but for what its reason says, unless it fails."""
    return Verdict.IN_PART if holds else Verdict.FAILS


Attribute = str | int | Callable[[Any], object]
"""What a column shows of a row: `name` or `name:format`, the position in a list, or a function of the row."""


@dataclass(frozen=True)
class Table:
    """A table of the page: of each row, which a CSV file has too, the attributes that the columns name.

    `columns`: a heading and an attribute each; `file`: short name of the CSV file with these rows and more.
    """

    title: str
    columns: Sequence[tuple[str, Attribute]]
    rows: Sequence[Any]
    note: str = ""
    file: str = ""

    @property
    def lines(self) -> list[list[tuple[str, bool]]]:
        """The header and the rows as texts; each cell comes with whether its column is numeric."""
        cells = [[cell_text(row, attribute) for _heading, attribute in self.columns] for row in self.rows]
        numbers = [all(map(NUMBER_CELL.match, column)) for column in zip(*cells, strict=True)]
        numbers = numbers or [False] * len(self.columns)
        head = [heading for heading, _attribute in self.columns]
        return [list(zip(line, numbers, strict=True)) for line in [head, *cells]]


def cell_text(row: Any, attribute: Attribute) -> str:
    """Returns the text of a cell: a number by its format, a float without one by `format_number`; None is empty.

    Of a row that was read from a CSV file, a dictionary of texts, the texts with a format are numbers.
    """
    form = ""
    if callable(attribute):
        value = attribute(row)
    elif isinstance(attribute, int):
        value = row[attribute]
    else:
        name, _colon, form = attribute.partition(":")
        value = row[name] if isinstance(row, Mapping) else attrgetter(name)(row)
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if form:
        text = format(float(value) if isinstance(value, str | Fraction) else value, form).replace("%", " %")
    else:
        text = format_number(value) if isinstance(value, float) else str(value)
    return HYPHEN.sub(MINUS, text)


def columns_by_position(head: Sequence[str]) -> list[tuple[str, Attribute]]:
    """Returns the columns of a table whose rows are lists."""
    return [(heading, position) for position, heading in enumerate(head)]


def format_number(value: float) -> str:
    """Formats a number with five digits, or more if it is larger."""
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.5g}"


@dataclass(frozen=True)
class Slider:
    """A table of which the reader chooses one row with a slider.

    The first column is the parameter of the slider. Of the other columns, the first `separate` have units of their own
    and are numbers alone; the rest have bars on one scale.
    """

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[float]]
    note: str
    start: int = 0
    separate: int = 0

    @property
    def table(self) -> Table:
        lines = [
            [f"{cell:.4g}" if abs(cell) < 1e4 else f"{cell:,.0f}" for cell in line] for line in self.lines
        ]
        return Table(self.title, columns_by_position(self.head), lines, self.note)


@dataclass(frozen=True)
class Section:
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[Figure | Lattice] = ()
    tables: Sequence[Table] = ()
    sliders: Sequence[Slider] = ()


@dataclass(frozen=True)
class OwnData:
    """What computes the same on the reader's own data: a command, or a page of the site by the name of its address."""

    text: str
    command: str = ""
    page: str = ""


@dataclass(frozen=True)
class Document:
    """The page of one document.

    `cited`: keys of docs/references.md.
    """

    name: str
    authors: str
    year: str
    cited: Sequence[str]
    introduction: Sequence[str]
    judgements: Sequence[Judgement]
    sections: Sequence[Section]
    own_data: Sequence[OwnData] = ()

    @property
    def printed(self) -> PrintedDocument | None:
        """The document that the page is about; None for the published studies."""
        return printed_documents().get(self.name)

    @property
    def title(self) -> str:
        return document_title(self.name)

    def groups(self) -> list[tuple[str, list[Judgement]]]:
        """Returns the judgements in the order of the quotes: the document's own, then those of works that it cites."""
        order = {key: at for at, key in enumerate(quotes_by_id())}
        rows = sorted(self.judgements, key=lambda row: order.get(row.quote.id, 0))
        named = {
            _("What of the document holds"): [row for row in rows if not row.quote.of],
            _("What it takes from works that it cites"): [row for row in rows if row.quote.of],
        }
        return [(title, chosen) for title, chosen in named.items() if chosen]

    def verdict_counts(self) -> list[int]:
        """Returns how many judgements have each verdict."""
        verdicts = [judgement.verdict for judgement in self.judgements]
        return [verdicts.count(verdict) for verdict in Verdict]


@dataclass(frozen=True)
class Reproduction:
    """The result of reproducing a document: a function that builds its page, and its tables.

    `document` builds the page in the active language; `tables` are CSV texts by name.
    """

    document: Callable[[], Document]
    tables: Mapping[str, str]


def document_title(name: str) -> str:
    return printed_documents()[name].title if name != STUDIES else _("Published studies again")
