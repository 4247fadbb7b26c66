"""Tables of surveys: what they hold, and the specification that is proposed for them."""

import csv
import io
import json
from typing import Any

import numpy as np
import pytest

from accounts.models import Person
from intake.batches import sealed_batch_reader
from intake.disclosure.canonical_order import read_disguised
from privacy.anonymity.tables.specification import QuasiKind
from releases import source_tables, survey_tables
from releases.models import Release
from releases.specification import save_specification
from runs.copied_record_detection import find_copies_in_new_batches
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import (
    AGES,
    NOW,
    disguised_rows,
    everybody,
    made_release,
    open_rows,
    plain_design,
    plain_survey,
    seal_rows,
)

pytestmark = pytest.mark.page

CELLS = [{"name": f"c{x}", "at": [x, 0]} for x in range(5)]
HOME: dict[str, Any] = {"name": "home", "cells": CELLS, "near": 2, "odds": "7.38"}
PLACE = {"kind": "place", "questions": [HOME | {"regions": [{"name": "north", "cells": ["c0", "c1"]}]}]}
AGE = {"name": "age", "form": "scale", "choices": AGES}


def start(survey: Survey, person: Person, *, with_sensitive: bool = False) -> Release:
    return survey_tables.create_survey_release(survey, person, with_sensitive=with_sensitive, now=NOW)


def rows(release: Release) -> list[dict[str, str]]:
    source = release.source
    assert source.survey
    assert source.through
    records = read_disguised(source.survey, source.through)
    places = records.canonical_order_through_batch(source.through)
    text = survey_tables.records_as_csv(records, places, source.with_sensitive).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_survey_table_holds_answers_of_disguised_people(owner: Person) -> None:
    # It holds the plain answers of the disguised and nothing else.
    closed = disguised_rows((2, 1, 15))
    survey = plain_survey(owner, closed + open_rows(disguised_rows((0, 0, 10))))
    assert rows(start(survey, owner)) == [{"age": "old", "town": "Bee"}] * 15
    # Of the disguised alone it holds the disguised answers too.
    closed = disguised_rows((2, 1, 24))
    survey = plain_survey(owner, closed + open_rows(disguised_rows((0, 0, 10))))
    found = rows(start(survey, owner, with_sensitive=True))
    assert {row["age"] for row in found} == {"old"}
    assert [row["theft"] for row in found] == ["no"] * 12 + ["yes"] * 12
    # Not applicable is a value of its own.
    hidden = {"name": "job", "choices": ["part", "full"], "show_if": {"age": ["grown"]}}
    design = plain_design(sections=[{"kind": "plain", "questions": [AGE, hidden]}])
    survey = plain_survey(owner, [(1, 1, 0)] * 10 + [(1, 2, 3)] * 10, of=design)
    release = start(survey, owner)
    grown, old = {"age": "grown", "job": "part"}, {"age": "old", "job": "not applicable"}
    assert rows(release) == [grown] * 10 + [old] * 10
    (_age, job) = source_tables.column_profiles(release.source, NOW)
    assert [value for value, _count in job.examples] == ["part", "full", "not applicable"]


def test_every_plain_question_is_proposed_as_a_quasi_identifier_with_k_10_and_no_number_of_records_is_told(
    survey: Survey, owner: Person
) -> None:
    """Scales as ordered."""
    release = start(survey, owner)
    age, town = source_tables.column_profiles(release.source, NOW)
    assert (age.name, age.kind) == ("age", QuasiKind.ORDERED)
    assert age.examples == (("young", None), ("grown", None), ("old", None))
    assert (town.name, town.kind) == ("town", QuasiKind.CATEGORY)
    said = source_tables.get_specification(release)
    roles = [(one.name, str(one.role), one.order) for one in said.quasi_identifiers]
    assert roles == [("age", "ordered", tuple(AGES)), ("town", "category", ())]
    assert (said.criteria.k, said.sensitive) == (10, ())
    # Disguised answers are proposed as they are.
    assert json.loads(start(survey, owner, with_sensitive=True).specification)["other"] == ["theft"]


def test_first_twelve_of_many_plain_questions_are_proposed(owner: Person) -> None:
    names = [f"q{number}" for number in range(13)]
    questions = [{"name": name, "choices": ["no", "yes"]} for name in names]
    design = plain_design(sections=[{"kind": "plain", "questions": questions}, PLACE])
    survey = plain_survey(owner, [(1, *[person % 2] * 14) for person in range(30)], of=design)
    said = source_tables.get_specification(start(survey, owner))
    assert [column.name for column in said.quasi_identifiers] == names[:12]


def test_a_place_is_a_quasi_identifier_by_its_regions(owner: Person) -> None:
    design = plain_design(sections=[{"kind": "plain", "questions": [AGE]}, PLACE])
    people = [(1, age, cell) for age in range(3) for cell in range(5) for _one in range(12)]
    survey = plain_survey(owner, people, of=design)
    release = start(survey, owner, with_sensitive=True)
    said = json.loads(release.specification)
    regions = {"north": ["c0", "c1"], "elsewhere": ["c2", "c3", "c4"]}
    assert said["quasi_identifiers"][1] == {"name": "home", "kind": "category", "hierarchy": regions}
    save_specification.save_specification(release, owner, json.dumps({**said, "seconds": 0}), NOW)
    assert made_release(release, owner).state == Release.State.CHECKED


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"k": 9}, "k is at least 10"),
        (
            {"quasi_identifiers": [{"name": "age", "kind": "category"}], "other": ["town"]},
            "would leave Candor exactly as given",
        ),
        ({"quasi_identifiers": [{"name": "theft", "kind": "category"}]}, "There is no column 'theft'"),
        ({"quasi_identifiers": []}, "at least one quasi-identifier"),
    ],
)
def test_survey_specification_that_reveals_too_much_is_refused(
    survey: Survey, owner: Person, changed: dict[str, Any], words: str
) -> None:
    release = start(survey, owner)
    said = {**json.loads(release.specification), **changed}
    with pytest.raises(NotAllowed, match=words):
        save_specification.save_specification(release, owner, json.dumps(said), NOW)


def test_only_a_draft_release_takes_a_specification(survey: Survey, owner: Person) -> None:
    release = start(survey, owner)
    stale = Release.objects.get(pk=release.pk)
    Release.objects.update(state=Release.State.RUNNING)
    for one in (Release.objects.get(pk=release.pk), stale):
        with pytest.raises(NotAllowed, match="no draft any more"):
            save_specification.save_specification(one, owner, release.specification, NOW)


def test_viewer_and_reviewer_cannot_start_a_release(survey: Survey, viewer: Person, reviewer: Person) -> None:
    for person in (viewer, reviewer):
        with pytest.raises(NotAllowed, match="Only the owner and the editors"):
            start(survey, person)


def test_a_survey_without_sealed_answers_or_plain_questions_has_no_release(owner: Person) -> None:
    with pytest.raises(NotAllowed, match="No answers are sealed yet"):
        start(plain_survey(owner), owner)
    theft = {"name": "theft", "choices": ["no", "yes"]}
    design = plain_design(sections=[{"kind": "unrelated-question", "keep": "0.7", "questions": [theft]}])
    survey = plain_survey(owner, [(1, 0), (1, 1)] * 10, of=design)
    with pytest.raises(NotAllowed, match="All questions of this survey are sensitive"):
        start(survey, owner)
    assert survey_tables.reason_not_to_release(survey, with_sensitive=True) == ""


def test_a_destroyed_survey_has_no_release(survey: Survey, owner: Person) -> None:
    lifecycle.destroy_survey(survey, owner, NOW)
    with pytest.raises(NotAllowed, match="have been deleted"):
        start(survey, owner)


def test_the_last_batch_of_a_release_is_never_merged_across(survey: Survey, owner: Person) -> None:
    seal_rows(survey, everybody(3))
    start(survey, owner)
    find_copies_in_new_batches(NOW)
    assert sealed_batch_reader.merge_boundary_batches(survey.pk) == {2}


def test_the_canonical_order_is_the_same_after_a_merge(owner: Person) -> None:
    many = everybody(4)
    shuffled = [many[place] for place in np.random.default_rng(1).permutation(len(many))]
    first, second = (rows(start(plain_survey(owner, people), owner)) for people in (many, shuffled))
    assert first == second
