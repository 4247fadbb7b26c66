"""The interface keeps to its glossary: one term for one concept, in English and in Chinese.

`reworded.tsv` holds the texts that the review of the interface replaced, each with the text that took its place.
"""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from tests.config.test_catalogue import committed, extracted

OUT = {
    r"(?<!e)letters?(?! from a to z| and digits)|(?<!e)mail(s|ed)?": "email",
    r"who(m)?ever|somebody": "anyone, or the people meant",
    r"openly|open (answers?|records?)|plain": "not disguised",
    r"as (it was |they were )?received": "observed",
    r"reconstruct\w*": "estimate",
    r"destr(oy|uct)\w*": "delete",
    r"smallest (batch|support|confidence|class)": "minimum",
    r"(go|goes|went|gone|going) out": "be sent",
    r"stand|stands|stood|standing": "be shown, be written or mean",
    r"coins?|throws?|thrown|threw": "random draw",
    r"chance": "random draw, random answer or at random",
    r"keep(ing)? probability": "probability of sending the true answers (p)",
    r"whiskers?": "line",
    r"stippled": "dotted",
    r"pictures?": "chart",
    r"tick(s|ed)?": "select",
    r"(?<!test of )fit|fits": "match",
    r"per cent": "%",
    r"those who": "people who",
    r"works? on it": "collaborators",
    r"history": "activity log",
    r"(its )?address of the survey|its address": "survey link",
    r"a yes(?= (holds|of)|$|\.)": "approval",
    r"more or less|to either side|known (only )?to ±": "margin of error",
    r"in truth|the truth": "true value (simulated)",
    r"borderline": "could be below threshold",
    r"taken? (it |them )?(away|with you)": "download",
}
"""Patterns of words that are out, each with the term in their place."""

ANY_OUT = re.compile(r"\b(?:" + "|".join(f"(?:{word})" for word in OUT) + r")\b", re.IGNORECASE)

KEPT = {
    "candor_section is plain or sensitive": "the value of a column in an imported form",
    "candor_keep and candor_asked belong to sensitive sections, and this one is plain": "the same",
    "plain or sensitive, on a group or on questions": "its values",
    "Its markup was turned into plain text.": "plain text is a format",
    "How Candor protects answers: in plain words, then with every formula.": "plain words are clear ones",
    "First in plain words, with one example. Then exactly, with every formula that Candor computes.": "clear words",
    "Your device flips a coin that you cannot see.": "explains the random draw",
    "Your device flips a fair coin ten times. Nothing that you select here is sent or kept.": "explains it, too",
    "coin flip": "the picture of that explanation",
    "A coin in your device decided that you are asked directly. Your answers are sent as you give them: no disguise, "
    "no name. Nothing has been sent yet. You can leave now.": "explains the random draw",
    "A coin in your device decided that your answers are disguised before they are sent. Nothing has been sent yet. "
    "You can leave now.": "explains it, too",
    "Its codes do not fit the questions.": "a fixed sentence that five languages translate",
    "You answered without disguise, so it does show what you answered. It does not show that this was the truth.": (
        "what a person said, not what was simulated"
    ),
    "who did not tell the truth, or answered without reading,": "what people said, not what was simulated",
}
"""The texts that may keep such a word, each with the reason."""

EXPLAINED = "has tossed a coin that nobody else will ever see"
"""A part of the example on the page of the method, which explains the random draw."""

LABEL = {"Why", "Who asks"}
"""Reworded labels of one place that are right as labels of another."""

REWORDED = Path(__file__).with_name("reworded.tsv")


def texts(catalog: Catalog) -> set[str]:
    parts = (
        message.id if isinstance(message.id, tuple) else (message.id,) for message in catalog if message.id
    )
    return {str(one) for each in parts for one in each}


def plain(text: str) -> str:
    """With one kind of apostrophe, per cent sign and space."""
    return " ".join(text.replace("’", "'").replace("%%", "%").split())


def broken(text: str) -> list[str]:
    """The terms to use instead of what a text says."""
    said = re.sub(r"%\(\w+\)[sd]", "", text)
    if not ANY_OUT.search(said):
        return []
    return [term for word, term in OUT.items() if re.search(rf"\b(?:{word})\b", said, re.IGNORECASE)]


@pytest.mark.slow
def test_words_that_are_out_do_not_come_back() -> None:
    allowed = {text for text in texts(extracted()) if text in KEPT or EXPLAINED in text}
    found = {text: broken(text) for text in texts(extracted()) - allowed}
    assert {text: terms for text, terms in found.items() if terms} == {}


@pytest.mark.slow
def test_no_exception_outlives_its_text() -> None:
    assert set(KEPT) - texts(extracted()) == set()
    assert [text for text in KEPT if not broken(text)] == []


def test_a_word_that_is_out_is_told_with_the_term_to_use() -> None:
    assert broken("Tick whoever got a letter.") == ["email", "anyone, or the people meant", "select"]
    assert broken("%(fits)s emails match; select anyone.") == []


@pytest.mark.slow
def test_no_reworded_text_is_left() -> None:
    now = {plain(text) for text in texts(extracted())} - LABEL
    lines = REWORDED.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines]
    assert len(pairs) == 241
    assert [old for old, _new in pairs if plain(old) in now] == []


def test_the_chinese_keeps_to_its_terms() -> None:
    said = [str(one) for message in committed() if message.id for one in _strings(message.string)]
    assert [text for text in said if "公开回答" in text] == []
    assert [text for text in said if re.search(r"\d ?[\u00a0 ]%", text)] == []
    assert any("置信区间" in text for text in said)


def _strings(string: object) -> tuple[object, ...]:
    return string if isinstance(string, tuple) else (string,)
