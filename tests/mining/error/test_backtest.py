"""Rules mined again from surveys of the people that were estimated."""

import numpy as np
import pytest

from mining.counting import make_counter
from mining.engines import candor_engine
from mining.error.rule_backtest import BacktestResult, SurveySimulator, backtest, reduce_design
from mining.itemsets.candidates import Routing
from mining.parameters import Parameters
from mining.queries_and_counters import Item, Numbering, Query
from mining.reconstruction import CachedCounter, reconstruct
from mining.rules import Rules
from privacy.designs import InputError, parse
from privacy.grammar.question import LEFT_OUT
from privacy.simulation.disguise import disguise
from privacy.simulation.population import JointDistribution, Population
from reports.texts.report_facts import backtest_caveat
from tests.mining.counting.by_hand import mined
from tests.mining.listed import Listed
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


def survey(n: int) -> tuple[Listed, Rules]:
    rng = np.random.default_rng(1)
    people = Population(TABLE).draw(SURVEY, n, rng)
    listed = Listed(SURVEY, people.group, disguise(SURVEY, people.group, people.truth, rng))
    return listed, candor_engine.mine_rules(listed, WANTED).rules


def rule(listed: Listed, found: Rules, antecedent: int, consequent: int) -> Rules:
    """The rule between the yes answers of two questions."""
    numbers = [
        int(sum(len(q.choices) for q in SURVEY.questions[:place])) + 1 for place in (antecedent, consequent)
    ]
    rows = [row for row in range(len(found)) if found.sides(row) == ((numbers[0],), (numbers[1],))]
    return found.take(np.array(rows))


def again(listed: Listed, found: Rules, wanted: Parameters, seed: int = 1) -> BacktestResult:
    return backtest(listed, found, wanted, np.random.default_rng(seed), populations=6)


def test_a_rule_far_above_the_thresholds_is_found_again() -> None:
    listed, found = survey(4_000)
    strong = rule(listed, found, 2, 5)
    assert len(strong) == 1
    tested = again(listed, strong, WANTED)
    assert tested.populations == 6
    assert tested.again.tolist() == [1.0]


def test_a_rule_at_the_threshold_is_found_about_half_the_time() -> None:
    listed, found = survey(4_000)
    strong = rule(listed, found, 2, 5)
    edge = Parameters(min_support=0.2, min_confidence=min(1.0, float(strong.confidence[0])))
    tested = backtest(listed, strong, edge, np.random.default_rng(1), populations=20)
    assert 0.2 < tested.again[0] < 0.8


def test_a_seed_gives_the_same_again() -> None:
    listed, found = survey(800)
    few = found.take(np.arange(min(4, len(found))))
    one, other = (again(listed, few, WANTED, seed=5) for _ in range(2))
    assert one.again.tolist() == other.again.tolist()


def test_no_rules_need_no_survey() -> None:
    listed, found = survey(800)
    assert again(listed, found.take(np.arange(0)), WANTED).again.tolist() == []


def test_more_than_twelve_answers_are_refused() -> None:
    many = design(sensitive("0.9", *(question(f"q{place}", *HALF) for place in range(14))))
    listed = Listed(many, np.ones(200, np.int64), np.ones((14, 200)))
    found = candor_engine.mine_rules(listed, Parameters(0.2, 0.5, max_size=2)).rules
    with pytest.raises(InputError, match="14 different answers, but a backtest can follow at most 12"):
        again(listed, found, WANTED)


def test_a_watcher_can_end_it() -> None:
    listed, found = survey(800)

    def stop(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backtest(listed, found.take(np.arange(1)), WANTED, np.random.default_rng(1), watch=stop)


def test_only_what_the_rules_need_is_asked_and_a_rotating_section_stays_whole() -> None:
    smaller, place = reduce_design(SURVEY, {1, 3, 5})
    assert [question.name for question in smaller.questions] == ["age", "a", "b", "c", "d"]
    assert place == {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
    assert [section.asked for section in smaller.sections] == [1, 2, 1]
    # d is hidden from those who do not work, whether anybody is asked that or not.
    assert [bool(question.show_if) for question in smaller.questions] == [False] * 4 + [True]
    (rule,) = smaller.questions[4].show_if
    assert (rule.question, rule.place) == ("work", LEFT_OUT)


def test_a_design_with_fewer_questions_has_no_quotas() -> None:
    quotas = [{"answers": {"work": "employed"}, "limit": 30}]
    counted = design(plain(WORK, {"name": "age", "choices": ["young", "old"]}), quotas=quotas)
    smaller, _place = reduce_design(counted, {1})
    assert smaller.quotas == ()
    assert parse(smaller.canonical) == smaller


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
    routing = Routing(smaller, Numbering(smaller))
    assert routing.impossible_or_implied(np.array([[0, 3], [1, 3]], np.int32)).tolist() == [True, True]
    # Without work in it nothing is implied.
    alone, _place = reduce_design(behind, {0, 3})
    routing = Routing(alone, Numbering(alone))
    assert routing.impossible_or_implied(np.array([[0, 3], [1, 3]], np.int32)).tolist() == [False, False]


HIDING = design(
    plain(WORK),
    sensitive(
        "0.5",
        question("theft", *HALF, **IF_EMPLOYED),
        question("lying", *HALF, **IF_EMPLOYED),
        question("drink", *HALF),
    ),
)
# Half work, half of these steal, and who steals lies; to the others (2: not applicable) neither question is shown.
WORKERS = JointDistribution(
    ((0, 1, 1, 0), (0, 0, 0, 1), (1, 2, 2, 1), (1, 2, 2, 0)), (0.25, 0.25, 0.25, 0.25)
)


def workers(n: int) -> Listed:
    rng = np.random.default_rng(1)
    drawn = Population(WORKERS).draw(HIDING, n, rng)
    return Listed(HIDING, drawn.group, disguise(HIDING, drawn.group, drawn.truth, rng))


THEFT, LYING, DRINK, WORKS = 1, 2, 3, 0


def test_people_to_whom_a_question_does_not_apply_give_no_answer_to_it(subtests: pytest.Subtests) -> None:
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
        with subtests.test(f"{items!r:.60}"):
            listed = workers(20_000)
            surveys = SurveySimulator.for_items(CachedCounter(listed), items, "stratified")
            counter = make_counter(surveys.design, [surveys.draw(listed.n, np.random.default_rng(2))])
            assert counter.n == listed.n
            for place, code in items:
                live = reconstruct(listed, [((place, code),)])
                simulated = reconstruct(counter, [((surveys.index[place], code),)])
                assert simulated.support[0] == pytest.approx(live.support[0], abs=0.03)
                # Whoever is not shown a question adds no noise to it either.
                assert simulated.se[0] == pytest.approx(live.se[0], rel=0.05)
            for place, at in surveys.index.items():
                shown = counter.count([Query(asked=(at,), applies=(at,))]).sum() / 20_000
                assert shown == pytest.approx(0.5 if place in {THEFT, LYING} else 1.0, abs=0.03)


def test_the_same_rule_hides_two_questions_from_the_same_people() -> None:
    surveys = SurveySimulator.for_items(
        CachedCounter(workers(20_000)), [(THEFT, 0), (LYING, 1)], "stratified"
    )
    counter = make_counter(surveys.design, [surveys.draw((0, 20_000), np.random.default_rng(2))])
    both = Query(asked=(0, 1), applies=(0, 1))
    assert counter.count([both]).sum() / 20_000 == pytest.approx(0.5, abs=0.03)


def test_a_rule_about_the_absence_of_what_is_hidden_is_found_again() -> None:
    listed = workers(8_000)
    wanted = Parameters(min_support=0.2, min_confidence=0.9, absences=True, max_size=2)
    found = candor_engine.mine_rules(listed, wanted).rules
    # Theft and lying of no and yes; those who do not steal do not lie, as long as only who is asked counts.
    sides = [found.sides(row) for row in range(len(found))]
    chosen = found.take(np.array([sides.index(((2,), (4,))), sides.index(((3,), (5,)))]))
    tested = again(listed, chosen, wanted)
    assert tested.again.tolist() == [1.0, 1.0]
    weaker = Parameters(min_support=0.35, min_confidence=0.9, absences=True, max_size=2)
    assert again(listed, chosen, weaker).again.tolist() == [0.0, 0.0]


def test_what_is_said_with_it_says_that_the_truth_is_weaker() -> None:
    assert "10 to 25 percentage points" in backtest_caveat()
    assert "not the probability that a rule is true" in backtest_caveat()


NUMBERS = design(plain(WORK), classes("debt", "0.8", 0, 5, 10), sensitive("0.6", question("e", *HALF)))
DEBTORS = JointDistribution(((0, 9, 1), (0, 1, 0), (1, 0, 0)), (0.4, 0.2, 0.4))


def test_a_rule_with_a_number_is_not_followed_and_the_others_are() -> None:
    rng = np.random.default_rng(1)
    people = Population(DEBTORS).draw(NUMBERS, 6_000, rng)
    codes = disguise(NUMBERS, people.group, people.truth, rng)
    as_mined = np.array([mined(NUMBERS, row) for row in codes.T.tolist()]).T
    listed = Listed(NUMBERS.mined, people.group, as_mined)
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


def test_a_rule_with_a_hidden_place_is_found_again() -> None:
    rng = np.random.default_rng(1)
    people = Population(AT_HOME).draw(HOMES, 4_000, rng)
    codes = disguise(HOMES, people.group, people.truth, rng)
    as_mined = np.array([mined(HOMES, record) for record in codes.T.tolist()]).T
    listed = Listed(HOMES.mined, people.group, as_mined)
    found = candor_engine.mine_rules(listed, WANTED).rules
    numbering = Numbering(HOMES.mined)
    north, theft = numbering.number((2, 0)), numbering.number((1, 1))
    rows = [row for row in range(len(found)) if found.sides(row) == ((north,), (theft,))]
    strong = found.take(np.array(rows))
    assert len(strong) == 1
    assert again(listed, strong, WANTED).again.tolist() == [1.0]


def test_simulated_surveys_hide_a_place_as_often_as_the_survey_does() -> None:
    rng = np.random.default_rng(2)
    people = Population(AT_HOME).draw(HOMES, 4_000, rng)
    codes = disguise(HOMES, people.group, people.truth, rng)
    as_mined = np.array([mined(HOMES, record) for record in codes.T.tolist()]).T
    listed = Listed(HOMES.mined, people.group, as_mined)
    surveys = SurveySimulator.for_items(CachedCounter(listed), [(2, 0), (2, 2)], "stratified")
    drawn = make_counter(surveys.design, [surveys.draw((0, 20_000), rng)])
    asked, north, elsewhere = drawn.count([Query(asked=(0,)), Query(((0, 0),)), Query(((0, 2),))])[
        :, 1
    ].tolist()
    assert asked / 20_000 == pytest.approx(0.7, abs=0.03)
    counted = listed.count([Query(asked=(2,)), Query(((2, 0),)), Query(((2, 2),))])[:, 1].tolist()
    assert north / asked == pytest.approx(counted[1] / counted[0], abs=0.03)
    assert elsewhere / asked == pytest.approx(counted[2] / counted[0], abs=0.03)
