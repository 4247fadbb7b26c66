"""The phrases that a survey brings into its design, and what is refused of them."""

import json
from datetime import date
from typing import Any

import pytest

from importing import candor_format
from importing.faults import FileRefused
from privacy.designs import InputError, parse_design
from surveys.kinds.phrase_selection import phrases_for_design
from surveys.lifecycle.design_from_draft import (
    freeze_design,
    needed_phrases,
    phrases_to_translate,
    untranslated_phrases,
)
from surveys.lifecycle.draft_problems import draft_problems
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.phrase_rendering import with_complete_phrases
from tests.surveys import drafts as written
from tests.surveys.drafts import normalized

TODAY = date(2026, 1, 1)
QUESTIONS = {"sections": [{"kind": "plain", "questions": [{"name": "a", "choices": ["x", "y"]}]}]}


def bilingual(**phrases: str) -> Any:
    """A finished draft in English and Portuguese, with these phrases in Portuguese."""
    said = json.loads(json.dumps(written.bilingual()).replace('"zh-hans"', '"pt"'))
    return {**said, "phrases": {key: {"pt": text} for key, text in phrases.items()}}


def translated(only_protecting: bool = False) -> Any:
    """With every phrase in its original words, as if they were Portuguese."""
    keys = phrases_to_translate(bilingual())
    return bilingual(
        **{key: each.original_english for key, each in keys.items() if each.protects or not only_protecting}
    )


def of_phrases(draft: Any) -> list[tuple[str, str]]:
    found = draft_problems(draft, TODAY, 20)
    return [(each.path, each.reason) for each in found if each.path.startswith("phrases")]


def texts_of(draft: Any) -> dict[str, Any]:
    return {key: texts.as_json() for key, texts in freeze_design(draft).phrases}


def test_the_design_has_every_phrase_that_its_pages_need_in_all_its_languages() -> None:
    """The researchers' words are those of the design, and the rest is not guessed."""
    phrases = texts_of(written.bilingual())
    assert phrases.keys() == needed_phrases(written.bilingual()).keys()
    assert phrases["yes"] == {"en": "Yes", "zh-hans": "是"}
    assert not phrases.keys() & {"not_yet_title", "verify_yes", "preview_title"}
    phrases = texts_of(bilingual(leave="Sair"))
    assert phrases["leave"] == {"en": "Leave", "pt": "Sair"}
    assert phrases["agree"] == {"en": "Agree and start"}


def test_a_design_written_by_hand_needs_no_phrases_and_what_was_frozen_stays_as_it_is() -> None:
    """A relative of a shipped language is said in its words."""
    by_hand = {"format": "candor-design/1", **QUESTIONS}
    assert "phrases" not in parse_design(json.dumps(by_hand)).canonical
    relative = with_complete_phrases(parse_design(json.dumps(by_hand | {"languages": ["zh-cn"]})), ["yes"])
    assert dict(relative.phrases)["yes"].as_json() == {"zh-cn": "是"}
    once = freeze_design(bilingual(leave="Sair"))
    again = with_complete_phrases(once, phrases_for_design(once))
    assert again.fingerprint == parse_design(once.canonical).fingerprint == once.fingerprint


WRONG = {
    "nonsense": ("Sair", "phrases.nonsense: 'nonsense' is not the id of a phrase"),
    "minutes": ("Cinco", "phrases.minutes.pt: the placeholder '%(minutes)s' is missing"),
    "agree": ("%(n)s", "phrases.agree.pt: the original has no placeholder '%(n)s'"),
    "leave": ("<strong>Sair</strong>", "phrases.leave.pt: its bold words do not match the original"),
}


def test_a_phrase_that_cannot_be_said_is_refused_with_its_place() -> None:
    for key, (text, reason) in WRONG.items():
        draft = bilingual(**{key: text})
        with pytest.raises(InputError) as refused:
            freeze_design(draft)
        assert str(refused.value) == reason
        with pytest.raises(FileRefused) as unread:
            candor_format.read(candor_format.write(draft))
        assert [fault.location for fault in unread.value.faults] == [reason.split(":")[0]]
        assert "phrases" not in normalized(draft)


def test_what_states_the_protection_must_be_there_before_a_survey_opens_and_others_may_lack() -> None:
    assert of_phrases(written.bilingual()) == [], "in languages that are shipped"
    assert untranslated_phrases(written.bilingual()) == {}
    protecting = [key for key, each in phrases_to_translate(bilingual()).items() if each.protects]
    assert len(protecting) > 20
    count = f"{len(protecting)} sentences that state the protection are missing in Portuguese"
    assert of_phrases(bilingual()) == [("phrases.pt", count)]
    draft = translated(only_protecting=True)
    assert of_phrases(draft) == []
    assert len(untranslated_phrases(draft)["pt"].others) > 20
    assert untranslated_phrases(translated()) == {}
    del draft["phrases"][protecting[0]]
    one = "1 sentence that states the protection is missing in Portuguese"
    assert of_phrases(draft) == [("phrases.pt", one)]


def test_a_draft_keeps_its_translations_in_its_own_file_and_not_our_own_words() -> None:
    draft = translated()
    assert candor_format.read(candor_format.write(draft))["phrases"] == normalized(draft)["phrases"]
    assert normalized(draft)["phrases"].keys() == phrases_to_translate(draft).keys()
    assert "phrases" not in normalized({**draft, "languages": ["en"]}), "a language that is removed"
    opened = {**json.loads(freeze_design(draft).canonical)}
    assert normalized(opened)["phrases"] == normalized(draft)["phrases"]


def test_every_phrase_says_whether_it_states_the_protection() -> None:
    protecting = {key for key, phrase in PHRASES.items() if phrase.protects}
    assert {"grouped_kept", "decide_batches", "limit_program", "disguise_draws"} <= protecting
    assert not protecting & {"back", "continue", "error", "thanks", "getting_ready"}
