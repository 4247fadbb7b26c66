"""JSON of strangers is read and refused equally by every version of Python."""

import json
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from privacy.grammar.input_error import InputError
from privacy.grammar.json_text import MAX_DEPTH, json_error_position, parse_json


def nest_json(depth: int) -> str:
    """Lists and objects in turn, around the number 1."""
    text = "1"
    for level in range(depth):
        text = f"[{text}]" if level % 2 else f'{{"a":{text}}}'
    return text


def test_json_may_be_nested_one_hundred_deep_and_no_deeper() -> None:
    assert MAX_DEPTH == 100
    for depth in (1, 99, 100):
        assert parse_json(nest_json(depth), "file") == json.loads(nest_json(depth))
    for text in (nest_json(101), nest_json(101).encode("utf-16"), "[" * 101, '{"a":' * 3_000_000):
        with pytest.raises(InputError, match=r"^file: is nested too deeply$"):
            parse_json(text, "file")


def depth_by_hand(text: str) -> int:
    """Reads one character after the other."""
    deepest = depth = 0
    in_string = is_escaped = False
    for character in text:
        if in_string:
            in_string = is_escaped or character != '"'
            is_escaped = character == "\\" and not is_escaped
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


PIECES = ["[", "{", "]", "}", '"', "\\", "a", "\n", "é", "\ud800", "[" * 60, "]" * 30, "{" * 50]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("[" * 100 + '"\\"' + "[" * 9)
@example("[" * 100 + '"\\\\"' + "[" * 9)
@example("]" * 20 + "[" * 120)
@example('"' + "[" * 200)
def test_json_depth_ignores_brackets_in_strings(text: str) -> None:
    reason = ""
    try:
        parse_json(text, "file")
    except ValueError as error:
        reason = str(error)
    assert (reason == "file: is nested too deeply") is (depth_by_hand(text) > 100)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('{"a":\n 1,}', (2, 3)),
        ('{"a": 1 , \n\n }', (1, 9)),
        ("[1,\n]", (1, 3)),
        ("[\n,]", (2, 1)),
        ("[1, 2", (1, 6)),
        ('{"a": 1,', (1, 9)),
        ("[1,, 2]", (1, 4)),
        ('{"a" 1}', (1, 6)),
        ("[] ]", (1, 4)),
    ],
)
def test_json_error_place_is_equal_in_every_python_version(text: str, position: tuple[int, int]) -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads(text)
    assert json_error_position(raised.value) == position


def test_json_hooks_match_json_loads() -> None:
    pairs: Any = parse_json('{"a": 1, "a": 2}', "file", object_pairs_hook=list)
    assert pairs == [("a", 1), ("a", 2)]
