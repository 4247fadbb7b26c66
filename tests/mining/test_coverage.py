"""The promise that intervals cover and badges hold, on fewer and seeded cells of what bench/coverage.py measures."""

import numpy as np
import pytest

from bench import options, searches
from bench.covering import (
    RULES,
    chance_cell,
    chance_cells,
    is_ordinary,
    itemset_cells,
    rule_cell,
    rule_cells,
    support_cell,
)
from bench.drawn_tables import Layout, Mechanism, rule
from bench.patterns import Law, Runs, Setting
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT
from mining.reconstruction import reconstruct
from mining.reconstruction.moments import Tally
from mining.reconstruction.shares import shares_by_group
from mining.reconstruction.supports import Estimator
from mining.rules import rules
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, THIRDS, design, plain, question, sensitive

pytestmark = pytest.mark.proof
RUNS, AGAIN = 1_500, 20_000
HELD = 0.93


def test_the_law_of_the_patterns_is_one() -> None:
    for cell in options.cells((0.05, 0.5)):
        law = Law(cell.setting, cell.support)
        assert sum(law.patterns.values()) == pytest.approx(1, abs=1e-12)
        assert min(law.patterns.values()) >= 0
        assert law.share(tuple(range(cell.setting.size))) == pytest.approx(cell.support, abs=1e-12)


@pytest.mark.parametrize(
    "setting", [Setting(3, 2, hidden=True, some_open=True), Setting(2, plain=True, some_open=True)]
)
def test_what_is_simulated_is_what_the_product_counts(setting: Setting) -> None:
    """One run, written out record by record."""
    runs = Runs(Law(setting, 0.2), 2_000, 3, np.random.default_rng(1))
    design, itemset = setting.design, setting.itemset
    codes = np.zeros((len(design.questions), len(runs.law.patterns)), np.int64)
    for column, (_, sent) in enumerate(runs.law.patterns):
        for (place, _code), code in zip(itemset, sent, strict=True):
            codes[place, column] = design.questions[place].not_applicable if code is None else code
    group = np.array([group for group, _ in runs.law.patterns])
    listed = Listed(design, group, codes, runs.drawn[:, 1].astype(np.float64))
    tally = runs.tally.take(slice(1, 2))
    assert isinstance(tally, Tally)
    alone = reconstruct(listed, [itemset])
    assert alone.groups[0].tolist() == tally.base[:, 0].tolist()
    assert alone.observed[0] * alone.base[0] == pytest.approx(tally.supersets[-1].sum())
    made = rules(listed, [itemset], -np.inf, max_size=3)
    assert made.support[0] == pytest.approx(alone.support[0])


def test_the_drawn_disguise_is_the_products() -> None:
    cell = rule(RULES[5], Mechanism(0.3, 0.2, 1_000, 0.3), 0.3, 0.6, 0.5)
    table = cell.draw(1, np.random.default_rng(1))
    assert cell.received.sum(axis=1) == pytest.approx([1, 1])
    assert table.disguised(cell.truth[1][:, None])[:, 0] == pytest.approx(cell.received[1], abs=1e-12)


def test_support_intervals_cover_over_the_whole_range() -> None:
    cells = list(itemset_cells())
    rng = np.random.default_rng(11)
    used = 0
    for number in rng.choice(len(cells), 60, replace=False).tolist():
        found = support_cell(cells[number], RUNS, np.random.default_rng(number))
        if found.used < RUNS / 2:
            continue
        used += 1
        if found.covered < HELD:
            found = support_cell(cells[number], AGAIN, np.random.default_rng((number, 1)))
        assert found.covered >= HELD, found
    assert used > 40


def test_confidence_and_lift_cover_over_the_whole_range() -> None:
    cells = rule_cells()
    rng = np.random.default_rng(12)
    short = {"confidence": 0, "lift": 0}
    used = dict(short)
    for number in rng.choice(len(cells), 40, replace=False).tolist():
        for found in rule_cell(cells[number], RUNS, np.random.default_rng(number)):
            if found.used >= RUNS / 2:
                used[found.measure] += 1
                short[found.measure] += found.covered < HELD - 0.02
    assert min(used.values()) > 20
    # One in a thousand and five in a thousand fall short; .02 below is three errors of 1,500 runs.
    assert short["confidence"] <= 1
    assert short["lift"] <= 1


def test_sixty_open_answers_of_which_six_agree_do_not_prove_a_rule() -> None:
    """The plug-in interval of the confidence was [1, 1]; the exact lower end is .54."""
    plain_to_plain = Layout("", ((ANTECEDENT, -1, 1), (CONSEQUENT, -1, 1)))
    cell = rule(plain_to_plain, Mechanism(0.5, 0.5, 200, 0.0), 0.1, 1.0, 0.4)
    found = next(rule_cell((plain_to_plain, cell.mechanism, 0.1, 1.0, 0.4), RUNS, np.random.default_rng(1)))
    assert found.covered >= HELD


def test_under_independence_p_is_no_bolder_than_it_says() -> None:
    cells = chance_cells()
    rng = np.random.default_rng(13)
    ordinary = []
    for number in rng.choice(len(cells), 120, replace=False).tolist():
        found = chance_cell(cells[number], RUNS, np.random.default_rng(number))
        if found.used < RUNS / 2:
            continue
        if found.below > 0.06:
            found = chance_cell(cells[number], AGAIN, np.random.default_rng((number, 1)))
        assert found.below <= 0.06, found
        if is_ordinary(found.cell):
            ordinary.append(found.below)
    assert len(ordinary) > 20
    assert np.median(ordinary) == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("on_threshold", [False, True])
def test_few_badges_are_false_and_few_intervals_of_heads_of_lists_miss(on_threshold: bool) -> None:
    for sections, keep, n in (((8,), "0.5", 1_000), ((4, 4), "0.3", 10_000), ((3, 3, 2), "0.9", 200)):
        situation = searches.Situation(sections, keep, n, on_threshold, some_open=False)
        found = searches.judged(situation, 20, 14)
        assert found.pairs > 1
        assert found.false_badges <= 0.05, found
        heads = found.missed_first, found.missed_5, found.missed_10, found.missed_all
        assert max(*heads, found.missed_support) <= 0.05, found
        assert found.false_discoveries <= 0.05, found


def test_they_cover_under_rotation_and_show_if() -> None:
    rng = np.random.default_rng(15)
    # 47 has no divisor in common with the five supports and three sizes that every option is crossed with.
    measured = [
        found
        for cell in list(options.cells(options.SUPPORTS))[::47]
        for found in options.support_cell(cell, RUNS, rng)
    ]
    measured += [
        found
        for cell in list(options.cells(options.RULE_SUPPORTS, rules=True))[::47]
        for found in options.rule_cell(cell, RUNS, rng)
    ]
    used = [found for found in measured if found.used >= RUNS / 2]
    assert {found.measure for found in used} == {"support", "share among those shown", "confidence", "lift"}
    assert [found for found in used if found.covered < HELD - 0.02] == []


@pytest.mark.parametrize("estimator", ["pooled", "combined"])
def test_pooled_and_combined_cover_where_the_groups_are_alike(estimator: Estimator) -> None:
    rng = np.random.default_rng(17)
    rare = [cell for cell in options.alike_cells() if cell.support <= 0.01]
    assert any((cell.n, cell.setting.share, cell.setting.size) == (1_000, 0.2, 1) for cell in rare)
    for cell in [*rare, *list(options.alike_cells())[::7]]:
        found = options.assuming_cell(cell, 5_000, rng, estimator)
        assert found.used >= 2_500, cell
        assert 0.93 <= found.covered <= 0.98, found


def test_shares_by_group_cover_and_their_test_keeps_its_level() -> None:
    """Open answerers differ; nothing depends on age."""
    age = {"name": "age", "choices": ["young", "middle", "old"]}
    survey = design(
        plain(age),
        sensitive("0.5", *(question(name, *HALF) for name in "abc"), asked=2),
        sensitive("0.6", question("drink", *THIRDS)),
    )
    classes = (0.3, 0.4, 0.3)
    disguised = Independent((classes, (0.9, 0.1), (0.7, 0.3), (0.5, 0.5), (0.2, 0.3, 0.5)))
    opened = Independent((classes, (0.95, 0.05), (0.9, 0.1), (0.5, 0.5), (0.2, 0.3, 0.5)))
    # Of people who chose disguise.
    truth = np.array([0.1, 0.3, 0.5, 0.2, 0.3, 0.5])
    rng = np.random.default_rng(15)
    covered, least_p = [], []
    for _ in range(400):
        people = Population(disguised, opened, 0.3).draw(survey, 1_500, rng)
        listed = Listed(survey, people.group, disguise(survey, people.group, people.truth, rng))
        found = shares_by_group(listed, 0)
        covered.append((found.low <= truth[:, None]) & (truth[:, None] <= found.high))
        least_p.append(found.p.min())
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    # 1.1 points are one standard error of each.
    assert np.mean(covered, axis=0).min() > 0.915
    assert (np.array(least_p) < 0.05).mean() < 0.08
