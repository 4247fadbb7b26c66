"""With `exact` the engine that counts and the literal road through mlxtend come to the same."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counting import SummedCounter, make_counter
from mining.counting.bitmap_counter import BitmapCounter
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine, mlxtend_engine
from mining.engines.candor_engine import MiningResult
from mining.engines.record_table_and_inversion import RecordTable, estimate_support
from mining.itemsets.frequent import Frequent, ignore_progress
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Counter
from mining.reconstruction import ESTIMATORS, CachedCounter
from mining.reconstruction.supports import COLUMNS, Estimator
from mining.rules import Rules
from mining.rules.rules_from_frequent_itemsets import Splits
from privacy.designs import InputError
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.mining.listed import Listed, as_mined, assert_same_columns, at_night, pack, stepped_up
from tests.mining.strategies import Answered, survey_answered, surveys
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof
parameters = st.builds(
    Parameters,
    min_support=st.sampled_from([0.02, 0.1, 0.25, 0.4]),
    min_confidence=st.sampled_from([0.1, 0.5, 0.8]),
    estimator=st.sampled_from(["stratified", "pooled", "combined"]),
    exact=st.just(True),
    max_size=st.integers(1, 4),
    absences=st.booleans(),
    most=st.sampled_from([20, 300]),
)
runs = given(surveys(), parameters, st.booleans())


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@runs
def test_both_engines_agree(survey: Answered, wanted: Parameters, withhold: bool) -> None:
    """As a run asks them; the measures that are not stored are compared below."""
    records = survey.records(withhold=withhold)
    counter = records.counter()
    ours = candor_engine.mine_rules(counter, wanted)
    theirs = mlxtend_engine.mine_rules_by_mlxtend(records, counter, wanted)
    same_itemsets(ours.frequent, theirs.frequent)
    divided = well_divided(ours.rules)
    for name in ("antecedent_support", "consequent_support", "share", "confidence"):
        assert_nearly_equal(ours.rules[name][divided], theirs.rules[name][divided])


@pytest.mark.night
@settings(suppress_health_check=list(HealthCheck))
@runs
def test_both_engines_agree_on_many_surveys(survey: Answered, wanted: Parameters, withhold: bool) -> None:
    assert_agreement(survey, wanted, withhold)


@settings(suppress_health_check=list(HealthCheck))
@given(surveys(), parameters, st.booleans(), st.booleans())
def test_rule_sides_have_the_supports_of_rules(
    survey: Answered, wanted: Parameters, withhold: bool, exact: bool
) -> None:
    known = CachedCounter(survey.records(withhold=withhold).counter())
    wanted = replace(wanted, exact=exact)
    rules = candor_engine.mine_rules(known, wanted).rules
    sides = {rules.sides(row) for row in range(len(rules))}
    assert candor_engine.find_reported_rule_sides(known, wanted) == sides


@pytest.mark.at_push(3)
@pytest.mark.parametrize("estimator", ["stratified", "pooled", "combined"])
@pytest.mark.parametrize("seed", range(2))
def test_both_engines_agree_on_joined_plain_and_sensitive_items(seed: int, estimator: Estimator) -> None:
    # Little noise, and half answer openly: they alone would lift many pairs over the least count.
    survey = design(
        plain({"name": "age", "choices": ["young", "old"]}),
        sensitive("0.9", *(question(name, "0.9", "0.1") for name in ("theft", "drugs"))),
    )
    wanted = Parameters(0.25, 0.1, estimator=estimator, exact=True)
    for withhold in (False, True):
        assert_agreement(survey_answered(survey, 400, 0.5, seed), wanted, withhold)


@pytest.mark.night
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@runs
def test_default_pruning_finds_nothing_else(survey: Answered, wanted: Parameters, withhold: bool) -> None:
    counter = survey.records(withhold=withhold).counter()
    exact = candor_engine.mine_rules(counter, replace(wanted, most=10_000))
    pruned = candor_engine.mine_rules(counter, replace(wanted, most=10_000, exact=False))
    assert itemsets(pruned) <= itemsets(exact)


@pytest.mark.parametrize("of", [*at_night([(8, "0.5", 1000, 46)]), (5, "0.2", 100, 3)])
def test_rules_with_an_antecedent_of_support_zero_are_dropped(of: tuple[int, str, int, int]) -> None:
    # With noise of a half and n disguised records a quarter of n says so often: then the estimate is 0 itself. In
    # surveys of these seeds it is.
    few = rare_answers(*of)
    assert itemsets_with_nothing(few, Parameters(0.02, 0.1, exact=True))
    assert_agreement(few, Parameters(0.02, 0.1, exact=True, absences=True), withhold=False)


def itemsets_with_nothing(survey: Answered, wanted: Parameters) -> int:
    """How many itemsets with an item whose support is estimated at 0 both engines find."""
    records = survey.records()
    counter = records.counter()
    table, known = RecordTable.from_records(records), CachedCounter(counter)
    met = 0
    for row in candor_engine.mine_rules(counter, wanted).frequent.itemsets.tolist():
        items = tuple(known.numbering.item(number) for number in row if number != NONE)
        asked = table.records_asked(items)
        supports = [estimate_support(table, (item,), asked, "stratified") for item in items]
        met += len(items) > 1 and min(map(abs, supports)) < 1e-9
    return met


def test_both_engines_count_jointly_frequent_itemsets_into_the_family() -> None:
    records = rare_answers(6, "0.5", 1_000, 1, share=0.18, asked=3).records()
    counter = records.counter()
    wanted = Parameters(0.2, 0.3, exact=True)
    ours = candor_engine.mine_rules(counter, wanted)
    for found in (ours, mlxtend_engine.mine_rules_by_mlxtend(records, counter, wanted)):
        assert itemsets(found) == {(7,), (1, 9), (1, 7, 9)}
        # Three items make three pairs and three splits of all; what is not listed counts as p = 1.
        p, q = found.rules.splits.p, found.rules.splits.q
        assert found.rules.splits.is_larger.tolist() == [False, True, True, True]
        assert q[:1] == pytest.approx(stepped_up(p[:1].tolist(), 3))
        assert q[1:] == pytest.approx(stepped_up(p[1:].tolist(), 3))
        assert (found.rules["q"] >= found.rules["p"]).all()


def rare_answers(questions: int, keep: str, n: int, seed: int, share: float = 0.03, **more: int) -> Answered:
    """Answers of about 3 %, each by itself, disguised by noise of a half."""
    asks = design(sensitive(keep, *(question(f"q{place}", *HALF) for place in range(questions)), **more))
    rng = np.random.default_rng(seed)
    people = Independent(((1 - share, share),) * questions)
    group, truth = Population(people, people, 0.0).draw(asks, n, rng)
    return Answered(asks, group, truth, disguise(asks, group, truth, rng))


def assert_agreement(survey: Answered, wanted: Parameters, withhold: bool) -> None:
    records = survey.records(withhold=withhold)
    counter = records.counter()
    ours = candor_engine.mine_rules(counter, wanted)
    of = RecordTable.from_records(records), CachedCounter(counter)
    road = mlxtend_engine.MlxtendSearch(*of, wanted, Verdict(counter.design))
    theirs = road.find_itemsets(ignore_progress)
    same_itemsets(ours.frequent, theirs)
    measured = road.rule_measures(theirs)
    sides = [tuple(map(frozenset, ours.rules.sides(row))) for row in range(len(ours.rules))]
    assert set(sides) == set(measured)
    divided = well_divided(ours.rules)
    for at, name in enumerate(mlxtend_engine.MEASURES):
        mlxtends = np.array([measured[side][at] for side in sides])  # type: ignore[index]
        # What mlxtend is given as supports are shares of E(S).
        values = ours.rules["share" if name == "support" else name.replace(" ", "_")]
        if name == "conviction":
            # Where nobody contradicts the rule, or noise puts the confidence outside [0, 1], ours is null.
            mlxtends = np.where(np.isnan(values), np.nan, mlxtends)
        assert_nearly_equal(values[divided], mlxtends[divided])


def same_itemsets(ours: Frequent, theirs: Frequent) -> None:
    assert ours.itemsets.tolist() == theirs.itemsets.tolist()
    assert ours.levels == theirs.levels
    assert ours.stopped == theirs.stopped
    assert ours.supports.base.tolist() == theirs.supports.base.tolist()
    for name in ("support", "pooled", "observed"):
        assert_nearly_equal(getattr(ours.supports, name), getattr(theirs.supports, name))


def well_divided(rules: Rules) -> np.ndarray:
    """Where no measure divides by what would be nothing but for rounding."""
    a, c, s = rules["antecedent_support"], rules["consequent_support"], rules["share"]
    below = (a, c, 1 - c, a - s, a + c - s, np.maximum(s * (1 - a), a * (c - s)))
    return np.asarray(np.min(np.abs(below), axis=0, initial=1.0) > 1e-6)


def assert_nearly_equal(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def itemsets(found: MiningResult) -> set[tuple[int, ...]]:
    return {tuple(number for number in row if number != NONE) for row in found.frequent.itemsets.tolist()}


def test_disagreeing_engines_report_nothing_but_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    few = rare_answers(5, "0.2", 100, 0)
    records = few.records()
    counter = records.counter()
    monkeypatch.setattr(mlxtend_engine.MlxtendSearch, "rule_measures", lambda _search, _found: {})
    with pytest.raises(InputError, match=r"^engine: Candor and mlxtend make different rules of the same"):
        mlxtend_engine.mine_rules_by_mlxtend(records, counter, Parameters(0.02, 0.1))


def assert_same(one: MiningResult, other: MiningResult) -> None:
    assert (one.frequent.levels, one.frequent.stopped) == (other.frequent.levels, other.frequent.stopped)
    columns = {column.name for column in fields(Splits)} - {"intervals"}
    for first, second, names in (
        (one.frequent.supports, other.frequent.supports, COLUMNS),
        (one.rules, other.rules, ("split", "side", "under")),
        (one.rules.splits, other.rules.splits, (*columns, "interval_ends", "base_rate_ends")),
    ):
        assert_same_columns(first, second, names)


def count_part_of_rows(survey: Answered, rows: slice) -> Counter:
    columns = pack(survey.design, survey.group[rows], survey.codes[:, rows])
    return make_counter(survey.design.mined, [columns])


@pytest.mark.night
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(surveys(), parameters, st.integers(1, 58))
def test_counters_of_parts_match_one_counter(survey: Answered, wanted: Parameters, at: int) -> None:
    """To the last digit: only counts travel."""
    parts = [
        count_part_of_rows(survey, slice(at)),
        count_part_of_rows(survey, slice(at, at + 1)),
        count_part_of_rows(survey, slice(at + 1, None)),
    ]
    whole = candor_engine.mine_rules(count_part_of_rows(survey, slice(None)), wanted)
    assert_same(whole, candor_engine.mine_rules(SummedCounter(survey.design.mined, parts), wanted))


def test_rules_of_many_parts_match_one_counter() -> None:
    asks = design(
        plain(WORK),
        sensitive("0.5", *(question(name, *HALF, **IF_EMPLOYED) for name in ("theft", "drugs"))),
        sensitive("0.7", *(question(name, "0.6", "0.4") for name in "abc"), asked=2),
    )
    survey = survey_answered(asks, 1_500, 0.3, 8)
    parts = [count_part_of_rows(survey, slice(start, start + 500)) for start in range(0, 1_500, 500)]
    for estimator in ESTIMATORS:
        wanted = Parameters(0.1, 0.3, estimator=estimator)
        whole = candor_engine.mine_rules(count_part_of_rows(survey, slice(None)), wanted)
        assert len(whole.rules) > 15
        assert_same(whole, candor_engine.mine_rules(SummedCounter(survey.design.mined, parts), wanted))


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(surveys(), parameters)
def test_every_counter_finds_the_same(survey: Answered, wanted: Parameters) -> None:
    columns, design = [pack(survey.design, survey.group, survey.codes)], survey.design.mined
    by_bitmaps = candor_engine.mine_rules(BitmapCounter(design, columns, False), wanted)
    listed = Listed(design, survey.group, as_mined(survey.design, survey.codes))
    for counter in (count_part_of_rows(survey, slice(None)), listed):
        assert_same(by_bitmaps, candor_engine.mine_rules(counter, wanted))
