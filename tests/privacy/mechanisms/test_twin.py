"""Python and JavaScript: one law, one record."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from privacy.designs import Design, InputError, parse
from privacy.mechanisms.disguise import disguise
from privacy.mechanisms.random_draws import RandomWords, draw_coins, sides_of_coins
from privacy.records import Record, encode_answers, read_record
from tests.privacy.node import Node, NodeError
from tests.privacy.strategies import WORD_BITS, answers_to, designs, word_streams, words_from

CAREFREE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.differing_executors]


def in_python(
    design: Design, group: int, answers: list[int], bits: int, words: Iterator[int]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What to ask the twin of one respondent, and what it is to reply."""
    used: list[int] = []

    def draw() -> int:
        used.append(next(words))
        return used[-1]

    coins = draw_coins(design, RandomWords(bits, draw))
    record = disguise(design, coins, group, answers)
    codes = read_record(design, record)
    return {"words": used, "bits": bits, "group": group, "answers": answers}, {
        "coins": list(coins.values),
        "left": 0,
        "text": record.json,
        # What is drawn is no question that a page shows.
        "shown": [
            code < q.codes and not q.share_parts for code, q in zip(codes, design.questions, strict=True)
        ],
        "impossible": None,
    }


@pytest.mark.proof
@settings(max_examples=2 * settings().max_examples, suppress_health_check=CAREFREE)  # of each 20 records
@given(data=st.data())
def test_the_same_words_give_the_same_bytes(twin: Node, data: st.DataObject) -> None:
    design = parse(json.dumps(data.draw(designs())))
    bits, first, seed = data.draw(word_streams)
    answers = data.draw(answers_to(json.loads(design.canonical)))
    least = max(sides_of_coins(design), default=1).bit_length()
    bits = max(bits, least)
    people = [in_python(design, data.draw(st.integers(0, 1)), answers, bits, words_from(bits, first, seed))]
    # Drawing a design costs more than comparing records of it, so it has more respondents, of the same seed.
    rng = random.Random(seed)
    for _ in range(19):
        answers = [rng.randrange(question.true_codes) for question in design.questions]
        bits, first = (
            max(rng.choice(WORD_BITS), least),
            [rng.randint(0, 7_000) for _ in range(rng.randint(0, 6))],
        )
        words = words_from(bits, first, rng.getrandbits(32))
        people.append(in_python(design, rng.randrange(2), answers, bits, words))
    asked, expected = (list(each) for each in zip(*people, strict=True))
    shared = {"design": json.loads(design.canonical), "fingerprint": design.fingerprint}
    assert twin.ask("records", **shared, people=asked) == expected


def tampered(data: st.DataObject, design: Design, codes: list[int]) -> Record:
    """A record of the design with one thing changed, often one that no device could have sent."""
    place = data.draw(st.integers(0, len(codes) - 1))
    codes[place] = data.draw(st.integers(0, design.questions[place].not_applicable))
    answers = encode_answers(design, codes)
    return data.draw(
        st.sampled_from(
            [
                Record(design.fingerprint, 1, answers),
                Record(design.fingerprint, 0, answers),
                Record("0" * 64, 1, answers),
                Record(design.fingerprint, 2, answers),
                Record(design.fingerprint, 1, answers[1:]),
                Record(design.fingerprint, 1, answers + "0"),
                Record(design.fingerprint, 1, "9" * len(answers)),
                Record(design.fingerprint, 1, answers[:-1] + "x"),
                Record(design.fingerprint, 1, answers[:-1] + "٣"),
            ]
        )
    )


@pytest.mark.proof
@settings(max_examples=3 * settings().max_examples, suppress_health_check=CAREFREE)
@given(data=st.data())
def test_both_sides_agree_on_which_records_are_possible(twin: Node, data: st.DataObject) -> None:
    written: dict[str, Any] = data.draw(designs())
    written["open_answers"] = data.draw(st.booleans())
    design = parse(json.dumps(written))
    coins = draw_coins(design, RandomWords(32, words_from(32, [], data.draw(st.integers(0, 999))).__next__))
    answers = data.draw(answers_to(json.loads(design.canonical)))
    record = tampered(data, design, list(read_record(design, disguise(design, coins, 1, answers))))
    try:
        read_record(design, record)
        possible = True
    except InputError:
        possible = False
    reply = twin.ask(
        "impossible",
        design=json.loads(design.canonical),
        fingerprint=design.fingerprint,
        record={"design": record.design, "group": record.group, "answers": record.answers},
    )
    assert (reply is None) == possible


@pytest.mark.proof
@settings(suppress_health_check=CAREFREE)
@given(data=st.data())
def test_both_sides_agree_on_which_answers_are_needed(twin: Node, data: st.DataObject) -> None:
    design = parse(json.dumps(data.draw(designs())))
    coins = draw_coins(design, RandomWords(32, words_from(32, [], data.draw(st.integers(0, 999))).__next__))
    full = data.draw(answers_to(json.loads(design.canonical)))
    answers = [code if data.draw(st.booleans()) else None for code in full]
    request = {
        "design": json.loads(design.canonical),
        "fingerprint": design.fingerprint,
        "words": list(coins.values),
        "bits": 32,
        "group": 1,
        "answers": answers,
    }
    try:
        text = disguise(design, coins, 1, answers).json
    except InputError:
        with pytest.raises(NodeError, match="is not answered"):
            twin.ask("record", **request)
    else:
        assert twin.ask("record", **request)["text"] == text
