"""Nothing that can be written makes `parse_design` raise anything but a refusal, and that names a place."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from privacy.designs import parse_design
from privacy.designs.formula_escape import STARTS_A_FORMULA, escape_formula, unescape_formula
from privacy.records import parse_envelope, parse_record
from tests.privacy.questionnaires import refusal
from tests.privacy.strategies import designs

pytestmark = pytest.mark.proof
HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.text(st.characters(), max_size=8),
    st.sampled_from(["", "-", "?", "=", "group", "\ud800", "\x00", "0.5", "1", "e\u0301", "__proto__", " x"]),
    st.just([]),
    st.just({}),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.recursive(st.none(), lambda inner: st.lists(inner, max_size=2), max_leaves=4),
)


def containers_with_keys(value: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index in it."""
    found = []
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            found += [(value, key), *containers_with_keys(value[key])]
    return found


def tamper_with_design(data: st.DataObject, source: dict[str, Any]) -> None:
    container, key = data.draw(st.sampled_from(containers_with_keys(source)))
    match data.draw(st.sampled_from(["replace", "remove", "add", "repeat"])):
        case "replace":
            container[key] = data.draw(HOSTILE)
        case "remove":
            del container[key]
        case "add" if isinstance(container, dict):
            container[data.draw(st.text(max_size=5))] = data.draw(HOSTILE)
        case "repeat" if isinstance(container, list):
            container.append(container[key])


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(source=designs(), data=st.data())
def test_a_design_that_was_tampered_with_is_a_design_or_a_refusal(
    source: dict[str, Any], data: st.DataObject
) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        tamper_with_design(data, source)
    check(json.dumps(source))


@settings(max_examples=50)
@given(text=st.one_of(st.text(), st.binary()), value=HOSTILE)
def test_any_text_any_bytes_and_any_json_are_refused(text: str | bytes, value: Any) -> None:
    check(text)
    check(json.dumps(value))


def check(text: str | bytes) -> None:
    refused = refusal(parse_design, text)
    assert refused or parse_design(parse_design(text).canonical) == parse_design(text)
    place, _, reason = refused.partition(": ")
    assert bool(place) == bool(reason)
    assert refused.isprintable()


ENVELOPE = {"key": "0" * 32, "token": "1" * 32, "record": {"design": "a" * 64, "group": 1, "answers": "01"}}


@settings(max_examples=40)
@given(data=st.data())
def test_an_envelope_that_was_tampered_with_is_an_envelope_or_a_refusal(data: st.DataObject) -> None:
    source = json.loads(json.dumps(ENVELOPE))
    for _ in range(data.draw(st.integers(1, 2))):
        tamper_with_design(data, source)
    for parse_it, value in ((parse_envelope, source), (parse_record, source.get("record"))):
        refused = refusal(parse_it, json.dumps(value))
        assert refused or json.loads(parse_it(json.dumps(value)).json) == value
        assert refused.isprintable()


CELLS = st.text(st.sampled_from(["'", "=", "-", "a", "＝", "\n", "@"]), max_size=6)


@given(text=CELLS, other=CELLS)
def test_no_cell_begins_as_a_formula_does_and_different_texts_stay_different(text: str, other: str) -> None:
    escaped = escape_formula(text)
    assert not escaped.startswith(STARTS_A_FORMULA)
    assert escaped.removeprefix("'") == text.removeprefix("'") or escaped == f"'{text}"
    assert (escaped == escape_formula(other)) == (text == other)
    assert unescape_formula(escaped) == text
