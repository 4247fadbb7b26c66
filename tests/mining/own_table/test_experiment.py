"""Reading one's own table, and an experiment with it against brute force over its rows and W against its law."""

from functools import cache
from itertools import combinations
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest

from mining.own_table import experiment, export
from mining.own_table.experiment import (
    CURVES,
    POINT_REPETITIONS,
    REPETITIONS,
    ComparedRule,
    ExperimentResult,
    MeanAndSpread,
    Varied,
    run_experiment,
)
from mining.own_table.settings import Settings, design_for_table, protection
from mining.own_table.table import MISSING, MOST_ROWS, Column, OwnTable, read_own_table
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.proof
ROWS = 1_500
SETTINGS = Settings(keep=0.5, open_share=0.2, theta=0.6, group_size=2, min_support=0.1, min_confidence=0.6)


@cache
def own_table() -> OwnTable:
    """Two questions of yes and no that go together, and one of three values."""
    rng = np.random.default_rng(3)
    theft = rng.random(ROWS) < 0.4
    lie = np.where(theft, rng.random(ROWS) < 0.7, rng.random(ROWS) < 0.2)
    town = rng.choice(3, ROWS, p=[0.2, 0.3, 0.5])
    columns = (Column("theft", ("no", "yes")), Column("lie", ("no", "yes")), Column("town", ("a", "b", "c")))
    return OwnTable(columns, np.array([theft, lie, town], np.uint8), (), 0)


COARSE: dict[Varied, tuple[float, ...]] = {varied: (of[0], of[-1]) for varied, of in CURVES.items()}
"""The ends of each curve."""


def run_shortly(table: OwnTable, settings: Settings, seed: int, **changed: Any) -> ExperimentResult:
    """With few repetitions, and with no curves or these."""
    changed = {"CURVES": dict.fromkeys(CURVES, ()), "REPETITIONS": 3, "POINT_REPETITIONS": 3} | changed
    with pytest.MonkeyPatch.context() as patch:
        for name, value in changed.items():
            patch.setattr(experiment, name, value)
        return run_experiment(table, settings, seed)


@pytest.fixture(scope="module")
def experiment_result() -> ExperimentResult:
    return run_shortly(own_table(), SETTINGS, 1, CURVES=COARSE)


def share(items: tuple[str, ...]) -> float:
    table = own_table()
    rows = np.ones(table.rows, np.bool_)
    for item in items:
        name, value = item.split("=")
        index = [column.name for column in table.columns].index(name)
        rows &= table.codes[index] == table.columns[index].values.index(value)
    return float(rows.mean())


def true_rules() -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    """By brute force: every split of every itemset, an absence being no item."""
    items = ("theft=yes", "lie=yes", "town=a", "town=b", "town=c")
    rules = set()
    every = [itemset for size in (2, 3) for itemset in combinations(items, size)]
    for itemset in [itemset for itemset in every if share(itemset) >= SETTINGS.min_support]:
        for first in (of for n in range(1, len(itemset)) for of in combinations(itemset, n)):
            if share(itemset) >= SETTINGS.min_confidence * share(first):
                rules.add((first, tuple(item for item in itemset if item not in first)))
    return rules


def test_every_rule_has_its_truth_and_outcome_also_in_the_file(experiment_result: ExperimentResult) -> None:
    true = true_rules()
    assert len(true) == experiment_result.true_rules > 3
    in_table = {
        (rule.antecedent, rule.consequent) for rule in experiment_result.rules if rule.outcome != "false"
    }
    assert in_table == true
    for rule in experiment_result.rules:
        whole = share((*rule.antecedent, *rule.consequent))
        assert rule.true_support == pytest.approx(whole)
        assert rule.true_confidence == pytest.approx(whole / share(rule.antecedent))
        assert rule.confidence is not None
        assert rule.low is not None
        assert rule.high is not None
        assert rule.low <= rule.high
        assert rule.outcome == "missed" or rule.confidence >= SETTINGS.min_confidence
    assert (experiment_result.unlisted, experiment_result.engines.rows) == (0, ROWS)
    assert experiment_result.engines.agree_on_true
    assert experiment_result.engines.agree_on_disguised
    assert len(export.rules_csv(experiment_result.rules).splitlines()) == 1 + len(experiment_result.rules)
    points = sum(len(curve.points) for curve in experiment_result.curves)
    assert len(export.curves_csv(experiment_result).splitlines()) == 1 + points
    assert '"format": "candor-own-table/1"' in export.result_json(SETTINGS, 1, experiment_result)


def test_w_and_protection_match_the_law() -> None:
    """Nobody open, one column a group: W is sqrt(2/pi) times the root of (P a (1-a) + (1-P) b (1-b)) / (n p^2)."""
    table = OwnTable(own_table().columns[:1], own_table().codes[:1], (), 0)
    settings = Settings(keep=0.5, open_share=0.0, group_size=1, estimator="stratified")
    w = run_shortly(table, settings, 2, REPETITIONS=REPETITIONS).measures.w_all
    yes = share(("theft=yes",))
    variance = yes * 0.8 * 0.2 + (1 - yes) * 0.3 * 0.7
    expected = sqrt(2 / pi * variance / (ROWS * 0.25))
    # A mean of twenty absolute normal values, each with a spread of .76 of its mean.
    assert w.mean == pytest.approx(expected, rel=4 * 0.76 / sqrt(REPETITIONS))
    # Of one question the most that an answer tells is yes against no: (p + c) / c with the rarer c.
    said = protection(design_for_table(table, Settings(keep=0.3, theta=0.6, group_size=1)))
    gamma = (0.3 + 0.7 * 0.4) / (0.7 * 0.4)
    assert (said.group_gamma, said.person_gamma) == pytest.approx((gamma, gamma))
    assert said.group_posterior == pytest.approx(gamma * 0.05 / (1 + (gamma - 1) * 0.05))


def test_curves_vary_one_parameter_and_less_disguise_errs_less(experiment_result: ExperimentResult) -> None:
    curves = {curve.varied: curve.points for curve in experiment_result.curves}
    assert [point.value for point in curves["keep"]] == list(COARSE["keep"])
    assert [point.value for point in curves["rows"]] == [round(part * ROWS) for part in COARSE["rows"]]
    for varied in ("keep", "open_share", "rows"):
        first, last = (curves[varied][index].measures.w_all.mean for index in (0, -1))
        assert first is not None
        assert last is not None
        assert last < first / 2
    precise = curves["keep"][-1].measures
    assert precise.itemset_recall.mean is not None
    assert precise.itemset_recall.mean > 0.8


def test_progress_reaches_the_whole_work_and_can_end_it() -> None:
    shares = []

    def step(share: float) -> None:
        shares.append(share)
        if len(shares) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        run_experiment(own_table(), SETTINGS, 1, step)
    points = sum(map(len, CURVES.values()))
    assert shares[0] == pytest.approx(1 / (REPETITIONS + POINT_REPETITIONS * points))
    assert shares == sorted(shares)


def test_same_seed_gives_the_same_rules(experiment_result: ExperimentResult) -> None:
    again = run_shortly(own_table(), SETTINGS, 1)
    assert again.rules == experiment_result.rules
    assert again.measures == experiment_result.measures


def test_a_mean_lies_between_its_ends() -> None:
    """Also where it is rounded past equal values, which no picture could draw."""
    for value in np.random.default_rng(1).random(2_000).tolist():
        spread = MeanAndSpread.from_values([value] * 5)
        assert spread.mean is not None
        assert spread.low is not None
        assert spread.high is not None
        assert spread.low <= spread.mean <= spread.high
    assert MeanAndSpread.from_values([0.5, np.nan, np.nan]) == MeanAndSpread(None, None, None)


def test_invalid_parameters_are_refused_and_formula_names_harmless() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"keep": 0.0}, "keep: must be from 0.05 to 0.95"),
        ({"theta": 1.0}, "theta: must be from"),
        ({"open_share": float("nan")}, "open_share: must be from"),
        ({"group_size": 0}, "group_size: must be at least 1"),
        ({"min_support": 0.0}, "min_support"),
    ]
    for changed, words in cases:
        assert words in refusal(Settings, **changed)
    rule = ComparedRule(("=1+1=yes",), ("b=yes",), "found", 0.1, 0.5, 0.1, 0.5, 0.4, 0.6)
    assert not export.rules_csv([rule]).splitlines()[1].startswith("=")


FOUR_COLUMNS = "\n".join(f"{'yes' if row % 3 == 0 else 'no'},{row % 4},{row},same" for row in range(120))


def read(text: str, wanted: tuple[str, ...] = ()) -> OwnTable:
    return read_own_table(text.encode(), "own.csv", wanted=wanted)


def test_columns_of_few_values_become_codes_in_order() -> None:
    table = read("theft,children,number,country\n" + FOUR_COLUMNS)
    assert table.columns == (Column("theft", ("no", "yes")), Column("children", ("0", "1", "2", "3")))
    assert table.codes[:, :4].tolist() == [[1, 0, 0, 1], [0, 1, 2, 3]]
    assert [(column.name, column.template % column.numbers) for column in table.omitted] == [
        ("number", "has more than 12 different values: write them as classes"),
        ("country", "has the same value in every row"),
    ]
    assert (table.rows, table.incomplete) == (120, 0)


def test_words_of_yes_and_no_are_recognised() -> None:
    for pair in ["no yes", "N Y", "False True", "0 1", "0.0 1.0", "nein ja", "否 是"]:
        no, yes = pair.split()
        table = read("a\n" + f"{yes}\n{no}\n" * 60)
        assert table.columns[0].is_yes_no, pair
        assert table.codes[0, :2].tolist() == [1, 0], pair


def test_incomplete_rows_and_sparse_or_long_columns_are_dropped() -> None:
    table = read("a,b\n" + "yes, x\nno,y\nNA,x\nyes,y \n" * 50)
    assert (table.rows, table.incomplete) == (150, 50)
    assert MISSING not in table.codes
    assert table.columns[1].values == ("x", "y")
    table = read("a,b\n" + "yes,\nno,\nno,1\nyes,0\nno,\n" * 30)
    assert [column.name for column in table.columns] == ["a"]
    assert table.omitted[0].template % table.omitted[0].numbers == "is empty in 90 of 150 rows"
    assert table.rows == 150
    table = read("a,b\n" + f"yes,{'x' * 101}\nno,y\n" * 60)
    assert [column.name for column in table.columns] == ["a"]
    assert "a value of more than 100 characters" in table.omitted[0].template % table.omitted[0].numbers


def test_bad_table_is_refused_with_a_remedy_and_named_columns_used_alone() -> None:
    for text, reason in REFUSED.items():
        assert reason in refusal(read, text)
    columns = read("theft,children,number,country\n" + FOUR_COLUMNS, ("children",)).columns
    assert [column.name for column in columns] == ["children"]
    said = refusal(read, "a,b\n" + "yes,no\nno,yes\n" * 60, ("a", "c"))
    assert "there is no column c: name columns as the first line does" in said


def columns_named(many: int) -> str:
    return ",".join(f"c{n}" for n in range(many)) + "\n"


ALTERNATING = "".join(",".join(str((row + n) % 2) for n in range(41)) + "\n" for row in range(100))
REFUSED = {
    "": "line with the names of the columns is missing",
    "a,b\n": "0 rows below the names of the columns",
    "a,b\nyes,no\n": "1 rows below the names of the columns, and nothing can be estimated from fewer than 100",
    "a,a\n" + "1,2\n" * 200: "appears twice: give each column a name of its own",
    "a,b\n" + "1,x\n" * 200: "no column has two to 12 different values: write numbers as classes",
    "a\n" + "\n".join(map(str, range(200))): "no column has two to 12 different values",
    columns_named(501): "501 columns, more than 500: save the table with the columns of",
    columns_named(41) + ALTERNATING: "41 columns can be disguised, more than 40: name those of interest",
    "a,b\n" + "yes,\n,no\nno,\n,yes\n" * 60: "0 rows have a value in every column",
    "a\n" + "yes\nno\n" * (MOST_ROWS // 2 + 1): "more than 200000 rows: save a random sample of them",
}
