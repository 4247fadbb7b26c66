"""Nobody can work out a small cell or few open answers from all doors together, in whatever order they were opened."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from intake.disclosure import table_disclosure_decision
from mining.disclosure import open_record_tables
from mining.disclosure.attacker import AttackResult
from mining.disclosure.plain_table_counts import LEAST
from mining.disclosure.small_cells import SmallCells
from privacy.anonymity.criteria_check import joint_labels
from releases.lifecycle import making_job, release_disclosure_check
from reports.review import joint_disclosure_check
from tests.cast import unsaved_person
from tests.jobs.conftest import broker
from tests.mining.disclosure.random_surveys import Doors
from tests.mining.listed import at_night

# Checks of what is told, each with a way to remove it: a check that can be removed unseen is none.
#
# Those of the plain tables of open answers have tests of their own in test_open_people.py.

Patch = pytest.MonkeyPatch


def without_attacker(patch: Patch) -> None:
    for module in (making_job, joint_disclosure_check):
        patch.setattr(module, "attack_all_disclosures", lambda *_: AttackResult(None))


def interim_unchecked(patch: Patch) -> None:
    """No report is held beside those before it."""
    patch.setattr(table_disclosure_decision, "earlier_publications", lambda *_: [])


def release_unchecked(patch: Patch) -> None:
    patch.setattr(release_disclosure_check, "find_conflicts", lambda *_: [])
    patch.setattr(joint_disclosure_check, "refuse_if_releases_reveal_few", lambda *_: None)
    patch.setattr(table_disclosure_decision, "make_table_check", lambda *_: lambda *_: True)


def release_absent(patch: Patch) -> None:
    """Records that are absent from one of two disclosures are left out."""

    def has_small_joint_class(
        first: release_disclosure_check.Labels, second: release_disclosure_check.Labels, least: int
    ) -> bool:
        both = (first >= 0) & (second >= 0)
        return bool(np.bincount(joint_labels(first[both], second[both])).min(initial=least) < least)

    for module in (release_disclosure_check, joint_disclosure_check, table_disclosure_decision):
        patch.setattr(module, "has_small_joint_class", has_small_joint_class)


def ignore_size_of_rest(patch: Patch) -> None:
    """Those who are left out may be one to nine."""

    def large_patterns(of: Mapping[str, int]) -> frozenset[str]:
        return frozenset(pattern for pattern, size in of.items() if size >= LEAST)

    patch.setattr(open_record_tables, "patterns_safe_to_count", large_patterns)


def accept_groups_of_eight(patch: Patch) -> None:
    """Groups of eight open records are large enough."""
    patch.setattr(open_record_tables, "LEAST", 8)


def cells_unchecked(patch: Patch) -> None:
    """Only the classes of single questions are checked."""
    patch.setattr(SmallCells, "is_safe", lambda *_: True)


MUTANTS: Mapping[str, tuple[Callable[[Patch], None], int]] = {
    "attacker-off": (without_attacker, 168),
    "interim-unchecked": (interim_unchecked, 122),
    "release-unchecked": (release_unchecked, 1),
    "release-absent": (release_absent, 142),
    "rest": (ignore_size_of_rest, 122),
    "eight": (accept_groups_of_eight, 17),
    "cells-unchecked": (cells_unchecked, 107),
}
"""Each with a survey of which it gives something away."""

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]


def exposed_people(survey: Doors) -> Iterator[str]:
    """What a reader of all reports and releases, or one who also holds the record file, works out of fewer than ten
    people. Record files that left earlier hold nothing else of these, and less of the open ones."""
    reader = survey.attacked().knowing_nobody(3)
    holder = reader.with_file()
    for name, attacker in (("reader", reader), ("holder", holder)):
        for items, universe, count in attacker.small_cells(LEAST, 3):
            if name == "reader" or universe.startswith("open"):
                yield f"{name}: {count} {universe} {items}"
        for items, count in attacker.open_answers():
            if count < LEAST:
                yield f"{name}: {count} open answers {items}"


def live_through_survey(seed: int, owner: Person, reviewer: Person, client: Client) -> Doors:
    viewer = unsaved_person(f"viewer{seed}")
    client.force_login(viewer)
    survey = Doors(owner, reviewer, np.random.default_rng(seed))
    survey.study.add_viewer(viewer)
    survey.run_to_finish(client)
    return survey


@pytest.mark.parametrize("seed", [0, *at_night(range(1, 30))])
def test_no_cell_of_open_people_can_be_inferred(
    seed: int, owner: Person, reviewer: Person, client: Client
) -> None:
    survey = live_through_survey(seed, owner, reviewer, client)
    assert not list(exposed_people(survey)), survey.study.design.canonical


def test_each_check_a_mutant_removes_exists() -> None:
    for leave_out, _seed in MUTANTS.values():
        with pytest.MonkeyPatch.context() as patch:
            leave_out(patch)


@pytest.mark.night
@pytest.mark.parametrize("name", MUTANTS)
def test_each_mutant_is_caught(
    name: str, owner: Person, reviewer: Person, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one check, and without the attacker, which would refuse what the check lets pass."""
    leave_out, seed = MUTANTS[name]
    without_attacker(monkeypatch)
    leave_out(monkeypatch)
    assert list(exposed_people(live_through_survey(seed, owner, reviewer, client)))


@pytest.mark.night
@pytest.mark.parametrize("name", sorted(MUTANTS.keys() - {"attacker-off", "rest"}))
def test_attack_refuses_what_a_removed_check_lets_pass(
    name: str, owner: Person, reviewer: Person, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of all records is not told, so that the attacker does not see who are left out."""
    leave_out, seed = MUTANTS[name]
    leave_out(monkeypatch)
    assert not [
        hit
        for hit in exposed_people(live_through_survey(seed, owner, reviewer, client))
        if hit.startswith("reader")
    ]
