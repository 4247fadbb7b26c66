"""Stores the results of a run with their digest, and deletes them with the batches they were counted from."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from django.db import connection, models

from intake.batches.overwrite_deleted import schedule_overwriting
from intake.disclosure.ledger import content_digest
from jobs.models import Job
from mining.disclosure.verdict import Decision
from mining.engines.candor_engine import MiningResult
from mining.findings.compute_findings import Json, solve_coherent_supports
from mining.findings.result_row_conversion import Columns, itemset_columns, rule_columns
from mining.json_codec import node_to_json
from mining.parameters import Parameters
from runs.models import EngineCheck, Histogram, Itemset, Model, ModelJob, Rule, Run
from surveys.models import Survey

SUPPORTS, MEASURES = Itemset.float_fields(), Rule.float_fields()


@dataclass(frozen=True)
class RunResult:
    """All results of a run that are stored.

    `n`: number of open and disguised records. `decision`: the disclosure verdict, and the last row of the ledger it
    considered. A rule names its itemset by its position in `itemsets`.
    """

    n: tuple[int, int]
    decision: Decision
    levels: list[dict[str, Any]]
    stopped: dict[str, Any] | None
    findings: Mapping[str, Json]
    itemsets: Columns
    rules: Columns

    @classmethod
    def from_mining(
        cls,
        parameters: Parameters,
        n: tuple[int, int],
        result: MiningResult,
        findings: Mapping[str, Json],
        decision: Decision,
    ) -> "RunResult":
        frequent = result.frequent
        return cls(
            n,
            decision,
            [*map(node_to_json, frequent.levels)],
            node_to_json(frequent.stopped) if frequent.stopped else None,
            findings,
            itemset_columns(frequent.supports),
            rule_columns(result.rules),
        )

    def with_finding(self, name: str, finding: Json) -> "RunResult":
        return replace(self, findings={**self.findings, name: finding})

    @cached_property
    def verdict(self) -> dict[str, Any]:
        return self.decision.as_json()

    @cached_property
    def verdict_digest(self) -> str:
        return content_digest(self.verdict)

    @cached_property
    def digest(self) -> str:
        """Digest that is equal for two runs if and only if their stored results are equal bit by bit."""
        stored = [self.n, self.levels, self.stopped, self.findings, self.verdict_digest]
        hashed = sha256(json.dumps(stored, sort_keys=True).encode())
        for columns in (self.itemsets, self.rules):
            for name, values in columns.items():
                hashed.update(f"{name} {len(values)}".encode())
                if name == "heads":
                    hashed.update(repr([*map(len, values)]).encode() + b"".join(values))
                elif name in SUPPORTS or name in MEASURES:
                    # None becomes NaN, and every bit of a number counts.
                    hashed.update(np.array(values, np.float64).tobytes())
                else:
                    hashed.update(repr(values).encode())
        return hashed.hexdigest()


def store_results(run: Run, result: RunResult) -> None:
    """Stores the result of a run, in the transaction that ends the job."""
    _insert_rows(Itemset, run, result.itemsets)
    pks = list(Itemset.objects.filter(run=run).order_by("place").values_list("pk", flat=True))
    rules = dict(result.rules)
    rules["itemset_id"] = [pks[row] for row in rules.pop("itemset")]
    _insert_rows(Rule, run, rules)
    Run.objects.filter(pk=run.pk).update(
        n_open=result.n[0],
        disguised=result.n[1],
        levels=result.levels,
        stopped=result.stopped,
        findings=result.findings,
        itemset_count=len(result.itemsets["place"]),
        rule_count=len(result.rules["place"]),
        verdict=result.verdict,
        verdict_digest=result.verdict_digest,
        head=result.decision.head,
        digest=result.digest,
    )


def read_coherent_supports(run: Run) -> dict[tuple[int, ...], float]:
    """Returns the coherent supports, which all fit together, of itemsets by item numbers; computed here if the worker
    has not done so yet, and then kept."""
    if run.coherent is None:
        run.coherent = solve_coherent_supports(run.findings["coherent"], run.mined_design)
        Run.objects.filter(pk=run.pk).update(coherent=run.coherent)
    return {tuple(items): support for items, support in run.coherent}


def _insert_rows(model: type[models.Model], run: Run, columns: Columns) -> None:
    """Inserts rows by the database's fastest method; Django's would make an object of each row first."""
    columns = {"run_id": [run.pk] * len(columns["place"]), **columns}
    table, names = model._meta.db_table, ", ".join(f'"{name}"' for name in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Errors of COPY are psycopg's own, unless Django is asked to name them.
            with connection.wrap_database_errors, cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                lines = map("\t".join, zip(*map(_copy_texts, columns.values()), strict=True))
                copy.write("".join(f"{line}\n" for line in lines))
        else:
            places = ", ".join(["%s"] * len(columns))
            rows = [*zip(*columns.values(), strict=True)]
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({places})', rows)  # noqa: S608


def _copy_texts(column: Sequence[Any]) -> list[str]:
    """Returns the values of a column as texts for PostgreSQL's COPY.

    Numbers and texts of numbers need no escape, and str writes every digit of a float.
    """
    if isinstance(next(iter(column), None), bytes):
        return [rf"\\x{value.hex()}" for value in column]
    return ["\\N" if value is None else str(value) for value in column]


def last_batches_of_runs(survey: int) -> Collection[int]:
    """Returns the last batch of each run; batches must not be merged across it."""
    return set(Run.objects.filter(survey=survey).values_list("through", flat=True))


def delete_runs(survey: Survey, **kwargs: Any) -> None:
    """Deletes the runs of a destroyed survey, in the transaction that destroys its batches.

    Also schedules that the tables of the runs are overwritten.
    """
    # Lock the runs first: a DELETE collects the rows that depend on a run before it waits for a worker that is
    # inserting such rows, and would miss them.
    list(Run.objects.select_for_update(of=("self",)).filter(survey=survey).order_by("pk").values_list("pk"))
    Histogram.objects.filter(survey=survey).delete()
    Run.objects.filter(survey=survey).delete()
    schedule_overwriting(EngineCheck, Histogram, Job, Model, ModelJob, Run)
