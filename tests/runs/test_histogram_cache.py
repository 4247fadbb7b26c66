import pytest

from accounts.models import Person
from intake.batches import batch_reader
from intake.models import Batch, Sweep
from mining.parameters import Parameters
from runs import result_storage, run_start
from runs.copied_record_detection import examine_waiting_batches
from runs.models import Histogram, Itemset, Rule, Run
from runs.pages import itemset_and_error_forecast
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
WANTED = Parameters(min_support=0.1, min_confidence=0.5)


def test_a_second_run_with_other_thresholds_reads_no_record(survey: Survey, ran: Ran) -> None:
    ran()
    Batch.objects.filter(survey=survey).update(columns=b"unreadable")
    other = ran(min_support=0.2)
    assert other.state == "done"
    assert (other.itemset_count or 0) > 0


@pytest.mark.parametrize(
    "spoiled",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"other bytes", id="other", marks=pytest.mark.night),
        pytest.param(None, id="cut short", marks=pytest.mark.night),
    ],
)
def test_a_histogram_that_cannot_be_read_is_counted_anew_and_kept_instead(
    survey: Survey, ran: Ran, spoiled: bytes | None
) -> None:
    first = ran()
    row = Histogram.objects.get()
    good = bytes(row.data)
    row.data = good[:-9] if spoiled is None else spoiled
    row.save()
    again = ran()
    assert (again.state, again.digest) == ("done", first.digest)
    assert bytes(Histogram.objects.get().data) == good


def test_a_forecast_does_without_a_histogram_that_cannot_be_read(survey: Survey, ran: Ran) -> None:
    ran()
    before = itemset_and_error_forecast.forecast(survey, WANTED)
    Histogram.objects.update(data=b"other bytes")
    assert itemset_and_error_forecast.forecast(survey, WANTED) == before


def test_too_many_questions_leave_no_histogram(owner: Person, ran: Ran) -> None:
    ran(sealed.survey(owner, sealed.large(), [100]), min_support=0.5)
    assert not Histogram.objects.exists()


def test_a_histogram_is_kept_once_for_the_same_batches(survey: Survey, ran: Ran) -> None:
    ran()
    ran(min_support=0.2)
    sealed.seal(survey, 40)
    ran()
    assert list(Histogram.objects.order_by("through").values_list("survey", "through")) == [
        (survey.pk, 2),
        (survey.pk, 3),
    ]


def test_every_run_keeps_its_last_batch_from_being_merged_across(
    survey: Survey, owner: Person, stranger: Person
) -> None:
    wanted = Parameters(min_support=0.1, min_confidence=0.5)
    run_start.start(survey, owner, wanted, NOW)
    sealed.seal(survey, 40)
    run_start.start(survey, owner, wanted, NOW)
    run_start.start(sealed.survey(stranger, sealed.small(), [50] * 5), stranger, wanted, NOW)
    assert result_storage.pinned_batches(survey.pk) == {2, 3}
    examine_waiting_batches(NOW)
    assert batch_reader.pinned_batches(survey.pk) == {2, 3}


def test_all_that_was_counted_is_destroyed_with_the_batches(survey: Survey, owner: Person, ran: Ran) -> None:
    ran()
    run_start.start(survey, owner, Parameters(min_support=0.3, min_confidence=0.5), NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    for model in (Run, Histogram, Itemset, Rule, Batch):
        assert not model._base_manager.exists(), model
    # Their bytes are overwritten by whoever sweeps after the batches.
    assert {"runs_histogram", "jobs_job", "runs_run", "intake_batch"} <= set(
        Sweep.objects.values_list("table", flat=True)
    )
