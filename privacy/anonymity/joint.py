"""Joint classes: what several releases of the same people tell to somebody who has all of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria import violations
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table

Integers = NDArray[np.int64]
ABSENT = -1
"""The label of a record that is not in a release."""


def joint_labels(*labels: Integers) -> Integers:
    """Classes of the records that agree in every release, numbered from 0; `labels`: one array for each release.

    A record that is absent from a release (-1) agrees there with all others that are absent; absent from all: -1.
    """
    combined = np.zeros(len(labels[0]), np.int64)
    for release in labels:
        shifted = release.astype(np.int64) - ABSENT
        keys = combined * (int(shifted.max(initial=0)) + 1) + shifted
        combined = np.unique(keys, return_inverse=True)[1].ravel()
    somewhere = np.any([release != ABSENT for release in labels], axis=0)
    joint = np.full(len(combined), ABSENT, np.int64)
    joint[somewhere] = np.unique(combined[somewhere], return_inverse=True)[1].ravel()
    return joint


def has_few(first: Integers, second: Integers, least: int) -> bool:
    """Whether a cell of two disclosures together holds some records, but fewer than `least`; absent from one of them
    is a label."""
    there = (first != ABSENT) | (second != ABSENT)
    return bool((np.bincount(joint_labels(first[there], second[there])) < least).any())


def joint_violations(
    table: Table, specification: Specification, releases: Sequence[Integers]
) -> dict[str, list[int]]:
    """The joint classes that violate each criterion, by its name; `table`: all records that any release holds."""
    labels = joint_labels(*releases)
    somewhere = np.flatnonzero(labels != ABSENT)
    return violations(table.at(somewhere), specification, labels[somewhere])


def joint_sizes(labels: Integers) -> Integers:
    """By record the size of its joint class; 0 where it is in no release."""
    sizes = np.append(np.bincount(labels[labels != ABSENT]), 0)
    return sizes[labels]
