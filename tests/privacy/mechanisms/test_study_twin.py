"""Random studies: one law, one record, one order in Python and JavaScript."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from privacy.designs import parse
from privacy.mechanisms.coins import RandomWords, draw_coins, sides
from privacy.mechanisms.disguise import arm_of, codes_of, disguise, order_of
from privacy.records import DISGUISED, read_record
from tests.examples import examples
from tests.privacy.node import Node
from tests.privacy.strategies import words_from
from tests.privacy.study_strategies import studies

CAREFREE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.differing_executors]


@pytest.mark.proof
@settings(max_examples=examples(150), deadline=None, suppress_health_check=CAREFREE)
@given(data=st.data())
def test_the_same_words_give_the_same_record_and_the_same_order(twin: Node, data: st.DataObject) -> None:
    design = parse(json.dumps(data.draw(studies())))
    assert parse(design.canonical) == design
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    bits = max(14, max(sides(design), default=1).bit_length())
    for _ in range(5):
        used: list[int] = []
        source = words_from(bits, [], rng.getrandbits(32))

        def draw(used: list[int] = used, source: object = source) -> int:
            used.append(next(source))  # type: ignore[call-overload]
            return used[-1]

        coins = draw_coins(design, RandomWords(bits, draw))
        arm = arm_of(design, coins)
        group = rng.randrange(2) if arm is None and design.open_answers else DISGUISED if arm is None else arm
        answers = [rng.randrange(question.true_codes) for question in design.questions]
        record = disguise(design, coins, group, answers)
        codes = read_record(design, record)
        asked = {
            "design": json.loads(design.canonical),
            "fingerprint": design.fingerprint,
            "words": used,
            "bits": bits,
        }
        assert twin.ask("record", **asked, group=group, answers=answers) == {
            "coins": list(coins.values),
            "left": 0,
            "text": record.json,
            "shown": [
                code < question.codes and not question.share_parts
                for code, question in zip(codes, design.questions, strict=True)
            ],
            "impossible": None,
        }
        assert twin.ask("drawing", **asked) == {
            "arm": arm,
            "order": list(order_of(design, coins)),
            "codes": [
                list(codes_of(design, coins, place)) if "choices" in question.as_json() else []
                for place, question in enumerate(design.questions)
            ],
        }
