"""Checks of what is told, each with a way to remove it: a check that can be removed unseen is none.

Those of the plain tables of open answers have tests of their own in test_open_patterns.py.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from intake.disclosure import verdicts
from mining.disclosure import open_patterns
from mining.disclosure.attacker import AttackResult
from mining.disclosure.plain_tables import LEAST
from mining.disclosure.small_cells import SmallCells
from privacy.anonymity.joint import joint_labels
from releases.making import creation, joint
from reports.review import beside_releases

Patch = pytest.MonkeyPatch


def without_attacker(patch: Patch) -> None:
    for module in (creation, beside_releases):
        patch.setattr(module, "attack_on", lambda *_: AttackResult(None))


def interim_unchecked(patch: Patch) -> None:
    """No report is held beside those before it."""
    patch.setattr(verdicts, "earlier_publications", lambda *_: [])


def release_unchecked(patch: Patch) -> None:
    patch.setattr(joint, "conflicts", lambda *_: [])
    patch.setattr(beside_releases, "check_releases", lambda *_: None)
    patch.setattr(verdicts, "apart_from_releases", lambda *_: lambda *_: True)


def release_absent(patch: Patch) -> None:
    """Records that are absent from one of two disclosures are left out."""

    def has_few(first: joint.Labels, second: joint.Labels, least: int) -> bool:
        both = (first >= 0) & (second >= 0)
        return bool(np.bincount(joint_labels(first[both], second[both])).min(initial=least) < least)

    for module in (joint, beside_releases, verdicts):
        patch.setattr(module, "has_few", has_few)


def rest(patch: Patch) -> None:
    """Those who are left out may be one to nine."""

    def kept(of: Mapping[str, int]) -> frozenset[str]:
        return frozenset(pattern for pattern, size in of.items() if size >= LEAST)

    patch.setattr(open_patterns, "kept", kept)


def eight(patch: Patch) -> None:
    """Groups of eight open records are large enough."""
    patch.setattr(open_patterns, "LEAST", 8)


def cells_unchecked(patch: Patch) -> None:
    """Only the classes of single questions are checked."""
    patch.setattr(SmallCells, "is_safe", lambda *_: True)


MUTANTS: Mapping[str, Callable[[Patch], None]] = {
    "attacker-off": without_attacker,
    "interim-unchecked": interim_unchecked,
    "release-unchecked": release_unchecked,
    "release-absent": release_absent,
    "rest": rest,
    "eight": eight,
    "cells-unchecked": cells_unchecked,
}
