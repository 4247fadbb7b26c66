"""However records are counted, in one go or in parts, by bitmaps or a histogram, a search finds the same."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counting import SummedCounter, make_counter
from mining.counting.bitmaps import BitmapCounter
from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.parameters import Parameters
from mining.queries_and_counters import Counter
from mining.reconstruction.supports import COLUMNS, Estimator
from mining.rules.table import Splits
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch
from tests.mining.counting.by_hand import mined
from tests.mining.engines.test_agreement import parameters
from tests.mining.listed import Listed
from tests.mining.strategies import Answered, survey_answered, surveys
from tests.privacy import questionnaires

pytestmark = pytest.mark.proof


def part(survey: Answered, rows: slice) -> Counter:
    columns = columns_from_bytes(
        survey.design, pack_batch(survey.design, survey.group[rows], survey.codes[:, rows])
    )
    return make_counter(survey.design.mined, [columns])


def assert_same(one: MiningResult, other: MiningResult) -> None:
    assert one.frequent.levels == other.frequent.levels
    assert one.frequent.stopped == other.frequent.stopped
    for name in COLUMNS:
        np.testing.assert_array_equal(
            getattr(one.frequent.supports, name), getattr(other.frequent.supports, name)
        )
    for name in ("split", "side", "under"):
        np.testing.assert_array_equal(getattr(one.rules, name), getattr(other.rules, name))
    columns = {column.name for column in fields(Splits)} - {"intervals"}
    for name in (*columns, "interval_ends", "base_rate_ends"):
        np.testing.assert_array_equal(getattr(one.rules.splits, name), getattr(other.rules.splits, name))


@pytest.mark.night
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(surveys(), parameters, st.integers(1, 58))
def test_counters_of_parts_find_what_one_counter_finds(survey: Answered, wanted: Parameters, at: int) -> None:
    """To the last digit: only counts travel."""
    parts = [part(survey, slice(at)), part(survey, slice(at, at + 1)), part(survey, slice(at + 1, None))]
    whole = candor_engine.mine_rules(part(survey, slice(None)), wanted)
    assert_same(whole, candor_engine.mine_rules(SummedCounter(survey.design.mined, parts), wanted))


def test_many_rules_of_parts_are_those_of_one_counter(subtests: pytest.Subtests) -> None:
    cases: list[Estimator] = ["stratified", "pooled", "combined"]
    for estimator in cases:
        with subtests.test(f"{estimator!r:.60}"):
            shown = {"show_if": {"work": ["employed"]}}
            survey = survey_answered(
                questionnaires.design(
                    questionnaires.plain(questionnaires.WORK),
                    questionnaires.sensitive(
                        "0.5",
                        *(
                            questionnaires.question(name, "0.5", "0.5", **shown)
                            for name in ("theft", "drugs")
                        ),
                    ),
                    questionnaires.sensitive(
                        "0.7", *(questionnaires.question(name, "0.6", "0.4") for name in "abc"), asked=2
                    ),
                ),
                1_500,
                0.3,
                8,
            )
            wanted = Parameters(0.1, 0.3, estimator=estimator)
            whole = candor_engine.mine_rules(part(survey, slice(None)), wanted)
            assert len(whole.rules) > 15
            parts = [part(survey, slice(start, start + 500)) for start in range(0, 1_500, 500)]
            assert_same(whole, candor_engine.mine_rules(SummedCounter(survey.design.mined, parts), wanted))


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(surveys(), parameters)
def test_whoever_counts_finds_the_same(survey: Answered, wanted: Parameters) -> None:
    columns = [columns_from_bytes(survey.design, pack_batch(survey.design, survey.group, survey.codes))]
    design = survey.design.mined
    by_bitmaps = candor_engine.mine_rules(BitmapCounter(design, columns, False), wanted)
    assert_same(by_bitmaps, candor_engine.mine_rules(part(survey, slice(None)), wanted))
    as_mined = np.array([mined(survey.design, record) for record in survey.codes.T.tolist()]).T
    assert_same(by_bitmaps, candor_engine.mine_rules(Listed(design, survey.group, as_mined), wanted))
