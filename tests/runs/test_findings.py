"""What a run finds for its report, against records that are looked at one by one."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

from accounts.models import Person
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.reconstruction.coherent_supports import coherent_supports
from mining.report.answer_names import Names
from runs import compute_findings, result_storage, run_start
from runs.models import Itemset, Rule, Run
from surveys.models import Survey
from tests.intake import asked
from tests.mining.listed import DISGUISED, OPEN, Listed
from tests.runs import working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
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
    design = asked.written({"kind": "plain", "questions": plain}, sensitive("0.5", *"abc"))
    rng = np.random.default_rng(5)
    group = np.where(np.arange(800) % 4 == 0, OPEN, DISGUISED)
    codes = np.stack([rng.integers(0, most, 800) for most in (2, 3, 2, 2, 2)])
    codes[3] = np.where(rng.random(800) < 0.7, codes[2], codes[3])
    return Asked(design, group, codes)


def sensitive(keep: str, *names: str) -> dict[str, Any]:
    of = [{"name": name, "choices": ["no", "yes"], "noise": ["0.6", "0.4"]} for name in names]
    return {"kind": "unrelated-question", "keep": keep, "questions": of}


def found(records: Asked) -> tuple[CachedCounter, MiningResult]:
    return CachedCounter(records), candor_engine.mine_rules(records, WANTED)


def score(records: Asked, place: int) -> Any:
    """z of each record for *yes* to this question."""
    yes = records.codes[place] == 1
    chance = (1 - P) * NOISE
    return np.where(records.group == OPEN, yes, (yes - chance) / P)


def test_shares_by_group_are_the_mean_scores_of_those_of_a_class_who_chose_disguise(records: Asked) -> None:
    known, _of = found(records)
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
    one = asked.written({"kind": "plain", "questions": [{"name": "age", "choices": ["y", "o"]}]})
    few = Asked(one, np.full(60, OPEN), np.zeros((1, 60)))
    assert compute_findings.group_tables(CachedCounter(few), Verdict(one)) == []


def test_every_reported_pair_has_its_lift_once(records: Asked) -> None:
    known, of = found(records)
    itemsets = of.frequent.itemsets
    rows = compute_findings.pair_lifts(known, WANTED, itemsets)
    names = Names(records.design)
    reported = {
        tuple(map(names.name_of_number, row[:2]))
        for row in itemsets.tolist()
        if row[1] != -1 and (len(row) < 3 or row[2] == -1)
    }
    assert len(rows) == len(reported)
    assert {row.items for row in rows} == reported
    assert all(
        row.n_shown_all == (600 if names.number(row.items[0]) < 5 <= names.number(row.items[1]) else 800)
        for row in rows
    )
    pair = next(row for row in rows if row.items == ("a=yes", "b=yes"))
    means = [score(records, place).mean() for place in (2, 3)]
    yes = [records.codes[place] == 1 for place in (2, 3)]
    chance = (1 - P) * NOISE**2
    both = np.where(records.group == OPEN, yes[0] & yes[1], ((yes[0] & yes[1]) - chance) / P).mean()
    assert pair.lift == pytest.approx(both / (means[0] * means[1]))


def test_one_forged_record_in_a_hundred_moves_a_share_to_both_sides(records: Asked) -> None:
    """By hand: 8 records more, each scoring (1 - .2)/.5 = 1.6 at most and (0 - .2)/.5 = -.4 at least."""
    known, _of = found(records)
    moved = compute_findings.answer_shares(known, WANTED)[6]
    assert moved.items == ("a=yes",)
    honest = score(records, 2).sum()
    assert moved.forged_high == pytest.approx((honest + 8 * 1.6) / 808)
    assert moved.forged_low == pytest.approx((honest - 8 * 0.4) / 808)


def coherent(known: CachedCounter, of: MiningResult) -> dict[tuple[int, ...], float]:
    """As they are read from the JSON that a run stores."""
    prepared = compute_findings.input_of_coherent_fit(
        known, WANTED, of.frequent.itemsets, Verdict(known.design)
    )
    return dict(compute_findings.solve_coherent_supports(json.loads(json.dumps(prepared)), known.design))


def test_supports_that_fit_together_are_found_for_every_reported_itemset(records: Asked) -> None:
    known, of = found(records)
    fitted = coherent(known, of)
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
    design = asked.written(age, sensitive("0.9", *(f"s{n}" for n in range(13))))
    codes = (np.random.default_rng(3).random((14, 200)) < 0.5).astype(np.int64)
    many = Asked(design, np.full(200, DISGUISED), codes)
    known, of = CachedCounter(many), candor_engine.mine_rules(many, Parameters(0.2, 0.5, max_size=2))
    fitted = coherent(known, of)
    items = {item for itemset in fitted for item in itemset}
    assert len(items) == 12
    assert not items & {0, 1}
    assert {*map(len, fitted)} == {1, 2}


def test_a_run_stores_what_its_report_needs(survey: Survey, owner: Person) -> None:
    ran = working.mined(survey, owner, Parameters(0.1, 0.3))
    assert ran.state == "done"
    assert {"alike", "answers", "coherent", "groups", "pairs"} <= set(ran.findings)
    pairs = {tuple(row["items"]): row["lift"] for row in ran.findings["pairs"]}
    assert len(pairs) == Itemset.objects.filter(run=ran, size=2).count()
    names = Names(ran.mined_design)
    for rule in Rule.objects.filter(run=ran, itemset__size=2):
        assert pairs[tuple(map(names.name_of_number, rule.itemset.item_numbers))] == pytest.approx(rule.lift)
    again = working.work(run_start.repeat(ran, owner, NOW))
    assert again.digest == ran.digest
    # Coherent supports are computed when first asked for, and then kept.
    assert ran.coherent is None
    first = result_storage.read_coherent_supports(ran)
    assert set(first) <= {row.item_numbers for row in Itemset.objects.filter(run=ran)}
    assert first
    assert all(0 <= support <= 1 for support in first.values())
    Run.objects.filter(pk=ran.pk).update(findings={})
    assert result_storage.read_coherent_supports(Run.objects.get(pk=ran.pk)) == first
