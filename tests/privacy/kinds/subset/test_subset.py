"""Subset selection against vectors made in exact fractions, against every coin of small designs, and its twin."""

import io
import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from mining.counting import BitmapCounter
from mining.reconstruction import CachedCounter, reconstruct_supports
from privacy.designs import Design
from privacy.kinds.subset.law import best_set_size_above_one, largest_keep
from privacy.kinds.subset.scores import all_sets, set_membership, set_ranks
from privacy.kinds.subset.section import SubsetSection, set_rank
from privacy.mechanisms.disguise_by_given_coins import disguised_codes
from privacy.mechanisms.random_draws import Coins, sides_of_coins
from privacy.records import (
    DISGUISED,
    OPEN,
    Record,
    batch_bit_columns,
    batch_bytes,
    encode_answers,
    read_record,
)
from privacy.records.record_file import RecordRow, read_truth, write_records
from privacy.simulation.disguise import disguise
from tests.privacy.conftest import Node
from tests.privacy.mechanisms.test_twin import in_python
from tests.privacy.questionnaires import YES_NO, design, plain, read_records, refusal, subset
from tests.privacy.strategies import words_from

VECTORS = json.loads(Path("tests/vectors/subset.json").read_text())["designs"]


def section_of(of: Design) -> SubsetSection:
    section = of.sections[-1]
    assert isinstance(section, SubsetSection)
    return section


def test_law_scores_moments_and_coins_are_those_of_the_vectors() -> None:
    for vector in VECTORS:
        choices, size, limit = vector["choices"], vector["size"], Fraction(vector["gamma_limit"])
        assert best_set_size_above_one(choices, limit) == size
        assert largest_keep(choices, size, limit) == round(float(vector["keep"]) * 10_000)
        of = design(subset(choices, size, vector["keep"]))
        law = section_of(of).law
        stated = {
            "gamma": law.gamma,
            "q": law.false_inclusion_probability,
            "score_in_set": law.score_inside,
            "score_not_in_set": law.score_outside,
            "n_variance_at_equal_choices": law.variance_per_respondent(Fraction(1, choices)),
        }
        moments = {"mu2": law.moment(2, True), "mu3": law.moment(3, True)}
        of_others = {"mu2": law.moment(2, False), "mu3": law.moment(3, False)}
        assert stated == {key: Fraction(vector[key]) for key in stated}
        for key, figures in (("choice", moments), ("other", of_others)):
            assert figures == {of: Fraction(vector["moments"][f"{of}_given_{key}"]) for of in figures}
        for score in vector["scores"]:
            members = all_sets(choices, size)[score["code"]].tolist()
            inside = law.score_inside if score["choice"] in members else law.score_outside
            assert (members, inside) == (score["set"], Fraction(score["score"]))
        assert list(sides_of_coins(of)) == vector["sides"]
        for case in vector["device"]:
            coins, truth = Coins(tuple(case["coins"])), [case["choice"]]
            assert [case["code"]] == disguised_codes(of, coins, DISGUISED, truth)
            assert case["code"] == set_rank(case["set"], choices)
            assert disguised_codes(of, coins, OPEN, truth) == [vector["sets"] + case["choice"]]


def test_ranks_follow_the_lexicographic_order() -> None:
    for choices, size in ((4, 2), (7, 3), (21, 5)):
        sets = list(combinations(range(choices), size))
        assert [set_rank(members, choices) for members in sets] == list(range(len(sets)))
        assert (set_ranks(all_sets(choices, size), choices) == np.arange(len(sets))).all()
        assert (set_membership(choices, size).sum(axis=1) == size).all()


def enumerate_law(of: Design, modulus: int, true: int) -> dict[int, Fraction]:
    """By code how likely it is, from every tuple of coins."""
    numbers = sides_of_coins(of, modulus)
    every = (Coins(coins, modulus) for coins in product(*map(range, numbers)))
    counts = Counter(disguised_codes(of, coins, DISGUISED, [true])[0] for coins in every)
    return {code: Fraction(count, prod(numbers)) for code, count in counts.items()}


@pytest.mark.proof
def test_set_law_has_its_gamma_and_unbiased_scores() -> None:
    for choices, size, keep in ((4, 2, "0.75"), (5, 2, "0.5"), (7, 3, "0.75")):
        of = design(subset(choices, size, keep))
        law, sets = section_of(of).law, all_sets(choices, size).tolist()
        rows = [enumerate_law(of, 4, true) for true in range(choices)]
        for true, row in enumerate(rows):
            assert row == {code: law.probability(true, frozenset(each)) for code, each in enumerate(sets)}
        columns = [[row[code] for row in rows] for code in range(len(sets))]
        assert max(max(column) / min(column) for column in columns) == law.gamma
        for true, chosen in product(range(choices), repeat=2):
            scores = (law.score_inside if chosen in members else law.score_outside for members in sets)
            assert sum(rows[true][code] * score for code, score in enumerate(scores)) == (chosen == true)


def test_simulated_people_follow_the_law() -> None:
    of = design(subset(6, 2, "0.6"), open_answers=True)
    law, sets, n = section_of(of).law, all_sets(6, 2).tolist(), 150_000
    group = np.full(n, DISGUISED, np.uint8)
    codes = disguise(of, group, np.full((1, n), 4, np.uint8), np.random.default_rng(5))
    expected = np.array([float(law.probability(4, frozenset(members))) for members in sets]) * n
    chi_square = ((np.bincount(codes[0], minlength=len(sets)) - expected) ** 2 / expected).sum()
    # 14 degrees of freedom: above 36.1 once in a thousand.
    assert chi_square < 36.1
    openly = disguise(of, np.full(9, OPEN, np.uint8), np.full((1, 9), 4, np.uint8), np.random.default_rng(5))
    assert (openly == 15 + 4).all()


def test_many_choices_are_sent_as_sets_where_better() -> None:
    assert [best_set_size_above_one(choices, Fraction(3)) for choices in (5, 6, 10, 21)] == [None, 2, 3, 5]
    assert best_set_size_above_one(21, Fraction(50)) is None
    # 646,646 sets of ten among 22 and 134,596 of six among 24 have no code; of five there are 26,334 and 42,504.
    assert best_set_size_above_one(22, Fraction(6, 5)) == 5
    assert best_set_size_above_one(24, Fraction(3)) == 5
    # Of 400 choices not even the pairs.
    assert best_set_size_above_one(400, Fraction(3)) is None


def test_impossible_set_question_is_refused_with_place_and_reason() -> None:
    for section, reason in (
        (subset(7, 2, "0.2857"), "keep at most 0.2857"),
        (subset(7, 1, "0.5"), "between 2 and 3"),
        (subset(7, 4, "0.5"), "between 2 and 3"),
        (subset(3, 2, "0.8"), "at least 4 choices"),
        (subset(24, 12, "0.9"), "too many"),
        (subset(4, 2, "0.8", choices=["a", "b+c", "d", "e"]), "joins the choices"),
        (subset(4, 2, "0.8", form="scale"), "form"),
        (subset(4, 2, "0.8", noise=["0.25"] * 4), "noise"),
        (subset(7, 2, "0.5") | {"questions": []}, "at least one question"),
    ):
        said = refusal(design, section)
        assert (said.startswith("sections[0]"), reason in said) == (True, True), (reason, said)


def test_a_design_keeps_its_canonical_form() -> None:
    of = design(plain({"name": "work", "choices": YES_NO}), subset(7, 2, "0.5", show_if={"work": ["yes"]}))
    written = json.loads(of.canonical)["sections"][1]
    assert (written["keep"], written["size"], "noise" in written["questions"][0]) == ("0.5000", 2, False)
    assert disguised_codes(of, Coins((0,) * len(sides_of_coins(of))), DISGUISED, [0, None]) == [0, 21 + 7 + 1]


def test_both_languages_send_the_same_bytes(disguise_js: Node) -> None:
    rng = random.Random(8)
    for choices, size, keep in ((4, 2, "0.7"), (9, 3, "0.5001"), (21, 5, "0.4838")):
        of = design(subset(choices, size, keep), open_answers=True)
        people = []
        for _ in range(200):
            words = words_from(32, [0, 1], rng.getrandbits(32))
            people.append(in_python(of, rng.randrange(2), [rng.randrange(choices)], 32, words))
        asked, expected = (list(each) for each in zip(*people, strict=True))
        shared = {"design": json.loads(of.canonical), "fingerprint": of.fingerprint}
        assert disguise_js.ask("records", **shared, people=asked) == expected


OPENLY = design(subset(5, 2, "0.7"), open_answers=True)


def test_set_is_only_disguised_and_choice_only_open(disguise_js: Node) -> None:
    for group, code in ((OPEN, 9), (DISGUISED, 10), (DISGUISED, 14)):
        record = Record(OPENLY.fingerprint, group, encode_answers(OPENLY, [code]))
        assert "drug" in refusal(read_record, OPENLY, record), code
        own = {"design": OPENLY.fingerprint, "group": group, "answers": record.answers}
        shared = {"design": json.loads(OPENLY.canonical), "fingerprint": OPENLY.fingerprint, "record": own}
        assert disguise_js.ask("impossible", **shared) == {"reason": "group", "question": "drug"}, code


def test_record_file_joins_choices_of_a_set_and_true_answers_name_one() -> None:
    written = io.StringIO()
    rows = [RecordRow(DISGUISED, (0,)), RecordRow(DISGUISED, (9,)), RecordRow(OPEN, (12,))]
    write_records(written, OPENLY, rows)
    assert written.getvalue() == "group,drug\ndisguised,a+b\ndisguised,d+e\nopen,c\n"
    assert list(read_records(io.BytesIO(written.getvalue().encode()), "file", OPENLY)) == rows
    truths = read_truth(io.BytesIO(b"drug\nc\na\n"), "file", OPENLY)
    assert [row.answers for row in truths] == [(2,), (0,)]
    for text in (b"group,drug\nopen,a+b\n", b"group,drug\ndisguised,c\n"):
        assert "drug" in refusal(lambda data: list(read_records(io.BytesIO(data), "file", OPENLY)), text)
    assert "drug" in refusal(lambda: list(read_truth(io.BytesIO(b"drug\na+b\n"), "file", OPENLY)))


@pytest.mark.proof
def test_set_batch_holds_two_bytes_a_record_and_recovers_every_share() -> None:
    of = design(plain({"name": "work", "choices": YES_NO}), subset(21, 5, "0.4838"), open_answers=True)
    rng = np.random.default_rng(12)
    n = 20_000
    shares = np.array([0.2, *[0.04] * 20])
    truth = np.stack([rng.integers(0, 2, n), rng.choice(21, n, p=shares)]).astype(np.uint8)
    group = (rng.random(n) < 0.8).astype(np.uint8)
    packed = batch_bit_columns.pack_batch(of, group, disguise(of, group, truth, rng))
    assert [column.itemsize for column in batch_bytes.read_batch(packed).integers] == [2]
    counter = CachedCounter(BitmapCounter(of.mined, [batch_bit_columns.columns_from_bytes(of, packed)]))
    found = reconstruct_supports(counter, [((1, code),) for code in range(21)])
    true = np.bincount(truth[1], minlength=21) / n
    assert (np.abs(found.support - true) < 4.5 * found.se).all()
    assert found.support.sum() == pytest.approx(1)
    assert found.se[0] < 0.012
