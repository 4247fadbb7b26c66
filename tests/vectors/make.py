"""Makes records.json, the vectors that hold disguise.js by itself: python -m tests.vectors.make"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privacy.designs import OPEN, parse
from privacy.mechanisms.coins import Words, draw_coins, seeded_words
from privacy.mechanisms.disguise import disguise
from tests.privacy.questionnaires import (
    IF_EMPLOYED,
    MIXED,
    ONE,
    ROTATING,
    THREE,
    TWO_OF_THREE,
    TWO_SECTIONS,
    WORK,
    plain,
    question,
    sensitive,
    written,
)

FILE = Path(__file__).parent / "records.json"
TENTHS = ["0.1"] * 10
WIDE = written(
    plain(WORK, {"name": "shift", "choices": ["day", "night", "夜勤"], **IF_EMPLOYED}),
    sensitive(
        "0.4321",
        question("days absent", *TENTHS, show_if={"shift": ["night", "夜勤"]}),
        {"name": "reason", "choices": ["ill", "child", "Überdruss"]},
        question("theft", "0.0001", "0.9999"),
        asked=2,
    ),
)
ALL_ONES = (1 << 32) - 1


def vectors() -> list[dict[str, Any]]:
    """A dozen respondents of each design; the words of some begin with ones that are thrown again."""
    made = []
    for place, source in enumerate((ONE, MIXED, TWO_SECTIONS, ROTATING, THREE, TWO_OF_THREE, WIDE)):
        design = parse(json.dumps(source))
        for respondent in range(12):
            used: list[int] = []
            stream = _words(seeded_words(1000 * place + respondent), ones=respondent % 3)

            def draw(stream: Iterator[int] = stream, used: list[int] = used) -> int:
                used.append(next(stream))
                return used[-1]

            coins = draw_coins(design, Words(32, draw))
            group = OPEN if respondent % 4 == 0 else 1
            answers = [(respondent + place) % len(q.choices) for place, q in enumerate(design.questions)]
            made.append(
                {
                    "design": json.loads(design.canonical),
                    "fingerprint": design.fingerprint,
                    "words": used,
                    "group": group,
                    "answers": answers,
                    "coins": list(coins.values),
                    "record": disguise(design, coins, group, answers).json,
                }
            )
    return made


def _words(words: Words, ones: int) -> Iterator[int]:
    yield from [ALL_ONES] * ones
    while True:
        yield words.draw()


def text() -> str:
    lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors())
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
