"""All that is computed for the text, the tables and the figures."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from papers.publishing import lattice, linkage, utility
from papers.publishing.experiments import AnonymisedAdult, experiments
from papers.publishing.lattice import LatticeNode, RecordDistance
from papers.publishing.linkage import Linkage, Linked
from papers.publishing.settings import DIVERSITY, KS, SEED, TRIES
from papers.publishing.utility import UtilityWeight, WeighedGeneralisation
from papers.tables import csv_text, rounded
from privacy.anonymity.table import Table


@dataclass(frozen=True)
class PublishingResults:
    """`records`: of the table of the experiments."""

    records: int
    linkage: Linkage
    weights: list[UtilityWeight]
    generalisations: list[WeighedGeneralisation]
    nodes: list[LatticeNode]
    distances: list[RecordDistance]
    experiments: list[AnonymisedAdult]

    def tables(self) -> dict[str, str]:
        """Every table as CSV, by its name."""
        return {
            "medical": csv_text(linkage.HEAD, self.linkage.rows),
            "medical-2-anonymous": csv_text(linkage.HEAD, self.linkage.anonymous),
            "register": csv_text(
                ("name", *linkage.KNOWN), [(voter.name, *voter.known) for voter in linkage.REGISTER]
            ),
            "linkage": _table([_linked(row) for row in self.linked]),
            "weights": _table([{"value": row.value, **row.weights} for row in self.weights]),
            "generalisations": csv_text(
                ("generalisation", *utility.HEAD),
                ((row.name, *shown) for row in self.generalisations for shown in row.rows),
            ),
            "penalties": _table(_without(asdict(row), "rows") for row in self.generalisations),
            "lattice": _table(map(_node, self.nodes)),
            "distances": _table(map(_distance, self.distances)),
            "adult": _table(map(_experiment, self.experiments)),
        }

    @property
    def linked(self) -> Sequence[tuple[str, Linked]]:
        """What the register finds in the medical table, then in its 2-anonymous version."""
        pairs = {"medical": self.linkage.before, "medical-2-anonymous": self.linkage.after}
        return [(name, row) for name, rows in pairs.items() for row in rows]

    def as_json(self) -> dict[str, Any]:
        return {
            "paper": "publishing",
            "records": self.records,
            "l": DIVERSITY,
            "seed": SEED,
            "tries": TRIES,
            **{
                name: value
                for name, value in asdict(self).items()
                if name not in ("records", "nodes", "experiments")
            },
            "lattice": [_node(row) for row in self.nodes],
            "experiments": [_experiment(row) for row in self.experiments],
        }


def results(
    table: Table, cache: Path, say: Callable[[str], object], ks: Sequence[int] = KS
) -> PublishingResults:
    return PublishingResults(
        table.records,
        linkage.linkage(cache),
        utility.weights(),
        utility.generalisations(),
        lattice.nodes(),
        lattice.distances(),
        experiments(table, ks, cache, say),
    )


def _table(rows: Iterable[dict[str, Any]]) -> str:
    listed = list(rows)
    return csv_text(list(listed[0]), [rounded(list(row.values())) for row in listed])


def _without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def _linked(named: tuple[str, Linked]) -> dict[str, Any]:
    table, row = named
    return {
        "table": table,
        "voter": row.voter,
        "records": " ".join(map(str, row.records)),
        "rivals": row.rivals,
        "problems": "; ".join(row.problems),
        "re_identified": row.re_identified,
    }


def _node(row: LatticeNode) -> dict[str, Any]:
    sizes = " ".join(map(str, row.sizes))
    levels = " ".join(map(str, row.distance))
    return {**asdict(row), "generalisation": row.name, "distance": levels, "sizes": sizes}


def _distance(row: RecordDistance) -> dict[str, Any]:
    return {
        "record": row.records[0],
        "other": row.records[1],
        "distance": " ".join(map(str, row.distance)),
    }


def _experiment(row: AnonymisedAdult) -> dict[str, Any]:
    return {**asdict(row), "refused": row.refused}
