"""mlxtend's own examples through Candor's functions, and disguised tables beside the truth."""

from inspect import signature
from itertools import combinations, product
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori as mlxtend_apriori, association_rules as mlxtend_rules
from mlxtend.preprocessing import TransactionEncoder

from candor import apriori, association_rules
from mining.counting import MinedRecords
from mining.counting.mined_records import pack_columns
from mining.engines.record_table_and_inversion import RecordTable, estimate_support
from privacy.designs import Design
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from tests.privacy.questionnaires import HALF, YES_NO, design, plain, question, refusal, sensitive

pytestmark = pytest.mark.proof
MEASURES = ("support", "confidence", "lift")
ALL_ENDS = [f"{name}_{end}" for name in MEASURES for end in ("low", "high")]
# https://rasbt.github.io/mlxtend/user_guide/frequent_patterns/apriori/, with names of one word.
BASKETS = [
    ["Milk", "Onion", "Nutmeg", "Beans", "Eggs", "Yogurt"],
    ["Dill", "Onion", "Nutmeg", "Beans", "Eggs", "Yogurt"],
    ["Milk", "Apple", "Beans", "Eggs"],
    ["Milk", "Unicorn", "Corn", "Beans", "Yogurt"],
    ["Corn", "Onion", "Onion", "Beans", "Icecream", "Eggs"],
]


def baskets() -> tuple[pd.DataFrame, Design]:
    encoder = TransactionEncoder()
    frame = pd.DataFrame(encoder.fit(BASKETS).transform(BASKETS), columns=encoder.columns_)
    return frame, design(plain(*({"name": name, "choices": YES_NO} for name in frame.columns)))


def test_mlxtend_examples_give_its_columns_and_order(subtests: pytest.Subtests) -> None:
    frame, nothing_disguised = baskets()
    cases: list[dict[str, Any]] = [{"min_support": 0.6}, {"min_support": 0.6, "use_colnames": True}]
    cases += [{"min_support": 0.4, "use_colnames": True, "max_len": 2}, {}]
    for more in cases:
        with subtests.test(f"{more!r:.60}"):
            ours, theirs = apriori(frame, **more, design=nothing_disguised), mlxtend_apriori(frame, **more)
            assert list(ours.columns) == ["support", "itemsets", "support_low", "support_high"]
            pd.testing.assert_frame_equal(
                ours[["support", "itemsets"]], theirs, check_exact=False, rtol=1e-12
            )


def test_association_rules_match_mlxtend(subtests: pytest.Subtests) -> None:
    frame, nothing_disguised = baskets()
    key, metrics = ["antecedents", "consequents"], {"confidence": 0.7, "lift": 1.2, "leverage": 0.0}
    for use_colnames, (metric, least) in product([True, False], metrics.items()):
        with subtests.test(f"{use_colnames} {metric!r:.60}"):
            itemsets = apriori(frame, 0.6, use_colnames, design=nothing_disguised)
            ours = association_rules(itemsets, 1, frame, False, metric, least, design=nothing_disguised)
            with np.errstate(divide="ignore", invalid="ignore"):
                alike = mlxtend_apriori(frame, 0.6, use_colnames=use_colnames)
                theirs = mlxtend_rules(alike, metric=metric, min_threshold=least)
            assert list(ours.columns) == [*theirs.columns, *ALL_ENDS]
            one, other = ({tuple(row) for row in rules[key].to_numpy()} for rules in (ours, theirs))
            assert one == other
            both = ours.merge(theirs, on=key, suffixes=("", " of mlxtend"))
            assert len(both) == len(theirs) > 0
            for name in theirs.columns[2:]:
                np.testing.assert_allclose(both[name], both[f"{name} of mlxtend"], rtol=1e-12)


def test_results_without_a_design_match_mlxtend(subtests: pytest.Subtests) -> None:
    frame, _nothing_disguised = baskets()
    for ours, theirs in ((apriori, mlxtend_apriori), (association_rules, mlxtend_rules)):
        assert [*signature(ours).parameters][:-1] == [*signature(theirs).parameters]
    for given in ((0.6, True), (0.2, False, 2, 0, True), (0.4, True, None, 0, False, 2)):
        with subtests.test(str(given)):
            pd.testing.assert_frame_equal(apriori(frame, *given), mlxtend_apriori(frame, *given))
    found = mlxtend_apriori(frame, 0.6)
    asked: list[tuple[Any, ...]] = [(), (5, None, False, "lift", 1.1), (5, None, False, "support", 0.5, True)]
    asked += [(5, frame, True, "jaccard", 0.6, False, ["jaccard", "lift"])]
    for given in asked:
        with subtests.test(str(given[3:])), np.errstate(divide="ignore", invalid="ignore"):
            pd.testing.assert_frame_equal(association_rules(found, *given), mlxtend_rules(found, *given))


def test_chosen_measures_alone_get_intervals() -> None:
    frame, nothing_disguised = baskets()
    more: dict[str, Any] = {"df_orig": frame, "design": nothing_disguised}
    itemsets = apriori(frame, 0.6, design=nothing_disguised)
    rules = association_rules(itemsets, return_metrics=["lift"], **more)
    assert [*rules.columns] == ["antecedents", "consequents", "lift", "lift_low", "lift_high"]
    supports_alone = association_rules(itemsets, support_only=True, min_threshold=0.6, **more)
    assert [*supports_alone.columns[-2:]] == ["support_low", "support_high"]
    assert "lift_low" not in supports_alone


def test_call_in_the_old_argument_order_says_where_the_design_goes() -> None:
    frame, nothing_disguised = baskets()
    itemsets: Any = apriori(frame, 0.6, design=nothing_disguised)
    before: Any = (frame, nothing_disguised)
    assert "apriori(df, 0.2, design=design)" in refusal(apriori, *before)
    assert "association_rules(itemsets, df_orig=df, design=design)" in refusal(
        association_rules, itemsets, *before
    )
    assert "disguised table" in refusal(association_rules, itemsets, design=nothing_disguised)


def test_itemsets_found_together_match_single_estimates() -> None:
    """Brute force: every itemset of three of five columns, in an order that is not the design's."""
    names = ["theft", "lie", "bribe", "young", "old"]
    asked = design(
        *(sensitive("0.5", question(name, *HALF)) for name in names[:3]),
        plain(*({"name": name, "choices": YES_NO} for name in names[3:])),
    )
    random = np.random.default_rng(3)
    true = (random.random((5, 4_000)) < 0.35) | (random.random(4_000) < 0.2)
    sent = disguise(asked, np.ones(4_000, np.uint8), true.astype(np.int64), random)
    frame = pd.DataFrame(sent.T.astype(bool), columns=names)[["old", "bribe", "theft", "young", "lie"]]
    packed = pack_columns(asked, np.full(4_000, DISGUISED, np.uint8), sent.astype(np.int64))
    table = RecordTable.from_records(MinedRecords(asked.mined, [packed]))
    expected = {}
    for size in (1, 2, 3):
        for columns in combinations(frame.columns, size):
            items = tuple(sorted((names.index(name), 1) for name in columns))
            expected[columns] = estimate_support(table, items, table.records_asked(items), "stratified")
    frequent = {columns: support for columns, support in expected.items() if support >= 0.25}
    assert 8 < len(frequent) < len(expected)
    found = apriori(frame, 0.25, use_colnames=True, design=asked)
    assert found["itemsets"].tolist() == [*map(frozenset, frequent)]
    np.testing.assert_allclose(found["support"], [*frequent.values()], rtol=1e-9)


def test_table_of_forty_columns_can_be_searched() -> None:
    names = [f"q{number}" for number in range(40)]
    asked = design(
        sensitive("0.5", *(question(name, *HALF) for name in names[:20])),
        plain(*({"name": name, "choices": YES_NO} for name in names[20:])),
    )
    frame = pd.DataFrame(np.random.default_rng(1).random((2_000, 40)) < 0.6, columns=names)
    found = apriori(frame, 0.3, max_len=2, design=asked)
    assert found["itemsets"].map(len).value_counts().to_dict()[1] == 40
    assert found["support_low"].notna().all()


def disguised_yes_no_table(n: int, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame, Design]:
    """What is true, and what devices sent."""
    asked = design(
        *(sensitive("0.5", question(name, *HALF)) for name in ("theft", "lie")),
        plain({"name": "young", "choices": YES_NO}),
    )
    random = np.random.default_rng(seed)
    theft, young = random.random(n) < 0.4, random.random(n) < 0.5
    true = np.array([theft, theft & (random.random(n) < 0.8), young])
    sent = disguise(asked, np.ones(n, np.uint8), true.astype(np.int64), random)
    names = ["theft", "lie", "young"]
    return pd.DataFrame(true.T, columns=names), pd.DataFrame(sent.T.astype(bool), columns=names), asked


def supports(found: pd.DataFrame) -> dict[Any, float]:
    return dict(zip(found["itemsets"], found["support"], strict=True))


def test_disguised_table_is_reconstructed() -> None:
    true, sent, asked = disguised_yes_no_table(40_000)
    found = apriori(sent, 0.1, True, design=asked)
    truth = supports(mlxtend_apriori(true, 0.1, use_colnames=True))
    raw = supports(mlxtend_apriori(sent, 0.01, use_colnames=True))
    assert set(found["itemsets"]) == set(truth)
    for row in found.to_dict("records"):
        assert row["support"] == pytest.approx(truth[row["itemsets"]], abs=0.02)
        assert row["support_low"] < row["support"] < row["support_high"]
    pair = frozenset({"theft", "lie"})
    assert abs(raw[pair] - truth[pair]) > 0.03
    rules = association_rules(found, df_orig=sent, min_threshold=0.7, design=asked)
    is_theft, is_lie = (
        rules["antecedents"] == frozenset({"theft"}),
        rules["consequents"] == frozenset({"lie"}),
    )
    (rule,) = rules[is_theft & is_lie].to_dict("records")
    assert rule["confidence"] == pytest.approx(0.8, abs=0.04)
    assert rule["confidence_low"] < 0.8 < rule["confidence_high"]
    for _row, told in rules.iterrows():
        for name in MEASURES:
            # An estimate may lie above 1, its interval does not.
            most = inf if name == "lift" else 1.0
            assert told[f"{name}_low"] < min(told[name], most) <= told[f"{name}_high"]


def test_few_records_get_no_interval() -> None:
    _true, sent, asked = disguised_yes_no_table(30)
    itemsets = apriori(sent, 0.1, design=asked)
    assert itemsets["support_low"].isna().all()
    rules = association_rules(itemsets, df_orig=sent, min_threshold=0.1, design=asked)
    assert len(rules) > 0
    assert rules[ALL_ENDS].isna().all(axis=None)


def test_empty_rule_table_has_all_columns() -> None:
    frame, nothing_disguised = baskets()
    itemsets = apriori(frame, 0.6, design=nothing_disguised)
    columns = list(association_rules(itemsets, df_orig=frame, design=nothing_disguised).columns)
    for some, least in ((itemsets, 1.1), (itemsets[:0], 0.8)):
        none = association_rules(some, df_orig=frame, min_threshold=least, design=nothing_disguised)
        assert (len(none), list(none.columns)) == (0, columns)


@pytest.mark.night
def test_rule_intervals_hold_the_truth_in_nearly_all_lists() -> None:
    """Each list is of another survey; the rule of most confidence is chosen in each."""
    held = []
    for seed in range(100):
        true, sent, asked = disguised_yes_no_table(3_000, seed)
        itemsets = apriori(sent, 0.1, True, design=asked)
        rules = association_rules(itemsets, df_orig=sent, min_threshold=0.2, design=asked)
        best = rules.loc[rules["confidence"].idxmax()]
        has = true[list(best["antecedents"])].all(axis=1)
        truth = true.loc[has, list(best["consequents"])].all(axis=1).mean()
        held.append(best["confidence_low"] <= truth <= best["confidence_high"])
    assert np.mean(held) >= 0.9


def test_table_of_other_values_is_refused() -> None:
    frame, nothing_disguised = baskets()
    without = frame.drop(columns="Milk")
    assert "not the questions of the design" in refusal(apriori, without, design=nothing_disguised)
    assert "above 0" in refusal(apriori, frame, 0, design=nothing_disguised)
    for cell in ("no", "1", np.nan, None, 2):
        odd = frame.astype(object)
        odd.iloc[0, 0] = cell
        assert "True and False" in refusal(apriori, odd, design=nothing_disguised), cell
    assert len(apriori(frame.astype(int), 0.6, design=nothing_disguised)) == 11
    three = design(plain({"name": "age", "choices": ["a", "b", "c"]}))
    assert "two choices per question" in refusal(apriori, pd.DataFrame({"age": [True]}), design=three)
