"""Random studies: one law, one record, one order in Python and JavaScript."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from privacy.designs import parse
from privacy.mechanisms.disguise import arm_from_coins, choice_order_from_coins, question_order_from_coins
from privacy.mechanisms.random_draws import RandomWords, draw_coins, sides_of_coins
from privacy.records import DISGUISED
from tests.privacy.mechanisms.test_twin import CAREFREE, in_python
from tests.privacy.node import Node
from tests.privacy.questionnaires import crosswise, drawn, plain
from tests.privacy.strategies import PARTS, designs, noise_laws, words_from

# Random designs with arms, drawn questions, random order and crosswise questions.


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    """A design of `designs`, behind drawn questions, with crosswise sections before or behind each of its sections."""
    source: dict[str, Any] = draw(designs())
    lots = [
        drawn(f"lot {place}", *draw(noise_laws(draw(st.integers(2, 4)))))
        for place in range(draw(st.integers(0, 2)))
    ]
    halves = [drawn("halves", "0.5", "0.5")] if draw(st.booleans()) else []
    sections = [plain(*lots, *halves)] if lots or halves else []
    for number, section in enumerate(source["sections"]):
        more = [_crosswise(draw, number, bool(halves), lots)] if draw(st.booleans()) else []
        sections += (
            [*more, _shuffled(draw, section)] if draw(st.booleans()) else [_shuffled(draw, section), *more]
        )
    for section in sections:
        _shuffle_choices(draw, section["questions"])
    if draw(st.booleans()):
        source |= {"open_answers": False, "direct": f"0.{draw(st.integers(1000, 9000)):04d}", "least": 200}
    return source | {"sections": sections}


def _shuffled(draw: st.DrawFn, section: dict[str, Any]) -> dict[str, Any]:
    names = {question["name"] for question in section["questions"]}
    is_free = not any(names & question.get("show_if", {}).keys() for question in section["questions"])
    may = is_free and section["kind"] in ("plain", "unrelated-question")
    is_shuffled: bool = draw(st.booleans())
    return {**section, "order": "random"} if may and is_shuffled else section


def _shuffle_choices(draw: st.DrawFn, questions: list[dict[str, Any]]) -> None:
    """Some questions of the form one get some of their choices in random order, and some groups their options."""
    for place, each in enumerate(questions):
        group = [other for other in questions if each.get("of") and other.get("of") == each["of"]]
        if each.get("form") == "many":
            looks = {other["name"] for other in group} & {
                name for other in group for name in other.get("show_if", {})
            }
            most = len(group) if group[0] is each and not looks else 0
        else:
            is_one = (
                "choices" in each and not group and each.get("form", "one") == "one" and "share" not in each
            )
            is_yes_no = "form" not in each and [*each.get("choices", [])] == ["no", "yes"]
            is_in_order = is_yes_no or "number" in each
            most = len(each["choices"]) if is_one and not is_in_order else 0
        if most > 1 and draw(st.booleans()):
            questions[place] = {**each, "shuffled": draw(st.integers(2, most))}


def _crosswise(draw: st.DrawFn, number: int, turns: bool, lots: list[dict[str, Any]]) -> dict[str, Any]:
    more: dict[str, Any] = {"turned_by": "halves"} if turns and draw(st.booleans()) else {}
    if draw(st.booleans()) and lots:
        more["show_if"] = {lots[0]["name"]: [draw(st.sampled_from(lots[0]["choices"]))]}
    share = draw(st.integers(PARTS // 20, PARTS * 19 // 20).filter(lambda parts: parts != PARTS // 2))
    return crosswise(f"crosswise {number}", f"0.{share:04d}", **more)


@pytest.mark.proof
@settings(suppress_health_check=CAREFREE)
@given(data=st.data())
def test_the_same_words_give_the_same_record_and_the_same_order(twin: Node, data: st.DataObject) -> None:
    design = parse(json.dumps(data.draw(studies())))
    assert parse(design.canonical) == design
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    bits = max(14, max(sides_of_coins(design), default=1).bit_length())
    shared = {"design": json.loads(design.canonical), "fingerprint": design.fingerprint}
    for _ in range(5):
        seed = rng.getrandbits(32)
        coins = draw_coins(design, RandomWords(bits, words_from(bits, [], seed).__next__))
        arm = arm_from_coins(design, coins)
        group = rng.randrange(2) if arm is None and design.open_answers else DISGUISED if arm is None else arm
        answers = [rng.randrange(question.true_codes) for question in design.questions]
        asked, expected = in_python(design, group, answers, bits, words_from(bits, [], seed))
        assert twin.ask("records", **shared, people=[asked]) == [expected]
        assert twin.ask("drawing", **shared, words=asked["words"], bits=bits) == {
            "arm": arm,
            "order": list(question_order_from_coins(design, coins)),
            "codes": [
                list(choice_order_from_coins(design, coins, place)) if "choices" in question.as_json() else []
                for place, question in enumerate(design.questions)
            ],
        }
