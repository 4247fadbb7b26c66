"""Disclosure risks of a release: of finding a person's record, and of learning a sensitive value from its class.

docs/mathematics.md, Risks.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.criteria_check import label_equal_rows
from privacy.anonymity.information_loss import ClassValues, Partition, homogeneous_class_share
from privacy.anonymity.risk.population_uniqueness import PopulationUniqueness, population_uniqueness
from privacy.anonymity.tables.specification import Sample
from privacy.anonymity.tables.table import Column, Table

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reidentification:
    """Probability that an attacker picks a person's record: the `worst` and the `mean` over the published records."""

    worst: float
    mean: float


@dataclass(frozen=True, slots=True)
class SensitiveRisk:
    """The information that equivalence classes reveal about one sensitive column.

    `information`: mutual information of class and value, in bits. `odds_shift`: largest factor by which a class raises
    the odds of a value; it may be infinite. `worst`, `mean`: over records, of P(true value | class). `informed_worst`,
    `informed_mean`: the same for an attacker who also knows the joint shares of each quasi-identifier and the value.
    """

    information: float
    odds_shift: float
    worst: float
    mean: float
    informed_worst: float
    informed_mean: float


@dataclass(frozen=True, slots=True)
class Risks:
    """Disclosure risks of an anonymised table.

    `hasr`: share of classes with a single sensitive value. `prosecutor`: re-identification by somebody who
    knows that a person is in the table; `journalist`: by somebody who does not, None without a known
    population. `population`: its number of people. `uniqueness`: share of records alone in their class.
    `sensitive`: by column. `unique`: estimates of the people who are unique in the population, by model.
    """

    hasr: float
    prosecutor: Reidentification
    journalist: Reidentification | None
    population: int | None
    uniqueness: float
    sensitive: dict[str, SensitiveRisk]
    unique: tuple[PopulationUniqueness, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Returns the risks as JSON; unknown members are left out, infinite values are null."""
        members: dict[str, object] = {"hasr": self.hasr, "prosecutor": asdict(self.prosecutor)}
        if self.journalist:
            members["journalist"] = {**asdict(self.journalist), "population": self.population}
        members["uniqueness"] = self.uniqueness
        if self.unique:
            members["population"] = [*map(asdict, self.unique)]
        measures = {
            name: {measure: value if isfinite(value) else None for measure, value in asdict(risk).items()}
            for name, risk in self.sensitive.items()
        }
        return {**members, "sensitive": measures}


def risks_before_anonymisation(table: Table, sample: Sample | None = None) -> Risks:
    """Measures the disclosure risks of a table before anonymisation: equal quasi-identifiers make a class."""
    return risks(
        outcome_from_labels(table, label_equal_rows(*(column.codes for column in table.quasi))), sample
    )


def risks(outcome: AnonymisedTable, sample: Sample | None = None) -> Risks:
    """Measures the disclosure risks of an anonymised table; `sample`: how it was sampled, if known."""
    classes = outcome.partition
    sizes = classes.sizes[classes.labels]
    people = _population_by_class(outcome, sample)
    return Risks(
        homogeneous_class_share(outcome.table, classes),
        _reidentification(sizes),
        # A class never represents fewer people than it has records.
        None if people is None else _reidentification(np.maximum(people[classes.labels], sizes)),
        None if people is None else round(people.sum()),
        float((sizes == 1).mean()),
        {column.name: _sensitive_risk(outcome, at) for at, column in enumerate(outcome.table.sensitive)},
        ()
        if people is None
        else tuple(population_uniqueness(classes.sizes, float(len(sizes) / people.sum()))),
    )


def _population_by_class(outcome: AnonymisedTable, sample: Sample | None) -> Floats | None:
    """Returns the expected number of people of the population who match each class; None if it is unknown."""
    classes = outcome.partition
    if outcome.table.weights is not None:
        return np.asarray(np.bincount(classes.labels, outcome.table.weights, classes.class_count), np.float64)
    if sample and sample.fraction is not None:
        return np.asarray(classes.sizes / float(sample.fraction))
    return None


def published_risks(table: Table, classes: Partition) -> dict[str, Any]:
    """Measures the disclosure risks of a published table without its source, as JSON.

    `worst` and `mean` are for the value that a record shows, since its true value is not known.
    """
    sizes = classes.sizes[classes.labels]
    return {
        "hasr": homogeneous_class_share(table, classes),
        "prosecutor": asdict(_reidentification(sizes)),
        "uniqueness": float((sizes == 1).mean()),
        "sensitive": {column.name: _published_sensitive_risk(column, classes) for column in table.sensitive},
    }


def _published_sensitive_risk(column: Column, classes: Partition) -> dict[str, float | None]:
    """Measures how much the classes of a published table reveal about a sensitive column, as JSON."""
    pairs = ClassValues.from_classes(classes, column)
    shares = _true_value_shares(pairs, column, classes, column.codes)
    information, odds_shift = _information_and_odds_shift(pairs, column, classes)
    return {
        "information": information,
        "odds_shift": odds_shift if isfinite(odds_shift) else None,
        "worst": float(shares.max()),
        "mean": float(shares.mean()),
    }


def _reidentification(candidates: Integers | Floats) -> Reidentification:
    """Returns the worst and the mean re-identification risk, 1 / candidates.

    `candidates`: number of people who match each record.
    """
    return Reidentification(float(1 / candidates.min()), float((1 / candidates).mean()))


def _sensitive_risk(outcome: AnonymisedTable, index: int) -> SensitiveRisk:
    """Measures how much the classes reveal about the sensitive column with the index `index`."""
    published, classes = outcome.table.sensitive[index], outcome.partition
    pairs = ClassValues.from_classes(classes, published)
    shares = _true_value_shares(
        pairs, published, classes, outcome.source.sensitive[index].codes[outcome.kept]
    )
    informed = informed_posteriors(outcome, index)
    return SensitiveRisk(
        *_information_and_odds_shift(pairs, published, classes),
        float(shares.max()),
        float(shares.mean()),
        float(informed.max()),
        float(informed.mean()),
    )


def _true_value_shares(
    pairs: ClassValues, published: Column, classes: Partition, true: NDArray[np.int32]
) -> Floats:
    """Returns P(true value | class) for each record: the share of its class that shows its `true` value."""
    values = len(published.texts)
    known_pairs, asked = pairs.owner * values + pairs.value, classes.labels * values + true
    index = np.minimum(np.searchsorted(known_pairs, asked), len(known_pairs) - 1)
    return np.asarray(
        np.where(known_pairs[index] == asked, pairs.count[index], 0) / classes.sizes[classes.labels]
    )


def _information_and_odds_shift(
    pairs: ClassValues, published: Column, classes: Partition
) -> tuple[float, float]:
    """Returns the mutual information of class and sensitive value in bits, and the largest factor by which a
    class raises the odds of a value."""
    inside = pairs.count / classes.sizes[pairs.owner]
    before = np.bincount(published.codes)[pairs.value] / len(published.codes)
    information = float((pairs.count / len(published.codes) * np.log2(inside / before)).sum())
    # A value that everybody has is as certain before as after.
    open_values = before < 1
    inside, before = inside[open_values], before[open_values]
    with np.errstate(divide="ignore"):
        shifts = inside / (1 - inside) * (1 - before) / before
    return max(information, 0.0), float(shifts.max(initial=1.0))


# --- the informed attacker
# Knows the joint shares of each quasi-identifier with the sensitive value. Li, Li, Zhang (Modeling and integrating
# background knowledge in data anonymization), the omega-estimate; beliefs by naive Bayes.


def informed_posteriors(outcome: AnonymisedTable, index: int) -> Floats:
    """Returns for each published record the probability that an informed attacker gives to its true value.

    The attacker knows the joint shares of each quasi-identifier and the sensitive column `index` (docs/mathematics.md,
    Risks, Informed attacker). Time grows with the records times the values of their class; memory with the records.
    """
    classes, published = outcome.partition, outcome.table.sensitive[index]
    true = outcome.source.sensitive[index].codes[outcome.kept]
    held = _MembersByValue(classes.labels, classes.sizes, published)
    belief = _log_probability_function(outcome.source, index, outcome.table)
    totals = np.full(len(true), -np.inf)
    for value, members, _counts in held:
        totals[members] = np.logaddexp(totals[members], belief(value, members))
    weight_of_true, whole = np.zeros(len(true)), np.zeros(len(true))
    for value, members, counts in held:
        shares = counts / classes.sizes[classes.labels[members]]
        shares = _normalised_posteriors(belief(value, members), totals[members], shares)
        owner = classes.labels[members]
        expected = np.bincount(owner, shares, classes.class_count)[owner]
        weight = np.divide(counts * shares, expected, out=np.zeros(len(members)), where=expected > 0)
        whole[members] += weight
        weight_of_true[members] += np.where(true[members] == value, weight, 0)
    return weight_of_true / whole


def _normalised_posteriors(logarithms: Floats, totals: Floats, shares: Floats) -> Floats:
    """Returns for each record a posterior probability from its logarithm, normalised to the sum 1.

    `totals`: logarithm of the sum over the values of the record's class; `shares`: used where all values are impossible
    (falsified values).
    """
    possible = totals > -np.inf
    return np.where(possible, np.exp(logarithms - np.where(possible, totals, 0)), shares)


class _MembersByValue:
    """Iterates over the sensitive values; yields each value, records, and for each record a count.

    The records are those of all classes in which the value occurs; the count is that of the value in their class.
    """

    def __init__(self, labels: Integers, sizes: Integers, published: Column) -> None:
        self._order = np.argsort(labels, kind="stable")
        self._start, self._sizes = np.cumsum(sizes) - sizes, sizes
        keys = published.codes.astype(np.int64) * len(sizes) + labels
        pairs, self._counts = np.unique(keys, return_counts=True)
        self._value, self._owner = pairs // len(sizes), pairs % len(sizes)

    def __iter__(self) -> Iterator[tuple[int, Integers, Integers]]:
        ends = np.flatnonzero(np.diff(self._value, prepend=-1, append=-1))
        for begin, end in pairwise(ends):
            owners, lengths = self._owner[begin:end], self._sizes[self._owner[begin:end]]
            skipped = np.repeat(self._start[owners] - (np.cumsum(lengths) - lengths), lengths)
            members = self._order[skipped + np.arange(len(skipped))]
            yield int(self._value[begin]), members, np.repeat(self._counts[begin:end], lengths)


def _log_probability_function(
    source: Table, index: int, published: Table
) -> Callable[[int, Integers], Floats]:
    """Returns a function that gives the log probability of a sensitive value with given quasi-identifiers.

    For a sensitive value s and records it is log(p(s) PROD_j p(q_j | s)), where q_j are the quasi-identifiers of each
    record; all shares are those of the source.
    """
    column = source.sensitive[index]
    order = np.argsort(column.codes, kind="stable")
    starts = np.searchsorted(column.codes[order], np.arange(len(column.texts) + 1))

    def log_probabilities(value: int, members: Integers) -> Floats:
        having = order[starts[value] : starts[value + 1]]
        if not len(having):
            return np.full(len(members), -np.inf)
        log_belief = np.full(len(members), np.log(len(having) / source.records))
        for column, shown in zip(source.quasi, published.quasi, strict=True):
            log_belief += _log_shares(column, having)[shown.codes[members]]
        return log_belief

    return log_probabilities


def _log_shares(column: Column, having: Integers) -> Floats:
    """Returns the logarithm of the share of each code among the records with the indexes `having`."""
    counts = np.bincount(column.codes[having], minlength=len(column.texts))
    logarithms = np.full(len(counts), -np.inf)
    np.log(counts / len(having), out=logarithms, where=counts > 0)
    return logarithms
