"""Stores the result of a run, tens of thousands of rows at once, and computes its digest."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import repeat
from typing import Any

import numpy as np
from django.db import connection, models

from mining.counts import NONE
from mining.engines.found import Found
from mining.parameters import Parameters
from mining.reconstruction import Supports
from mining.rules import Rules
from runs.findings import Json, finite
from runs.models import Itemset, Rule, Run

Columns = dict[str, Sequence[Any]]

SUPPORTS, MEASURES = Itemset.floats(), Rule.floats()


@dataclass(frozen=True)
class RunResult:
    """All that is stored of a run; `n`: open and disguised records. A rule names its itemset by place."""

    n: tuple[int, int]
    levels: list[dict[str, Any]]
    stopped: dict[str, Any] | None
    findings: Mapping[str, Json]
    itemsets: Columns
    rules: Columns

    @classmethod
    def of(
        cls, wanted: Parameters, n: tuple[int, int], found: Found, findings: Mapping[str, Json]
    ) -> "RunResult":
        frequent = found.frequent
        return cls(
            n,
            [level.as_json() for level in frequent.levels],
            asdict(frequent.stopped) if frequent.stopped else None,
            findings,
            itemset_columns(frequent.supports),
            rule_columns(found.rules),
        )

    def with_finding(self, name: str, finding: Json) -> "RunResult":
        return replace(self, findings={**self.findings, name: finding})

    @cached_property
    def digest(self) -> str:
        """Equal for two runs if and only if their stored results are equal bit by bit."""
        hashed = sha256(
            json.dumps([self.n, self.levels, self.stopped, self.findings], sort_keys=True).encode()
        )
        for columns in (self.itemsets, self.rules):
            for name, values in columns.items():
                is_float = name in SUPPORTS or name in MEASURES
                hashed.update(f"{name} {len(values)}".encode())
                # None becomes NaN, and every bit of a number counts.
                hashed.update(np.array(values, np.float64).tobytes() if is_float else repr(values).encode())
        return hashed.hexdigest()


def store(run: Run, result: RunResult) -> None:
    """Inside the transaction that makes the run done."""
    _insert(Itemset, run, result.itemsets)
    pks = list(Itemset.objects.filter(run=run).order_by("place").values_list("pk", flat=True))
    rules = dict(result.rules)
    rules["itemset_id"] = [pks[place] for place in rules.pop("itemset")]
    _insert(Rule, run, rules)
    Run.objects.filter(pk=run.pk).update(
        n_open=result.n[0],
        disguised=result.n[1],
        levels=result.levels,
        stopped=result.stopped,
        findings=result.findings,
        itemset_count=len(result.itemsets["place"]),
        rule_count=len(result.rules["place"]),
        digest=result.digest,
        asked=b"",
    )


def itemset_columns(of: Supports) -> Columns:
    """By the names of database columns, which the digest includes."""
    return {
        "place": range(len(of)),
        "items": [text(number for number in row if number != NONE) for row in of.itemsets.tolist()],
        "size": (of.itemsets != NONE).sum(axis=1).tolist(),
        "base": of.base.tolist(),
        "n_open": of.groups[:, 0].tolist(),
        "shown": of.shown.tolist(),
        **{name: finite(getattr(of, name)) for name in SUPPORTS},
    }


def rule_columns(of: Rules) -> Columns:
    sides = [of.sides(row) for row in range(len(of))]
    return {
        "place": range(len(of)),
        "itemset": of.itemset.tolist(),
        "items": [text(sorted(first + second)) for first, second in sides],
        "antecedent": [text(first) for first, _second in sides],
        "consequent": [text(second) for _first, second in sides],
        "base": of.base.astype(np.int64).tolist(),
        "eligible": of.eligible.astype(np.int64).tolist(),
        **{name: finite(getattr(of, name)) for name in MEASURES},
        "rank": of.rank.tolist(),
        "association": of.association.tolist(),
        "redundant": of.redundant.tolist(),
    }


def text(items: Iterable[int]) -> str:
    """Item numbers with a space before and after each, so that a query can search for one."""
    return f" {' '.join(map(str, items))} "


def _insert(model: type[models.Model], run: Run, columns: Columns) -> None:
    """The fastest insert of the database; Django's makes an object of each row first."""
    table, names = model._meta.db_table, ", ".join(f'"{name}"' for name in ["run_id", *columns])
    rows = zip(repeat(run.pk, len(columns["place"])), *columns.values(), strict=True)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                copy.write("".join(map(_line, rows)))
        else:
            places = ", ".join(["%s"] * (1 + len(columns)))
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({places})', list(rows))  # noqa: S608


def _line(row: Sequence[Any]) -> str:
    """One row of COPY; numbers and texts of numbers need no escape, and str writes every digit of a float."""
    return "\t".join("\\N" if value is None else str(value) for value in row) + "\n"
