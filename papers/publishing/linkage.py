"""The medical table and the register: who is re-identified, and who still is in a 2-anonymous version.

Samarati and Sweeney, Protecting privacy when disclosing information (1998). The rows of the medical table, and the
first line of the register, are those widely quoted from it; the other lines of the register are ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from papers.publishing.settings import SEED, TRIES
from papers.publishing.specified import shown, specified, table_of
from privacy.anonymity.anonymised import AnonymisedTable, of_labels
from privacy.anonymity.methods import anonymize
from privacy.anonymity.specification import Specification

HEAD = ("race", "birth date", "sex", "ZIP", "marital status", "problem")
MEDICAL = (
    ("asian", "1964-09-27", "female", "94139", "divorced", "hypertension"),
    ("asian", "1964-09-30", "female", "94139", "divorced", "obesity"),
    ("asian", "1964-04-18", "male", "94139", "married", "chest pain"),
    ("asian", "1964-04-15", "male", "94139", "married", "obesity"),
    ("black", "1963-03-13", "male", "94138", "married", "hypertension"),
    ("black", "1963-03-18", "male", "94138", "married", "shortness of breath"),
    ("black", "1964-09-13", "female", "94141", "married", "shortness of breath"),
    ("black", "1964-09-07", "female", "94141", "married", "obesity"),
    ("white", "1961-05-14", "male", "94138", "single", "chest pain"),
    ("white", "1961-05-08", "male", "94138", "single", "obesity"),
    ("white", "1961-09-15", "female", "94142", "widow", "shortness of breath"),
)
KNOWN = ("birth date", "sex", "ZIP")
"""What the register says of a person."""


@dataclass(frozen=True)
class Voter:
    """A line of the register."""

    name: str
    birth: str
    sex: str
    code: str

    @property
    def known(self) -> tuple[str, ...]:
        """In the order of KNOWN."""
        return self.birth, self.sex, self.code


REGISTER = (
    Voter("Sue J. Carlson", "1961-09-15", "female", "94142"),
    Voter("Ann Lee", "1964-09-27", "female", "94139"),
    Voter("Ben Wu", "1964-04-18", "male", "94139"),
    Voter("Carl Ito", "1964-04-18", "male", "94139"),
    Voter("Dan Hill", "1963-03-13", "male", "94138"),
    Voter("Eve Reed", "1964-09-07", "female", "94141"),
    Voter("Fay Stone", "1961-09-20", "female", "94142"),
    Voter("Gus Webb", "1961-05-08", "male", "94139"),
)


@dataclass(frozen=True)
class Linked:
    """A voter and the records, by their numbers from 1, that fit them; `problems`: the sensitive values of these.

    `rivals`: how many other voters fit one of these records.
    """

    voter: str
    records: tuple[int, ...]
    rivals: int
    problems: tuple[str, ...]

    @property
    def re_identified(self) -> bool:
        """One record fits, and it fits nobody else in the register."""
        return len(self.records) == 1 and not self.rivals


@dataclass(frozen=True)
class Linkage:
    """Both tables as they are published, and the register linked with each."""

    rows: list[list[str]]
    anonymous: list[list[str]]
    before: list[Linked]
    after: list[Linked]


def linkage(cache: Path) -> Linkage:
    said = medical_specification()
    table = table_of(said, HEAD, MEDICAL)
    plain = of_labels(table, np.arange(table.records))
    anonymous = anonymize(table, said, cache, lambda tries, _loss: tries >= TRIES)
    return Linkage(shown(plain), shown(anonymous), linked(plain), linked(anonymous))


def medical_specification() -> Specification:
    return specified(medical_quasi(), sensitive=["problem"], k=2, seed=SEED)


def medical_quasi() -> list[dict[str, Any]]:
    births = [row[1] for row in MEDICAL] + [voter.birth for voter in REGISTER]
    return [
        {"name": "race", "kind": "category"},
        {"name": "birth date", "kind": "category", "hierarchy": by_year_and_month(births)},
        {"name": "sex", "kind": "category"},
        {"name": "ZIP", "kind": "category", "hierarchy": "prefixes"},
        {"name": "marital status", "kind": "category"},
    ]


def by_year_and_month(dates: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """A hierarchy of dates: a day, its month, its year, everything."""
    found: dict[str, dict[str, list[str]]] = {}
    for date in sorted(set(dates)):
        found.setdefault(date[:4], {}).setdefault(date[:7], []).append(date)
    return found


def linked(outcome: AnonymisedTable) -> list[Linked]:
    fitting = [fits(outcome, voter) for voter in REGISTER]
    problem = outcome.table.sensitive[0]
    return [
        Linked(
            voter.name,
            tuple(record + 1 for record in sorted(records)),
            sum(bool(records & others) for others in fitting) - bool(records),
            tuple(sorted({problem.texts[problem.codes[record]] for record in records})),
        )
        for voter, records in zip(REGISTER, fitting, strict=True)
    ]


def fits(outcome: AnonymisedTable, voter: Voter) -> set[int]:
    """The records of which everything shown, of what the register knows, covers what it says of this voter."""
    classes = outcome.partition
    columns = {column.name: (at, column) for at, column in enumerate(outcome.table.quasi)}
    possible = np.ones(classes.number, bool)
    for name, value in zip(KNOWN, voter.known, strict=True):
        at, column = columns[name]
        code = column.texts.index(value)
        ends = zip(classes.lows[:, at].tolist(), classes.highs[:, at].tolist(), strict=True)
        lows, highs = column.ends([column.shown(low, high) for low, high in ends]).T
        possible &= (lows <= code) & (code <= highs)
    return set(np.flatnonzero(possible[classes.labels]).tolist())
