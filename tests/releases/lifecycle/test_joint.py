"""What was told of a survey before is held beside a release."""

import io
import zipfile
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from accounts.models import Person
from intake.disclosure import ledger
from intake.disclosure.canonical_order import DisguisedRecords, pack_classes, read_disguised, unpack_classes
from intake.disclosure.models import Disclosure, DisclosureKind
from intake.recordfiles.download import hand_over_file
from privacy.anonymity.criteria_check import ABSENT
from privacy.anonymity.tables.specification import Specification
from releases import source_tables
from releases.lifecycle import release_decisions, release_disclosure_check
from releases.lifecycle.earlier_releases import EarlierReleases
from releases.models import Release
from releases.permissions import UNMADE
from surveys.models import Survey
from tests.cast import kept_row
from tests.releases.conftest import (
    NOW,
    disguised_rows,
    draft_of_survey,
    everybody,
    made_release,
    open_rows,
    plain_survey,
    seal_rows,
)
from tests.runs import sealed
from tests.surveys.drafts import not_none

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("read_here")]

State = Release.State
THIN = disguised_rows(*((age, town, 5 if age == town == 0 else 20) for age in range(3) for town in range(3)))
"""Only five are young and live in Aa; every age and every town alone has more than ten."""


@pytest.fixture
def thin_survey(owner: Person) -> Survey:
    return plain_survey(owner, THIN)


@pytest.fixture
def by_age(thin_survey: Survey, owner: Person, reviewer: Person) -> Release:
    """A first release that tells the age alone, approved."""

    def make() -> Release:
        release = made_release(draft_of_survey(thin_survey, owner, "age"), owner)
        release_decisions.approve(release, reviewer, "", NOW)
        return release

    return kept_row(("approved by age", thin_survey.pk), make, is_computed=True)


def test_a_second_release_that_crosses_the_first_is_refused_with_reason_and_way_out(
    by_age: Release, thin_survey: Survey, owner: Person
) -> None:
    second = made_release(draft_of_survey(thin_survey, owner, "town"), owner)
    assert second.state == State.REFUSED
    today = timezone.localdate(Disclosure.objects.get(door=DisclosureKind.RELEASE).when).isoformat()
    # An editor may ask for any columns, as often as they like: a number would count people.
    assert second.reason_text == (
        f"Beside {by_age} ({today}) this table would break its criteria or show fewer than ten people. Make a new "
        "release in which the classes of earlier releases stay together, or one with the specification of the earlier "
        "one."
    )


def test_repeated_specification_discloses_nothing_new(
    by_age: Release, thin_survey: Survey, owner: Person
) -> None:
    again = made_release(draft_of_survey(thin_survey, owner, "age"), owner)
    assert (again.state, again.report["told"]) == (State.CHECKED, [str(by_age)])


def test_joined_release_keeps_the_first_releases_classes(
    by_age: Release, thin_survey: Survey, owner: Person
) -> None:
    second = made_release(draft_of_survey(thin_survey, owner, "town", joined=True), owner)
    assert (second.state, second.report["joined"]) == (State.CHECKED, True)
    first, joined = (joint_labels(thin_survey, release) for release in (by_age, second))
    assert len(set(zip(first, joined, strict=True))) == len(set(first)) == 3


def joint_labels(survey: Survey, release: Release) -> list[int]:
    key = release_disclosure_check.ledger_key(release)
    (found,) = [one for one in ledger.list_disclosures(survey, DisclosureKind.RELEASE) if one.key == key]
    classes = read_disguised(survey, 1).classes_in_stored_order(1, unpack_classes(found.classes))
    labels: list[int] = classes.tolist()
    return labels


def test_joined_release_puts_later_batches_in_own_classes(
    by_age: Release, thin_survey: Survey, owner: Person
) -> None:
    seal_rows(thin_survey, everybody(11))
    second = made_release(draft_of_survey(thin_survey, owner, "town", joined=True), owner)
    assert second.state == State.CHECKED
    # The three of the first show the same towns, and are one class of the file.
    assert second.report["classes"] == 1 + 3


def test_joined_classes_that_do_not_keep_the_criteria_wait_for_a_reviewer(
    by_age: Release, thin_survey: Survey, owner: Person
) -> None:
    draft = draft_of_survey(thin_survey, owner, "town", joined=True, k=60)
    second = made_release(draft, owner)
    assert second.stage == UNMADE
    assert "the classes of the earlier releases do not keep k" in second.reason_text


def test_fewer_than_k_later_records_are_refused(by_age: Release, thin_survey: Survey, owner: Person) -> None:
    seal_rows(thin_survey, disguised_rows((0, 0, 25)))
    small = made_release(draft_of_survey(thin_survey, owner, "age", k=30), owner)
    assert small.state == State.REFUSED
    assert "would break its criteria" in small.reason_text


def test_waiting_release_counts_as_published_and_a_refused_one_does_not(
    thin_survey: Survey, owner: Person, reviewer: Person
) -> None:
    first = made_release(draft_of_survey(thin_survey, owner, "age"), owner)
    assert made_release(draft_of_survey(thin_survey, owner, "town"), owner).state == State.REFUSED
    release_decisions.refuse(first, reviewer, "Not this one.", NOW)
    assert made_release(draft_of_survey(thin_survey, owner, "town"), owner).state == State.CHECKED


def test_withdrawn_release_still_counts_as_published(
    by_age: Release, thin_survey: Survey, owner: Person, reviewer: Person
) -> None:
    release_decisions.withdraw(by_age, reviewer, "A mistake.", NOW)
    assert made_release(draft_of_survey(thin_survey, owner, "town"), owner).state == State.REFUSED


def test_upload_release_has_no_joint_check(upload: Release) -> None:
    assert release_disclosure_check.earlier_disclosures(upload) == []
    assert release_disclosure_check.read_release_records(upload, []) is None


def test_concurrently_made_release_is_noticed(
    thin_survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are made at the same time, and neither knew of the other when it was checked."""
    real = release_disclosure_check.find_conflicts
    second = draft_of_survey(thin_survey, owner, "town")

    def make_release_meanwhile(release: Release, *rest: Any) -> list[Disclosure]:
        found = real(release, *rest)
        if release.pk == second.pk and not ledger.list_disclosures(thin_survey, DisclosureKind.RELEASE):
            monkeypatch.setattr(release_disclosure_check, "find_conflicts", real)
            made_release(draft_of_survey(thin_survey, owner, "age"), owner)
        return found

    monkeypatch.setattr(release_disclosure_check, "find_conflicts", make_release_meanwhile)
    assert made_release(second, owner).state == State.REFUSED
    assert [one.door for one in Disclosure.objects.filter(survey=thin_survey)] == ["release", "refusal"]


def test_record_file_does_not_prevent_a_release(thin_survey: Survey, owner: Person) -> None:
    list(hand_over_file(thin_survey, owner, "csv", "en", NOW))
    assert made_release(draft_of_survey(thin_survey, owner, "age"), owner).state == State.CHECKED
    assert [one.door for one in ledger.list_disclosures(thin_survey)] == ["records", "release"]


def report_disclosure(survey: Survey, *questions: int, last_batch: int = 1) -> Disclosure:
    """A report that counts the answers to these questions together."""
    tables = {"hidden": {}, "tables": [], "told": [list(questions)]}
    run = {"door": DisclosureKind.REPORT, "key": "run 1", "title": "Run 1", "population": "disguised"}
    row = run | {"last_batch": last_batch, "tables": tables}
    number = ledger.next_ledger_number(survey)
    return Disclosure.objects.create(survey=survey, number=number, when=NOW, **row)


def test_release_beside_a_table_has_no_cell_below_ten(thin_survey: Survey, owner: Person) -> None:
    report_disclosure(thin_survey, 0)
    release = made_release(draft_of_survey(thin_survey, owner, "town"), owner)
    assert release.state == State.REFUSED
    assert "Beside Run 1" in release.reason_text
    assert "would break its criteria" in release.reason_text
    assert "without the questions whose answers the report counts" in release.reason_text
    # A release by the question of the table may stand beside it.
    assert made_release(draft_of_survey(thin_survey, owner, "age"), owner).state == State.CHECKED


def test_a_release_of_later_batches_beside_an_earlier_table(owner: Person) -> None:
    """Four more of the young came with batch 2: the classes of both batches less the told ages leave these four."""
    survey = plain_survey(owner, disguised_rows(*((age, 0, 30) for age in range(3))))
    report_disclosure(survey, 0)
    seal_rows(survey, disguised_rows((0, 0, 4), (1, 0, 20), (2, 0, 20)))
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    assert release.state == State.REFUSED
    assert "fewer than ten" in release.reason_text


def test_three_pairwise_safe_releases_are_checked_jointly(owner: Person) -> None:
    """Classes by parity: any two leave cells of 10, all three cells of 5."""
    survey = plain_survey(owner, disguised_rows((0, 0, 40)))
    release = draft_of_survey(survey, owner, "age")
    records = read_disguised(survey, 1)
    first, second, third = ([n // size % 2 for n in range(40)] for size in (20, 10, 5))
    before = [release_disclosure(of, str(number)) for number, of in enumerate((first, second))]
    said = source_tables.get_specification(release)
    assert conflicts(release, records, third, said, before[:1]) == []
    assert conflicts(release, records, third, said, before[1:]) == []
    assert conflicts(release, records, third, said, before) == ["1"]


def test_records_in_small_classes_beside_an_earlier_release_are_those_of_the_new_table() -> None:
    """The joint classes of the four published records are 00, 01 and twice 11; the fifth is suppressed."""
    own, earlier = np.array([0, 0, 1, 1, ABSENT]), np.array([0, 1, 1, 1, 0])
    told = EarlierReleases(["first"], [("first", earlier)])
    assert told.count_small_class_records(own, 2) == [{"name": "first", "below": {"records": 2}, "alone": 2}]
    assert told.count_small_class_records(own, 3)[0]["below"] == {"records": 4}


def test_classes_of_earlier_releases_that_share_a_record_are_merged() -> None:
    """The second release's class 1 ties 0 and 1 of the first together; nobody ties the last two."""
    first, second = np.array([0, 0, 1, 2, ABSENT, ABSENT]), np.array([0, 1, 1, 2, 3, ABSENT])
    merged = EarlierReleases([], [("first", first), ("second", second)]).merged_classes()
    assert not_none(merged).tolist() == [0, 0, 0, 1, 2, ABSENT]


def release_disclosure(labels: list[int], key: str) -> Disclosure:
    classes = pack_classes(np.array(labels))
    return Disclosure(
        door=DisclosureKind.RELEASE, key=key, title=key, when=NOW, last_batch=1, classes=classes
    )


def conflicts(
    release: Release,
    records: DisguisedRecords,
    labels: list[int],
    said: Specification,
    before: list[Disclosure],
) -> list[str]:
    found = release_disclosure_check.find_conflicts(release, records, np.array(labels), said, before)
    return [one.key for one in found]


def test_file_and_release_in_either_order_reveal_no_open_profile(owner: Person) -> None:
    """One person answered openly: neither the file nor the release has a row of them before the survey is finished, and
    afterwards one person is too few to be used."""
    rows = disguised_rows(*((age, 0, 20) for age in range(3)))
    for file_first in (True, False):
        survey = plain_survey(owner, rows + open_rows(disguised_rows((0, 1, 1))))
        files = [file_of(survey, owner)] if file_first else []
        release = made_release(draft_of_survey(survey, owner, "age"), owner)
        assert (release.state, release.report["records"]) == (State.CHECKED, 60)
        files += [file_of(survey, owner)]
        sealed.finish_survey(survey)
        for file in [*files, file_of(survey, owner)]:
            assert len(file) == 61
            assert not [line for line in file if line.startswith("open")]


def file_of(survey: Survey, person: Person) -> list[str]:
    data = b"".join(hand_over_file(survey, person, "csv", "en", NOW))
    return zipfile.ZipFile(io.BytesIO(data)).read("records.csv").decode().splitlines()
