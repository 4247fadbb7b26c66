"""Attacks on a published file: by linkage with a register or a second file, homogeneity, and background knowledge.

docs/mathematics.md, Attacks.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria_check import asked_and_reached_levels, violations
from privacy.anonymity.risk.linkage import file_linkage, register_linkage, single_value_by_class
from privacy.anonymity.risk.table_seen_by_attacker import ShownTable
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Column, QuasiColumn, Table
from privacy.grammar.input_error import InputError, mark_for_translation as _

Integers = NDArray[np.int64]
Json = dict[str, Any]
Tick = Callable[[float], None]
"""Called with the share that is done; may raise to stop."""
MOST_SETS = 20_000
"""Most sets of several sensitive values that the background knowledge attack tries."""
MOST_NAMED = 20
"""Most rows and people that a result lists; all are counted."""


def criteria_levels_and_violations(published: ShownTable, specification: Specification) -> Json:
    """Checks anonymity criteria on a published file; returns levels and violations by criterion, as JSON.

    Violations are numbers of classes and rows.
    """
    labels = published.labels
    # Quasi-identifiers count only through the classes.
    table = Table((QuasiColumn("", (), labels.astype(np.int32)),), published.sensitive)
    worst = asked_and_reached_levels(table, specification, labels)
    broken = violations(table, specification, labels)
    return {
        name: {
            **worst.get(name, {}),
            "classes": len(classes),
            **_record_count_and_rows(published, np.isin(labels, classes)),
        }
        for name, classes in broken.items()
    }


def _record_count_and_rows(published: ShownTable, where: NDArray[np.bool_]) -> Json:
    """Returns as JSON the number of records where `where` is True, and the file rows of the first of them."""
    return {
        "records": int(np.count_nonzero(where)),
        "rows": published.rows[np.flatnonzero(where)[:MOST_NAMED]].tolist(),
    }


def homogeneity_attack(published: ShownTable) -> Json:
    """Counts the classes with a single sensitive value, by column; returns numbers and shares as JSON."""
    labels = published.labels
    by_column = {}
    for column in published.sensitive:
        single = single_value_by_class(labels, column) >= 0
        classes = int(np.count_nonzero(single))
        share = classes / len(single)
        by_column[column.name] = {
            "classes": classes,
            "share": share,
            **_record_count_and_rows(published, single[labels]),
        }
    return by_column


def background_knowledge_attack(published: ShownTable, column: Column, size: int) -> Json:
    """Measures what an attacker learns who can exclude `size` sensitive values of a person.

    Returns over all sets of `size` values the `mean` and largest (`worst`) share of records whose value is then the
    only one left in their class. The shares are of the `records` in classes with several values. `values`: the worst
    set.
    """
    values = np.flatnonzero(np.bincount(column.codes, minlength=len(column.texts))).tolist()
    sets = comb(len(values), size)
    if not 0 < sets <= (len(values) if size == 1 else MOST_SETS):
        raise InputError(
            column.name,
            _("there are %(sets)s sets of %(size)s values; choose a size with 1 to %(most)s sets"),
            sets=sets,
            size=size,
            most=MOST_SETS,
        )
    revealed = _count_revealed_by_exclusions(published.labels, column, size)
    revealed.pop((), None)  # known already
    totals = {needed: sum(counts.values()) for needed, counts in revealed.items()}

    def count_newly_revealed(chosen: tuple[int, ...]) -> int:
        parts = (part for number in range(size + 1) for part in combinations(chosen, number))
        return sum(
            totals[part] - sum(revealed[part][value] for value in chosen)
            for part in parts
            if part in revealed
        )

    by_set = {chosen: count_newly_revealed(chosen) for chosen in combinations(values, size)}
    worst = max(by_set, key=by_set.__getitem__)
    records = int(np.count_nonzero(single_value_by_class(published.labels, column)[published.labels] < 0))
    return {
        "sets": sets,
        "records": records,
        "mean": sum(by_set.values()) / sets / max(records, 1),
        "worst": by_set[worst] / max(records, 1),
        "values": [column.texts[value] for value in worst],
    }


def _count_revealed_by_exclusions(
    labels: Integers, column: Column, size: int
) -> dict[tuple[int, ...], Counter[int]]:
    """Counts the records whose value is revealed if all other values of their class are ruled out.

    Returns for each set of at most `size` ruled-out values the number of records by the revealed value.
    """
    revealed: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    pairs, counts = np.unique(labels * len(column.texts) + column.codes, return_counts=True)
    owners, values = np.divmod(pairs, len(column.texts))
    ends = [0, *np.cumsum(np.bincount(owners)).tolist()]
    for start, end in pairwise(ends):
        if end - start <= size + 1:
            inside = values[start:end].tolist()
            for at, value in enumerate(inside):
                revealed[(*inside[:at], *inside[at + 1 :])][value] += int(counts[start + at])
    return dict(revealed)


def register_attack(published: ShownTable, register: ShownTable, tick: Tick, *, named: bool = False) -> Json:
    """Links a published file with a register of people.

    Returns as JSON the people whose row is found, and the people whose sensitive value is learned without a
    row. `named`: lists names and sensitive values, for somebody who has the register anyway.
    """
    linked = register_linkage(published, register, tick)
    linked_people = np.flatnonzero(linked.rows >= 0)
    columns = {column.name: column for column in published.sensitive}
    learned = {
        name: np.flatnonzero((codes >= 0) & (linked.rows < 0)) for name, codes in linked.values.items()
    }

    def person_json(index: int) -> Json:
        line: Json = {"person": int(register.rows[index])}
        if linked.rows[index] >= 0:
            line["row"] = int(published.rows[linked.rows[index]])
        if named:
            codes = {name: int(codes[index]) for name, codes in linked.values.items()}
            line["name"] = register.people[index] if register.people else ""
            line["values"] = {name: columns[name].texts[code] for name, code in codes.items() if code >= 0}
        return line

    def people_json(indexes: Integers) -> Json:
        return {
            "count": len(indexes),
            "people": [person_json(index) for index in indexes[:MOST_NAMED].tolist()],
        }

    return {
        "people": len(register.rows),
        "fitting": int(np.count_nonzero(linked.records)),
        "found": people_json(linked_people),
        "learned": {name: people_json(places) for name, places in learned.items()},
        "expected": linked.expected_matches,
        "journalist": {
            "worst": float(1 / linked.candidates.min()),
            "mean": float((1 / linked.candidates).mean()),
        },
        "same_order": linked.same_order,
    }


def second_file_attack(published: ShownTable, other: ShownTable, k: int, tick: Tick) -> Json:
    """Links two files of the same people; counts records surely in a joint class of fewer than k."""
    linked = file_linkage(published, other, tick)
    missing = int(np.count_nonzero(linked.sizes == 0))
    small = (linked.sizes > 0) & (linked.sizes < k)
    return {
        "records": len(other.rows),
        "unlinked": missing,
        "below": _record_count_and_rows(published, small),
        "alone": int(np.count_nonzero(linked.sizes == 1)),
        "same_order": linked.same_order,
    }


def run_attacks(
    published: ShownTable,
    specification: Specification,
    *,
    ruled_out: int = 1,
    register: ShownTable | None = None,
    others: Mapping[str, ShownTable] | None = None,
    named: bool = False,
    tick: Callable[[str, float], None] = lambda _name, _share: None,
) -> Json:
    """Runs all attacks on a published file; returns JSON (docs/formats.md, attack).

    `ruled_out`: number of values in the background knowledge attack. `others`: further files of the same people, by
    name. `named`: as in `register_attack`. `tick`: called with the name of the other file, empty for the register, and
    the share of it that is done.
    """
    shown = published.without_few_star_rows(specification.criteria.k)
    answer: Json = {
        "rows": len(published.rows),
        "hidden": len(published.rows) - len(shown.rows),
        "classes": int(shown.labels.max()) + 1,
        "identifiers": list(published.identifiers),
        "k": specification.criteria.k,
        "criteria": criteria_levels_and_violations(shown, specification),
        "homogeneity": homogeneity_attack(shown),
        "ruled_out": {
            "size": ruled_out,
            "columns": {
                column.name: background_knowledge_attack(shown, column, ruled_out)
                for column in shown.sensitive
                if column.distinct_values > ruled_out
            },
        },
    }
    if register:
        answer["register"] = register_attack(shown, register, partial(tick, ""), named=named)
    if others:
        k = specification.criteria.k
        answer["beside"] = [
            {
                "name": name,
                **second_file_attack(shown, other.without_few_star_rows(k), k, partial(tick, name)),
            }
            for name, other in others.items()
        ]
    return answer


def keeps_criteria_without_identifiers(answer: Json) -> bool:
    """Returns True if the attacked file keeps every criterion and holds no identifier.

    `answer`: the result of `run_attacks`.
    """
    broken = any(criterion["classes"] for criterion in answer["criteria"].values())
    return not broken and not answer["identifiers"]
