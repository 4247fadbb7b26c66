from itertools import combinations

import numpy as np
import pytest

from accounts.models import Person
from intake.batches import batch_reader
from intake.models import Batch
from mining.counting import make_counter
from mining.itemsets import itemset_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import Query
from mining.reconstruction import reconstruct, supports
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch
from runs import result_reading_permissions
from runs.pages import itemset_and_error_forecast
from runs.run_records import NumpyCounter, first_records, sample_counter
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran

pytestmark = pytest.mark.page
ANY = Parameters(min_support=1, min_confidence=1)


def test_a_forecast_over_few_records_is_roughly_what_runs_find(survey: Survey, ran: Ran) -> None:
    """Two ages and four times *yes*: every combination of up to three of them, of different questions, by itself."""
    items = [(0, 0), (0, 1), *((question, 1) for question in range(1, 5))]
    every = [
        itemset
        for size in (1, 2, 3)
        for itemset in combinations(items, size)
        if len({question for question, _code in itemset}) == size
    ]
    columns = [batch.columns for batch in batch_reader.read_batches(survey, 2)]
    shares = reconstruct(make_counter(sealed.small(), columns), every).support
    expected = {one.threshold: one for one in itemset_and_error_forecast.forecast(survey, ANY)}
    assert list(expected) == list(result_reading_permissions.THRESHOLDS)
    for threshold, told in ((0.02, 40), (0.1, 20), (0.3, 0)):
        found = ran(min_support=threshold, max_size=3).itemset_count
        assert found == (shares >= threshold).sum()
        assert (expected[threshold].itemsets, expected[threshold].more) == (told, False)


def test_a_forecast_pays_for_no_evidence(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    before = itemset_and_error_forecast.forecast(survey, ANY)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a forecast asked for evidence")

    monkeypatch.setattr(supports, "support_intervals", refuse)
    monkeypatch.setattr(itemset_intervals, "support_intervals", refuse)
    assert itemset_and_error_forecast.forecast(survey, ANY) == before


def test_a_forecast_looks_into_the_histogram_where_one_is_kept(survey: Survey, ran: Ran) -> None:
    before = itemset_and_error_forecast.forecast(survey, ANY)
    ran()
    Batch.objects.update(columns=b"unreadable")
    assert itemset_and_error_forecast.forecast(survey, ANY) == before


def test_where_there_are_too_many_candidates_it_says_more_than(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(itemset_and_error_forecast, "MOST", 100)
    found = itemset_and_error_forecast.forecast(sealed.survey(owner, sealed.large(), [4000]), ANY)
    assert found[0].more
    assert not found[-1].more
    assert [one.itemsets for one in found] == sorted((one.itemsets for one in found), reverse=True)


def test_fewer_than_ten_are_not_told_apart() -> None:
    for more in (True, False):
        told = [itemset_and_error_forecast.make_monotone([(0.5, number, more)]) for number in range(10)]
        assert told == [[itemset_and_error_forecast.Forecast(0.5, 0, more)]] * 10


def test_a_lower_threshold_never_gives_fewer_than_a_higher_one() -> None:
    found = [
        (0.01, 3_000, True),
        (0.05, 2_400, True),
        (0.2, 2_000, True),
        (0.3, 8_100, False),
        (0.5, 12, False),
    ]
    assert [
        (one.threshold, one.itemsets, one.more) for one in itemset_and_error_forecast.make_monotone(found)
    ] == [(0.01, 8_000, True), (0.05, 8_000, True), (0.2, 8_000, True), (0.3, 8_000, False), (0.5, 10, False)]


def test_wherever_searches_are_cut_short_the_numbers_fall(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = sealed.survey(owner, sealed.large(), [500])
    for most in (10, 60, 500):
        monkeypatch.setattr(itemset_and_error_forecast, "MOST", most)
        found = itemset_and_error_forecast.forecast(survey, ANY)
        assert [one.itemsets for one in found] == sorted((one.itemsets for one in found), reverse=True)
        assert [one.more for one in found] == sorted((one.more for one in found), reverse=True)


def test_before_anything_is_sealed_nothing_is_expected(owner: Person) -> None:
    assert itemset_and_error_forecast.forecast(sealed.survey(owner, sealed.small(), []), ANY) == []


def test_a_sample_has_as_many_records_as_asked_and_no_more_batches_than_needed(survey: Survey) -> None:
    assert sum(sample_counter(survey, sealed.small(), 2, 350).n) == 350
    assert sum(sample_counter(survey, sealed.small(), 2, 10_000).n) == 600


def test_of_the_last_batch_a_sample_has_as_many_open_records_as_their_share() -> None:
    form, group = sealed.small(), np.repeat([0, 1], [60, 40]).astype(np.uint8)
    batch = columns_from_bytes(form, pack_batch(form, group, np.zeros((len(form.questions), 100), np.uint8)))
    sizes = [
        [(part.n, int(np.bitwise_count(part.disguised).sum())) for part in first_records([batch, batch], n)]
        for n in (50, 100, 110)
    ]
    assert sizes == [[(50, 20)], [(100, 40)], [(100, 40), (10, 4)]]


def test_records_are_counted_without_the_compiled_loop_too(owner: Person) -> None:
    survey = sealed.survey(owner, sealed.large(), [100, 170])
    design = sealed.large()
    columns = [batch.columns for batch in batch_reader.read_batches(survey, 2)]
    queries = [
        Query(),
        Query(((0, 1),)),
        Query(((3, 1), (5, 0))),
        Query(((12, 1),), asked=(12, 14)),
        Query(asked=(11, 15), applies=(11, 15)),
        Query(((0, 0), (4, 1), (13, 0))),
    ]
    plain, fast = NumpyCounter(design, columns), make_counter(design, columns)
    assert plain.n == fast.n
    assert np.array_equal(plain.count(queries), fast.count(queries))


def test_scores_are_added_up_without_the_compiled_loop_too(owner: Person) -> None:
    """Numbers have no histogram, so their forecast is one of the first records."""
    survey, design = (
        sealed.numbers_survey(owner, sealed.small_numbers(), [100, 170]),
        sealed.small_numbers().mined,
    )
    columns = [batch.columns for batch in batch_reader.read_batches(survey, 2)]
    plain, fast = NumpyCounter(design, columns), make_counter(design, columns)
    numbering = plain.column_numbering.numbering
    items = [numbering.item(number) for number in range(len(numbering.question))]
    pairs = [pair for pair in combinations(items, 2) if pair[0][0] != pair[1][0]]
    queries = [Query((item,)) for item in items] + [Query(pair) for pair in pairs]
    assert np.array_equal(plain.count(queries), fast.count(queries))
    assert itemset_and_error_forecast.forecast(survey, Parameters(0.1, 0.5))
