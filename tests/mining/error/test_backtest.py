"""Rules mined again from surveys of the people that were estimated; one more record for every hundred."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.counting import make_counter
from mining.engines import candor_engine
from mining.error.forged_record_bounds import bound_forged_supports
from mining.error.simulated_rule_backtest import BacktestResult, SurveySimulator, backtest, reduce_design
from mining.itemsets.candidates import ShowIfRouting
from mining.parameters import Parameters
from mining.queries_and_counters import Counter, Item, Numbering, Query
from mining.reconstruction import CachedCounter, reconstruct_supports
from mining.rules import Rules
from privacy.designs import Design, InputError, parse_design
from privacy.grammar.question import LEFT_OUT
from privacy.kinds.score_table_by_law import find_score_table
from privacy.simulation.disguise import disguise
from privacy.simulation.population import JointDistribution, Population
from reports.texts.report_facts import backtest_caveat
from tests.mining.listed import Listed, as_mined
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    design,
    place_in_row as place_section,
    plain,
    question,
    sensitive,
)

pytestmark = pytest.mark.proof
SURVEY = design(
    plain(WORK, {"name": "age", "choices": ["young", "old"]}),
    sensitive("0.5", *(question(name, *HALF) for name in "abc"), asked=2),
    sensitive("0.6", question("d", *HALF, **IF_EMPLOYED), question("e", *HALF)),
)
WANTED = Parameters(min_support=0.2, min_confidence=0.7)
TABLE = JointDistribution(
    # Who does a does d, nine times out of ten.
    ((0, 0, 1, 0, 0, 1, 0), (0, 1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0, 0), (0, 1, 0, 0, 1, 0, 1)),
    (0.45, 0.05, 0.3, 0.2),
)


def answered_by(form: Design, people: JointDistribution, n: int, seed: int = 1) -> Listed:
    rng = np.random.default_rng(seed)
    drawn = Population(people).draw(form, n, rng)
    codes = disguise(form, drawn.group, drawn.truth, rng)
    return Listed(form.mined, drawn.group, as_mined(form, codes))


@cache
def survey(n: int) -> tuple[Listed, Rules]:
    listed = answered_by(SURVEY, TABLE, n)
    return listed, candor_engine.mine_rules(listed, WANTED).rules


def rule(listed: Listed, found: Rules, antecedent: Item, consequent: Item) -> Rules:
    numbering = Numbering(listed.design)
    wanted = ((numbering.number(antecedent),), (numbering.number(consequent),))
    return found.take(np.array([row for row in range(len(found)) if found.sides(row) == wanted]))


def again(listed: Listed, found: Rules, wanted: Parameters, seed: int = 1) -> BacktestResult:
    return backtest(listed, found, wanted, np.random.default_rng(seed), populations=6)


def test_a_rule_far_above_the_thresholds_is_found_again_and_one_at_the_threshold_half_the_time() -> None:
    listed, found = survey(4_000)
    strong = rule(listed, found, (2, 1), (5, 1))
    assert len(strong) == 1
    tested = again(listed, strong, WANTED)
    assert (tested.populations, tested.again.tolist()) == (6, [1.0])
    edge = Parameters(min_support=0.2, min_confidence=min(1.0, float(strong.confidence[0])))
    assert 0.2 < backtest(listed, strong, edge, np.random.default_rng(1), populations=20).again[0] < 0.8


def test_a_seed_gives_the_same_again_no_rules_need_no_survey_and_a_watcher_can_end_it() -> None:
    listed, found = survey(800)
    one, other = (again(listed, found.take(np.arange(min(4, len(found)))), WANTED, seed=5) for _ in range(2))
    assert one.again.tolist() == other.again.tolist()
    assert again(listed, found.take(np.arange(0)), WANTED).again.tolist() == []

    def stop(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backtest(listed, found.take(np.arange(1)), WANTED, np.random.default_rng(1), watch=stop)
    many = design(sensitive("0.9", *(question(f"q{place}", *HALF) for place in range(14))))
    listed = Listed(many, np.ones(200, np.int64), np.ones((14, 200)))
    found = candor_engine.mine_rules(listed, Parameters(0.2, 0.5, max_size=2)).rules
    with pytest.raises(InputError, match="14 different answers, but a backtest can follow at most 12"):
        again(listed, found, WANTED)


def test_only_what_the_rules_need_is_asked_without_quotas_and_a_rotating_section_stays_whole() -> None:
    smaller, place = reduce_design(SURVEY, {1, 3, 5})
    assert [question.name for question in smaller.questions] == ["age", "a", "b", "c", "d"]
    assert place == {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
    assert [section.asked for section in smaller.sections] == [1, 2, 1]
    # d is hidden from those who do not work, whether anybody is asked that or not.
    assert [bool(question.show_if) for question in smaller.questions] == [False] * 4 + [True]
    (rule,) = smaller.questions[4].show_if
    assert (rule.question, rule.place) == ("work", LEFT_OUT)
    quotas = [{"answers": {"work": "employed"}, "limit": 30}]
    counted = design(plain(WORK, {"name": "age", "choices": ["young", "old"]}), quotas=quotas)
    without, _place = reduce_design(counted, {1})
    assert without.quotas == ()
    assert parse_design(without.canonical) == without


def test_a_rule_looks_at_its_question_where_that_stands_now() -> None:
    behind = design(
        plain({"name": "age", "choices": ["young", "old"]}, WORK),
        sensitive("0.5", question("a", *HALF), question("d", *HALF, **IF_EMPLOYED)),
    )
    smaller, place = reduce_design(behind, {1, 3})
    assert place == {1: 0, 3: 1}
    (rule,) = smaller.questions[1].show_if
    assert (rule.question, rule.place) == ("work", 0)
    # Items: employed 0, not 1; d no 2, yes 3. Who is asked about d works.
    routing = ShowIfRouting(smaller, Numbering(smaller))
    assert routing.impossible_or_implied(np.array([[0, 3], [1, 3]], np.int32)).tolist() == [True, True]
    # Without work in it nothing is implied.
    alone, _place = reduce_design(behind, {0, 3})
    routing = ShowIfRouting(alone, Numbering(alone))
    assert routing.impossible_or_implied(np.array([[0, 3], [1, 3]], np.int32)).tolist() == [False, False]


HIDDEN = (question(name, *HALF, **IF_EMPLOYED) for name in ("theft", "lying"))
HIDING = design(plain(WORK), sensitive("0.5", *HIDDEN, question("drink", *HALF)))
# Half work, half of these steal, and who steals lies; to the others (2: not applicable) neither question is shown.
QUARTERS = (0.25,) * 4
WORKERS = JointDistribution(((0, 1, 1, 0), (0, 0, 0, 1), (1, 2, 2, 1), (1, 2, 2, 0)), QUARTERS)

THEFT, LYING, DRINK, WORKS = 1, 2, 3, 0


def test_people_to_whom_a_question_does_not_apply_give_no_answer_to_it() -> None:
    listed = answered_by(HIDING, WORKERS, 20_000)
    cases: list[list[Item]] = [
        # Both answers, one of them, with another question that the rule hides, with what the rule looks at.
        [(THEFT, 0), (THEFT, 1)],
        [(THEFT, 0)],
        [(THEFT, 1), (DRINK, 1)],
        [(THEFT, 0), (THEFT, 1), (LYING, 1)],
        [(WORKS, 0), (THEFT, 1), (LYING, 0)],
        [(WORKS, 1), (THEFT, 0), (LYING, 1)],
        [(WORKS, 0), (WORKS, 1), (THEFT, 0), (THEFT, 1)],
    ]
    for items in cases:
        surveys = SurveySimulator.for_items(CachedCounter(listed), items, "stratified")
        counter = make_counter(surveys.design, [surveys.draw(listed.n, np.random.default_rng(2))])
        assert counter.n == listed.n
        for place, code in items:
            live = reconstruct_supports(listed, [((place, code),)])
            simulated = reconstruct_supports(counter, [((surveys.index[place], code),)])
            assert simulated.support[0] == pytest.approx(live.support[0], abs=0.03), items
            # Whoever is not shown a question adds no noise to it either.
            assert simulated.se[0] == pytest.approx(live.se[0], rel=0.05), items
        for place, at in surveys.index.items():
            shown = counter.count([Query(asked=(at,), applies=(at,))]).sum() / 20_000
            assert shown == pytest.approx(0.5 if place in {THEFT, LYING} else 1.0, abs=0.03), items
    # The same rule hides two questions from the same people.
    surveys = SurveySimulator.for_items(CachedCounter(listed), [(THEFT, 1), (LYING, 1)], "stratified")
    counter = make_counter(surveys.design, [surveys.draw((0, 20_000), np.random.default_rng(2))])
    assert counter.count([Query(asked=(0, 1), applies=(0, 1))]).sum() / 20_000 == pytest.approx(0.5, abs=0.03)


def test_a_rule_about_the_absence_of_what_is_hidden_is_found_again() -> None:
    listed = answered_by(HIDING, WORKERS, 8_000)
    wanted, weaker = (Parameters(min_support, 0.9, absences=True, max_size=2) for min_support in (0.2, 0.35))
    found = candor_engine.mine_rules(listed, wanted).rules
    # Theft and lying of no and yes; those who do not steal do not lie, as long as only who is asked counts.
    sides = [found.sides(row) for row in range(len(found))]
    chosen = found.take(np.array([sides.index(((2,), (4,))), sides.index(((3,), (5,)))]))
    assert again(listed, chosen, wanted).again.tolist() == [1.0, 1.0]
    assert again(listed, chosen, weaker).again.tolist() == [0.0, 0.0]
    # What is said with it says that the truth is weaker.
    assert "10 to 25 percentage points" in backtest_caveat()
    assert "not the probability that a rule is true" in backtest_caveat()


NUMBERS = design(plain(WORK), classes("debt", "0.8", 0, 5, 10), sensitive("0.6", question("e", *HALF)))
DEBTORS = JointDistribution(((0, 9, 1), (0, 1, 0), (1, 0, 0)), (0.4, 0.2, 0.4))


def test_a_rule_with_a_number_is_not_followed_and_the_others_are() -> None:
    listed = answered_by(NUMBERS, DEBTORS, 6_000)
    found = candor_engine.mine_rules(listed, Parameters(min_support=0.3, min_confidence=0.6)).rules
    scored = Numbering(NUMBERS.mined).scored_mask(found.itemsets[found.itemset]).any(axis=1)
    shares = again(listed, found, Parameters(0.3, 0.6)).again
    assert scored.any()
    assert (np.isnan(shares) == scored).all()


HOMES = design(
    plain(WORK),
    sensitive("0.8", question("theft", *HALF)),
    place_section("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "40", **IF_EMPLOYED),
)
# Who is employed and lives in the north steals; elsewhere nobody does.
AT_HOME = JointDistribution(((0, 1, 1), (0, 0, 4), (0, 0, 6), (1, 0, 0)), (0.3, 0.2, 0.2, 0.3))


def test_a_rule_with_a_hidden_place_is_found_again_and_the_place_hidden_as_often() -> None:
    listed = answered_by(HOMES, AT_HOME, 4_000)
    strong = rule(listed, candor_engine.mine_rules(listed, WANTED).rules, (2, 0), (1, 1))
    assert len(strong) == 1
    assert again(listed, strong, WANTED).again.tolist() == [1.0]
    surveys = SurveySimulator.for_items(CachedCounter(listed), [(2, 0), (2, 2)], "stratified")
    drawn = make_counter(surveys.design, [surveys.draw((0, 20_000), np.random.default_rng(2))])

    def counts(of: Counter, place: int) -> list[int]:
        queries = [Query(asked=(place,)), Query(((place, 0),)), Query(((place, 2),))]
        return [int(count) for count in of.count(queries)[:, 1]]

    (asked, *having), (lived, *expected) = counts(drawn, 0), counts(listed, 2)
    assert asked / 20_000 == pytest.approx(0.7, abs=0.03)
    assert np.array(having) / asked == pytest.approx(np.array(expected) / lived, abs=0.03)


ROTATED = design(
    plain(WORK),
    sensitive("0.5", question("a", *HALF), question("b", *HALF), question("c", *HALF), asked=2),
    sensitive("0.3", question("d", "0.3", "0.7")),
)
NOT_ASKED = 2


def honest(n: int = 2_000) -> Listed:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (5, n))
    codes[1 + rng.integers(0, 3, n), np.arange(n)] = NOT_ASKED
    return Listed(ROTATED, rng.integers(0, 2, n), codes)


def with_made_up(listed: Listed, record: tuple[int, ...], group: int, count: int) -> Listed:
    codes = np.concatenate([listed.codes, np.tile(np.array(record)[:, None], count)], axis=1)
    return Listed(ROTATED, np.concatenate([listed.group, np.full(count, group)]), codes)


@pytest.mark.at_push(3)
@pytest.mark.parametrize(
    "itemset", [((0, 1),), ((1, 1),), ((4, 1),), ((1, 1), (2, 0)), ((1, 1), (4, 1)), ((0, 1), (4, 0))]
)
def test_no_record_that_a_device_could_send_moves_a_support_further(itemset: tuple[Item, ...]) -> None:
    listed = honest()
    found = bound_forged_supports(listed, [itemset])
    forged = (
        with_made_up(listed, (work, a, b, NOT_ASKED, d), group, 20)
        for group, work, a, b, d in product((0, 1), repeat=5)
    )
    reached = [reconstruct_supports(of, [itemset]).support[0] for of in forged]
    assert (min(reached), max(reached)) == pytest.approx((found.low[0], found.high[0]), abs=1e-12)
    # None forged moves nothing.
    none = bound_forged_supports(listed, [itemset], share=0)
    assert none.low[0] == none.high[0] == reconstruct_supports(listed, [itemset]).support[0]


def test_by_hand() -> None:
    # 400 of 1,000 sent yes: (.4 - .25) / .5 = .3. Ten more: each scores 1.5 or -.5.
    one = design(sensitive("0.5", question("theft", *HALF)))
    listed = Listed(one, np.ones(1_000, np.int64), np.arange(1_000)[None] < 400)
    found = bound_forged_supports(listed, [((0, 1),)])
    assert found.high[0] == pytest.approx((300 + 15) / 1_010)
    assert found.low[0] == pytest.approx((300 - 5) / 1_010)


DEBTS = design(classes("debt", "0.5", 0, 5, 10, 20, cuts=2, rest=3)).mined


@pytest.mark.at_push(3)
@pytest.mark.parametrize("item", range(DEBTS.questions[0].item_count))
def test_of_an_item_of_scores_no_code_of_its_law_moves_it_further(item: int) -> None:
    """An item of scores has keep 1 and noise 0, as if a record could only bring 0 or 1 of it."""
    codes = len(find_score_table(DEBTS.questions[0]).scores)
    sent = np.random.default_rng(2).integers(0, codes, 1_000)

    def support(of: NDArray[np.int64]) -> float:
        listed = Listed(DEBTS, np.ones(len(of), np.int64), of[None])
        return float(reconstruct_supports(listed, [((0, item),)]).support[0])

    found = bound_forged_supports(Listed(DEBTS, np.ones(1_000, np.int64), sent[None]), [((0, item),)])
    reached = [support(np.append(sent, np.full(10, code))) for code in range(codes)]
    assert (min(reached), max(reached)) == pytest.approx((found.low[0], found.high[0]), abs=1e-12)
    scores = [1_010 * end - 1_000 * support(sent) for end in (found.low[0], found.high[0])]
    ranges = find_score_table(DEBTS.questions[0]).least_and_greatest_scores[:, item]
    assert ranges == pytest.approx([score / 10 for score in scores])
