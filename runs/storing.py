"""Stores the result of a run, tens of thousands of rows at once, and computes its digest."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import repeat
from typing import Any

import numpy as np
from django.db import connection, models
from numpy.typing import NDArray

from intake.disclosure.ledger import digest_of
from mining.counts import NONE
from mining.disclosure.verdict import Decision
from mining.document.codec import dump
from mining.document.report import HEAD_ENDS
from mining.engines.bitmap import Found
from mining.inference.selection import ALONE, HEADS, LISTED, displayed
from mining.itemsets.search_evidence import support_places
from mining.parameters import Parameters
from mining.reconstruction import Supports
from mining.reconstruction.laws import Floats
from mining.rules import Rules
from mining.rules.errors import CONFIDENCE, LIFT
from mining.rules.folding import UNFOLDED
from runs.findings import Json, finite
from runs.models import Itemset, Rule, Run

Columns = dict[str, Sequence[Any]]

HEAD_DIGITS = 7
"""The ends of intervals are found as exactly."""
SUPPORTS, MEASURES = Itemset.floats(), Rule.floats()


@dataclass(frozen=True)
class RunResult:
    """All that is stored of a run; `n`: open and disguised records. A rule names its itemset by place.

    `decision`: what it is made of, and the last row of the ledger that it knew.
    """

    n: tuple[int, int]
    decision: Decision
    levels: list[dict[str, Any]]
    stopped: dict[str, Any] | None
    findings: Mapping[str, Json]
    itemsets: Columns
    rules: Columns

    @classmethod
    def of(
        cls,
        wanted: Parameters,
        n: tuple[int, int],
        result: Found,
        findings: Mapping[str, Json],
        decision: Decision,
    ) -> "RunResult":
        frequent = result.frequent
        return cls(
            n,
            decision,
            [*map(dump, frequent.levels)],
            dump(frequent.stopped) if frequent.stopped else None,
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
        return digest_of(self.verdict)

    @cached_property
    def digest(self) -> str:
        """Equal for two runs if and only if their stored results are equal bit by bit."""
        stored = [self.n, self.levels, self.stopped, self.findings, self.verdict_digest]
        hashed = sha256(json.dumps(stored, sort_keys=True).encode())
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
    rules["itemset_id"] = [pks[row] for row in rules.pop("itemset")]
    _insert(Rule, run, rules)
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


def itemset_columns(supports: Supports) -> Columns:
    """By the names of database columns, which the digest includes."""
    return {
        "place": range(len(supports)),
        "items": [text(number for number in row if number != NONE) for row in supports.itemsets.tolist()],
        "size": (supports.itemsets != NONE).sum(axis=1).tolist(),
        "base": supports.base.tolist(),
        "n_open": supports.groups[:, 0].tolist(),
        "shown": supports.shown.tolist(),
        **{name: finite(getattr(supports, name)) for name in SUPPORTS},
        "heads": heads_texts(support_places(supports), supports.heads),
    }


def rule_columns(rules: Rules) -> Columns:
    """One row for a rule and its converse: the rule reaches the confidence, the converse may not."""
    splits = rules.splits
    rows, side = np.arange(len(splits)), np.where(splits.reaches[0], 0, 1)
    first = np.flatnonzero(rules.side == side[rules.split])
    sides = [rules.sides(row) for row in first.tolist()]
    ends = np.stack([splits.ends[kind, rows] for kind in kinds_of(side)])
    return {
        "place": range(len(splits)),
        "itemset": splits.itemset.tolist(),
        "items": [text(sorted(first + second)) for first, second in sides],
        "antecedent": [text(first) for first, _second in sides],
        "consequent": [text(second) for _first, second in sides],
        "base": splits.base.tolist(),
        "eligible": splits.eligible.tolist(),
        "antecedent_support": finite(splits.supports[side, rows]),
        "consequent_support": finite(splits.supports[1 - side, rows]),
        "support": finite(splits.support),
        "confidence": finite(splits.confidence[side, rows]),
        "converse": finite(splits.confidence[1 - side, rows]),
        "lift": finite(rules.lift[first]),
        "p": finite(splits.p),
        "q": finite(splits.q),
        **{
            f"{name}{beyond}": finite(ends[index // 2, :, level, index % 2])
            for index, name in enumerate(HEAD_ENDS)
            for level, beyond in ((ALONE, ""), (LISTED, "_listed"))
        },
        **{
            f"{name}_{end}": finite(splits.base_ends[which, rows, place])
            for name, which in (("antecedent", side), ("consequent", 1 - side))
            for place, end in enumerate(("low", "high"))
        },
        "association": splits.association.tolist(),
        "both": splits.reaches.all(axis=0).tolist(),
        "under": _under(rules, first),
        "heads": heads_texts(
            rows + 1,
            np.concatenate(
                [
                    splits.head_associations[:, :, None],
                    np.moveaxis(ends[:, :, HEADS:], 0, 2).reshape(
                        *splits.head_associations.shape, 2 * len(ends)
                    ),
                ],
                axis=2,
            ),
        ),
    }


def _under(rules: Rules, first: NDArray[np.intp]) -> list[int | None]:
    """By split the place of that which it folds beneath: that of its rule `first`, if each of its rules folds."""
    folds = np.ones(len(rules.splits), np.bool_)
    np.logical_and.at(folds, rules.split, rules.under != UNFOLDED)
    places = rules.split[rules.under[first]].tolist()
    return [place if is_folded else None for place, is_folded in zip(places, folds.tolist(), strict=True)]


def heads_texts(places: NDArray[Any], values: Floats) -> list[str]:
    """As JSON the values of each row in the heads of lists that are shorter than its place."""
    rounded = np.where(np.isfinite(values), values.round(HEAD_DIGITS), np.nan).tolist()
    lengths = np.log2(displayed(places)).astype(np.int64).tolist()
    rows = zip(rounded, lengths, strict=True)
    return [json.dumps(row[:many]).replace("NaN", "null") for row, many in rows]


def kinds_of(side: NDArray[np.intp]) -> Sequence[Any]:
    """The kinds of intervals in the order of `HEAD_ENDS`, of rules A -> C where `side` is 0."""
    return LIFT, CONFIDENCE + side, CONFIDENCE + 1 - side


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
