"""From arrays to rows, tens of thousands at once, and what makes two runs the same to the digit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from django.db import connection, models
from numpy.typing import NDArray

from mining.counts import NONE
from mining.engines.found import Found
from mining.models import Itemset, Rule, Run
from mining.reconstruction import Supports
from mining.rules import Rules
from mining.runs.findings import Json, finite

Values = Sequence[Any]


@dataclass(frozen=True)
class Result:
    """All that is stored of a run; `n` are its records, open and disguised."""

    n: tuple[int, int]
    found: Found
    findings: Mapping[str, Json]

    @cached_property
    def digest(self) -> str:
        """The same for two runs if all that is stored of them is the same, bit by bit, and only then."""
        frequent = self.found.frequent
        said = json.dumps(self.findings, sort_keys=True)
        hashed = sha256(repr((self.n, frequent.levels, frequent.stopped, said)).encode())
        for table in (frequent.supports, self.found.rules):
            for field in fields(table):
                values = np.ascontiguousarray(getattr(table, field.name))
                hashed.update(f"{field.name} {values.dtype.str} {values.shape}".encode())
                hashed.update(values.tobytes())
        return hashed.hexdigest()


def store(run: Run, result: Result) -> None:
    """Inside the transaction that makes the run done."""
    frequent, rules = result.found.frequent, result.found.rules
    _insert(Itemset, itemset_columns(run, frequent.supports))
    pks = np.array(Itemset.objects.filter(run=run).order_by("place").values_list("pk", flat=True), np.int64)
    _insert(Rule, rule_columns(run, rules, pks))
    Run.objects.filter(pk=run.pk).update(
        opened=result.n[0],
        disguised=result.n[1],
        levels=[asdict(level) for level in frequent.levels],
        stopped=asdict(frequent.stopped) if frequent.stopped else None,
        findings=result.findings,
        itemset_count=len(frequent.supports),
        rule_count=len(rules),
        digest=result.digest,
        asked=b"",
    )


def itemset_columns(run: Run, of: Supports) -> dict[str, Values]:
    names = ("observed", "support", "se", "low", "high", "pooled", "expected_w")
    return {
        "run_id": [run.pk] * len(of),
        "place": range(len(of)),
        "items": [text(number for number in row if number != NONE) for row in of.itemsets.tolist()],
        "size": (of.itemsets != NONE).sum(axis=1).tolist(),
        "base": of.base.tolist(),
        "opened": of.groups[:, 0].tolist(),
        **{name: finite(getattr(of, name)) for name in names},
        "certain": (of.low > run.wanted.min_support).tolist(),
    }


MEASURES = (
    *(
        "antecedent_support",
        "consequent_support",
        "support",
        "confidence",
        "confidence_low",
        "confidence_high",
    ),
    *("lift", "lift_low", "lift_high", "leverage", "leverage_low", "leverage_high", "conviction"),
    *("zhangs_metric", "jaccard", "certainty", "kulczynski", "representativity", "p", "q"),
)


def rule_columns(run: Run, of: Rules, itemsets: NDArray[np.int64]) -> dict[str, Values]:
    sides = [of.sides(row) for row in range(len(of))]
    return {
        "run_id": [run.pk] * len(of),
        "place": range(len(of)),
        "itemset_id": itemsets[of.itemset].tolist(),
        "items": [text(sorted(first + second)) for first, second in sides],
        "antecedent": [text(first) for first, _second in sides],
        "consequent": [text(second) for _first, second in sides],
        "base": of.base.astype(np.int64).tolist(),
        **{name: finite(getattr(of, name)) for name in MEASURES},
        "redundant": of.redundant.tolist(),
    }


def text(items: Iterable[int]) -> str:
    """With a space before and behind each, so that one can be looked for."""
    return f" {' '.join(map(str, items))} "


def _insert(model: type[models.Model], columns: dict[str, Values]) -> None:
    """The fastest way that the database has; Django's own makes an object of every row first."""
    table, names = model._meta.db_table, ", ".join(f'"{name}"' for name in columns)
    rows = zip(*columns.values(), strict=True)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                copy.write("".join(map(_line, rows)))
        else:
            places = ", ".join(["%s"] * len(columns))
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({places})', list(rows))  # noqa: S608


def _line(row: Values) -> str:
    """One row of COPY; numbers and texts of numbers need no escape, and str keeps every digit of a float."""
    return "\t".join("\\N" if value is None else str(value) for value in row) + "\n"
