"""Attacks on a published file, by somebody who has the file and knows something else.

docs/mathematics.md, Attacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.joint import ABSENT, joint_labels, share_below
from privacy.anonymity.linkage import fits
from privacy.anonymity.losses import ClassValues
from privacy.anonymity.read_back import PublishedTable
from privacy.anonymity.table import QuasiColumn
from privacy.grammar.refusal import Refusal, marked as _

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_SETS = 20_000


@dataclass(frozen=True, slots=True)
class RegisterLinkage:
    """People of a register who fit a class, exactly one class, exactly one record.

    `expected`: the share of those who fit that is found by picking one of the records that they fit, if all of them
    are in the file.
    """

    people: int
    fitting: int
    one_class: int
    one_record: int
    expected: float


def register_linkage(published: PublishedTable, register: Sequence[QuasiColumn]) -> RegisterLinkage:
    """`register`: quasi-identifiers of people, all or some of those in the file, with the same names."""
    found = fits(published.quasi, published.classes, register)
    records = found.records[found.records > 0]
    return RegisterLinkage(
        len(found.records),
        len(records),
        int(np.count_nonzero(found.classes == 1)),
        int(np.count_nonzero(records == 1)),
        float((1 / records).mean()) if len(records) else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """Shares of the classes with one single sensitive value, and of the records in them."""

    classes: float
    records: float


def homogeneity(published: PublishedTable) -> dict[str, Homogeneity]:
    """By sensitive column."""
    found = {}
    for column in published.sensitive:
        owner = ClassValues.of(published.classes, column).owner
        single = np.bincount(owner, minlength=published.classes.number) == 1
        records = float(single[published.classes.labels].mean())
        found[column.name] = Homogeneity(float(single.mean()), records)
    return found


@dataclass(frozen=True, slots=True)
class RuledOut:
    """Over all sets of so many values: the share of records that are determined once their holders have none of these.

    `values`: the worst set.
    """

    sets: int
    mean: float
    worst: float
    values: tuple[str, ...]


def background_knowledge(published: PublishedTable, place: int, size: int) -> RuledOut:
    """An attacker rules out `size` sensitive values of a person; `place`: of the sensitive column.

    A record is determined where its value is the only one of its class that is left.
    """
    column = published.sensitive[place]
    values = np.flatnonzero(np.bincount(column.codes, minlength=len(column.texts))).tolist()
    sets = comb(len(values), size)
    if not 0 < sets <= MOST_SETS:
        raise Refusal(
            column.name,
            _("there are %(sets)s sets of %(size)s values; choose a size with 1 to %(most)s sets"),
            sets=sets,
            size=size,
            most=MOST_SETS,
        )
    counts = _by_set(ClassValues.of(published.classes, column), len(column.texts), size + 1)
    determined = {chosen: _determined(counts, chosen) for chosen in combinations(values, size)}
    worst = max(determined, key=lambda chosen: determined[chosen])
    records = len(column.codes)
    return RuledOut(
        sets,
        sum(determined.values()) / sets / records,
        determined[worst] / records,
        tuple(column.texts[value] for value in worst),
    )


def _by_set(pairs: ClassValues, values: int, most: int) -> Integers:
    """The records by value, summed over the classes with one same set of at most so many values; more leave two."""
    distinct = np.bincount(pairs.owner)
    few = np.flatnonzero(distinct <= most)
    own = np.flatnonzero(distinct[pairs.owner] <= most)
    counts = np.zeros((len(few), values), np.int64)
    counts[np.searchsorted(few, pairs.owner[own]), pairs.value[own]] = pairs.count[own]
    sets, place = np.unique(counts > 0, axis=0, return_inverse=True)
    found = np.zeros(sets.shape, np.int64)
    np.add.at(found, place.ravel(), counts)
    return found


def _determined(counts: Integers, ruled_out: tuple[int, ...]) -> int:
    left = counts.copy()
    left[:, list(ruled_out)] = 0
    return int(left[(left > 0).sum(axis=1) == 1].sum())


@dataclass(frozen=True, slots=True)
class RankTest:
    """The correlation of two orders; `p`: two-sided, normal, with the exact variance under permutation."""

    correlation: float
    p: float


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The order of the rows beside that of the source: in the whole file, and inside classes."""

    whole: RankTest
    inside: RankTest


def row_order(published: PublishedTable, outcome: AnonymisedTable) -> RowOrder:
    """Whether the place of a row tells the place of its record in the source.

    Rows that look alike are interchangeable, so each stands for the mean place of all records that look so.
    """
    rows, records = _looks(published, outcome)
    counts = np.bincount(records, minlength=int(rows.max()) + 1)
    if len(rows) != len(records) or (np.bincount(rows, minlength=len(counts)) != counts).any():
        raise Refusal("file", _("it does not hold the records of the table"))
    means = np.bincount(records, np.arange(len(records))) / np.maximum(counts, 1)
    everybody = np.zeros(len(rows), np.int64)
    return RowOrder(_rank_test(means[rows], everybody), _rank_test(means[rows], published.classes.labels))


def _looks(published: PublishedTable, outcome: AnonymisedTable) -> tuple[Integers, Integers]:
    """One number for all rows of the file, and records of the table, that show the same."""
    classes, seen = outcome.partition, published.classes
    ends = [
        column.covered(classes.lows[:, at], classes.highs[:, at])
        for at, column in enumerate(outcome.table.quasi)
    ]
    shown = [np.stack(side, axis=1) for side in zip(*ends, strict=True)]
    both = np.concatenate([np.hstack([seen.lows, seen.highs]), np.hstack(shown)])
    look = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    found = np.concatenate([look[: seen.number][seen.labels], look[seen.number :][classes.labels]])
    published_plain = (*published.sensitive, *published.other)
    for row, record in zip(published_plain, (*outcome.table.sensitive, *outcome.table.other), strict=True):
        keys = found * len(row.texts) + np.concatenate([row.codes, record.codes])
        found = np.unique(keys, return_inverse=True)[1].ravel()
    rows = len(seen.labels)
    return found[:rows], found[rows:]


def _rank_test(places: Floats, strata: Integers) -> RankTest:
    """Of the places against the rank of their rows, inside strata."""
    order = _centred(_ranks(strata), strata)
    values = _centred(places, strata)
    sizes = np.bincount(strata)
    squares = np.bincount(strata, order**2), np.bincount(strata, values**2)
    variance = float((squares[0] * squares[1] / np.maximum(sizes - 1, 1)).sum())
    if not variance:
        return RankTest(0.0, 1.0)
    together = float((order * values).sum())
    scale = sqrt(float(squares[0].sum()) * float(squares[1].sum()))
    return RankTest(together / scale, erfc(abs(together) / sqrt(2 * variance)))


def _ranks(strata: Integers) -> Floats:
    """The rank of each row among those of its stratum."""
    rows = np.argsort(strata, kind="stable")
    sizes = np.bincount(strata)
    ranks = np.zeros(len(strata))
    ranks[rows] = np.arange(len(strata)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks


def _centred(values: Floats, strata: Integers) -> Floats:
    return np.asarray(values - (np.bincount(strata, values) / np.maximum(np.bincount(strata), 1))[strata])


@dataclass(frozen=True, slots=True)
class JointClasses:
    """Joint classes of several releases; `below`: the records in those of fewer than k, `share`: of all records."""

    classes: int
    below: int
    share: float


def complementary_release(
    releases: Sequence[tuple[PublishedTable, Integers]], records: int, k: int
) -> JointClasses:
    """Files of the same people, or of people to whom more were added: each with the source's place of each row.

    `records`: how many people all of them are about; those in no file do not count.
    """
    labels = []
    for published, places in releases:
        own = np.full(records, ABSENT, np.int64)
        own[places] = published.classes.labels
        labels.append(own)
    joint = joint_labels(*labels)
    share = share_below(joint, k)
    present = int(np.count_nonzero(joint != ABSENT))
    return JointClasses(int(joint.max()) + 1, round(share * present), share)
