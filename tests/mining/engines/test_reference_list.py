"""The reference list holds what a run should list, and names what faults of the search lose."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from numpy.typing import NDArray

from mining.counting import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine, mlxtend_engine, reference_list
from mining.engines.comparison import without_scores
from mining.engines.record_means import RecordBits
from mining.engines.reference_list import MissingItemsets, Reference, explain_missing, find_reference
from mining.engines.row_comparison import CheckedRows, compare_rows
from mining.itemsets import candidates, frequent
from mining.itemsets.frequent import PruneByError
from mining.parameters import Parameters
from mining.queries_and_counters import Numbers
from mining.reconstruction import CachedCounter, Supports, score_moments_by_group, supports
from mining.reconstruction.score_moments_by_group import SupportCounts
from tests.mining.engines.test_agreement import parameters
from tests.mining.engines.test_row_comparison import answer_survey
from tests.mining.strategies import Answered, survey_answered, surveys
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof
WANTED = Parameters(0.1, 0.2)


def reference(records: MinedRecords, wanted: Parameters, verdict: Verdict | None = None) -> Reference:
    bits = RecordBits.from_columns(records.design, records.complete)
    return find_reference(bits, wanted, verdict or Verdict(records.design))


def search_itemsets(
    records: MinedRecords, wanted: Parameters, verdict: Verdict | None = None
) -> tuple[set[frozenset[int]], int | None]:
    known = CachedCounter(records.counter(), without_plain=True)
    found = frequent.search_itemsets_without_intervals(known, wanted, verdict=verdict)
    listed = without_scores(found.itemsets, found.supports.support, known.numbering)
    return set(listed), found.stopped.size if found.stopped else None


def missing_itemsets(
    records: MinedRecords, wanted: Parameters, verdict: Verdict | None = None
) -> MissingItemsets:
    known = reference(records, wanted, verdict)
    listed, stopped = search_itemsets(records, wanted, verdict)
    return explain_missing(known, listed, wanted, stopped)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(surveys(), parameters, st.booleans())
def test_search_equals_the_reference_list(survey: Answered, wanted: Parameters, exact: bool) -> None:
    records, wanted = survey.records(), replace(wanted, exact=exact)
    known = reference(records, wanted)
    listed, stopped = search_itemsets(records, wanted)
    assert listed <= known.listed.keys()
    assert explain_missing(known, listed, wanted, stopped).unexplained == ()
    assert not exact or stopped or listed == known.listed.keys()


def test_only_permitted_itemsets_are_considered() -> None:
    records = answer_survey().records()
    everything = reference(records, WANTED)
    told = reference(records, WANTED, Verdict(records.design, untold=frozenset({(0,)})))
    question = Verdict(records.design).design.questions
    assert [one.name for one in question][4] == "debt"
    # Item numbers: work 0 to 2, debt the last two; a rule makes debts tell of work.
    first, last = len(question[0].choices), max(max(one) for one in everything.listed)
    assert told.listed.keys() == {
        one for one in everything.listed if min(one) >= first and max(one) < last - 1
    }
    assert told.untold > 0


def test_too_many_candidates_restrict_to_itemsets_of_frequent_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = survey_answered(
        design(sensitive("0.3", *(question(name, *HALF) for name in "abcdef"))), 200, 0.0, 1
    )
    records, wanted = survey.records(), Parameters(0.05, 0.1)
    whole = reference(records, wanted)
    monkeypatch.setattr(reference_list, "MOST_CANDIDATES", 10)
    strict = reference(records, wanted)
    assert (whole.is_whole, strict.is_whole) == (True, False)
    # Apriori on the inverted supports, by hand: every part of an itemset is in the list, too.
    assert strict.listed.keys() == {
        one
        for one in whole.listed
        if all(frozenset(part) in whole.listed for n in range(1, len(one)) for part in combinations(one, n))
    }
    assert len(strict.listed) < len(whole.listed)


def test_each_missing_itemset_has_its_cause() -> None:
    records = answer_survey().records()
    known, (listed, _stopped) = reference(records, WANTED), search_itemsets(records, WANTED)
    pairs = {one for one in listed if len(one) == 2}
    assert explain_missing(known, listed - pairs, WANTED, 2).too_large >= len(pairs)
    lost = explain_missing(known, listed - pairs, WANTED, None).unexplained
    assert {one for one, _support in lost} == pairs
    assert dict(lost) == {one: known.listed[one] for one in pairs}
    few = survey_answered(design(sensitive("0.5", question("a", *HALF))), 49, 0.0, 2).records()
    assert missing_itemsets(few, WANTED).too_few == 1


def test_itemsets_implied_by_questionnaire_rules_are_not_listed() -> None:
    asks = design(plain(WORK), sensitive("0.8", question("debt", *HALF, **IF_EMPLOYED)))
    records = survey_answered(asks, 600, 0.0, 3).records()
    known = reference(records, Parameters(0.01, 0.1))
    # Everybody who is asked of debts is employed, so nothing of both is a finding.
    employed = [choice.name for choice in records.design.questions[0].choices].index("employed")
    assert {one for one in known.listed if employed in one} == {frozenset({employed})}


# --- faults of the search


def few_survey() -> Answered:
    """With plain and sensitive questions; several itemsets of three are frequent, and some have a rarer part."""
    asks = design(
        plain(WORK),
        sensitive("0.6", *(question(name, "0.6", "0.4") for name in ("theft", "drugs", "lie")), asked=2),
        sensitive("0.7", *(question(name, *HALF) for name in ("debt", "tired"))),
    )
    return survey_answered(asks, 1_500, 0.3, 8)


def patch_all(monkeypatch: pytest.MonkeyPatch, name: str, make: Callable[[Any], Any]) -> None:
    """In the module that defines it and in all that import it, mlxtend's engine among them."""
    modules = (candidates, frequent, mlxtend_engine, supports, score_moments_by_group, candor_engine)
    for module in modules:
        if hasattr(module, name):
            monkeypatch.setattr(module, name, make(getattr(module, name)))


def lose_last_item(of: Any) -> Any:
    return lambda *args, **more: of(*args, **more)[:-1]


def keep_rows(rows: Callable[[Numbers], NDArray[np.bool_]]) -> Callable[[Any], Any]:
    """Of the next candidates."""

    def make_faulty(of: Any) -> Any:
        def call_and_drop_rows(*args: Any, **more: Any) -> Numbers | None:
            found = of(*args, **more)
            return None if found is None else found[rows(found)]

        return call_and_drop_rows

    return make_faulty


def higher_threshold(of: Any) -> Any:
    return lambda found, least: of(found, least + 0.05)


def prune_by_error(errors: float) -> Callable[[Any], Any]:
    return lambda _of: lambda *_args: PruneByError(errors)


def without_rarest(of: Any) -> Any:
    def drop_rarest(found: Supports, least: float) -> NDArray[np.bool_]:
        reaches = np.asarray(of(found, least))
        return np.asarray(reaches & (found.support > np.min(found.support[reaches], initial=1.0)))

    return drop_rarest


def most_frequent_lost(of: Any) -> Any:
    return lambda found, least: of(found, least) & (found.support <= 0.5)


def larger_floor(of: Any) -> Any:
    return lambda found: of(found) & (found.base >= 1_000)


def without_open(of: Any) -> Any:
    return lambda found: of(found) & (found.groups[:, 0] == 0)


def reversed_absence(of: Any) -> Any:
    return lambda asked, code: not of(asked, code)


def every_absence(_of: Any) -> Any:
    return lambda _asked, code: code < 1


def support_scaled(of: Any) -> Any:
    def scale(*args: Any) -> Supports:
        found: Supports = of(*args)
        return replace(found, support=found.support * 0.9)

    return scale


FAULTS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "the last item is lost": ("single_items", lose_last_item),
    "the threshold is higher": ("reaches_support", higher_threshold),
    "what has a rather rare part is pruned": ("choose_pruning", prune_by_error(-3.0)),
    "the rarest of each size is lost": ("reaches_support", without_rarest),
    "the most frequent are lost": ("reaches_support", most_frequent_lost),
    "pairs of neighbours are lost": (
        "next_candidates",
        keep_rows(lambda rows: np.diff(rows[:, -2:])[:, 0] > 2),
    ),
    "the last candidate is lost": (
        "next_candidates",
        keep_rows(lambda rows: np.arange(len(rows)) < len(rows) - 1),
    ),
    "no itemset of three": ("next_candidates", keep_rows(lambda rows: np.full(len(rows), rows.shape[1] < 3))),
    "no candidate with the first item": ("next_candidates", keep_rows(lambda rows: rows[:, 0] > 0)),
    "the floor is higher": ("_is_estimable", larger_floor),
    "itemsets with open records are lost": ("_is_estimable", without_open),
    "yes is taken for an absence": ("states_absence", reversed_absence),
    "the first choice is an absence": ("states_absence", every_absence),
    "supports are smaller": ("estimate_supports_without_intervals", support_scaled),
    "fewer standard errors": ("choose_pruning", prune_by_error(-1.5)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_shared_by_both_engines_is_named(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    survey, name = few_survey(), FAULTS[fault][0]
    assert missing_itemsets(survey.records(), WANTED).unexplained == ()
    patch_all(monkeypatch, name, FAULTS[fault][1])
    assert missing_itemsets(survey.records(), WANTED).unexplained


def test_wrong_support_is_named_by_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever keeps a list whole and its numbers wrong is found by the comparison of rows."""

    def without_base(of: Any) -> Any:
        return lambda tally, *more: tuple(column * 1.001 for column in of(tally, *more))

    patch_all(monkeypatch, "_support_error_and_pooled", without_base)
    records = few_survey().records()
    found = candor_engine.mine_rules(CachedCounter(records.counter(), without_plain=True), WANTED)
    bits = RecordBits.from_columns(records.design, records.complete)
    named = compare_rows(CheckedRows.from_mining_result(found), [bits], records.design, WANTED).differences
    assert {"support", "pooled"} <= {one.column for one in named}


def test_lost_floor_is_named_by_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        SupportCounts, "has_enough_records", property(lambda tally: tally.base.sum(axis=0) > 0), raising=True
    )
    records = survey_answered(design(sensitive("0.5", question("a", *HALF))), 49, 0.0, 2).records()
    found = candor_engine.mine_rules(CachedCounter(records.counter(), without_plain=True), WANTED)
    assert len(found.frequent.itemsets) == 1
    bits = RecordBits.from_columns(records.design, records.complete)
    named = compare_rows(CheckedRows.from_mining_result(found), [bits], records.design, WANTED).differences
    assert [one.column for one in named] == ["listed"]
