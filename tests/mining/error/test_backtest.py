"""Rules mined again from surveys of the people that were estimated."""

from pathlib import Path

import numpy as np
import pytest

from mining.engines import bitmap
from mining.error.backtest import Backtest, backtest, caveat, reduced
from mining.parameters import Parameters
from mining.rules import Rules
from privacy.designs import Refusal
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Population, Table
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

SURVEY = design(
    plain(WORK, {"name": "age", "choices": ["young", "old"]}),
    sensitive("0.5", *(question(name, *HALF) for name in "abc"), asked=2),
    sensitive("0.6", question("d", *HALF, **IF_EMPLOYED), question("e", *HALF)),
)
WANTED = Parameters(min_support=0.2, min_confidence=0.7)
TABLE = Table(
    # Who does a does d, nine times out of ten.
    ((0, 0, 1, 0, 0, 1, 0), (0, 1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0, 0), (0, 1, 0, 0, 1, 0, 1)),
    (0.45, 0.05, 0.3, 0.2),
)


def survey(n: int) -> tuple[Listed, Rules]:
    rng = np.random.default_rng(1)
    people = Population(TABLE).draw(SURVEY, n, rng)
    listed = Listed(SURVEY, people.group, disguise(SURVEY, people.group, people.truth, rng))
    return listed, bitmap.find(listed, WANTED).rules


def rule(listed: Listed, found: Rules, antecedent: int, consequent: int) -> Rules:
    """The rule between the yes answers of two questions."""
    numbers = [
        int(sum(len(q.choices) for q in SURVEY.questions[:place])) + 1 for place in (antecedent, consequent)
    ]
    rows = [row for row in range(len(found)) if found.sides(row) == ((numbers[0],), (numbers[1],))]
    return found.take(np.array(rows))


def again(listed: Listed, found: Rules, wanted: Parameters, tmp_path: Path, seed: int = 1) -> Backtest:
    return backtest(listed, found, wanted, np.random.default_rng(seed), tmp_path, populations=12)


def test_a_rule_far_above_the_thresholds_is_found_again(tmp_path: Path) -> None:
    listed, found = survey(4_000)
    strong = rule(listed, found, 2, 5)
    assert len(strong) == 1
    tested = again(listed, strong, WANTED, tmp_path)
    assert tested.populations == 12
    assert tested.again.tolist() == [1.0]


def test_a_rule_at_the_threshold_is_found_about_half_the_time(tmp_path: Path) -> None:
    listed, found = survey(4_000)
    strong = rule(listed, found, 2, 5)
    edge = Parameters(min_support=0.2, min_confidence=min(1.0, float(strong.confidence[0])))
    tested = backtest(listed, strong, edge, np.random.default_rng(1), tmp_path, populations=40)
    assert 0.2 < tested.again[0] < 0.8


def test_a_seed_gives_the_same_again(tmp_path: Path) -> None:
    listed, found = survey(800)
    few = found.take(np.arange(min(4, len(found))))
    one, other = (again(listed, few, WANTED, tmp_path, seed=5) for _ in range(2))
    assert one.again.tolist() == other.again.tolist()


def test_no_rules_need_no_survey(tmp_path: Path) -> None:
    listed, found = survey(800)
    assert again(listed, found.take(np.arange(0)), WANTED, tmp_path).again.tolist() == []


def test_more_than_twelve_answers_are_refused(tmp_path: Path) -> None:
    many = design(sensitive("0.9", *(question(f"q{place}", *HALF) for place in range(14))))
    listed = Listed(many, np.ones(200, np.int64), np.ones((14, 200)))
    found = bitmap.find(listed, Parameters(0.2, 0.5, max_size=2)).rules
    with pytest.raises(Refusal, match="14 different answers, but a backtest can follow at most 12"):
        again(listed, found, WANTED, tmp_path)


def test_a_watcher_can_end_it(tmp_path: Path) -> None:
    listed, found = survey(800)

    def stop(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backtest(listed, found.take(np.arange(1)), WANTED, np.random.default_rng(1), tmp_path, watch=stop)


def test_only_what_the_rules_need_is_asked_and_a_rotating_section_stays_whole() -> None:
    smaller, place = reduced(SURVEY, {1, 3, 5})
    assert [question.name for question in smaller.questions] == ["age", "a", "b", "c", "d"]
    assert place == {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
    assert [getattr(section, "asked", None) for section in smaller.sections] == [None, 2, 1]
    assert not any(question.show_if for question in smaller.questions)


def test_what_is_said_with_it_says_that_the_truth_is_weaker() -> None:
    assert "10 to 25 percentage points" in caveat()
    assert "not the probability that a rule is true" in caveat()
