"""The page of a document as data: its claims with verdicts, its printed tables and figures, and ours.

Texts are in the active language.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from django.utils.translation import gettext as _

from papers.svg_figures import Figure, Lattice

STUDIES = "studies"
DOCUMENTS = {
    "privacy-breach": "papers.privacy_breach.document",
    "k-anonymity": "papers.k_anonymity.document",
    "location": "papers.location.document",
    "publishing": "papers.publishing.document",
    "grouped-model": "papers.grouped_model.document",
    STUDIES: "papers.studies.document",
}
"""The module of each, whose function `reproduce` takes a `Run`. In the order of docs/references.md."""
TITLES = {
    "privacy-breach": "Limiting Privacy Breaches in Context-Awareness Data Mining",
    "k-anonymity": "Reading notes on k-anonymity and its successors",
    "location": "A utility-optimised square mechanism for location privacy",
    "publishing": "Privacy Preservation Algorithm for Service-Oriented Information Search",
    "grouped-model": "Privacy-preserving Algorithm Based on Grouping Unrelated-question Model",
}
"""Of the five documents, as printed in English."""
LONG = {"publishing": ("adult", "seconds"), "grouped-model": ("posteriors", "mined", "w", "bias")}
"""Documents with long experiments, and the tables of their numbers, which are stored in the repository."""

NUMBER_CELL = re.compile(r"$|[-−<]? ?\.?\d")


@dataclass(frozen=True)
class ReproductionOptions:
    """`cache`: the folder of the compiled kernels; `say` is told of every step. Only grouped-model draws by `seed`.

    `stored`: the tables of a long experiment by name; where there are none it is performed.
    """

    cache: Path
    say: Callable[[str], object] = print
    seed: int = 1
    repetitions: int = 30
    stored: Mapping[str, str] | None = None


class Verdict(Enum):
    """Of a claim, a figure or a table of a document; BEYOND: it is not the document's but ours."""

    HOLDS = "holds"
    FAILS = "fails"
    UNAVAILABLE = "unavailable"
    BEYOND = "beyond"

    def __str__(self) -> str:
        return {
            "holds": _("holds"),
            "fails": _("fails"),
            "unavailable": _("cannot be had"),
            "beyond": _("beyond the document"),
        }[self.value]


@dataclass(frozen=True)
class Claim:
    """`document`: what it says or prints; `ours`: what is computed here; `reason`: a sentence why."""

    document: str
    ours: str
    verdict: Verdict
    reason: str


def judge_claim(document: str, ours: str, holds: bool, reason: str, reason_if_failed: str = "") -> Claim:
    """A claim that holds or fails for this reason; `otherwise`: the reason if it fails, where that is another one."""
    verdict = Verdict.HOLDS if holds else Verdict.FAILS
    return Claim(document, ours, verdict, reason if holds else reason_if_failed or reason)


@dataclass(frozen=True)
class PrintedItem:
    """A table or a figure of the document: its number as printed, what it shows, and whether it is made again."""

    number: str
    subject: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class Table:
    """`file`: the CSV, by its name without the document's, that has these numbers and more."""

    caption: str
    head: Sequence[str]
    lines: Sequence[Sequence[object]]
    note: str = ""
    file: str = ""

    @property
    def rows(self) -> list[list[tuple[str, bool]]]:
        """The head and the lines, each cell with whether its column is one of numbers."""
        lines = [[str(cell) for cell in line] for line in self.lines]
        numbers = [all(map(NUMBER_CELL.match, column)) for column in zip(*lines, strict=True)]
        numbers = numbers or [False] * len(self.head)
        return [list(zip(line, numbers, strict=True)) for line in [list(self.head), *lines]]


@dataclass(frozen=True)
class Slider:
    """A table made at build time: the reader moves along its lines, and a picture of bars follows.

    The first column is the parameter; the others are drawn on one scale. The first `separate` of them are in another
    unit each and have a scale of their own.
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
        return Table(self.title, self.head, lines, self.note)


@dataclass(frozen=True)
class Section:
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[Figure | Lattice] = ()
    tables: Sequence[Table] = ()
    sliders: Sequence[Slider] = ()


@dataclass(frozen=True)
class Document:
    """`number`: 000 to 004, empty of the published studies; `cited`: keys of docs/references.md."""

    number: str
    name: str
    authors: str
    year: str
    cited: Sequence[str]
    introduction: Sequence[str]
    claims: Sequence[Claim]
    printed: Sequence[PrintedItem]
    sections: Sequence[Section]
    not_built: Sequence[str] = ()

    @property
    def title(self) -> str:
        return document_title(self.name)

    def verdict_counts(self) -> list[int]:
        """How many claims, tables and figures have each verdict."""
        verdicts = [claim.verdict for claim in self.claims] + [item.verdict for item in self.printed]
        return [verdicts.count(verdict) for verdict in Verdict]


@dataclass(frozen=True)
class Reproduction:
    """`document` is in the active language; `tables` are CSV by name."""

    document: Callable[[], Document]
    tables: Mapping[str, str]


def document_title(name: str) -> str:
    return TITLES[name] if name != STUDIES else _("Published studies again")
