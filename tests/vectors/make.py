"""Makes records.json, the vectors that hold disguise.js by itself: python -m tests.vectors.make"""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from privacy.designs import Design, UnrelatedQuestionSection, parse_design
from privacy.mechanisms.disguise_by_given_coins import arm_from_coins, disguise
from privacy.mechanisms.random_draws import Coins, RandomWords, draw_coins, seeded_words
from privacy.records import OPEN
from tests.privacy import questionnaires as q

# Coins after a reload, by trying all of them: what `redraw` of disguise.js must give.


def redrawn(design: Design, before: Coins, words: RandomWords) -> Coins:
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
        wanted = sorted(front(before.values[at : at + shuffles], len(section.questions)))
        every = product(*map(range, sides[:shuffles]))
        (shuffle,) = (coins for coins in every if front(coins, len(section.questions)) == wanted)
        values[at : at + shuffles] = shuffle
        at += len(sides)
    # What the coins of the whole design decide, a respondent can see.
    values[at:] = before.values[at:]
    return Coins(tuple(values), before.modulus)


def front(shuffle: Sequence[int], length: int) -> list[int]:
    """The places that a Fisher-Yates shuffle with these coins brings to the front, in their order there."""
    order = list(range(length))
    for at, coin in enumerate(shuffle):
        order[at], order[at + coin] = order[at + coin], order[at]
    return order[: len(shuffle)]


FILE = Path(__file__).parent / "records.json"
THEFT, YES_NO = q.question("theft", "0.4", "0.6"), ["no", "yes"]
ONE_OF_TWO = q.sensitive("0.3", THEFT, {"name": "drugs", "choices": YES_NO}, asked=1)
SHIFT = {"name": "shift", "choices": ["day", "night", "夜勤"], **q.IF_EMPLOYED}
WIDE = q.written(
    q.plain(q.WORK, SHIFT),
    q.sensitive(
        "0.4321",
        q.question("days absent", *["0.1"] * 10, show_if={"shift": ["night", "夜勤"]}),
        {"name": "reason", "choices": ["ill", "child", "Überdruss"]},
        q.question("theft", "0.0001", "0.9999"),
        asked=2,
    ),
)
NUMBERS = q.written(
    q.plain(q.WORK),
    q.window("age", 1001, 100),
    q.classes("debt", "0.7142", 0, 500, 1000, 2000, 5000, 10000, rest=2, **q.IF_EMPLOYED),
    ONE_OF_TWO,
    q.classes("degrees", "0.25", *range(-40, 70, 10), step=5),
)
REGIONS = (0, 1, 6, 7), (8, 9, 14, 15, 2), (28, 29, 34, 35, 22, 23)
FAR = [(-(10**7), 10**7), (10**7, -(10**7)), (0, 0), (1, -1), (-1, 1), (3, 0), (12, 13)]
PLACES = q.written(
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
LOTS = q.drawn("version", *q.HALF), q.drawn("vignette", "0.1", "0.2", "0.7")
BORN = {"secret": "Born early?", "source": "A register", "turned_by": "version", "turned": "Born late?"}
STUDY = q.written(
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
SHUFFLED = q.written(
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
            again = redrawn(design, coins, RandomWords(32, later.draw))
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


def text() -> str:
    lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors())
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
