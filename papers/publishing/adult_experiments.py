"""Runs the experiments on Adult: time, NCP, discernibility, classes with one value, changed values."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from papers.publishing import published_ilp
from papers.publishing.adult_data import DIVERSITY, SEED, TRIES, adult_specification
from papers.publishing.published_ilp import Integers
from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_with_changed_values,
)
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.searches.bottom_up_and_k_member import join_until_criteria_hold, merge_up_to_k
from privacy.anonymity.searches.kacluk import kacluk_classes
from privacy.anonymity.searches.kernel_arrays import new_stop_flag, prepare_kernel_arrays
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table

BOTTOM_UP, KACLUK, ILP, TREE = "bottom-up", "kacluk", "ilp", "tree"
WARMING = 200
"""Number of records on which every method runs once before timing, so that its compiled code is loaded."""


class AnonymisedForm(StrEnum):
    """What is done with a table after its anonymisation.

    PLAIN: nothing; classes of at least k records, whatever their values, as in figures 5 and 6. DISTORTED: *ilp*
    changes sensitive values. DIVERSE: classes are joined until each has l values.
    """

    PLAIN = "plain"
    DISTORTED = "distorted"
    DIVERSE = "diverse"


@dataclass(frozen=True)
class AnonymisedAdult:
    """Measures of Adult anonymised by one method at one k.

    `ncp` has unit weights, `ilp` those from the data. `homogeneous`: HASR, the share of classes with one sensitive
    value; `lacking`: of classes with fewer than l. `falsified`: the share of records with a changed value.
    """

    method: str
    form: str
    k: int
    classes: int
    largest: int
    ncp: float
    ilp: float
    discernibility: int
    homogeneous: float
    lacking: float
    falsified: float


Seconds = dict[tuple[str, int], float]
"""Processor time in seconds of the plain form by method and k; it differs from run to run."""


def run_experiments(
    table: Table, ks: Sequence[int], say: Callable[[str], object]
) -> tuple[list[AnonymisedAdult], Seconds]:
    for method in label_functions_by_method().values():
        method(table.take_records(np.arange(min(WARMING, table.records))), specification_for(ks[-1]))
    rows: list[AnonymisedAdult] = []
    seconds: Seconds = {}
    for k in ks:
        specification = specification_for(k)
        for name, method in label_functions_by_method().items():
            begun = time.process_time()
            labels = method(table, specification)
            seconds[name, k] = time.process_time() - begun
            say(f"k = {k}, {name}: {seconds[name, k]:.2f} s")
            rows += (
                _outcome_row(name, form, outcome, k)
                for form, outcome in _outcomes_by_form(name, table, specification, labels)
            )
        outcome = METHODS[TREE](table, specification, lambda tries, _loss: tries >= TRIES, new_stop_flag())
        rows.append(_outcome_row(TREE, AnonymisedForm.DIVERSE, outcome, k))
    return rows, seconds


def specification_for(k: int) -> Specification:
    diversity = {"kind": "distinct", "value": DIVERSITY}
    return adult_specification(k=k, l=diversity, weights="unit", seed=SEED)


def label_functions_by_method() -> dict[str, Callable[[Table, Specification], Integers]]:
    """Returns the anonymisation methods by name, as functions that return the class of each record."""

    def bottom_up(table: Table, specification: Specification) -> Integers:
        return merge_up_to_k(prepare_kernel_arrays(table, specification), np.arange(table.records))

    def with_data_weights(specification: Specification) -> Specification:
        return replace(specification, weights="data")

    return {
        BOTTOM_UP: bottom_up,
        KACLUK: lambda table, requested: kacluk_classes(
            table, with_data_weights(requested), np.random.default_rng(SEED)
        ),
        ILP: lambda table, requested: published_ilp.ilp(table, with_data_weights(requested)),
    }


def _outcomes_by_form(
    name: str, table: Table, specification: Specification, labels: Integers
) -> Iterator[tuple[AnonymisedForm, AnonymisedTable]]:
    yield AnonymisedForm.PLAIN, outcome_from_labels(table, labels)
    if name == ILP:
        first, *others = table.sensitive
        codes = published_ilp.diversify_sensitive_values(
            table, replace(specification, weights="data"), labels, np.random.default_rng(SEED)
        )
        yield (
            AnonymisedForm.DISTORTED,
            outcome_with_changed_values(table, labels, (replace(first, codes=codes), *others)),
        )
    joined = join_until_criteria_hold(prepare_kernel_arrays(table, specification), labels)
    yield AnonymisedForm.DIVERSE, outcome_from_labels(table, joined)


def _outcome_row(method: str, form: AnonymisedForm, outcome: AnonymisedTable, k: int) -> AnonymisedAdult:
    specification = specification_for(k)
    lost = outcome.information_losses(specification)
    lacking = violations(outcome.table, specification, outcome.partition.labels)["l"]
    return AnonymisedAdult(
        method,
        form.value,
        k,
        outcome.partition.class_count,
        int(outcome.partition.sizes.max()),
        lost.ncp,
        outcome.information_losses(replace(specification, weights="data")).ilp,
        lost.discernibility,
        lost.hasr,
        len(lacking) / outcome.partition.class_count,
        lost.falsified,
    )
