"""Copies are looked for once in each batch, before a merge, and in all records of a run, with one level for all.

Outside of a report it is said that there are some, never how many.
"""

import json
import re
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.db.models import Max, Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from intake.batches import automatic_sealing, merging, sealed_batch_reader
from intake.models import Batch
from jobs import tick
from mining.error import copied_record_lower_bound as error
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.records.batch_bit_columns import pack_batch
from runs import copied_record_detection, run_start
from runs.copied_record_detection import LEVEL, find_copies_in_new_batches
from runs.models import Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.cast import As, add_collaborator, kept_row, unsaved_person
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

STRONG = sealed.small_design()
"""Two sections with a keep of .7: of a hundred, 85 may come out alike where all are alike."""


def weak_design(keep: str = "0.95") -> Design:
    said: dict[str, Any] = {"title": {"en": "Weak"}, "least": 20}
    sections = [sealed.section("theft", keep=keep)]
    return parse_design(json.dumps({"format": "candor-design/1", "sections": sections, **said}))


def flood_survey(
    owner: Person, honest: int = 0, flooded: int = 0, design: Design = STRONG, n: int = 100
) -> Survey:
    """So many honest batches, then so many of copies."""

    def make() -> Survey:
        made = sealed.survey(owner, design, [])
        for batch in range(honest + flooded):
            sealed.seal(made, n) if batch < honest else add_batch(made, n)
        return made

    return kept_row(("flooded", owner.pk, honest, flooded, design.fingerprint, n), make)


def add_batch(to: Survey, n: int = 100, copies: int | None = None) -> Batch:
    """One more batch; of its records so many are the same, the others are random."""
    assert to.design
    design = to.design.content
    last = Batch.objects.filter(survey=to).aggregate(last=Max("last"))["last"] or 0
    rng = np.random.default_rng(last)
    codes = np.array([rng.integers(0, len(q.choices), n) for q in design.questions], np.uint8)
    codes[:, : n if copies is None else copies] = 1
    columns = pack_batch(design, np.ones(n, np.uint8), codes)
    return Batch.objects.create(survey=to, first=last + 1, last=last + 1, n=n, columns=columns)


WANTED = Parameters(min_support=0.1, min_confidence=0.5)


def copies_by_batch(survey: Survey) -> list[tuple[int, int | None]]:
    rows = Batch.objects.filter(survey=survey).order_by("last")
    return list(rows.values_list("last", "copies"))


def run_of(survey: Survey, owner: Person) -> Run:
    return sealed.mine_sealed(survey, owner, WANTED)


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """At which levels records were tested."""
    asked: list[float] = []

    def note_level(design: Any, group: Any, codes: Any, level: float) -> error.CopyCount:
        asked.append(level)
        return error.count_excess_copies(design, group, codes, level)

    monkeypatch.setattr(copied_record_detection, "count_excess_copies", note_level)
    return asked


def test_each_batch_is_checked_for_copies(
    owner: Person, levels: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tick.registrations()["copies"].function is find_copies_in_new_batches
    survey = flood_survey(owner, honest=2)
    assert copies_by_batch(survey) == [(1, None), (2, None)]
    find_copies_in_new_batches(NOW)
    assert copies_by_batch(survey) == [(1, 0), (2, 0)]
    assert levels == pytest.approx([LEVEL / 2 / 2, LEVEL / 2 / 6])
    find_copies_in_new_batches(NOW)
    assert len(levels) == 2
    # No more than so many in one tick.
    survey = flood_survey(owner, honest=3)
    monkeypatch.setattr(copied_record_detection, "MOST_AT_ONCE", 2)
    find_copies_in_new_batches(NOW)
    assert copies_by_batch(survey) == [(1, 0), (2, 0), (3, None)]
    find_copies_in_new_batches(NOW)
    assert copies_by_batch(survey)[2] == (3, 0)


def test_no_query_stays_open_during_the_copies_check(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise SQLite refuses to store what was found once another process has written anything."""
    survey = flood_survey(owner, honest=2)

    def examine(_parts: Any, _level: float) -> int:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE scratch (id integer)")
            # SQLite drops no table while any query is open.
            cursor.execute("DROP TABLE scratch")
        return 0

    monkeypatch.setattr(copied_record_detection, "copies_lower_bound", examine)
    find_copies_in_new_batches(NOW)
    assert copies_by_batch(survey) == [(1, 0), (2, 0)]


def test_a_flood_shows_how_large_it_was_at_least(owner: Person) -> None:
    survey = flood_survey(owner, honest=3, flooded=2)
    run = run_of(survey, owner)
    (_1, a), (_2, b), (_3, c), (_4, d), (_5, e) = copies_by_batch(survey)
    assert (a, b, c) == (0, 0, 0)
    assert d
    assert e
    assert 40 < d <= 100
    assert run.copies
    assert d + e <= run.copies <= 200


def test_of_a_run_only_its_own_batches_count(owner: Person, levels: list[float]) -> None:
    survey = flood_survey(owner, honest=1)
    before = run_of(survey, owner)
    add_batch(survey)
    first = run_of(survey, owner)
    assert first.copies
    before.refresh_from_db()
    assert before.copies == 0
    tests = len(levels)
    assert tests == 3  # two batches, and the run of both
    assert sealed.work(run_start.repeat_run(first, owner, NOW)).copies == first.copies
    assert len(levels) == tests


def test_nobody_looks_forged_where_nobody_forged(owner: Person) -> None:
    survey = flood_survey(owner, honest=12)
    run = run_of(survey, owner)
    assert run.copies == 0
    assert not Batch.objects.exclude(copies=0).exists()
    assert copied_record_detection.copied_record_warnings([survey]) == {}


def test_few_copies_are_seen_in_all_batches_together(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred .95 + .05/2 may be the same: all of them are nothing strange, all of eight hundred are."""
    survey = flood_survey(owner, flooded=8, design=weak_design())
    run = run_of(survey, owner)
    assert not Batch.objects.filter(survey=survey, copies__gt=0).exists()
    assert run.copies
    monkeypatch.setattr(copied_record_detection, "MOST_POOLED", 150)
    assert run_of(flood_survey(owner, flooded=8, design=weak_design("0.94")), owner).copies == 0


def test_a_test_for_copies_holds_no_more_than_stated(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of all batches together nor of one large batch, however many records they have."""
    sizes: list[int] = []

    def count(design: Any, group: Any, codes: Any, level: float) -> Any:
        sizes.append(len(group))
        return error.count_excess_copies(design, group, codes, level)

    monkeypatch.setattr(copied_record_detection, "count_excess_copies", count)
    monkeypatch.setattr(copied_record_detection, "MOST_POOLED", 60)
    run_of(flood_survey(owner, flooded=3), owner)
    assert len(sizes) == 4
    assert max(sizes) == 60


def test_copies_checks_spend_the_stated_level(
    owner: Person, levels: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    singles = sum(copied_record_detection.significance_level(t, t) for t in range(1, 5_000))
    assert singles == pytest.approx(copied_record_detection.significance_level(1, 4_999))
    # As much again for a run of each number of batches.
    assert 2 * singles < LEVEL
    survey = flood_survey(owner)
    for number in range(10):
        add_batch(survey, n=20, copies=0)
        find_copies_in_new_batches(NOW)
        merging.reduce_batches_by_merging(survey.pk)
        if number % 5 == 4:
            run_of(survey, owner)
    assert len(levels) == 10 + 2
    assert sum(levels) <= LEVEL
    # What was merged before it was examined gets the levels of its batches.
    levels.clear()
    survey = flood_survey(owner, honest=8)
    monkeypatch.setattr(merging, "merge_boundary_batches", lambda survey: set())
    assert merging.reduce_batches_by_merging(survey.pk) == 7
    assert copies_by_batch(survey) == [(8, None)]
    find_copies_in_new_batches(NOW)
    assert levels == pytest.approx([LEVEL / 2 * (1 - 1 / 9)])


def test_no_batch_is_merged_before_it_is_examined(owner: Person) -> None:
    survey = flood_survey(owner, honest=4, flooded=4)
    automatic_sealing.on_tick(NOW)
    assert Batch.objects.filter(survey=survey).count() == 8
    find_copies_in_new_batches(NOW)
    apart = Batch.objects.filter(survey=survey).aggregate(n=Sum("copies"))["n"]
    automatic_sealing.on_tick(NOW)
    assert apart > 160
    assert copies_by_batch(survey) == [(8, apart)]


def test_what_is_examined_is_not_merged_with_or_across_what_waits(owner: Person) -> None:
    survey = flood_survey(owner, honest=8)
    find_copies_in_new_batches(NOW)
    for _batch in range(8):
        add_batch(survey)
    automatic_sealing.on_tick(NOW)
    stored = Batch.objects.filter(survey=survey).order_by("first").values_list("first", "last")
    assert list(stored) == [(1, 8), *((t, t) for t in range(9, 17))]
    # Nor is anything merged across a batch that waits.
    survey = flood_survey(owner, honest=3)
    find_copies_in_new_batches(NOW)
    Batch.objects.filter(survey=survey, last=2).update(copies=None)
    assert sealed_batch_reader.merge_boundary_batches(survey.pk) == {1, 2}


def test_a_damaged_survey_does_not_hold_others_up(owner: Person, caplog: pytest.LogCaptureFixture) -> None:
    damaged = flood_survey(owner, honest=1)
    other = flood_survey(owner, flooded=1)
    Batch.objects.filter(survey=damaged).update(columns=b"unreadable")
    find_copies_in_new_batches(NOW)
    assert copies_by_batch(damaged) == [(1, None)]
    assert copies_by_batch(other)[0][1]
    assert f"copies were not looked for in survey {damaged.pk}" in caplog.text


def test_of_a_destroyed_survey_nothing_is_stored(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = flood_survey(owner, flooded=1)

    def destroy_survey_meanwhile(*words: Any) -> error.CopyCount:
        copied = error.count_excess_copies(*words)
        lifecycle.destroy_survey(survey, owner, NOW)
        return copied

    monkeypatch.setattr(copied_record_detection, "count_excess_copies", destroy_survey_meanwhile)
    find_copies_in_new_batches(NOW)
    assert not Batch.objects.exists()


@pytest.fixture
def survey_with_forged_batch(owner: Person) -> Survey:
    survey = flood_survey(owner, honest=1, flooded=1)
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN, closed_at=None)
    find_copies_in_new_batches(NOW)
    survey.refresh_from_db()
    return survey


def page(client: Client, path: str) -> str:
    """Without what differs from one reading to the next."""
    return re.sub(r"\s+", " ", re.sub(r'value="\w{64}"', "", client.get(path).text))


def test_copies_warning_reaches_collaborators_and_owner_may_pause(
    survey_with_forged_batch: Survey, owner: Person, reading: Client, signed_in_as: As
) -> None:
    path = f"/app/surveys/{survey_with_forged_batch.pk}"
    text = page(reading, f"{path}/")
    warning = text[text.index("Some answers look forged") :]
    assert f'href="{path}/pause"' in warning[: warning.index("<h2>")]
    assert "looks forged" in page(reading, "/app/surveys/")
    for may_edit in (True, False):
        colleague = add_collaborator(
            survey_with_forged_batch, unsaved_person(f"colleague-{may_edit}"), may_edit=may_edit
        )
        text = page(signed_in_as(colleague), f"{path}/")
        assert "Some answers look forged" in text
        assert "/pause" not in text
    lifecycle.pause_survey(survey_with_forged_batch, owner, NOW)
    text = page(reading, f"{path}/")
    assert "Some answers look forged" in text
    assert f'href="{path}/pause"' not in text


def test_no_number_stands_there_but_that_of_surveys_for_those_who_run_the_instance(
    survey_with_forged_batch: Survey, owner: Person, stranger: Person, reading: Client, signed_in_as: As
) -> None:
    before = {
        path: page(reading, path)
        for path in ("/app/surveys/", f"/app/surveys/{survey_with_forged_batch.pk}/")
    }
    Batch.objects.filter(copies__gt=0).update(copies=7)
    assert {path: page(reading, path) for path in before} == before
    # Nobody is warned where nothing looks forged.
    honest = flood_survey(stranger, honest=2)
    find_copies_in_new_batches(NOW)
    for path in ("/app/surveys/", f"/app/surveys/{honest.pk}/"):
        assert "forged" not in page(signed_in_as(stranger), path)
    staff = unsaved_person("operator", is_staff=True)
    text = re.sub(r"<[^>]+>", " ", page(signed_in_as(staff), "/app/jobs/"))
    assert re.search(r"Surveys in which answers look forged\s+1\b", text)
    # The list asks once for all surveys.
    for _ in range(3):
        flood_survey(owner, flooded=1)
    with CaptureQueriesContext(connection) as asked:
        reading.get("/app/surveys/")
    assert sum('"copies" >' in query["sql"] for query in asked.captured_queries) == 1
