"""Record files that left, as the history knows them, and what they and others tell of each record."""

from typing import Any

import numpy as np
import pytest

from intake.batches import batches
from intake.models import Batch
from intake.recordfiles import offer
from intake.recordfiles.canonical import few_together, packed, read_records, unpacked
from intake.recordfiles.offer import hand_over
from people.models import Person
from privacy.anonymity.joint import ABSENT
from surveys import departures as departing
from surveys.departures import Departure, departures
from surveys.models import SurveyQuerySet
from tests.cast import As
from tests.releases import surveyed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_a_download_leaves_with_the_exact_plain_answers_of_the_batches_until_then(owner: Person) -> None:
    survey = surveyed.survey(owner, surveyed.people((0, 0, 25)), surveyed.people((1, 0, 30)))
    list(hand_over(survey, owner, "csv", "en", NOW))
    surveyed.seal(survey, surveyed.people((2, 0, 20)))
    list(hand_over(survey, owner, "csv", "en", NOW))
    assert [(one.through, one.exact, one.by_record) for one in departures(survey)] == [
        (2, ("age", "town"), True),
        (3, ("age", "town"), True),
    ]


def test_two_files_of_the_same_records_left_once(owner: Person) -> None:
    survey = surveyed.survey(owner, surveyed.people((0, 0, 25)))
    for kind in ("csv", "parquet"):
        list(hand_over(survey, owner, kind, "en", NOW))
    assert len(departures(survey)) == 1


def test_batches_are_not_merged_across_the_end_of_a_file(owner: Person) -> None:
    survey = surveyed.survey(owner, surveyed.people((0, 0, 25)), surveyed.people((1, 0, 30)))
    assert batches.pinned(survey.pk) == set()
    list(hand_over(survey, owner, "csv", "en", NOW))
    surveyed.seal(survey, surveyed.people((2, 0, 20)))
    assert batches.pinned(survey.pk) == {2}


def test_where_batches_were_merged_across_it_all_records_count_as_left(owner: Person) -> None:
    survey = surveyed.survey(owner, surveyed.people((0, 0, 25)))
    list(hand_over(survey, owner, "csv", "en", NOW))
    Batch.objects.update(n=45, last=2)
    assert [one.through for one in departures(survey)] == [2]


def test_a_survey_of_which_nothing_left_has_no_departures(owner: Person) -> None:
    assert departures(surveyed.survey(owner, surveyed.people((0, 0, 25)))) == []


def labels(owner: Person, departure: Departure, *sealed: list[surveyed.Row]) -> list[int]:
    survey = surveyed.survey(owner, *sealed)
    found: list[int] = read_records(survey, len(sealed)).labels(departure).tolist()
    return found


def test_a_file_tells_disguised_records_by_their_plain_answers_open_ones_not_and_later_ones_not_at_all(
    owner: Person,
) -> None:
    opened = surveyed.opened(surveyed.people((0, 0, 5), (1, 1, 5)))
    first = [*surveyed.people((0, 0, 5), (0, 1, 5), (1, 0, 5)), *opened]
    file = Departure("f", "f", NOW, 1, ("age", "town"), by_record=True)
    found = labels(owner, file, first, surveyed.people((0, 0, 20)))
    groups = [set(found[start:stop]) for start, stop in ((0, 5), (5, 10), (10, 15), (15, 25), (25, 45))]
    assert all(len(group) == 1 for group in groups)
    assert len(set.union(*groups)) == 5
    assert groups[4] == {ABSENT}


def test_a_release_tells_the_class_by_canonical_place(owner: Person) -> None:
    rows = surveyed.people((2, 0, 10), (0, 0, 10))
    release = Departure("r", "r", NOW, 1, classes=packed(np.arange(20) // 10))
    assert labels(owner, release, rows) == [1] * 10 + [0] * 10


def test_of_the_disguised_alone_open_records_are_absent(owner: Person) -> None:
    rows = [*surveyed.opened(surveyed.people((0, 0, 10))), *surveyed.people((0, 0, 10))]
    release = Departure("r", "r", NOW, 1, disguised_only=True, classes=packed(np.zeros(10, np.int64)))
    assert labels(owner, release, rows) == [ABSENT] * 10 + [0] * 10


def test_cells_of_fewer_than_ten_are_counted_by_their_records() -> None:
    first = np.array([0] * 12 + [1] * 30 + [ABSENT] * 3)
    second = np.array([0] * 9 + [1] * 33 + [1] * 3)
    assert few_together(first, second) == 9 + 3
    assert few_together(first, np.full(45, ABSENT)) == 0


def test_classes_are_stored_in_four_bytes_and_less() -> None:
    classes = np.array([0, 1, ABSENT, 70_000])
    assert unpacked(packed(classes)).tolist() == classes.tolist()


def test_a_file_is_read_and_noted_under_the_lock_that_merging_waits_for(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = surveyed.survey(owner, surveyed.people((0, 0, 25)))
    called: list[str] = []

    def heard(of: Any, name: str) -> None:
        real = getattr(of, name)

        def noted(*args: Any, **values: Any) -> Any:
            called.append(name)
            return real(*args, **values)

        monkeypatch.setattr(of, name, noted)

    heard(SurveyQuerySet, "locked_beside_records")
    heard(offer, "sealed")
    heard(offer, "record")
    list(offer.hand_over(survey, owner, "csv", "en", NOW))
    assert called == ["locked_beside_records", "sealed", "record"]


@pytest.mark.parametrize("classes", [b"", packed(np.zeros(25, np.int64))], ids=["none", "one"])
def test_the_page_of_record_files_says_which_releases_have_left(
    classes: bytes, owner: Person, signed_in_as: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = surveyed.survey(owner, surveyed.people((0, 0, 25)))
    release = Departure("r", "Release 7", NOW, 1, classes=classes)
    monkeypatch.setattr(departing, "_registered", {"releases": lambda of: [release]})
    page = signed_in_as(owner).get(f"/surveys/{survey.pk}/records").content.decode()
    assert ("have left Candor: Release 7." in page) == bool(classes)
