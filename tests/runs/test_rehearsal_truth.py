"""What a run finds for its report, against records one by one, and beside what simulated respondents truly answered."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.models import Person
from intake.rehearsal import respondent_simulation, true_counts
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.findings import compute_findings
from mining.itemsets.answer_names import AnswerNames
from mining.parameters import Parameters
from mining.queries_and_counters import pad_rows
from mining.reconstruction import CachedCounter
from mining.reconstruction.coherent_supports import coherent_supports
from mining.studies.comparison_with_truth import (
    PopulationTruth,
    RehearsalTruth,
    SizeComparison,
    compare_with_truth,
    truly_frequent_itemsets,
)
from privacy.designs import parse_design
from runs import rehearsal_truth, result_storage, run_start
from runs.models import Itemset, Rule, Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.intake import asked
from tests.mining.listed import DISGUISED, OPEN, Listed
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
DESIGN = sealed.small_design()
# age=old, theft=yes, lie=yes: items 1, 3, 5.
COUNTS: dict[tuple[tuple[int, int], ...], int] = (
    {((0, 0),): 40, ((0, 1),): 60, ((1, 1),): 30, ((2, 1),): 25, ((3, 1),): 5, ((4, 1),): 5}
    | {((0, 1), (1, 1)): 30, ((0, 1), (2, 1)): 20, ((1, 1), (2, 1)): 10}
)  # fmt: skip


def truth_of_counts() -> RehearsalTruth:
    of = PopulationTruth(DESIGN, 100, COUNTS)
    return RehearsalTruth(of, of)


SICK = {"name": "sick", "choices": sealed.YES_NO, "show_if": {"work": ["employed"]}}
THEFT_AND_SICK = {"questions": [{"name": "theft", "choices": sealed.YES_NO}, SICK]}
HIDDEN = sealed.make_design(
    sealed.plain("work", "employed", "not"), sealed.section(keep="0.5") | THEFT_AND_SICK
)


def test_itemsets_are_compared_with_the_truth() -> None:
    # Every itemset is compared by hand.
    wanted = Parameters(min_support=0.2, min_confidence=0.5)
    itemsets = pad_rows([[0], [1], [3], [7], [1, 3], [3, 5], [1, 3, 5]])
    support = np.array([0.4, 0.57, 0.33, 0.21, 0.24, 0.22, 0.2])
    found = compare_with_truth(itemsets, support, truth_of_counts(), wanted)
    assert found.w[:6] == pytest.approx([0, 0.03, 0.03, 0.16, 0.06, 0.12])
    # Three answers together were never counted.
    assert np.isnan(found.w[6])
    single, pair = found.sizes
    # Sick (.05) is none; lie (.25) is missing. rho: 0, 5 and 10 percent.
    assert (single.reported, single.false_positives, single.false_negatives) == (4, 1, 1)
    assert [single.w, single.rho] == pytest.approx([0.055, 5])
    # Theft and lie (.10) are none; old and lie (.20) are missing.
    assert (pair.reported, pair.false_positives, pair.false_negatives) == (2, 1, 1)
    assert [pair.w, pair.rho] == pytest.approx([0.09, 20])
    assert (found.false_positives, found.false_negatives) == (2, 2)
    # A size of which nothing is found has no error.
    wanted = Parameters(min_support=0.9, min_confidence=0.5, max_size=1)
    found = compare_with_truth(pad_rows([]), np.empty(0), truth_of_counts(), wanted)
    assert found.sizes == (SizeComparison(1, 0, None, 0, 0, None),)


def test_what_is_truly_frequent_is_looked_for_no_further_than_it_was_counted() -> None:
    found = truly_frequent_itemsets(
        truth_of_counts(), Parameters(min_support=0.2, min_confidence=0.5, max_size=6)
    )
    assert found.tolist() == [[0, -1], [1, -1], [3, -1], [5, -1], [1, 3], [1, 5]]


def test_what_joins_plain_and_sensitive_answers_is_compared_with_those_who_chose_disguise() -> None:
    """Of 100 people 60 are disguised; 30 of all and 24 of these are old and steal."""
    everybody = PopulationTruth(DESIGN, 100, COUNTS)
    disguised = PopulationTruth(DESIGN, 60, {((0, 1), (1, 1)): 24, ((1, 1),): 24, ((1, 1), (2, 1)): 3})
    itemsets = pad_rows([[3], [1], [1, 3], [3, 5]])
    shares = RehearsalTruth(everybody, disguised).shares(itemsets)
    # Plain answers are counted among the disguised alone: nobody of these 60 is known to be old.
    assert shares[[0, 2, 3]] == pytest.approx([0.3, 0.4, 0.1])
    # What is not known is neither right nor wrong.
    wanted = Parameters(min_support=0.2, min_confidence=0.5)
    true = RehearsalTruth(PopulationTruth(DESIGN, 100, COUNTS), PopulationTruth(DESIGN, 0, {}))
    found = compare_with_truth(pad_rows([[1], [1, 3], [3, 5]]), np.array([0.6, 0.9, 0.2]), true, wanted)
    pair = found.sizes[1]
    assert (pair.reported, pair.false_positives) == (2, 1)
    assert pair.w == pytest.approx(0.1)


def test_a_share_among_those_shown_leaves_out_to_whom_a_question_does_not_apply() -> None:
    """Of 100 people 60 are employed and shown "sick": 15 say yes, 45 no. 40 of all steal, 30 of the employed, 9 of
    these call in sick too and 21 not."""
    employed, theft, sick, well = (0, 0), (1, 1), (2, 1), (2, 0)
    counts: dict[tuple[tuple[int, int], ...], int] = {(employed,): 60, (theft,): 40, (sick,): 15, (well,): 45}
    counts |= {(employed, theft): 30, (theft, sick): 9, (theft, well): 21, (employed, sick): 15}
    true = PopulationTruth(HIDDEN, 100, counts)
    assert true.share((sick,)) == 0.15
    assert true.share((sick,), shown=True) == 0.25
    assert true.share((theft,), shown=True) == 0.4
    # Confidences: of the 30 thieves to whom "sick" applies, of the 15 who call in sick, of the 60 employed.
    assert true.share((theft, sick), (theft,), shown=True) == 0.3
    assert true.share((theft, sick), (sick,), shown=True) == 0.6
    assert true.share((employed, theft), (employed,), shown=True) == 0.5
    assert np.isnan(true.share((theft, (1, 0))))
    # Of the 60 who are employed 30 steal; of these 15 call in sick.
    assert true.share_where_both_apply(theft, sick) == 0.5
    assert true.share_where_both_apply(sick, theft) == 0.25
    assert true.share_where_both_apply(theft, employed) == 0.4


def rehearse(owner: Person, **changed: Any) -> Survey:
    """Closed, with 500 simulated respondents."""
    design = parse_design(json.dumps({**json.loads(DESIGN.canonical), "rehearsal": True, **changed}))
    survey = sealed.survey(owner, design, [], state=Survey.State.OPEN, closed_at=None)
    respondent_simulation.simulate(survey, 500, seed=1)
    lifecycle.close_survey(survey, owner, NOW)
    return survey


def test_with_arms_the_truth_is_that_of_the_disguised_arm(owner: Person) -> None:
    survey = rehearse(owner, open_answers=False, direct="0.5000", least=40)
    run = sealed.mine_sealed(survey, owner, Parameters(min_support=0.05, min_confidence=0.3))
    kept, found = true_counts.read_true_counts(survey), rehearsal_truth.read_truth(run)
    assert kept
    assert 200 < kept.disguised.n < 300
    assert found
    old, theft = (0, 1), (1, 1)
    for itemset in ((theft,), (old,), (old, theft)):
        assert found.everybody.share(itemset) == kept.disguised.counts[itemset] / kept.disguised.n
    assert found.direct
    direct = kept.everybody.n - kept.disguised.n
    asked_directly = kept.everybody.counts[(theft,)] - kept.disguised.counts[(theft,)]
    assert found.direct.share((theft,)) == asked_directly / direct
    assert (run.n_open, run.disguised) == (0, kept.disguised.n)


def test_a_run_is_compared_with_what_the_rehearsal_kept(survey: Survey, owner: Person, ran: Ran) -> None:
    assert rehearsal_truth.compare_with_truth(ran()) is None  # of real people
    rehearsal, wanted = rehearse(owner), Parameters(min_support=0.05, min_confidence=0.3)
    run = sealed.mine_sealed(rehearsal, owner, wanted)
    found, kept = rehearsal_truth.compare_with_truth(run), true_counts.read_true_counts(rehearsal)
    assert found
    assert kept
    rows = list(run.itemsets.order_by("place"))
    # Two choices a question: an item's number is twice its question's place and its code; 0 and 1 are plain.
    itemsets = [tuple(divmod(number, 2) for number in row.item_numbers) for row in rows]
    joins = [any(question == 0 for question, _code in itemset) for itemset in itemsets]
    of = [kept.disguised if joined else kept.everybody for joined in joins]
    true = [of.counts[itemset] / of.n for of, itemset in zip(of, itemsets, strict=True)]
    assert len(set(joins)) == 2
    of_all = [kept.everybody.counts[itemset] / kept.everybody.n for itemset in itemsets]
    assert any(abs(share - other) > 0.005 for share, other in zip(true, of_all, strict=True))
    errors = [abs((row.support or 0) - share) for row, share in zip(rows, true, strict=True)]
    assert found.w == pytest.approx(errors)
    assert found.false_positives == sum(share < 0.05 - 1e-9 for share in true)
    assert [of.size for of in found.sizes] == [1, 2, 3]
    assert sum(of.reported for of in found.sizes) == len(rows)


P, NOISE = 0.5, 0.4
WANTED = Parameters(0.05, 0.2)


class Asked(Listed):
    """Counts how often it is asked."""

    times = 0

    def count(self, queries: Any) -> Any:
        self.times += 1
        return super().count(queries)


@pytest.fixture
def records() -> Asked:
    """800 records of two plain questions and three sensitive ones, a quarter of them open."""
    plain = [{"name": "age", "choices": ["y", "o"]}, {"name": "work", "choices": ["f", "p", "n"]}]
    design = asked.make_design({"kind": "plain", "questions": plain}, sensitive("0.5", *"abc"))
    rng = np.random.default_rng(5)
    group = np.where(np.arange(800) % 4 == 0, OPEN, DISGUISED)
    codes = np.stack([rng.integers(0, most, 800) for most in (2, 3, 2, 2, 2)])
    codes[3] = np.where(rng.random(800) < 0.7, codes[2], codes[3])
    return Asked(design, group, codes)


def sensitive(keep: str, *names: str) -> dict[str, Any]:
    of = [{"name": name, "choices": ["no", "yes"], "noise": ["0.6", "0.4"]} for name in names]
    return {"kind": "unrelated-question", "keep": keep, "questions": of}


def mine_records(records: Asked) -> tuple[CachedCounter, MiningResult]:
    return CachedCounter(records), candor_engine.mine_rules(records, WANTED)


def score(records: Asked, place: int) -> Any:
    """z of each record for *yes* to this question."""
    yes = records.codes[place] == 1
    chance = (1 - P) * NOISE
    return np.where(records.group == OPEN, yes, (yes - chance) / P)


def test_shares_by_group_are_the_mean_scores_of_those_of_a_class_who_chose_disguise(records: Asked) -> None:
    known, _of = mine_records(records)
    records.times = 0
    tables = compute_findings.group_tables(known, Verdict(known.design))
    # All tables are one question to the counter.
    assert records.times == 1
    assert [table.question for table in tables] == ["age", "work"]
    work = tables[1]
    assert [row.item for row in work.rows] == ["a=yes", "b=yes", "c=yes"]
    for (row, place), code in product(enumerate((2, 3, 4)), range(3)):
        mine = (records.codes[1] == code) & (records.group == DISGUISED)
        cell = work.rows[row].cells[code]
        assert cell.n_asked == mine.sum()
        assert cell.share == pytest.approx(score(records, place)[mine].mean())
        assert cell.low is not None
        assert cell.share is not None
        assert cell.high is not None
        assert cell.low < cell.share < cell.high
    # Without plain or without sensitive questions there are no groups.
    one = asked.make_design({"kind": "plain", "questions": [{"name": "age", "choices": ["y", "o"]}]})
    few = Asked(one, np.full(60, OPEN), np.zeros((1, 60)))
    assert compute_findings.group_tables(CachedCounter(few), Verdict(one)) == []


def test_every_reported_pair_has_its_lift_once(records: Asked) -> None:
    known, of = mine_records(records)
    itemsets = of.frequent.itemsets
    rows = compute_findings.pair_lifts(known, WANTED, itemsets)
    names = AnswerNames(records.design)
    reported = {
        tuple(map(names.name_of_number, row[:2]))
        for row in itemsets.tolist()
        if row[1] != -1 and (len(row) < 3 or row[2] == -1)
    }
    assert len(rows) == len(reported)
    assert {row.items for row in rows} == reported
    for row in rows:
        joins = names.number(row.items[0]) < 5 <= names.number(row.items[1])
        assert row.n_shown_all == (600 if joins else 800)
    pair = next(row for row in rows if row.items == ("a=yes", "b=yes"))
    means = [score(records, place).mean() for place in (2, 3)]
    yes = [records.codes[place] == 1 for place in (2, 3)]
    chance = (1 - P) * NOISE**2
    both = np.where(records.group == OPEN, yes[0] & yes[1], ((yes[0] & yes[1]) - chance) / P).mean()
    assert pair.lift == pytest.approx(both / (means[0] * means[1]))


def test_one_forged_record_in_a_hundred_moves_a_share_to_both_sides(records: Asked) -> None:
    """By hand: 8 records more, each scoring (1 - .2)/.5 = 1.6 at most and (0 - .2)/.5 = -.4 at least."""
    known, _of = mine_records(records)
    moved = compute_findings.answer_shares(known, WANTED)[6]
    assert moved.items == ("a=yes",)
    honest = score(records, 2).sum()
    assert moved.forged_high == pytest.approx((honest + 8 * 1.6) / 808)
    assert moved.forged_low == pytest.approx((honest - 8 * 0.4) / 808)


def solve_coherent(known: CachedCounter, of: MiningResult) -> dict[tuple[int, ...], float]:
    """As they are read from the JSON that a run stores."""
    verdict = Verdict(known.design)
    prepared = compute_findings.input_of_coherent_fit(known, WANTED, of.frequent.itemsets, verdict)
    return dict(compute_findings.solve_coherent_supports(json.loads(json.dumps(prepared)), known.design))


def test_supports_that_fit_together_are_found_for_every_reported_itemset(records: Asked) -> None:
    known, of = mine_records(records)
    fitted = solve_coherent(known, of)
    reported = [tuple(n for n in row if n != -1) for row in of.frequent.itemsets.tolist()]
    assert sorted(fitted) == sorted(reported)
    for items, support in fitted.items():
        assert support >= 0
        for left_out in items:
            part = tuple(item for item in items if item != left_out)
            assert not part or support <= fitted[part] + 1e-12
    direct = coherent_supports(known, of.frequent.itemsets, WANTED.estimator)
    assert direct is not None
    assert direct.tolist() == [fitted[items] for items in reported]
    raw = of.frequent.supports.support
    assert np.abs(raw - [fitted[items] for items in reported]).max() < 0.15
    assert np.abs(raw - [fitted[items] for items in reported]).max() > 1e-6


def test_of_many_answers_twelve_are_made_to_fit_sensitive_ones_first() -> None:
    age = {"kind": "plain", "questions": [{"name": "age", "choices": ["y", "o"]}]}
    design = asked.make_design(age, sensitive("0.9", *(f"s{n}" for n in range(13))))
    codes = (np.random.default_rng(3).random((14, 200)) < 0.5).astype(np.int64)
    many = Asked(design, np.full(200, DISGUISED), codes)
    known, of = CachedCounter(many), candor_engine.mine_rules(many, Parameters(0.2, 0.5, max_size=2))
    fitted = solve_coherent(known, of)
    items = {item for itemset in fitted for item in itemset}
    assert len(items) == 12
    assert not items & {0, 1}
    assert {*map(len, fitted)} == {1, 2}


def test_a_run_stores_what_its_report_needs(survey: Survey, owner: Person) -> None:
    ran = sealed.mine_sealed(survey, owner, Parameters(0.1, 0.3))
    assert ran.state == "done"
    assert {"alike", "answers", "coherent", "groups", "pairs"} <= set(ran.findings)
    pairs = {tuple(row["items"]): row["lift"] for row in ran.findings["pairs"]}
    assert len(pairs) == Itemset.objects.filter(run=ran, size=2).count()
    names = AnswerNames(ran.mined_design)
    for rule in Rule.objects.filter(run=ran, itemset__size=2):
        assert pairs[tuple(map(names.name_of_number, rule.itemset.item_numbers))] == pytest.approx(rule.lift)
    again = sealed.work(run_start.repeat_run(ran, owner, NOW))
    assert again.digest == ran.digest
    # Coherent supports are computed by the worker once the results are stored, or when first asked for, and then kept.
    assert ran.coherent is None
    first = result_storage.read_coherent_supports(ran)
    assert set(first) <= {row.item_numbers for row in Itemset.objects.filter(run=ran)}
    assert first
    assert all(0 <= support <= 1 for support in first.values())
    Run.objects.filter(pk=ran.pk).update(findings={})
    assert result_storage.read_coherent_supports(Run.objects.get(pk=ran.pk)) == first


def test_worker_computes_coherent_supports_once_the_results_are_stored(
    survey: Survey, owner: Person, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        ran = sealed.work(run_start.start_mining_run(survey, owner, Parameters(0.1, 0.3), NOW))
        assert ran.coherent is None
    stored = Run.objects.get(pk=ran.pk)
    assert stored.coherent
    # A page that needs them before computes the same.
    computed = result_storage.read_coherent_supports(ran)
    assert computed == result_storage.read_coherent_supports(stored)
