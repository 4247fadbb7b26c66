"""Surveys of LimeSurvey changed by chance: their bytes, or the cells of the table."""

import random

from tests.hostile.mutations import VALUES, changes, damaged
from tests.importing.lime_files import HONEST_TABLE, HONEST_XML

CODES = [
    "S",
    "SL",
    "G",
    "Q",
    "SQ",
    "A",
    "L",
    "M",
    "F",
    "N",
    "X",
    "Y",
    "1",
    "0",
    "Q1",
    "SQ1",
    "A1",
    "en",
    "zh-Hans",
    "-",
    "?",
]
CONDITIONS = ['Q1.NAOK == "A2"', "!is_empty(Q1)", "((", "{Q1}", "<b>", "&#0;", "group"]


def limesurvey(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        return damaged(chance.choice([HONEST_TABLE, HONEST_XML]), chance)
    lines = [line.split("\t") for line in HONEST_TABLE.decode().splitlines()]
    for _time in changes(chance):
        line = chance.choice(lines)
        found = chance.choice([*CODES, *CONDITIONS, str(chance.choice(VALUES))[:5_000]])
        line[chance.randrange(len(line))] = found.replace("\t", " ")
        if chance.random() < 0.2:
            lines.append(list(chance.choice(lines)))
    return "\r\n".join("\t".join(line) for line in lines).encode(errors="replace")
