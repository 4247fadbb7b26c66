"""Anonymises the eleven example rows of document 001 by k-anonymity (k = 2) and by stricter criteria."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np

from papers.csv_and_example_tables import make_specification, make_table, published_cells_by_record
from privacy.anonymity.anonymisation_result import outcome_from_labels
from privacy.anonymity.table_anonymisation import anonymize

HEAD = ("race", "birth", "sex", "ZIP", "problem")
CLASSES = {
    ("Black", "1965", "m", "0214*"): ("short breath", "chest pain"),
    ("Black", "1965", "f", "0213*"): ("hypertension", "hypertension"),
    ("Black", "1964", "f", "0213*"): ("obesity", "chest pain"),
    ("White", "1964", "m", "0213*"): ("chest pain", "obesity", "short breath"),
    ("White", "1967", "m", "0213*"): ("chest pain", "chest pain"),
}
ROWS = [(*quasi, problem) for quasi, problems in CLASSES.items() for problem in problems]
QUASI = (
    {"name": "race", "kind": "category"},
    {"name": "birth", "kind": "number"},
    {"name": "sex", "kind": "category"},
    {"name": "ZIP", "kind": "category"},
)
CRITERIA: Mapping[str, Mapping[str, Any]] = {
    "k = 2": {},
    "l = 2": {"l": {"kind": "distinct", "value": 2}},
    "l = 2, entropy": {"l": {"kind": "entropy", "value": 2}},
    "l = 2, recursive, c = 2": {"l": {"kind": "recursive", "value": 2, "c": "2"}},
    "t = .4": {"t": "0.4"},
    "rho .2, .6": {"rho": ["0.2", "0.6"]},
}
TRIES = 2_000


@dataclass(frozen=True)
class CriterionResult:
    """The eleven example rows anonymised by one criterion: classes, NCP, HASR, cells, and leaked bits.

    `leaked`: L = max over the classes E of H(S) - H(S|E), with S the problem of a person whose class is
    known. Privacy is perfect where L is 0, that is, where every class has the problems of the whole table.
    """

    criterion: str
    classes: int
    ncp: float
    hasr: float
    rows: list[list[str]]
    leaked: float


def apply_criteria() -> list[CriterionResult]:
    """Anonymises the eleven example rows by each criterion.

    They already have k = 2 and stay unchanged for it; for the other criteria the method *tree* joins classes.
    """
    results = []
    for criterion, members in CRITERIA.items():
        specification = make_specification(QUASI, sensitive=["problem"], k=2, seed=1, **members)
        table = make_table(specification, HEAD, ROWS)
        if members:
            outcome = anonymize(table, specification, lambda tries, _loss: tries >= TRIES)
        else:
            outcome = outcome_from_labels(table, np.array([list(CLASSES).index(row[:-1]) for row in ROWS]))
        lost, labels = outcome.information_losses(specification), outcome.partition.labels.tolist()
        by_class = [
            [row[-1] for row, label in zip(ROWS, labels, strict=True) if label == chosen]
            for chosen in set(labels)
        ]
        leaked = entropy([row[-1] for row in ROWS]) - min(map(entropy, by_class))
        rows = published_cells_by_record(outcome)
        results.append(
            CriterionResult(criterion, outcome.partition.class_count, lost.ncp, lost.hasr, rows, leaked)
        )
    return results


def entropy(values: Sequence[str]) -> float:
    """Returns the entropy H, in bits, of a value drawn from these values."""
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * log2(share) for share in shares)
