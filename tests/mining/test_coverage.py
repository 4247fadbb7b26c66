"""The promise that intervals cover and badges hold, on fewer and seeded cells of what bench/coverage measures."""

from itertools import islice, product, starmap

import numpy as np
import pytest

from bench.coverage import copies, differences, groups, heads, options
from bench.coverage.__main__ import SECTIONS
from bench.coverage.patterns import Law, Runs, Setting
from bench.coverage.tables import (
    RULES,
    Layout,
    Mechanism,
    chance_cell,
    chance_cells,
    itemset_cells,
    rule,
    rule_cell,
    rule_cells,
    support_cell,
)
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT
from mining.reconstruction import reconstruct_supports
from mining.reconstruction.score_moments_by_group import SupportCounts
from mining.reconstruction.shares_by_group import (
    holm_class_difference_p,
    share_interval_of_all_classes,
    shares_by_group,
)
from mining.rules import reconstruct_rules
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.mining.inference.exact_table import disguised_cells
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, THIRDS, design, plain, question, sensitive

pytestmark = [pytest.mark.proof, pytest.mark.night(smaller="mining/inference/test_intervals.py")]
HEADS = next(section for section in SECTIONS if section.name == "heads")
RUNS, AGAIN = 1_500, 20_000
HELD = 0.93


def test_simulated_counts_match_the_products_counter_and_disguise() -> None:
    """One run, written out record by record."""
    for cell in options.cells((0.05, 0.5)):
        law = Law(cell.setting, cell.support)
        assert sum(law.patterns.values()) == pytest.approx(1, abs=1e-12)
        assert min(law.patterns.values()) >= 0
        assert law.share(tuple(range(cell.setting.size))) == pytest.approx(cell.support, abs=1e-12)
    for setting in (Setting(3, 2, hidden=True, some_open=True), Setting(2, plain=True, some_open=True)):
        runs = Runs(Law(setting, 0.2), 2_000, 3, np.random.default_rng(1))
        design, itemset = setting.design, setting.itemset
        codes = np.zeros((len(design.questions), len(runs.law.patterns)), np.int64)
        for column, (_, sent) in enumerate(runs.law.patterns):
            for (place, _code), code in zip(itemset, sent, strict=True):
                codes[place, column] = design.questions[place].not_applicable if code is None else code
        group = np.array([group for group, _ in runs.law.patterns])
        listed = Listed(design, group, codes, runs.drawn[:, 1].astype(np.float64))
        tally = runs.tally.take(slice(1, 2))
        assert isinstance(tally, SupportCounts)
        alone = reconstruct_supports(listed, [itemset])
        assert alone.groups[0].tolist() == tally.base[:, 0].tolist()
        assert alone.observed[0] * alone.base[0] == pytest.approx(tally.supersets[-1].sum())
        made = reconstruct_rules(listed, [itemset], -np.inf, max_size=3)
        assert made["support"][0] == pytest.approx(alone.support[0])
    split = rule(RULES[5], Mechanism(0.3, 0.2, 1_000, 0.3), 0.3, 0.6, 0.5)
    table = split.draw(1, np.random.default_rng(1))
    assert split.received.sum(axis=1) == pytest.approx([1, 1])
    assert disguised_cells(table, split.truth[1]) == pytest.approx(split.received[1], abs=1e-12)


def test_support_intervals_cover_over_the_whole_range() -> None:
    cells = list(itemset_cells())
    rng = np.random.default_rng(11)
    used = 0
    for number in rng.choice(len(cells), 60, replace=False).tolist():
        found = list(support_cell(cells[number], RUNS, np.random.default_rng(number)))
        if not found or found[0].used < RUNS / 2:
            continue
        used += 1
        if found[0].value < HELD:
            found = list(support_cell(cells[number], AGAIN, np.random.default_rng((number, 1))))
        assert found[0].value >= HELD, found
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
                short[found.measure] += found.value < HELD - 0.02
    assert min(used.values()) > 20
    # One in a thousand and five in a thousand fall short; .02 below is three errors of 1,500 runs.
    assert short["confidence"] <= 1
    assert short["lift"] <= 1


def test_six_of_sixty_open_answers_prove_no_rule() -> None:
    """The plug-in interval of the confidence was [1, 1]; the exact lower end is .54."""
    plain_to_plain = Layout("", ((ANTECEDENT, -1, 1), (CONSEQUENT, -1, 1)))
    cell = rule(plain_to_plain, Mechanism(0.5, 0.5, 200, 0.0), 0.1, 1.0, 0.4)
    found = next(rule_cell((plain_to_plain, cell.mechanism, 0.1, 1.0, 0.4), RUNS, np.random.default_rng(1)))
    assert found.value >= HELD


def test_p_is_valid_under_independence() -> None:
    cells = chance_cells()
    rng = np.random.default_rng(13)
    used = 0
    for number in rng.choice(len(cells), 120, replace=False).tolist():
        found = list(chance_cell(cells[number], RUNS, np.random.default_rng(number)))
        if not found or found[0].used < RUNS / 2:
            continue
        used += 1
        if found[0].value > 0.06:
            found = list(chance_cell(cells[number], AGAIN, np.random.default_rng((number, 1))))
        assert found[0].value <= 0.065, found
    assert used > 60


@pytest.mark.parametrize("world", [heads.worlds()[place] for place in (2, 8, 10, 12)], ids=str)
def test_few_top_intervals_miss_and_few_badges_are_wrong(world: heads.World) -> None:
    found = {one.measure: one.value for one in heads.heads(world, 30, np.random.default_rng(15))}
    of_nothing = {f"{of}: an association on the first page of nothing" for of in ("pairs", "larger")}
    assert set(found) | of_nothing == set(HEADS.bars)
    # Two of thirty first rows may miss.
    assert max(found.values()) <= 2 / 30, found
    assert max(found["pairs: missed, all"], found["larger: missed, all"]) <= 0.03


def test_simulated_truth_is_that_of_very_many_people() -> None:
    """By drawing: undisguised, with show-if and open people who differ."""
    rng, first, then = np.random.default_rng(3), [(0, 1)], [(3, 1)]
    for world in (heads.worlds()[4], heads.worlds()[8]):
        columns, weights = [], []
        for group, share in enumerate((world.opened, 1 - world.opened)):
            many = round(world.opened * 400_000) if group == 0 else 400_000
            if many:
                chosen = rng.choice(world.patterns.shape[1], many, p=world.laws[group])
                columns.append(world.patterns[:, chosen])
                weights.append(np.full(many, share / many))
        people, weight = np.concatenate(columns, axis=1), np.concatenate(weights)
        hidden = [world.design.questions[place].not_applicable for place in (0, 3)]
        among = (people[0] != hidden[0]) & (people[3] != hidden[1])
        a, c = people[0] == 1, people[3] == 1
        of_a, of_c, both = (float(weight[has & among].sum()) for has in (a, c, a & c))
        truth, whole = world.truth(first, then), float(weight[among].sum())
        assert truth.confidence == pytest.approx((both / of_a, both / of_c), abs=0.01)
        assert truth.lift == pytest.approx(both * whole / (of_a * of_c), rel=0.03)


def test_worst_cells_of_differences_keep_their_level() -> None:
    """Of each grid those that missed most when all were measured."""
    grids = (differences.cells(), 0.06), (differences.random_cells(), 0.06), (differences.rare_cells(), 0.07)
    for grid, bar in grids:
        cells = list(grid)
        for number in np.random.default_rng(5).choice(len(cells), 40, replace=False).tolist():
            (found,) = differences.missed(cells[number], RUNS, np.random.default_rng(number))
            if found.value > bar:
                (found,) = differences.missed(cells[number], AGAIN, np.random.default_rng((number, 1)))
            assert found.value <= bar, found


def test_copies_test_raises_no_alarm_without_copies() -> None:
    for cell in starmap(copies.Copied, product(copies.DESIGNS, [100])):
        (alarms,) = copies.copies(cell, 10, np.random.default_rng(6))
        assert alarms.value == 0


def test_stated_difference_is_detected_four_times_in_five() -> None:
    cells = list(differences.power_cells())
    assert len(cells) == 223
    for number in range(0, len(cells), 9):
        found = next(differences.power(cells[number], 4_000, np.random.default_rng(number)))
        assert 0.77 <= found.value <= 0.91, found


def test_intervals_cover_under_rotation_and_show_if() -> None:
    rng = np.random.default_rng(15)
    # 47 has no divisor in common with the five supports and three sizes that every option is crossed with.
    supports = list(options.cells(options.SUPPORTS))[::47]
    rules = list(options.cells(options.RULE_SUPPORTS, rules=True))[::47]
    measured = [found for cell in supports for found in options.support_cell(cell, RUNS, rng)]
    measured += [found for cell in rules for found in options.rule_cell(cell, RUNS, rng)]
    used = [found for found in measured if found.used >= RUNS / 2]
    assert {found.measure for found in used} == {"support", "share among those shown", "confidence", "lift"}
    assert [found for found in used if found.value < HELD - 0.02] == []


def test_pooled_and_combined_cover_where_groups_are_alike() -> None:
    rng = np.random.default_rng(17)
    rare = [cell for cell in options.alike_cells() if cell.support <= 0.01]
    assert any((cell.n, cell.setting.share, cell.setting.size) == (1_000, 0.2, 1) for cell in rare)
    seen = set()
    for cell in [*rare, *list(options.alike_cells())[::7]]:
        for found in options.assuming_cell(cell, 5_000, rng):
            seen.add(found.measure)
            assert found.used >= 2_500, cell
            assert 0.93 <= found.value <= 0.98, found
    assert seen == {"pooled", "combined"}


def test_test_of_shares_by_group_keeps_its_level_with_rare_noise() -> None:
    """Both were beyond by a chi-square test of what was sent: 5.3 times at .0025, and .85 covered."""
    for cell in islice(groups.grouped_cells(), 6):
        for found in groups.grouped(cell, 4_000, np.random.default_rng(16)):
            # At .0025 ten of 4,000 are expected; 21 or more come once in a thousand times.
            most = 2.1 if "0.0025" in found.measure else 1.5
            assert found.value <= most, found
            assert found.value >= 0.93 or not found.measure.startswith("in all"), found


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
    covered, covered_together, least_p = [], [], []
    for _ in range(400):
        people = Population(disguised, opened, 0.3).draw(survey, 1_500, rng)
        listed = Listed(survey, people.group, disguise(survey, people.group, people.truth, rng))
        found = shares_by_group(listed, 0)
        covered.append((found.low <= truth[:, None]) & (truth[:, None] <= found.high))
        moments = found.share, found.second, found.slope, found.base
        least_p.append(holm_class_difference_p(*moments).min())
        _share, low, high, _records = share_interval_of_all_classes(*moments)
        covered_together.append((low <= truth) & (truth <= high))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    # 1.1 points are one standard error of each.
    assert np.mean(covered, axis=0).min() > 0.915
    assert np.mean(covered_together, axis=0).min() > 0.915
    assert np.mean(covered_together) < 0.975
    assert (np.array(least_p) < 0.05).mean() < 0.08
