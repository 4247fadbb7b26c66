"""Subset selection against vectors made in exact fractions, against every coin of small designs, and its twin."""

import io
import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mining.counting import BitmapCounter
from mining.reconstruction import CachedCounter, reconstruct
from privacy.designs import Design, InputError
from privacy.kinds.subset.law import best_size, largest_keep
from privacy.kinds.subset.scores import all_sets, set_membership, set_ranks
from privacy.kinds.subset.section import SubsetSection, set_rank
from privacy.mechanisms.disguise import disguised_codes
from privacy.mechanisms.random_draws import Coins, sides_of_coins
from privacy.records import (
    DISGUISED,
    OPEN,
    Record,
    batch_bytes,
    encode_answers,
    packed_bit_columns,
    read_record,
)
from privacy.records.record_file import RecordRow, read_truth, write_records
from privacy.simulation.disguise import disguise
from tests.privacy.mechanisms.test_twin import in_python
from tests.privacy.node import Node
from tests.privacy.questionnaires import design, plain, read_records, subset
from tests.privacy.strategies import words_from

VECTORS = json.loads(Path("tests/vectors/subset.json").read_text())["designs"]


def section_of(of: Design) -> SubsetSection:
    section = of.sections[-1]
    assert isinstance(section, SubsetSection)
    return section


def test_law_scores_and_moments_are_the_vectors(subtests: pytest.Subtests) -> None:
    for vector in VECTORS:
        with subtests.test(f"{vector!r:.60}"):
            choices, size = vector["choices"], vector["size"]
            limit = Fraction(vector["gamma_limit"])
            assert best_size(choices, limit) == size
            assert largest_keep(choices, size, limit) == round(float(vector["keep"]) * 10_000)
            law = section_of(design(subset(choices, size, vector["keep"]))).law
            moments = vector["moments"]
            stated = (
                (law.gamma, vector["gamma"]),
                (law.false_inclusion_probability, vector["q"]),
                (law.score_inside, vector["score_in_set"]),
                (law.score_outside, vector["score_not_in_set"]),
                (law.moment(2, True), moments["mu2_given_choice"]),
                (law.moment(3, True), moments["mu3_given_choice"]),
                (law.moment(2, False), moments["mu2_given_other"]),
                (law.moment(3, False), moments["mu3_given_other"]),
                (law.n_variance(Fraction(1, choices)), vector["n_variance_at_equal_choices"]),
            )
            assert all(figure == Fraction(written) for figure, written in stated)
            for score in vector["scores"]:
                members = all_sets(choices, size)[score["code"]].tolist()
                inside = law.score_inside if score["choice"] in members else law.score_outside
                assert members == score["set"]
                assert inside == Fraction(score["score"])


def test_the_device_sends_the_set_that_its_coins_draw(subtests: pytest.Subtests) -> None:
    for vector in VECTORS:
        with subtests.test(f"{vector!r:.60}"):
            of = design(subset(vector["choices"], vector["size"], vector["keep"]))
            assert list(sides_of_coins(of)) == vector["sides"]
            for case in vector["device"]:
                (code,) = disguised_codes(of, Coins(tuple(case["coins"])), DISGUISED, [case["choice"]])
                assert code == case["code"] == set_rank(case["set"], vector["choices"])
                openly = disguised_codes(of, Coins(tuple(case["coins"])), OPEN, [case["choice"]])
                assert openly == [vector["sets"] + case["choice"]]


def test_ranks_follow_the_lexicographic_order() -> None:
    for choices, size in ((4, 2), (7, 3), (21, 5)):
        sets = list(combinations(range(choices), size))
        assert [set_rank(members, choices) for members in sets] == list(range(len(sets)))
        assert (set_ranks(all_sets(choices, size), choices) == np.arange(len(sets))).all()
        assert (set_membership(choices, size).sum(axis=1) == size).all()


def enumerated(of: Design, modulus: int, true: int) -> dict[int, Fraction]:
    """By code how likely it is, from every tuple of coins."""
    numbers = sides_of_coins(of, modulus)
    counts = Counter(
        disguised_codes(of, Coins(coins, modulus), DISGUISED, [true])[0]
        for coins in product(*map(range, numbers))
    )
    return {code: Fraction(count, prod(numbers)) for code, count in counts.items()}


@pytest.mark.proof
def test_every_coin_gives_the_law_its_gamma_and_scores_without_bias(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, str]] = [(4, 2, "0.75"), (5, 2, "0.5"), (7, 3, "0.75")]
    for choices, size, keep in cases:
        with subtests.test(f"{choices} {size}"):
            of = design(subset(choices, size, keep))
            law, sets = section_of(of).law, all_sets(choices, size).tolist()
            rows = [enumerated(of, 4, true) for true in range(choices)]
            for true, row in enumerate(rows):
                assert row == {
                    code: law.probability(true, frozenset(members)) for code, members in enumerate(sets)
                }
            columns = list(
                zip(*(row.values() for row in (dict(sorted(row.items())) for row in rows)), strict=True)
            )
            assert max(max(column) / min(column) for column in columns) == law.gamma
            for true, chosen in product(range(choices), repeat=2):
                score = sum(
                    chance * (law.score_inside if chosen in sets[code] else law.score_outside)
                    for code, chance in rows[true].items()
                )
                assert score == (chosen == true)


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


def test_many_choices_are_sent_as_sets_where_sets_win() -> None:
    assert [best_size(choices, Fraction(3)) for choices in (5, 6, 10, 21)] == [None, 2, 3, 5]
    assert best_size(21, Fraction(50)) is None
    # 646,646 sets of ten among 22 and 134,596 of six among 24 have no code; of five there are 26,334 and 42,504.
    assert best_size(22, Fraction(6, 5)) == 5
    assert best_size(24, Fraction(3)) == 5
    # Of 400 choices not even the pairs.
    assert best_size(400, Fraction(3)) is None


def test_what_cannot_be_sent_is_refused_with_place_and_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        (subset(7, 2, "0.2857"), "keep at most 0.2857"),
        (subset(7, 1, "0.5"), "between 2 and 3"),
        (subset(7, 4, "0.5"), "between 2 and 3"),
        (subset(3, 2, "0.8"), "at least 4 choices"),
        (subset(24, 12, "0.9"), "too many"),
        (subset(4, 2, "0.8", choices=["a", "b+c", "d", "e"]), "joins the choices"),
        (subset(4, 2, "0.8", form="scale"), "form"),
        (subset(4, 2, "0.8", noise=["0.25"] * 4), "noise"),
        (subset(7, 2, "0.5") | {"questions": []}, "at least one question"),
    ]
    for section, reason in cases:
        with subtests.test(f"{section!r:.60} {reason!r:.60}"):
            with pytest.raises(InputError) as refusal:
                design(section)
            assert reason in str(refusal.value)
            assert "sections[0]" in str(refusal.value)


def test_a_design_keeps_its_canonical_form() -> None:
    of = design(
        plain({"name": "work", "choices": ["no", "yes"]}), subset(7, 2, "0.5", show_if={"work": ["yes"]})
    )
    written = json.loads(of.canonical)["sections"][1]
    assert (written["keep"], written["size"], "noise" in written["questions"][0]) == ("0.5000", 2, False)
    assert disguised_codes(of, Coins((0,) * len(sides_of_coins(of))), DISGUISED, [0, None]) == [0, 21 + 7 + 1]


def test_both_languages_send_the_same_bytes(twin: Node) -> None:
    rng = random.Random(8)
    for choices, size, keep in ((4, 2, "0.7"), (9, 3, "0.5001"), (21, 5, "0.4838")):
        of = design(subset(choices, size, keep), open_answers=True)
        people = [
            in_python(
                of,
                rng.randrange(2),
                [rng.randrange(choices)],
                32,
                words_from(32, [0, 1], rng.getrandbits(32)),
            )
            for _ in range(200)
        ]
        asked, expected = (list(each) for each in zip(*people, strict=True))
        shared = {"design": json.loads(of.canonical), "fingerprint": of.fingerprint}
        assert twin.ask("records", **shared, people=asked) == expected


OPENLY = design(subset(5, 2, "0.7"), open_answers=True)


def test_a_set_is_no_open_answer_and_a_choice_no_disguised_one(subtests: pytest.Subtests, twin: Node) -> None:
    cases: list[tuple[int, int]] = [(OPEN, 9), (DISGUISED, 10), (DISGUISED, 14)]
    for group, code in cases:
        with subtests.test(f"{group} {code}"):
            record = Record(OPENLY.fingerprint, group, encode_answers(OPENLY, [code]))
            with pytest.raises(InputError, match="drug"):
                read_record(OPENLY, record)
            own = {"design": OPENLY.fingerprint, "group": group, "answers": record.answers}
            shared = {
                "design": json.loads(OPENLY.canonical),
                "fingerprint": OPENLY.fingerprint,
                "record": own,
            }
            assert twin.ask("impossible", **shared) == {"reason": "group", "question": "drug"}


def test_a_record_file_joins_the_choices_of_a_set_and_reads_them_back() -> None:
    written = io.StringIO()
    rows = [RecordRow(DISGUISED, (0,)), RecordRow(DISGUISED, (9,)), RecordRow(OPEN, (12,))]
    write_records(written, OPENLY, rows)
    assert written.getvalue() == "group,drug\ndisguised,a+b\ndisguised,d+e\nopen,c\n"
    assert list(read_records(io.BytesIO(written.getvalue().encode()), "file", OPENLY)) == rows
    for line in ("open,a+b", "disguised,c"):
        with pytest.raises(InputError, match="drug"):
            list(read_records(io.BytesIO(f"group,drug\n{line}\n".encode()), "file", OPENLY))


def test_true_answers_are_read_by_the_names_of_choices() -> None:
    rows = list(read_truth(io.BytesIO(b"drug\nc\na\n"), "file", OPENLY))
    assert [row.answers for row in rows] == [(2,), (0,)]
    with pytest.raises(InputError, match="drug"):
        list(read_truth(io.BytesIO(b"drug\na+b\n"), "file", OPENLY))


@pytest.mark.proof
def test_a_batch_holds_two_bytes_a_record_and_mining_recovers_every_share() -> None:
    of = design(plain({"name": "work", "choices": ["no", "yes"]}), subset(21, 5, "0.4838"), open_answers=True)
    rng = np.random.default_rng(12)
    n = 20_000
    shares = np.array([0.2, *[0.04] * 20])
    truth = np.stack([rng.integers(0, 2, n), rng.choice(21, n, p=shares)]).astype(np.uint8)
    group = (rng.random(n) < 0.8).astype(np.uint8)
    packed = packed_bit_columns.pack_batch(of, group, disguise(of, group, truth, rng))
    assert [column.itemsize for column in batch_bytes.read_batch(packed).integers] == [2]
    counter = CachedCounter(BitmapCounter(of.mined, [packed_bit_columns.columns_from_bytes(of, packed)]))
    found = reconstruct(counter, [((1, code),) for code in range(21)])
    true = np.bincount(truth[1], minlength=21) / n
    assert (np.abs(found.support - true) < 4.5 * found.se).all()
    assert found.support.sum() == pytest.approx(1)
    assert found.se[0] < 0.012
