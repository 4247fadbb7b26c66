"""What left of a survey before is held beside a release, when it is made and again when it is approved."""

import numpy as np
import pytest

from intake.recordfiles.canonical import SurveyRecords, packed, read_records
from intake.recordfiles.offer import hand_over
from people.models import Person
from privacy.anonymity.specification import Specification
from releases import deciding, joint, specifying
from releases.models import Release
from reports.models import Publication
from runs.models import Run
from surveys.departures import Departure, departures
from surveys.models import Survey
from surveys.refused import Refused
from tests.releases import made, surveyed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

State = Release.State
THIN = surveyed.people(*((age, town, 5 if age == town == 0 else 20) for age in range(3) for town in range(3)))
"""Only five are young and live in Aa; every age and every town alone has more than ten."""


@pytest.fixture
def thin(owner: Person) -> Survey:
    return surveyed.survey(owner, THIN)


@pytest.fixture
def by_age(thin: Survey, owner: Person, reviewer: Person) -> Release:
    """A first release that tells the age alone, approved."""
    release = made.made(made.drafted(thin, owner, "age"), owner)
    deciding.approve(release, reviewer, "", NOW)
    return release


def test_a_second_release_that_crosses_the_first_is_refused_with_reason_and_way_out(
    by_age: Release, thin: Survey, owner: Person
) -> None:
    second = made.made(made.drafted(thin, owner, "town"), owner)
    assert second.state == State.REFUSED
    # An editor may ask for any columns, as often as they like: a number would count people.
    assert second.why == (
        f"Beside {by_age} (2026-12-01) this table would break its criteria or show fewer than ten people. Make a new "
        "release in which the classes of earlier releases stay together, or one with the specification of the earlier "
        "one."
    )


def test_the_same_specification_again_tells_nothing_new(by_age: Release, thin: Survey, owner: Person) -> None:
    assert made.made(made.drafted(thin, owner, "age"), owner).state == State.CHECKED


def test_joined_the_classes_of_the_first_stay_together(by_age: Release, thin: Survey, owner: Person) -> None:
    second = made.made(made.drafted(thin, owner, "town", joined=True), owner)
    assert (second.state, second.report["joined"]) == (State.CHECKED, True)
    first, joined = (joint_labels(thin, release) for release in (by_age, second))
    assert len(set(zip(first, joined, strict=True))) == len(set(first)) == 3


def joint_labels(survey: Survey, release: Release) -> list[int]:
    records = read_records(survey, 1)
    (found,) = [one for one in departures(survey) if one.key == joint.key_of(release)]
    labels: list[int] = records.labels(found).tolist()
    return labels


def test_joined_with_later_batches_those_are_classes_of_their_own(
    by_age: Release, thin: Survey, owner: Person
) -> None:
    surveyed.seal(thin, surveyed.everybody(12))
    second = made.made(made.drafted(thin, owner, "town", joined=True), owner)
    assert second.state == State.CHECKED
    assert second.report["classes"] == 3 + 3


def test_joined_classes_that_do_not_keep_the_criteria_lead_back_to_the_draft(
    by_age: Release, thin: Survey, owner: Person
) -> None:
    draft = made.drafted(thin, owner, "town", joined=True, k=60)
    second = made.made(draft, owner)
    assert second.state == State.DRAFT
    assert "the classes of the earlier releases do not keep k" in second.why


def test_fewer_than_k_later_records_are_refused(by_age: Release, thin: Survey, owner: Person) -> None:
    surveyed.seal(thin, surveyed.people((0, 0, 25)))
    small = made.made(made.drafted(thin, owner, "age", k=30), owner)
    assert small.state == State.REFUSED
    assert "would break its criteria" in small.why


def test_a_release_that_waits_counts_as_left_and_a_refused_one_does_not(
    thin: Survey, owner: Person, reviewer: Person
) -> None:
    first = made.made(made.drafted(thin, owner, "age"), owner)
    assert made.made(made.drafted(thin, owner, "town"), owner).state == State.REFUSED
    deciding.refuse(first, reviewer, "Not this one.", NOW)
    assert made.made(made.drafted(thin, owner, "town"), owner).state == State.CHECKED


def test_a_withdrawn_release_has_left_all_the_same(
    by_age: Release, thin: Survey, owner: Person, reviewer: Person
) -> None:
    deciding.withdraw(by_age, reviewer, "A mistake.", NOW)
    assert made.made(made.drafted(thin, owner, "town"), owner).state == State.REFUSED


def test_the_approval_holds_it_beside_what_has_left_meanwhile(
    thin: Survey, owner: Person, reviewer: Person
) -> None:
    first = made.drafted(thin, owner, "age")
    second = made.drafted(thin, owner, "town")
    with pytest.MonkeyPatch.context() as patch:
        # Both were made at the same time, and neither knew of the other.
        patch.setattr(joint, "earlier", lambda release: [])
        for release in (first, second):
            made.made(release, owner)
    Release.objects.filter(pk=second.pk).update(state=State.DRAFT)
    deciding.approve(Release.objects.get(pk=first.pk), reviewer, "", NOW)
    Release.objects.filter(pk=second.pk).update(state=State.CHECKED)
    with pytest.raises(Refused, match="would break its criteria"):
        deciding.approve(Release.objects.get(pk=second.pk), reviewer, "", NOW)
    assert Release.objects.get(pk=second.pk).state == State.CHECKED


def test_what_leaves_while_the_approval_compares_is_noticed(
    thin: Survey, owner: Person, reviewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = made.made(made.drafted(thin, owner, "age"), owner)
    real = deciding.check_beside

    def meanwhile(of: Release) -> set[str]:
        known = real(of)
        list(hand_over(thin, owner, "csv", "en", NOW))
        return known

    monkeypatch.setattr(deciding, "check_beside", meanwhile)
    with pytest.raises(Refused, match="left meanwhile"):
        deciding.approve(release, reviewer, "", NOW)


def test_after_a_record_file_a_release_is_refused_where_exact_answers_and_classes_meet(
    thin: Survey, owner: Person
) -> None:
    list(hand_over(thin, owner, "csv", "en", NOW))
    release = made.made(made.drafted(thin, owner, "age"), owner)
    assert release.state == State.REFUSED
    assert "a record file" in release.why
    assert "would break its criteria" in release.why
    assert "People who have the file need no release." in release.why


def test_after_a_record_file_a_release_may_leave_where_the_exact_answers_keep_the_criteria_themselves(
    survey: Survey, owner: Person
) -> None:
    list(hand_over(survey, owner, "csv", "en", NOW))
    assert made.made(made.drafted(survey, owner, "age"), owner).state == State.CHECKED


def test_open_records_stand_in_a_record_file_without_their_plain_answers(owner: Person) -> None:
    """All 45 of one age are open: the file does not tell them apart, the disguised it does."""
    few = surveyed.opened(surveyed.people((0, 0, 5), (0, 1, 40)))
    survey = surveyed.survey(owner, few + surveyed.people((1, 0, 30), (2, 0, 30)))
    list(hand_over(survey, owner, "csv", "en", NOW))
    assert made.made(made.drafted(survey, owner, "age"), owner).state == State.CHECKED


def test_records_sealed_after_a_file_are_a_class_of_their_own(survey: Survey, owner: Person) -> None:
    list(hand_over(survey, owner, "csv", "en", NOW))
    surveyed.seal(survey, surveyed.people((0, 0, 7), (1, 1, 20), (2, 2, 20)))
    release = made.made(made.drafted(survey, owner, "age"), owner)
    assert release.state == State.REFUSED
    assert "would break its criteria" in release.why


def published(survey: Survey, person: Person, *questions: str) -> None:
    run = Run.objects.create(
        survey=survey,
        number=1,
        through=1,
        records=1,
        design=survey.design_id or "",
        created=NOW,
        engine="bitmap",
    )
    content = {"groups": [{"question": question} for question in questions]}
    Publication.objects.create(run=run, by=person, when=NOW, content=content, rules=[])


def test_beside_a_published_table_no_cell_is_below_ten(thin: Survey, owner: Person, reviewer: Person) -> None:
    published(thin, reviewer, "age")
    release = made.made(made.drafted(thin, owner, "town"), owner)
    assert release.state == State.REFUSED
    assert "a published table by age" in release.why
    assert "would break its criteria" in release.why
    assert "without the questions by whose answers the table is divided" in release.why


def test_a_release_by_the_question_of_the_table_may_stand_beside_it(
    thin: Survey, owner: Person, reviewer: Person
) -> None:
    published(thin, reviewer, "age")
    assert made.made(made.drafted(thin, owner, "age"), owner).state == State.CHECKED


def test_three_that_break_nothing_two_by_two_are_held_beside_each_other_all_at_once(owner: Person) -> None:
    """Classes by parity: any two leave cells of 10, all three cells of 5."""
    survey = surveyed.survey(owner, surveyed.people((0, 0, 40)))
    release = made.drafted(survey, owner, "age")
    records = read_records(survey, 1)
    place = list(range(40))
    first, second, third = ([n // size % 2 for n in place] for size in (20, 10, 5))
    before = [departure(of, str(number)) for number, of in enumerate((first, second))]
    said = specifying.specification_of(release)
    assert found(release, records, third, said, before[:1]) == []
    assert found(release, records, third, said, before[1:]) == []
    assert found(release, records, third, said, before) == ["1"]


def departure(labels: list[int], key: str) -> Departure:
    return Departure(key, key, NOW, 1, classes=packed(np.array(labels)))


def found(
    release: Release, records: SurveyRecords, labels: list[int], said: Specification, before: list[Departure]
) -> list[str]:
    conflicts = joint.conflicts(release, records, np.array(labels), said, before)
    return [conflict.key for conflict in conflicts]


def test_what_one_release_leaves_out_of_another_is_a_class_too(owner: Person) -> None:
    """The disguised alone beside everybody: five open records remain by subtraction."""
    rows = surveyed.people((0, 0, 30), (1, 0, 30))
    survey = surveyed.survey(owner, rows + surveyed.opened(surveyed.people((0, 0, 5), (1, 0, 15))))
    assert made.made(made.drafted(survey, owner, "age"), owner).state == State.CHECKED
    alone = made.drafted(survey, owner, "age")
    alone.source.disguised_only = True
    alone.source.save()
    second = made.made(Release.objects.get(pk=alone.pk), owner)
    assert second.state == State.REFUSED
    assert "would break its criteria" in second.why


def test_an_upload_has_nothing_beside_it(upload: Release) -> None:
    assert joint.earlier(upload) == []
    assert joint.read_for(upload, []) is None


def test_the_making_says_what_had_left_before(by_age: Release, thin: Survey, owner: Person) -> None:
    assert made.made(made.drafted(thin, owner, "age"), owner).report["left"] == [str(by_age)]
