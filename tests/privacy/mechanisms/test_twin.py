"""Python and JavaScript: one law, one record."""

import json
import random
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from privacy.designs import Design, InputError, parse_design
from privacy.kinds.section_intro_and_random_order import question_blocks
from privacy.mechanisms.disguise_by_given_coins import arm_from_coins, disguise
from privacy.mechanisms.random_draws import (
    Coins,
    RandomWords,
    draw_coins,
    sides_of_coins,
    sides_of_other_coins,
)
from privacy.records import DISGUISED, Record, encode_answers, read_record
from tests.privacy.conftest import Node, NodeError
from tests.privacy.questionnaires import crosswise, drawn, plain, refusal
from tests.privacy.strategies import (
    PARTS,
    WORD_BITS,
    answers_to,
    designs,
    noise_laws,
    word_streams,
    words_from,
)
from tests.vectors import make

pytestmark = pytest.mark.proof
Thing = TypeVar("Thing")
CAREFREE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.differing_executors]


def test_the_committed_vectors_are_those_that_the_script_makes() -> None:
    assert make.FILE.read_text(encoding="utf-8") == make.text()


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
    codes = zip(read_record(design, record), design.questions, strict=True)
    # What is drawn is no question that a page shows.
    shown = [code < question.codes and not question.share_parts for code, question in codes]
    reply = {"coins": list(coins.values), "left": 0, "text": record.json, "shown": shown, "impossible": None}
    return {"words": used, "bits": bits, "group": group, "answers": answers}, reply


@settings(max_examples=2 * settings().max_examples, suppress_health_check=CAREFREE)  # of each 20 records
@given(data=st.data())
def test_the_same_words_give_the_same_bytes(twin: Node, data: st.DataObject) -> None:
    design = parse_design(json.dumps(data.draw(designs())))
    bits, first, seed = data.draw(word_streams)
    answers = data.draw(answers_to(json.loads(design.canonical)))
    least = max(sides_of_coins(design), default=1).bit_length()
    bits = max(bits, least)
    people = [in_python(design, data.draw(st.integers(0, 1)), answers, bits, words_from(bits, first, seed))]
    # Drawing a design costs more than comparing records of it, so it has more respondents, of the same seed.
    rng = random.Random(seed)
    for _ in range(19):
        answers = [rng.randrange(question.true_codes) for question in design.questions]
        bits = max(rng.choice(WORD_BITS), least)
        first = [rng.randint(0, 7_000) for _ in range(rng.randint(0, 6))]
        words = words_from(bits, first, rng.getrandbits(32))
        people.append(in_python(design, rng.randrange(2), answers, bits, words))
    asked, expected = (list(each) for each in zip(*people, strict=True))
    shared = {"design": json.loads(design.canonical), "fingerprint": design.fingerprint}
    assert twin.ask("records", **shared, people=asked) == expected


def tampered(data: st.DataObject, design: Design, codes: list[int]) -> Record:
    """A record of the design with one thing changed, often one that no device could have sent."""
    place = data.draw(st.integers(0, len(codes) - 1))
    codes[place] = data.draw(st.integers(0, design.questions[place].not_applicable))
    text = encode_answers(design, codes)
    texts = (text[1:], text + "0", "9" * len(text), text[:-1] + "x", text[:-1] + "٣")
    of_design = [Record(design.fingerprint, group, text) for group in (0, 1, 2)]
    wrong = [Record(design.fingerprint, 1, each) for each in texts]
    return data.draw(st.sampled_from([*of_design, Record("0" * 64, 1, text), *wrong]))


@settings(max_examples=3 * settings().max_examples, suppress_health_check=CAREFREE)
@given(data=st.data())
def test_both_sides_agree_on_which_records_are_possible(twin: Node, data: st.DataObject) -> None:
    written: dict[str, Any] = data.draw(designs())
    written["open_answers"] = data.draw(st.booleans())
    design = parse_design(json.dumps(written))
    coins = draw_coins(design, RandomWords(32, words_from(32, [], data.draw(st.integers(0, 999))).__next__))
    answers = data.draw(answers_to(json.loads(design.canonical)))
    record = tampered(data, design, list(read_record(design, disguise(design, coins, 1, answers))))
    shared = {"design": json.loads(design.canonical), "fingerprint": design.fingerprint}
    own = {"design": record.design, "group": record.group, "answers": record.answers}
    is_possible = twin.ask("impossible", **shared, record=own) is None
    assert is_possible == (refusal(read_record, design, record) == "")


@settings(suppress_health_check=CAREFREE)
@given(data=st.data())
def test_both_sides_agree_on_which_answers_are_needed(twin: Node, data: st.DataObject) -> None:
    design = parse_design(json.dumps(data.draw(designs())))
    coins = draw_coins(design, RandomWords(32, words_from(32, [], data.draw(st.integers(0, 999))).__next__))
    full = data.draw(answers_to(json.loads(design.canonical)))
    answers = [code if data.draw(st.booleans()) else None for code in full]
    shared = {"design": json.loads(design.canonical), "fingerprint": design.fingerprint}
    request = {**shared, "words": list(coins.values), "bits": 32, "group": 1, "answers": answers}
    try:
        text = disguise(design, coins, 1, answers).json
    except InputError:
        with pytest.raises(NodeError, match="is not answered"):
            twin.ask("record", **request)
    else:
        assert twin.ask("record", **request)["text"] == text


# --- designs with arms, drawn questions, random order and crosswise questions


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    """A design of `designs`, behind drawn questions, with crosswise sections before or behind each of its sections."""
    source: dict[str, Any] = draw(designs())
    laws = [draw(noise_laws(draw(st.integers(2, 4)))) for _ in range(draw(st.integers(0, 2)))]
    lots = [drawn(f"lot {place}", *law) for place, law in enumerate(laws)]
    halves = [drawn("halves", "0.5", "0.5")] if draw(st.booleans()) else []
    sections = [plain(*lots, *halves)] if lots or halves else []
    for number, section in enumerate(source["sections"]):
        more = [_crosswise(draw, number, bool(halves), lots)] if draw(st.booleans()) else []
        is_after, shuffled = draw(st.booleans()), [_shuffled(draw, section)]
        sections += more + shuffled if is_after else shuffled + more
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
            looked_at = {name for other in group for name in other.get("show_if", {})}
            looks = any(other["name"] in looked_at for other in group)
            most = len(group) if group[0] is each and not looks else 0
        else:
            choices = each.get("choices", [])
            is_one = not group and each.get("form", "one") == "one" and "share" not in each
            is_in_order = ("form" not in each and choices == ["no", "yes"]) or "number" in each
            most = len(choices) if is_one and not is_in_order else 0
        if most > 1 and draw(st.booleans()):
            questions[place] = {**each, "shuffled": draw(st.integers(2, most))}


def _crosswise(draw: st.DrawFn, number: int, turns: bool, lots: list[dict[str, Any]]) -> dict[str, Any]:
    more: dict[str, Any] = {"turned_by": "halves"} if turns and draw(st.booleans()) else {}
    if draw(st.booleans()) and lots:
        more["show_if"] = {lots[0]["name"]: [draw(st.sampled_from(lots[0]["choices"]))]}
    share = draw(st.integers(PARTS // 20, PARTS * 19 // 20).filter(lambda parts: parts != PARTS // 2))
    return crosswise(f"crosswise {number}", f"0.{share:04d}", **more)


# Random orders from a device's coins: the twin of `order` and `choiceOrders` in draws.js.


def question_order(design: Design, coins: Coins) -> tuple[int, ...]:
    """The indexes of all questions in the order in which they are shown."""
    left = iter(_coins_after_sections(design, coins)[design.has_arms + len(design.drawn) :])
    first, ordered = 0, list[list[int]]()
    for section in design.sections:
        order = [[first + index for index in block] for block in question_blocks(section.questions)]
        ordered += _shuffle(order, left) if section.presentation.random_order else order
        first += len(section.questions)
    options = _orders_of_group_options(design, _choice_orders(design, coins))
    return tuple(index for block in ordered for index in options.get(block[0], block))


def choice_order(design: Design, coins: Coins, index: int) -> tuple[int, ...]:
    """The codes of a question's choices in the order in which they are shown; `index`: of the question."""
    question = design.questions[index]
    order = () if question.of else _choice_orders(design, coins).get(index, ())
    return (*order, *range(len(order), question.codes))


def _choice_orders(design: Design, coins: Coins) -> dict[int, tuple[int, ...]]:
    """The order of shuffled choices by index of their question; of a group by that of its first option, counted from
    there."""
    indexes = [index for index, question in enumerate(design.questions) if question.shuffled]
    after = _coins_after_sections(design, coins)
    left = iter(after[len(after) - sum(design.questions[index].shuffled - 1 for index in indexes) :])
    return {index: tuple(_shuffle(range(design.questions[index].shuffled), left)) for index in indexes}


def _orders_of_group_options(design: Design, orders: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
    """The order of the options of each shuffled group, by index of its first option."""
    by_first = {}
    for index, order in orders.items():
        group = design.questions[index].of
        if group:
            options = sum(question.of == group for question in design.questions)
            by_first[index] = [index + option for option in (*order, *range(len(order), options))]
    return by_first


def _coins_after_sections(design: Design, coins: Coins) -> tuple[int, ...]:
    return coins.values[len(coins.values) - len(sides_of_other_coins(design, coins.modulus)) :]


def _shuffle(things: Iterable[Thing], coins: Iterator[int]) -> list[Thing]:
    """Fisher-Yates: coin i swaps the things i and i + coin."""
    order = list(things)
    for index in range(len(order) - 1):
        other = index + next(coins)
        order[index], order[other] = order[other], order[index]
    return order


@settings(suppress_health_check=CAREFREE)
@given(data=st.data())
def test_the_same_words_give_the_same_record_and_the_same_order(twin: Node, data: st.DataObject) -> None:
    design = parse_design(json.dumps(data.draw(studies())))
    assert parse_design(design.canonical) == design
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
            "order": list(question_order(design, coins)),
            "codes": [
                list(choice_order(design, coins, place)) if "choices" in question.as_json() else []
                for place, question in enumerate(design.questions)
            ],
        }
