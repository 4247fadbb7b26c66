import json
import unicodedata
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from privacy.designs import InputError, parse
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, sensitive, written
from tests.privacy.strategies import designs

BY_HAND = written(
    plain({"name": "work", "choices": ["employed", {"name": "not", "label": "No"}]}),
    sensitive("0.25", question("theft", "0.4", "0.6", show_if={"work": ["employed"]})),
    title="Cafe\u0301",
)
CANONICAL = (
    '{"asker":{},"consent":{},"contact":"","format":"candor-design/1","intro":{},"languages":["en"],"least":100,'
    '"minutes":0,"open_answers":true,"rehearsal":false,"retention":"","sections":['
    '{"kind":"plain","questions":[{"choices":[{"label":{},"name":"employed"},{"label":{"en":"No"},"name":"not"}],'
    '"form":"one","help":{},"name":"work","role":"other","show_if":{},"text":{}}]},'
    '{"asked":1,"keep":"0.2500","kind":"unrelated-question","questions":['
    '{"choices":[{"label":{},"name":"no"},{"label":{},"name":"yes"}],"form":"yes-no","help":{},"name":"theft",'
    '"noise":["0.4000","0.6000"],"show_if":{"work":["employed"]},"text":{}}]}],'
    '"thanks":{},"title":{"en":"Caf\u00e9"},"why":{}}'
)


def test_the_canonical_form_is_sorted_composed_unescaped_and_complete() -> None:
    assert parse(json.dumps(BY_HAND)).canonical == CANONICAL


def test_the_fingerprint_is_the_sha256_of_the_canonical_form_in_utf8() -> None:
    assert parse(json.dumps(BY_HAND)).fingerprint == sha256(CANONICAL.encode("utf-8")).hexdigest()


def test_spaces_order_escapes_and_defaults_do_not_change_the_fingerprint() -> None:
    reordered = json.dumps(dict(reversed(BY_HAND.items())), indent=3, ensure_ascii=True)
    spelled_out = BY_HAND | {"languages": ["en"], "thanks": "", "minutes": 0, "least": 100, "retention": ""}
    for source in (reordered, json.dumps(spelled_out, ensure_ascii=False), CANONICAL):
        assert parse(source).canonical == CANONICAL


def test_everything_a_person_is_promised_changes_the_fingerprint() -> None:
    base = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
    changes: list[dict[str, Any]] = [
        {"title": "x"},
        {"asker": "x"},
        {"why": "x"},
        {"intro": "x"},
        {"consent": "x"},
        {"thanks": "x"},
        {"contact": "x"},
        {"minutes": 1},
        {"least": 101},
        {"retention": "2030-01-01"},
        {"open_answers": False},
        {"rehearsal": True},
        {"phrases": {"leave": "Go away"}},
        {"languages": ["en", "de"]},
    ]
    prints = {
        design(plain(WORK), sensitive("0.5", question("theft", *HALF)), **change).fingerprint
        for change in changes
    }
    assert len(prints | {base.fingerprint}) == len(changes) + 1


def test_phrases_are_in_the_canonical_form_only_where_there_are_some() -> None:
    without = design(plain(WORK))
    assert "phrases" not in without.canonical
    assert design(plain(WORK), phrases={"leave": {"en": ""}, "agree": {}}).fingerprint == without.fingerprint
    found = design(plain(WORK), phrases={"leave": {"en": "Go"}, "agree": "Yes"})
    assert '"phrases":{"agree":{"en":"Yes"},"leave":{"en":"Go"}},"rehearsal"' in found.canonical
    assert [key for key, _texts in found.phrases] == ["agree", "leave"]


def test_the_canonical_form_keeps_no_empty_text() -> None:
    found = design(plain(WORK), title={"en": ""}, why="")
    assert '"title":{}' in found.canonical
    assert '"why":{}' in found.canonical


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@pytest.mark.proof
@settings(deadline=None)
@given(source=designs(), text=TEXT, contact=TEXT)
def test_the_canonical_form_of_the_canonical_form_is_itself(
    source: dict[str, Any], text: str, contact: str
) -> None:
    source |= {"languages": ["de", "en"], "title": text, "why": {"en": text}, "contact": contact}
    found = parse(json.dumps(source))
    again = parse(found.canonical)
    assert again.canonical == found.canonical
    assert again.fingerprint == found.fingerprint
    assert again == found


@pytest.mark.proof
@settings(deadline=None)
@given(source=designs(), text=TEXT)
def test_the_canonical_form_is_plain_json_of_texts_integers_and_switches(
    source: dict[str, Any], text: str
) -> None:
    canonical = parse(json.dumps(source | {"title": text})).canonical
    assert unicodedata.is_normalized("NFC", canonical)
    again = json.dumps(json.loads(canonical), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert again == canonical
    assert leaves(json.loads(canonical)) <= {str, int, bool}


def leaves(value: Any) -> set[type]:
    if isinstance(value, dict):
        return set().union(*(leaves(member) for member in value.values()))
    if isinstance(value, list):
        return set().union(*(leaves(member) for member in value))
    return {type(value)}


def test_the_page_for_people_who_leave_is_an_address_with_https(subtests: pytest.Subtests) -> None:
    cases: list[object] = [
        "http://a.example/",
        "https://",
        "javascript:alert(1)",
        "https://a b",
        7,
        "https://" + "a" * 493,
    ]
    for address in cases:
        with subtests.test(f"{address!r:.60}"), pytest.raises(InputError, match="leave_to"):
            parse(json.dumps({**BY_HAND, "leave_to": address}))


def test_the_page_for_people_who_leave_stands_in_the_canonical_form_only_where_it_is_named() -> None:
    named = parse(json.dumps({**BY_HAND, "leave_to": "https://www.example.org/a?b=c"}))
    assert json.loads(named.canonical)["leave_to"] == named.leave_to == "https://www.example.org/a?b=c"
    unnamed = parse(json.dumps({**BY_HAND, "leave_to": ""}))
    assert "leave_to" not in json.loads(unnamed.canonical)
