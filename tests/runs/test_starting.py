"""How runs are started, repeated and numbered, and what their digests hash."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from scipy import __version__ as scipy_version  # type: ignore[attr-defined]

from accounts.models import History, Person
from intake.batches import merging
from intake.models import Batch
from jobs import job_state_changes
from jobs.models import State
from mining.findings import result_row_conversion
from mining.findings.result_row_conversion import item_numbers, items_as_text, itemset_texts
from mining.parameters import Parameters
from mining.queries_and_counters import NONE
from privacy.designs import InputError
from reports.models import FrontTest
from reports.review import build_content
from runs import run_start
from runs.copied_record_detection import find_copies_in_new_batches
from runs.models import Histogram, Itemset, Rule, Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys import drafts
from tests.surveys.conftest import NOW

WANTED = Parameters(min_support=0.1, min_confidence=0.5)


def test_a_run_waits_for_a_worker_and_knows_what_it_covers(survey: Survey, owner: Person) -> None:
    run = run_start.start_mining_run(survey, owner, WANTED, NOW)
    run = Run.objects.get(pk=run.pk)
    assert (run.state, run.through, run.records) == (State.QUEUED, 2, 600)
    assert (run.design, run.mlxtend) == (survey.design_id, "automatic")
    assert run.version == ""
    assert run_start.mining_version() == f"mining 1, numpy {np.__version__}, scipy {scipy_version}"
    assert run.search_parameters == WANTED
    entry = History.objects.about(survey).get()
    assert (entry.who, entry.what, entry.note) == (owner, "mining.started", f"Run {run.number}")


def test_nothing_is_counted_before_a_batch_is_sealed(survey: Survey, owner: Person) -> None:
    empty = sealed.survey(owner, sealed.small_design(), [])
    with pytest.raises(NotAllowed, match=r"No answers can be counted yet.* when 50 have come.* at least 20"):
        run_start.start_mining_run(empty, owner, WANTED, NOW)
    draft = Survey.objects.create(owner=owner, draft=drafts.complete())
    with pytest.raises(NotAllowed, match="Open the survey first"):
        run_start.start_mining_run(draft, owner, WANTED, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    with pytest.raises(NotAllowed, match="have been deleted"):
        run_start.start_mining_run(survey, owner, WANTED, NOW)
    assert not Run.objects.exists()


def test_a_threshold_outside_its_range_is_refused_by_name(subtests: pytest.Subtests) -> None:
    for name, threshold in product(["min_support", "min_confidence"], [0.0, -0.1, 1.0001, float("nan")]):
        wanted: Any = {"min_support": 0.1, "min_confidence": 0.5, name: threshold}
        with (
            subtests.test(f"{name} {threshold}"),
            pytest.raises(InputError, match=f"{name}: must be above 0 and at most 1"),
        ):
            Parameters(**wanted)


def test_a_run_that_is_on_its_way_is_not_started_twice(survey: Survey, owner: Person) -> None:
    run = run_start.start_mining_run(survey, owner, WANTED, NOW)
    with pytest.raises(NotAllowed, match="on its way already"):
        run_start.start_mining_run(survey, owner, WANTED, NOW)
    run_start.start_mining_run(survey, owner, replace(WANTED, min_support=0.2), NOW)
    job_state_changes.cancel(run, NOW)
    run_start.start_mining_run(survey, owner, WANTED, NOW)
    assert Run.objects.count() == 3
    sealed.seal(survey, 100)
    later = run_start.start_mining_run(survey, owner, WANTED, NOW)
    assert (later.through, later.records) == (3, 700)


@pytest.mark.at_push(1)
@pytest.mark.page
@pytest.mark.parametrize("kept", [True, False], ids=["from the histogram", "from the records"])
def test_a_repetition_gives_the_same_digits(survey: Survey, owner: Person, ran: Ran, kept: bool) -> None:
    for _ in range(6):
        sealed.seal(survey, 50)
    first = ran()
    before = stored_result_bytes(first)
    for _ in range(8):
        sealed.seal(survey, 60)
    find_copies_in_new_batches(NOW)
    assert merging.reduce_batches_by_merging(survey.pk) == 14
    assert list(Batch.objects.values_list("last", flat=True).order_by("last")) == [8, 16]
    if not kept:
        Histogram.objects.all().delete()
    again = sealed.work(run_start.repeat_run(first, owner, NOW))
    assert (again.through, again.records) == (8, 900)
    assert again.digest == first.digest
    assert stored_result_bytes(again) == before
    assert len(before) > 20


def stored_result_bytes(run: Run) -> list[bytes]:
    """All that is stored of a run's results, but for ids."""
    rows = [row[4:] for row in [*run.itemsets.values_list(), *run.rules.values_list()]]
    return [repr(row).encode() for row in rows] + [repr(run.findings).encode()]


@pytest.mark.page
def test_other_records_give_another_digest(survey: Survey, ran: Ran) -> None:
    first = ran()
    sealed.seal(survey, 100)
    assert ran().digest != first.digest


def test_a_design_whose_verdict_cannot_be_counted_in_time_is_refused_with_a_way_out(owner: Person) -> None:
    """60 questions make 36,050 sets of up to three, and 1,830 of up to two."""
    plain = [sealed.plain(f"p{number}", "no", "yes") for number in range(60)]
    survey = sealed.survey(owner, sealed.make_design(*plain, sealed.section("theft", "lie")), [])
    wanted = Parameters(0.1, 0.3)
    said = run_start.too_many_sets_text(survey, wanted)
    assert "60 questions that are not disguised make 36,050 sets" in said
    assert run_start.too_many_sets_text(survey, replace(wanted, max_size=2)) == ""


def test_a_digest_hashes_the_numbers_in_the_order_that_earlier_digests_did() -> None:
    assert " ".join(Itemset.float_fields()) == (
        "observed support se low high low_listed high_listed pooled expected_w share_shown low_shown high_shown"
    )
    assert " ".join(Rule.float_fields()) == (
        "antecedent_support antecedent_low antecedent_high consequent_support consequent_low consequent_high "
        "support confidence confidence_low confidence_high confidence_low_listed confidence_high_listed converse "
        "converse_low converse_high converse_low_listed converse_high_listed lift lift_low lift_high "
        "lift_low_listed lift_high_listed p q"
    )


def leave_a_gap() -> None:
    """As a crash of PostgreSQL does, which takes 33 numbers in advance."""
    last = Run.objects.order_by("-pk").values_list("pk", flat=True)[0]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE sqlite_sequence SET seq = %s WHERE name = 'jobs_job'", [last + 33])


@pytest.mark.page
def test_each_survey_counts_its_runs_from_one(survey: Survey, owner: Person, ran: Ran) -> None:
    other = sealed.survey(owner, sealed.small_design(), [300])
    numbers = []
    for of in (survey, other, survey, survey, other):
        run = ran(of)
        numbers.append(run.number)
        leave_a_gap()
    assert numbers == [1, 1, 2, 3, 2]
    assert Run.objects.latest("pk").pk > 100
    again = run_start.repeat_run(run, owner, NOW)
    assert (again.number, str(again)) == (3, "Run 3")
    given = {"created": NOW, "queued": NOW, "parameters": {}}
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(survey=survey, number=3, through=1, records=1, **given)


@pytest.mark.page
def test_pages_letters_and_files_say_the_number_and_addresses_the_key(
    survey: Survey, ran: Ran, reading: Client, superuser: Person, client: Client
) -> None:
    ran()
    leave_a_gap()
    run = ran()
    assert (run.number, run.get_absolute_url()) == (2, f"/app/runs/{run.pk}/")
    page = reading.get(run.get_absolute_url()).content.decode()
    assert "Run 2" in page
    assert f"Run {run.pk}" not in page
    assert build_content.build_report_head(run).run == 2
    assert FrontTest(run=run).title() == "How often Run 2 would say something false"
    # Where runs of all surveys stand together they are told apart.
    assert run.title_among_all() == f"Run 2 of “{survey}”"
    client.force_login(superuser, "django.contrib.auth.backends.ModelBackend")
    Run.objects.update(created=NOW + timedelta(days=1))
    assert f"Run 2 of “{survey}”" in client.get("/app/jobs/").content.decode()


def test_the_text_of_each_itemset_is_that_of_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Built for all rows at once, the same as one by one."""
    itemsets = np.array([[0, NONE, NONE], [3, 12, NONE], [0, 7, 140], [NONE, 7, NONE]], np.int32)
    texts = [items_as_text(number for number in row if number != NONE) for row in itemsets.tolist()]
    monkeypatch.delattr(result_row_conversion, "items_as_text")
    assert itemset_texts(itemsets) == texts == [" 0 ", " 3 12 ", " 0 7 140 ", " 7 "]
    assert [*map(item_numbers, texts)] == [(0,), (3, 12), (0, 7, 140), (7,)]
    assert itemset_texts(itemsets[:0]) == []
