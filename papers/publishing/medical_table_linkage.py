"""Links the medical table with a register: people identified at k = 2, at l = 2, and by both."""

from collections.abc import Sequence
from dataclasses import dataclass

from papers.csv_and_example_tables import (
    cell_includes_value,
    make_specification,
    make_table,
    published_cells_by_record,
)
from papers.publishing.adult_data import SEED, TRIES
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.table_anonymisation import anonymize

HEAD = ("age", "sex", "ZIP", "problem")
MEDICAL = (
    ("25", "F", "12300", "AIDS"),
    ("29", "F", "14000", "pneumonia"),
    ("38", "M", "13500", "bronchitis"),
    ("37", "M", "13010", "flu"),
    ("40", "M", "13400", "bronchitis"),
    ("26", "M", "12600", "flu"),
)
KNOWN = ("name", "age", "sex", "ZIP")
REGISTER = (
    ("Betty", "25", "F", "12300"),
    ("Linda", "35", "F", "13000"),
    ("Bill", "21", "M", "12000"),
    ("Sam", "35", "M", "27000"),
    ("John", "28", "M", "14000"),
)
QUASI = (
    {"name": "age", "kind": "number"},
    {"name": "sex", "kind": "category"},
    {"name": "ZIP", "kind": "category", "hierarchy": "prefixes"},
)


@dataclass(frozen=True)
class Release:
    """One anonymised release of the medical table: the published cells of each record, and their NCP.

    `linked`: the records that match each person of the register, by name.
    """

    rows: Sequence[Sequence[str]]
    linked: dict[str, list[int]]
    ncp: float = 0.0
    hasr: float = 0.0

    @property
    def identified_people(self) -> list[str]:
        """Names of the people in the register whose only matching record matches nobody else."""
        return [
            name
            for name, records in self.linked.items()
            if len(records) == 1 and sum(records[0] in fitting for fitting in self.linked.values()) == 1
        ]


@dataclass(frozen=True)
class MedicalReleases:
    """The medical table unchanged, at k = 2, and at l = 2. `alone`: records that the last two together single out."""

    plain: Release
    anonymous: Release
    diverse: Release
    alone: list[int]


def make_releases() -> MedicalReleases:
    anonymous, diverse = (anonymize_medical_table(MEDICAL, values) for values in (None, 2))
    joint = list(zip(*(outcome.partition.labels.tolist() for outcome in (anonymous, diverse)), strict=True))
    alone = [record for record, labels in enumerate(joint, 1) if joint.count(labels) == 1]
    plain = Release(MEDICAL, _link_with_register(MEDICAL))
    return MedicalReleases(plain, _make_release(anonymous), _make_release(diverse), alone)


def anonymize_medical_table(
    rows: Sequence[Sequence[str]], distinct_values: int | None = None
) -> AnonymisedTable:
    diversity = {"kind": "distinct", "value": distinct_values} if distinct_values else None
    specification = make_specification(QUASI, sensitive=["problem"], k=2, l=diversity, seed=SEED)
    table = make_table(specification, HEAD, rows)
    return anonymize(table, specification, lambda tries, _loss: tries >= TRIES)


def _make_release(outcome: AnonymisedTable) -> Release:
    lost = outcome.information_losses(make_specification(QUASI, sensitive=["problem"], k=2))
    rows = published_cells_by_record(outcome)
    return Release(rows, _link_with_register(rows), lost.ncp, lost.hasr)


def _link_with_register(rows: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    return {
        name: [at for at, row in enumerate(rows, 1) if all(map(cell_includes_value, row, quasi))]
        for name, *quasi in REGISTER
    }
