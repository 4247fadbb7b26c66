"""What lists, charts and files call a question, and the numbers of sections."""

import json
from dataclasses import replace
from typing import Any

from privacy import designs
from privacy.designs.labels import number_sections, proposed_label, section_number, short_label, shorten_text
from privacy.grammar.translated_texts import Texts
from tests.privacy.questionnaires import design, refusal

# A design of one question of each kind, with a label or without.

CHOICES = {"choices": ["no", "yes"]}
CELLS = {
    "cells": [{"name": "a", "at": [0, 0]}, {"name": "b", "at": [0, 9]}],
    "regions": [{"name": "north", "cells": ["a", "b"]}],
    "near": 1,
    "odds": "7.38",
}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"kind": "plain", **CHOICES},
    "grouped": {"kind": "unrelated-question", "keep": "0.5000", **CHOICES},
    "window": {"kind": "number", "law": "window", "values": 11, "window": 1, "uniform": "0.5000"},
    "classes": {"kind": "number", "law": "classes", "keep": "0.5000", "limits": [10, 20], "cuts": 1},
    "place": {"kind": "place", **CELLS},
}


def design_of(kind: str, **more: Any) -> designs.Design:
    said = {"name": "took", "text": {"en": "Have you taken anything?"}, **KINDS[kind], **more}
    section: dict[str, Any] = {key: said.pop(key) for key in ("kind", "keep") if key in said}
    return design({**section, "questions": [said]}, languages=["en", "de", "fr"])


def test_a_label_is_proposed_from_the_name_or_where_it_says_nothing_from_the_text() -> None:
    long = "Have you ever taken something home that was not yours?"
    cases = {
        ("took_home", "Have you taken something home?"): "Took home",
        ("covid-19", ""): "Covid-19",
        ("q7", "Do you smoke?"): "Do you smoke?",
        ("q7", ""): "q7",
        ("q12", long): "Have you ever taken something home that…",
        ("年龄", "您多大？"): "年龄",
    }
    assert {case: proposed_label(*case) for case in cases} == cases


def test_a_line_of_a_battery_is_known_by_its_words_and_an_option_by_its_question() -> None:
    line = {"of": "habits", "form": "scale", "choices": [*"123"]}
    option = {"of": "used", "form": "many", "text": {"en": "What have you used?"}, "choices": ["no", "yes"]}
    asked = design(
        {
            "kind": "plain",
            "questions": [{"name": text, "text": {"en": text}, **line} for text in ("I lie", "I steal")],
        },
        {"kind": "plain", "questions": [{"name": name, **option} for name in ("pills", "wine")]},
    )
    assert [short_label(of, "en") for of in asked.questions] == ["I lie", "I steal", "Used", "Used"]


def test_a_name_is_no_label_in_another_language_or_script() -> None:
    union = {
        "name": "union",
        "text": {"en": "Are you a member?", "de": "Sind Sie Mitglied?"},
        "choices": ["no", "yes"],
    }
    copied = {"name": "copied", "text": {"zh": "您抄袭过吗？"}, "choices": ["no", "yes"]}
    asked = design({"kind": "plain", "questions": [union, copied]}, languages=["en", "de", "zh"])
    first, other = asked.questions
    assert [short_label(first, code) for code in ("en", "de", "fr")] == [
        "Union",
        "Sind Sie Mitglied?",
        "Union",
    ]
    assert short_label(other, "zh") == short_label(other, "en") == "您抄袭过吗？"
    assert short_label(replace(first, text=Texts()), "de") == "Union"


def test_a_text_is_cut_between_words_only() -> None:
    assert shorten_text("one two three", 13) == "one two three"
    assert shorten_text("one two three", 12) == "one two…"
    assert shorten_text("one, two", 5) == "one…"
    assert shorten_text("无空格的一句话", 4) == "无空格…"
    words = "Some words of several lengths, all of them whole"
    for most in range(5, len(words)):
        cut = shorten_text(words, most)
        assert len(cut) <= most
        assert words.startswith(kept := cut.removesuffix("…"))
        assert not words[len(kept) : len(kept) + 1].isalnum()


def test_every_kind_has_a_label_only_where_it_is_used_and_of_at_most_forty_characters() -> None:
    for kind in KINDS:
        bare, labelled = design_of(kind), design_of(kind, label={"en": "Short"})
        assert '"label":{"en":"Short"}' not in bare.canonical, kind
        assert '"label":{"en":"Short"}' in labelled.canonical, kind
        assert designs.parse_design(labelled.canonical) == labelled, kind
        assert design_of(kind, label={}).fingerprint == bare.fingerprint != labelled.fingerprint, kind
        assert {short_label(of, "en") for of in labelled.mined.questions} == {"Short"}, kind
        assert design_of(kind, label={"en": "x" * 40}).questions[0].label, kind
        assert "at most 40 characters" in refusal(design_of, kind, label={"en": "x" * 41}), kind
    # The researcher's goes first in each language.
    of = design_of("plain", label={"en": "Took", "de": "Mitgenommen"}).questions[0]
    assert [short_label(of, code) for code in ("en", "de", "fr")] == ["Took", "Mitgenommen", "Took"]


def test_sections_of_all_kinds_are_numbered_together_from_one() -> None:
    sections: list[Any] = [json.loads(design_of(kind).canonical)["sections"][0]["kind"] for kind in KINDS]
    assert list(number_sections(sections)) == [(section_number(at), kind) for at, kind in enumerate(sections)]
    assert section_number(0) == 1
