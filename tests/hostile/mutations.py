"""Honest files of the commands made wrong: each is drawn from a seed and a number, and comes out the same again."""

import copy
import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

Mutated = Callable[[random.Random], bytes]

WORDS = [
    *("", " ", "\t", "\n", "\r\n", "\0", "\ud800", "\ufeff", "\u202e", "é", "字" * 50, "😀", "a\u0301" * 40),
    *("x" * 300, "x" * 40_000, "-1", "0", "1", "1.5", "1e9", "9" * 30, "nan", "inf", "None", "null", "true"),
    *(
        "yes",
        "no",
        "group",
        "open",
        "disguised",
        "-",
        "?",
        "=",
        "=1+1",
        "@SUM(A1)",
        "a=b",
        "'",
        '"',
        "<b>&amp;",
    ),
    *(
        "%s",
        "%(n)s",
        "{}",
        "${",
        "${}",
        "${q1}",
        "${age} = 'old'",
        "not(" * 60,
        "(" * 60,
        ")",
        "selected(",
        "and or",
    ),
    *("en", "de", "zh-hans", "English (en)", "label::xx", "0.5", ".5", "0.50001", "2099-12-31", "2027-02-30"),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 10**9, 10**14, 10**40, 0.5, -0.0, 1e308, "", [], {}, [[]], [{}], {"": 0}),
    *(
        {"en": "x"},
        {"en": None},
        {"kind": "plain"},
        {"name": "q"},
        [1, "a", None],
        [["no", "yes"]],
        ["no", "yes"],
    ),
]


def changes(chance: random.Random) -> range:
    """Mostly one: what is wrong in many places is refused at the first of them."""
    return range(chance.choice([1, 1, 1, 1, 2, 2, 3, 6]))


LANGUAGES = ("en", "zh-hans")


def change(tree: Any, chance: random.Random) -> None:
    """One node of the tree: replaced, taken out, doubled, moved or renamed."""
    places = list(_places(tree))
    if not places:
        return
    words = [(holder, key) for holder, key in places if key in LANGUAGES]
    if words and chance.random() < 0.3:
        # What is only said may be nearly anything, so that not all is refused.
        holder, key = chance.choice(words)
        holder[key] = chance.choice(WORDS)
        return
    holder, key = chance.choice(places)
    if isinstance(holder[key], str) and chance.random() < 0.5:
        holder[key] = chance.choice([*WORDS, holder[key] + chance.choice(WORDS)])
        return
    act = chance.randrange(6)
    if act == 0:
        holder[key] = chance.choice([*VALUES, *WORDS])
    elif act == 1:
        del holder[key]
    elif act == 2 and isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
    elif act == 3 and isinstance(holder, dict):
        holder[chance.choice([*map(str, holder), *WORDS])] = holder.pop(key)
    elif act == 4:
        other, place = chance.choice(places)
        holder[key] = copy.deepcopy(other[place])
    else:
        holder[key] = (
            [holder[key]] * chance.choice([1, 2, 30]) if chance.random() < 0.5 else {"en": holder[key]}
        )


def _places(tree: Any) -> Any:
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else []
    for key in keys:
        yield tree, key
        yield from _places(tree[key])


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Bytes changed, taken out, put in, doubled or cut off."""
    found = bytearray(data)
    for _time in range(chance.randint(1, 8)):
        at = chance.randrange(len(found) + 1)
        act = chance.randrange(5)
        if act == 0 and at < len(found):
            found[at] = chance.randrange(256)
        elif act == 1:
            del found[at : at + chance.randint(1, 60)]
        elif act == 2:
            found[at:at] = chance.choice(WORDS).encode("utf-8", "surrogatepass")
        elif act == 3:
            found[at:at] = found[at : at + chance.randint(1, 400)]
        elif chance.random() < 0.1:
            del found[at:]
    return bytes(found)


# --- what the commands read


def records(chance: random.Random) -> bytes:
    return _of_rows(ROWS, chance)


def truth(chance: random.Random) -> bytes:
    return _of_rows(TRUTH, chance)


def _of_rows(honest: Sequence[Sequence[str]], chance: random.Random) -> bytes:
    """With cells and lines changed, or bytes; sometimes with as many rows as before."""
    header, *below = (list(row) for row in honest)
    rows = [header, *[list(row) for row in below * chance.choice([1, 1, 3, 30])]]
    if chance.random() < 0.2:
        return damaged(_as_csv(rows), chance)
    for _time in changes(chance):
        row = chance.choice(rows)
        act = chance.randrange(9)
        if act < 2 and row:
            row[chance.randrange(len(row))] = chance.choice(WORDS)
        elif act > 5 and len(row) == len(header):
            at = chance.randrange(len(row))
            row[at] = chance.choice(below)[at]
        elif act == 2:
            rows.remove(row)
            rows.insert(0, row)
        elif act == 3:
            rows.append(list(row))
        elif act == 4:
            chance.shuffle(row)
        else:
            row[: chance.randint(0, 2)] = [chance.choice(WORDS)] * chance.randint(0, 2)
        rows = rows or [[]]
    return _as_csv(rows, chance.choice([*([","] * 9), ";", "\t"]))


def _as_csv(rows: Sequence[Sequence[str]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n", escapechar="\\").writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


def design(chance: random.Random) -> bytes:
    tree = copy.deepcopy(DESIGN)
    if chance.random() < 0.2:
        return damaged(json.dumps(tree).encode(), chance)
    for _time in changes(chance):
        change(tree, chance)
    return json.dumps(tree).encode()


DESIGN: dict[str, Any] = {
    "format": "candor-design/1",
    "languages": ["en", "zh-hans"],
    "title": {"en": "Work", "zh-hans": "工作"},
    "thanks": {"en": "Thank you."},
    "open_answers": True,
    "sections": [
        {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"], "role": "quasi"}]},
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "asked": 2,
            "questions": [
                {
                    "name": "theft",
                    "text": {"en": "Stolen?"},
                    "choices": ["no", "yes"],
                    "noise": ["0.4", "0.6"],
                },
                {"name": "late", "choices": ["no", "yes"], "show_if": {"age": ["40+"]}},
                {"name": "often", "choices": ["never", "once", "=often"]},
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.25",
            "questions": [{"name": "lied", "choices": ["no", "yes"]}],
        },
    ],
}
ROWS = [
    ["group", "age", "theft", "late", "often", "lied"],
    *[["disguised", "40+", "yes", "no", "", "no"]] * 30,
    *[["disguised", "18-39", "no", "-", "", "yes"]] * 20,
    *[["open", "?", "yes", "", "never", "no"]] * 20,
    *[["disguised", "18-39", "", "-", "'=often", "no"]] * 20,
]
TRUTH = [
    ["group", "age", "theft", "late", "often", "lied"],
    *[["disguised", "40+", "yes", "no", "once", "no"]] * 50,
    *[["open", "18-39", "no", "", "=often", "yes"]] * 40,
]
HONEST_DESIGN, HONEST_RECORDS, HONEST_TRUTH = json.dumps(DESIGN).encode(), _as_csv(ROWS), _as_csv(TRUTH)
