"""What is kept of a count for later runs, how many itemsets and which errors a run will have, and what a run pins."""

from itertools import combinations
from typing import NoReturn

import numpy as np
import pytest

from accounts.models import Person
from intake.batches import sealed_batch_reader
from intake.models import Batch, Sweep
from mining.counting import make_counter
from mining.itemsets import itemset_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import Query
from mining.reconstruction import reconstruct_supports, supports
from privacy.records.batch_bit_columns import columns_from_bytes, pack_batch
from runs import result_reading_permissions, result_storage, run_start
from runs.copied_record_detection import find_copies_in_new_batches
from runs.models import Histogram, Itemset, Rule, Run
from runs.pages import itemset_and_error_forecast
from runs.run_records import NumpyCounter, sample_counter, take_records_from_first_batches
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
ANY = Parameters(min_support=1, min_confidence=1)


def forecast(survey: Survey, *, with_plain: bool = True) -> list[itemset_and_error_forecast.Forecast]:
    return itemset_and_error_forecast.forecast(survey, ANY, with_plain=with_plain)


def test_a_histogram_is_read_instead_of_records(survey: Survey, owner: Person, ran: Ran) -> None:
    ran()
    sealed.seal(survey, 40)
    ran()
    Batch.objects.filter(survey=survey).update(columns=b"unreadable")
    other = ran(min_support=0.2)
    assert other.state == "done"
    assert (other.itemset_count or 0) > 0
    # Too many questions leave none.
    ran(sealed.survey(owner, sealed.large_design(), [100]), min_support=0.5)
    kept = Histogram.objects.order_by("through").values_list("survey", "through")
    assert list(kept) == [(survey.pk, 2), (survey.pk, 3)]


@pytest.mark.at_push(1)
@pytest.mark.parametrize("spoiled", [b"", b"other bytes", None], ids=["empty", "other", "cut short"])
def test_unreadable_histogram_is_counted_again(survey: Survey, ran: Ran, spoiled: bytes | None) -> None:
    first = ran()
    row = Histogram.objects.get()
    good = bytes(row.data)
    row.data = good[:-9] if spoiled is None else spoiled
    row.save()
    again = ran()
    assert (again.state, again.digest) == ("done", first.digest)
    assert bytes(Histogram.objects.get().data) == good


def test_a_forecast_looks_into_the_histogram(survey: Survey, ran: Ran) -> None:
    before = forecast(survey)
    ran()
    kept = bytes(Histogram.objects.get().data)
    Histogram.objects.update(data=b"other bytes")
    assert forecast(survey) == before
    Histogram.objects.update(data=kept)
    Batch.objects.update(columns=b"unreadable")
    assert forecast(survey) == before


def test_every_run_keeps_its_last_batch_from_being_merged_across(
    survey: Survey, owner: Person, stranger: Person
) -> None:
    wanted = Parameters(min_support=0.1, min_confidence=0.5)
    run_start.start_mining_run(survey, owner, wanted, NOW)
    sealed.seal(survey, 40)
    run_start.start_mining_run(survey, owner, wanted, NOW)
    run_start.start_mining_run(
        sealed.survey(stranger, sealed.small_design(), [50] * 5), stranger, wanted, NOW
    )
    assert result_storage.last_batches_of_runs(survey.pk) == {2, 3}
    find_copies_in_new_batches(NOW)
    assert sealed_batch_reader.merge_boundary_batches(survey.pk) == {2, 3}


def test_all_that_was_counted_is_destroyed_with_the_batches(survey: Survey, owner: Person, ran: Ran) -> None:
    ran()
    run_start.start_mining_run(survey, owner, Parameters(min_support=0.3, min_confidence=0.5), NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    for model in (Run, Histogram, Itemset, Rule, Batch):
        assert not model._base_manager.exists(), model
    # Their bytes are overwritten by whoever sweeps after the batches.
    swept = set(Sweep.objects.values_list("table", flat=True))
    assert {"runs_histogram", "jobs_job", "runs_run", "intake_batch"} <= swept


def test_a_forecast_over_few_records_is_roughly_what_runs_find(survey: Survey, ran: Ran) -> None:
    """Two ages and four times *yes*: every combination of up to three of them, of different questions, by itself."""
    items = [(0, 0), (0, 1), *((question, 1) for question in range(1, 5))]
    every = [
        itemset
        for size in (1, 2, 3)
        for itemset in combinations(items, size)
        if len({question for question, _code in itemset}) == size
    ]
    columns = sealed.columns(survey)
    shares = reconstruct_supports(make_counter(sealed.small_design(), columns), every).support
    expected = {one.threshold: one for one in forecast(survey)}
    assert list(expected) == list(result_reading_permissions.THRESHOLDS)
    for threshold, told in ((0.02, 40), (0.1, 20), (0.3, 0)):
        found = ran(min_support=threshold, max_size=3).itemset_count
        assert found == (shares >= threshold).sum()
        assert (expected[threshold].itemsets, expected[threshold].more) == (told, False)


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a forecast asked which plain answers a run may disclose, or for evidence")


def test_a_forecast_pays_for_no_evidence_and_for_everybody_counts_disguised_answers_alone(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise one more person in a class of nine, which a run may then disclose, would show in it."""
    whole = forecast(survey)
    monkeypatch.setattr(supports, "support_intervals", refuse)
    monkeypatch.setattr(itemset_intervals, "support_intervals", refuse)
    assert forecast(survey) == whole
    monkeypatch.setattr(itemset_and_error_forecast, "decide_disclosable_tables", refuse)
    disguised = forecast(survey, with_plain=False)
    assert 0 < disguised[0].itemsets < whole[0].itemsets


def test_forecast_cut_short_says_more_than(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    assert forecast(sealed.survey(owner, sealed.small_design(), [])) == []
    for n, most in ((500, 10), (500, 60), (500, 500), (4000, 100)):
        monkeypatch.setattr(itemset_and_error_forecast, "MOST", most)
        found = forecast(sealed.survey(owner, sealed.large_design(), [n]))
        assert [one.itemsets for one in found] == sorted((one.itemsets for one in found), reverse=True)
        assert [one.more for one in found] == sorted((one.more for one in found), reverse=True)
    assert (found[0].more, found[-1].more) == (True, False)


def test_fewer_than_ten_are_not_told_apart_and_a_lower_threshold_never_gives_fewer() -> None:
    for more in (True, False):
        told = [itemset_and_error_forecast.make_monotone([(0.5, number, more)]) for number in range(10)]
        assert told == [[itemset_and_error_forecast.Forecast(0.5, 0, more)]] * 10
    thresholds, more_of = (0.01, 0.05, 0.2, 0.3, 0.5), (True, True, True, False, False)
    found = zip(thresholds, (3_000, 2_400, 2_000, 8_100, 12), more_of, strict=True)
    expected = zip(thresholds, (*(8_000,) * 4, 10), more_of, strict=True)
    forecasts = [itemset_and_error_forecast.Forecast(*row) for row in expected]
    assert itemset_and_error_forecast.make_monotone(list(found)) == forecasts


def test_a_sample_has_as_many_records_and_open_ones_as_asked(survey: Survey) -> None:
    assert sum(sample_counter(survey, sealed.small_design(), 2, 350).n) == 350
    assert sum(sample_counter(survey, sealed.small_design(), 2, 10_000).n) == 600
    # Of the last batch it has as many open records as their share.
    form, group = sealed.small_design(), np.repeat([0, 1], [60, 40]).astype(np.uint8)
    batch = columns_from_bytes(form, pack_batch(form, group, np.zeros((len(form.questions), 100), np.uint8)))
    for n, sizes in ((50, [(50, 20)]), (100, [(100, 40)]), (110, [(100, 40), (10, 4)])):
        parts = take_records_from_first_batches([batch, batch], n)
        assert [(part.n, int(np.bitwise_count(part.disguised).sum())) for part in parts] == sizes


def test_records_and_scores_are_counted_without_the_compiled_loop_too(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.large_design(), [100, 170])
    design = sealed.large_design()
    columns = sealed.columns(survey)
    queries = [Query(), Query(((0, 1),)), Query(((3, 1), (5, 0))), Query(((0, 0), (4, 1), (13, 0)))]
    queries += [Query(((12, 1),), asked=(12, 14)), Query(asked=(11, 15), applies=(11, 15))]
    plain, fast = NumpyCounter(design, columns), make_counter(design, columns)
    assert plain.n == fast.n
    assert np.array_equal(plain.count(queries), fast.count(queries))
    # Numbers have no histogram, so their forecast is one of the first records.
    survey = sealed.numbers_survey(owner, sealed.small_numbers(), [100, 170])
    design = sealed.small_numbers().mined
    columns = sealed.columns(survey)
    plain, fast = NumpyCounter(design, columns), make_counter(design, columns)
    numbering = plain.column_numbering.numbering
    items = [numbering.item(number) for number in range(len(numbering.question))]
    pairs = [pair for pair in combinations(items, 2) if pair[0][0] != pair[1][0]]
    queries = [Query((item,)) for item in items] + [Query(pair) for pair in pairs]
    assert np.array_equal(plain.count(queries), fast.count(queries))
    assert itemset_and_error_forecast.forecast(survey, Parameters(0.1, 0.5), with_plain=True)
