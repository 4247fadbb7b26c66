"""Python and JavaScript: one law, one record.

`python -m tests.privacy.mechanisms.test_twin` writes tests/vectors/records.json, the vectors that hold disguise.js by
itself.
"""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from privacy.designs import Design, InputError, UnrelatedQuestionSection, parse_design
from privacy.kinds.section_intro_and_random_order import question_blocks
from privacy.mechanisms.disguise_by_given_coins import arm_from_coins, disguise
from privacy.mechanisms.random_draws import (
    Coins,
    RandomWords,
    draw_coins,
    seeded_words,
    sides_of_coins,
    sides_of_other_coins,
)
from privacy.records import DISGUISED, OPEN, Record, encode_answers, read_record
from tests.privacy import questionnaires as q
from tests.privacy.conftest import Node, NodeError
from tests.privacy.questionnaires import crosswise, drawn_question, plain, refusal
from tests.privacy.strategies import (
    PARTS,
    WORD_BITS,
    answers_to,
    designs,
    noise_laws,
    word_streams,
    words_from,
)

pytestmark = pytest.mark.proof
Thing = TypeVar("Thing")
CAREFREE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.differing_executors]


# --- the vectors that hold disguise.js by itself ---


# Coins after a reload, by trying all of them: what `redraw` of disguise.js must give.


def redraw_shuffle_coins(design: Design, before: Coins, words: RandomWords) -> Coins:
    """The shuffle coins that draw what `before` drew, in the order of the design, and the coins of the whole design.

    All others are from the words.
    """
    values = list(draw_coins(design, words, before.modulus).values)
    at = 0
    for section in design.sections:
        sides = section.sides_of_coins(before.modulus)
        # Only what a grouped section asks shows: the coins of a number or a place are all new.
        is_grouped = isinstance(section, UnrelatedQuestionSection)
        shuffles = len(sides) - 1 - len(section.questions) if is_grouped else 0
        wanted = sorted(places_in_front(before.values[at : at + shuffles], len(section.questions)))
        every = product(*map(range, sides[:shuffles]))
        (shuffle,) = (coins for coins in every if places_in_front(coins, len(section.questions)) == wanted)
        values[at : at + shuffles] = shuffle
        at += len(sides)
    # What the coins of the whole design decide, a respondent can see.
    values[at:] = before.values[at:]
    return Coins(tuple(values), before.modulus)


def places_in_front(shuffle: Sequence[int], length: int) -> list[int]:
    """The places that a Fisher-Yates shuffle with these coins brings to the front, in their order there."""
    order = list(range(length))
    for at, coin in enumerate(shuffle):
        order[at], order[at + coin] = order[at + coin], order[at]
    return order[: len(shuffle)]


VECTORS_FILE = Path(__file__).parents[2] / "vectors" / "records.json"
THEFT, YES_NO = q.question("theft", "0.4", "0.6"), ["no", "yes"]
ONE_OF_TWO = q.sensitive("0.3", THEFT, {"name": "drugs", "choices": YES_NO}, asked=1)
SHIFT = {"name": "shift", "choices": ["day", "night", "夜勤"], **q.IF_EMPLOYED}
WIDE = q.make_design(
    q.plain(q.WORK, SHIFT),
    q.sensitive(
        "0.4321",
        q.question("days absent", *["0.1"] * 10, show_if={"shift": ["night", "夜勤"]}),
        {"name": "reason", "choices": ["ill", "child", "Überdruss"]},
        q.question("theft", "0.0001", "0.9999"),
        asked=2,
    ),
)
NUMBERS = q.make_design(
    q.plain(q.WORK),
    q.window("age", 1001, 100),
    q.classes("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000, rest=2, **q.IF_EMPLOYED),
    ONE_OF_TWO,
    q.classes("degrees", "0.25", *range(-40, 70, 10), step=5),
)
REGIONS = (0, 1, 6, 7), (8, 9, 14, 15, 2), (28, 29, 34, 35, 22, 23)
FAR = [(-(10**7), 10**7), (10**7, -(10**7)), (0, 0), (1, -1), (-1, 1), (3, 0), (12, 13)]
PLACES = q.make_design(
    q.plain(q.WORK),
    q.place("home", q.grid(6, 6), *REGIONS, near=3, odds="7.38"),
    q.place("work place", FAR, (6, 0, 1), (4, 2), near=3, odds="2", **q.IF_EMPLOYED),
    ONE_OF_TWO,
    q.place("village", q.grid(33, 3), range(10, 60), near=50, odds="1000"),
)
PLACES["sections"][2]["questions"][0]["regions"][1] |= {"near": 2, "odds": "2.5"}
MANY = {"choices": YES_NO, "form": "many", "of": "drugs"}
ROW = {"choices": ["no", "partly", "wholly"], "form": "scale", "of": "views"}
RANDOM = {"order": "random"}
LOTS = q.drawn_question("version", *q.HALF), q.drawn_question("vignette", "0.1", "0.2", "0.7")
BORN = {"secret": "Born early?", "source": "A register", "turned_by": "version", "turned": "Born late?"}
STUDY = q.make_design(
    {**q.plain(*LOTS), "intro": "About you."},
    q.plain(
        {**q.WORK, "known": "0.9000", "choices": YES_NO},
        {"name": "snuff", **MANY, "none": "None of these"},
        {"name": "pills", **MANY},
        {"name": "views a", **ROW},
        {"name": "views b", **ROW},
        {"name": "shift", "choices": ["day", "night"], "show_if": {"vignette": ["a", "c"]}},
    )
    | RANDOM,
    q.crosswise("tax", "0.2466", **BORN),
    q.sensitive("0.3", THEFT, q.question("loan", *q.HALF), q.question("bet", *q.HALF), asked=2) | RANDOM,
    q.crosswise("bribe", "0.7500", secret="Even number?", show_if={"version": ["b"]}),
    open_answers=False,
    direct="0.3500",
    follows="0123456789abcdef" * 4,
    plan="f" * 64,
    panel="Your code",
)
REASON = {"name": "reason", "choices": ["ill", "child", "rest", "other"], "form": "one", "shuffled": 4}
SHUFFLED = q.make_design(
    q.plain(
        {"name": "fruit", "choices": ["apple", "pear", "plum", "none"], "form": "one", "shuffled": 3},
        {"name": "snuff", **MANY, "shuffled": 3},
        {"name": "pills", **MANY},
        {"name": "drops", **MANY},
    ),
    q.sensitive("0.3", REASON, THEFT, asked=1) | RANDOM,
)
DESIGNS = [q.ONE, q.MIXED, q.TWO_SECTIONS, q.ROTATING, q.THREE, q.TWO_OF_THREE]
DESIGNS += [WIDE, NUMBERS, PLACES, STUDY, SHUFFLED]
ALL_ONES = (1 << 32) - 1


def vectors() -> list[dict[str, Any]]:
    """A dozen respondents of each design; the words of some begin with ones that are thrown again.

    `again` is the same respondent after a reload.
    """
    made = []
    for number, source in enumerate(DESIGNS):
        design = parse_design(json.dumps(source))
        for respondent in range(12):
            words = Written(1000 * number + respondent, ones=respondent % 3)
            coins = draw_coins(design, RandomWords(32, words.draw))
            later = Written(1000 * number + respondent + 500, ones=respondent % 2)
            again = redraw_shuffle_coins(design, coins, RandomWords(32, later.draw))
            arm = arm_from_coins(design, coins)
            group = arm if arm is not None else OPEN if respondent % 4 == 0 else 1
            codes = [each.true_codes for each in design.questions]
            answers = [(respondent + at) * (1 + of // 7) % of for at, of in enumerate(codes)]
            record, later_record = (disguise(design, of, group, answers).json for of in (coins, again))
            made.append(
                {
                    "design": json.loads(design.canonical),
                    "fingerprint": design.fingerprint,
                    "words": words.used,
                    "group": group,
                    "answers": answers,
                    "coins": list(coins.values),
                    "record": record,
                    "again": {"words": later.used, "coins": list(again.values), "record": later_record},
                }
            )
    return made


class Written:
    """Words of a seed, some of ones before them, and which of them were `used`."""

    def __init__(self, seed: int, ones: int) -> None:
        self.used: list[int] = []
        self._words = seeded_words(seed)
        self._first = [ALL_ONES] * ones

    def draw(self) -> int:
        self.used.append(self._first.pop() if self._first else self._words.draw())
        return self.used[-1]


def vectors_text() -> str:
    lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors())
    return f"[\n{lines}\n]\n"


# --- the tests ---


def test_the_committed_vectors_are_those_that_the_script_makes() -> None:
    assert VECTORS_FILE.read_text(encoding="utf-8") == vectors_text()


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
def test_same_random_words_give_the_same_record_bytes_in_both_languages(
    disguise_js: Node, data: st.DataObject
) -> None:
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
    assert disguise_js.ask("records", **shared, people=asked) == expected


def tamper_with_record(data: st.DataObject, design: Design, codes: list[int]) -> Record:
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
def test_python_and_javascript_agree_on_possible_records(disguise_js: Node, data: st.DataObject) -> None:
    written: dict[str, Any] = data.draw(designs())
    written["open_answers"] = data.draw(st.booleans())
    design = parse_design(json.dumps(written))
    coins = draw_coins(design, RandomWords(32, words_from(32, [], data.draw(st.integers(0, 999))).__next__))
    answers = data.draw(answers_to(json.loads(design.canonical)))
    record = tamper_with_record(data, design, list(read_record(design, disguise(design, coins, 1, answers))))
    shared = {"design": json.loads(design.canonical), "fingerprint": design.fingerprint}
    own = {"design": record.design, "group": record.group, "answers": record.answers}
    is_possible = disguise_js.ask("impossible", **shared, record=own) is None
    assert is_possible == (refusal(read_record, design, record) == "")


@settings(suppress_health_check=CAREFREE)
@given(data=st.data())
def test_python_and_javascript_agree_on_required_answers(disguise_js: Node, data: st.DataObject) -> None:
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
            disguise_js.ask("record", **request)
    else:
        assert disguise_js.ask("record", **request)["text"] == text


# --- designs with arms, drawn questions, random order and crosswise questions


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    """A design of `designs`, behind drawn questions, with crosswise sections before or behind each of its sections."""
    source: dict[str, Any] = draw(designs())
    laws = [draw(noise_laws(draw(st.integers(2, 4)))) for _ in range(draw(st.integers(0, 2)))]
    lots = [drawn_question(f"lot {place}", *law) for place, law in enumerate(laws)]
    halves = [drawn_question("halves", "0.5", "0.5")] if draw(st.booleans()) else []
    sections = [plain(*lots, *halves)] if lots or halves else []
    for number, section in enumerate(source["sections"]):
        more = [_crosswise(draw, number, bool(halves), lots)] if draw(st.booleans()) else []
        is_after, shuffled = draw(st.booleans()), [_with_random_order(draw, section)]
        sections += more + shuffled if is_after else shuffled + more
    for section in sections:
        _shuffle_choices(draw, section["questions"])
    if draw(st.booleans()):
        source |= {"open_answers": False, "direct": f"0.{draw(st.integers(1000, 9000)):04d}", "least": 200}
    return source | {"sections": sections}


def _with_random_order(draw: st.DrawFn, section: dict[str, Any]) -> dict[str, Any]:
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
def test_same_random_words_give_the_same_record_and_order(disguise_js: Node, data: st.DataObject) -> None:
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
        assert disguise_js.ask("records", **shared, people=[asked]) == [expected]
        assert disguise_js.ask("drawing", **shared, words=asked["words"], bits=bits) == {
            "arm": arm,
            "order": list(question_order(design, coins)),
            "codes": [
                list(choice_order(design, coins, place)) if "choices" in question.as_json() else []
                for place, question in enumerate(design.questions)
            ],
        }


if __name__ == "__main__":
    VECTORS_FILE.write_text(vectors_text(), encoding="utf-8")
