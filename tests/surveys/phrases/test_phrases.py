"""Phrases: ids, templates and the table agree, languages write numbers and dates, and a survey brings its own."""

import json
import re
from collections import Counter
from datetime import UTC, date, datetime
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from importing import candor_format
from importing.faults import FileRefused
from privacy.blind_signatures.protocol import PublicKey
from privacy.designs import InputError, Texts, parse_design
from privacy.designs.design import DUTIES
from surveys.field_record_encryption import make_sealing_key
from surveys.kinds.phrase_selection import (
    Feature,
    design_features,
    draft_features,
    phrases_for_design,
    phrases_for_kinds,
)
from surveys.lifecycle.design_from_draft import (
    freeze_design,
    needed_phrases,
    phrases_to_translate,
    untranslated_phrases,
)
from surveys.lifecycle.draft_problems import draft_problems
from surveys.phrases import (
    answering,
    arms_crosswise_and_rounds,
    asked_elsewhere,
    embedding,
    field_devices,
    how_answers_are_disguised,
    inviting,
    numbers_and_places,
    quotas,
    sending,
    start_page,
)
from surveys.phrases.all_phrases import PHRASES
from surveys.phrases.fixed_page_sentence import fill_placeholders, find_placeholders
from surveys.phrases.languages import (
    SHIPPED,
    format_day,
    format_day_and_time,
    shipped_language_for,
    text_direction,
)
from surveys.phrases.phrase_rendering import PhraseRenderer, with_complete_phrases
from tests.surveys import drafts
from tests.surveys.drafts import normalize_draft, plain, question

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / "templates" / "intake"
MODULES = (
    answering,
    field_devices,
    asked_elsewhere,
    embedding,
    how_answers_are_disguised,
    inviting,
    numbers_and_places,
    quotas,
    sending,
    start_page,
    arms_crosswise_and_rounds,
)


def test_ids_are_unique_a_design_can_name_them_and_the_templates_say_only_those_there_are() -> None:
    groups = [group for module in MODULES for name, group in vars(module).items() if name.isupper()]
    phrases = {id(phrase): key for group in groups for key, phrase in group.items()}
    assert [key for key, times in Counter(phrases.values()).items() if times > 1] == []
    assert set(phrases.values()) == set(PHRASES)
    assert [key for key in PHRASES if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", key)] == []
    text = "".join(path.read_text() for path in TEMPLATES.glob("*.html"))
    assert "translate " not in text
    assert set(re.findall(r'{% phrase(?:_text)? "(\w+)"', text)) <= PHRASES.keys()


def test_every_phrase_is_said_somewhere() -> None:
    scripts, intake = ROOT / "intake" / "static" / "intake", ROOT / "intake"
    rooms = [
        (TEMPLATES, "*.html"),
        (TEMPLATES / "invitations", "*.html"),
        (TEMPLATES / "hosted", "leads.html"),
        (scripts, "*.js"),
        (scripts / "field", "*.js"),
        (intake / "pages", "*.py"),
        (intake / "invitations", "*.py"),
        (ROOT / "surveys" / "phrases", "phrase_rendering.py"),
        (ROOT / "surveys" / "templatetags", "phrases.py"),
        (ROOT / "surveys" / "lifecycle", "design_from_draft.py"),
    ]
    named = "".join(path.read_text() for folder, files in rooms for path in folder.glob(files))
    made = [re.sub(r"\$\{[^}]+\}", r"\\w+", key) for key in re.findall(r"word\(`([^`]+)`", named)]
    assert len(made) > 5
    by_rule = re.compile("|".join(made))
    assert "{% for heading, duty in start.duties.items %}" in named
    assert "{% phrase heading %}" in named
    unsaid = [key for key in PHRASES if f'"{key}"' not in named and not by_rule.fullmatch(key)]
    # An invitation has one of these, by the design.
    promises = (value for name, value in vars(inviting).items() if name.startswith("INVITING_"))
    assert sorted(unsaid) == sorted({*DUTIES, *chain(*promises)})


def test_placeholders_are_filled_in_and_a_translation_fits_if_it_has_those_of_the_original() -> None:
    """Bold words are allowed where the original has some."""
    text = "%(n)s of %(all)s, 5 % or 5 %%"
    assert fill_placeholders(text, {"n": 1, "all": "%(n)s"}) == "1 of %(n)s, 5 % or 5 %%"
    assert find_placeholders("%(n)s %(n)s %s %(N)s") == {"n"}
    for text, fits in {
        "<strong>%(odds)s vezes</strong> (%(share)s)": True,
        "%(share)s: %(odds)s": True,
        "%(share)s, %(share)s, %(odds)s": True,
        "%(share)s": False,
        "%(share)s %(odds)s %(n)s": False,
        "<strong>%(share)s %(odds)s": False,
        "</strong>%(share)s %(odds)s<strong>": False,
    }.items():
        assert PHRASES["grouped_kept"].has_placeholders_of_original(text) is fits, text
    assert not PHRASES["leave"].has_placeholders_of_original("<strong>Sair</strong>")


def own_phrase_renderer(language: str, key: str, text: str) -> PhraseRenderer:
    """With words of the design."""
    return PhraseRenderer(language, {key: Texts(((language, text),))})


def test_the_design_speaks_first_and_then_our_own_words_and_english_is_marked_as_english() -> None:
    speaker = own_phrase_renderer("zh-hans", "leave", "走")
    assert (speaker.say_phrase("leave"), speaker.say_phrase("yes")) == ("走", "是")
    broken = own_phrase_renderer("zh-hans", "minutes", "%(hours)s")
    assert "%" not in broken.say_phrase("minutes", minutes=5), "what cannot be filled in is not said"
    speaker = own_phrase_renderer("fa", "leave", "خروج")
    assert (speaker.page_language, speaker.text_direction) == ("fa", "rtl")
    assert speaker.phrase_html("leave") == "خروج"
    assert speaker.phrase_html("agree") == '<span lang="en" dir="ltr">Agree and start</span>'
    speaker = PhraseRenderer("pt")
    assert (speaker.page_language, speaker.phrase_html("agree")) == ("en", "Agree and start")


def test_only_bold_words_stay_markup() -> None:
    text = '<strong>%(odds)s</strong> <img src="x"> %(share)s'
    said = own_phrase_renderer("pt", "grouped_kept", text).phrase_html("grouped_kept", odds="<b>", share="&")
    assert said == "<strong>&lt;b&gt;</strong> &lt;img src=&quot;x&quot;&gt; &amp;"


def test_a_survey_needs_the_phrases_of_its_own_kinds_only() -> None:
    """Of a kind of section, of open answers or of a rehearsal."""
    of_some = {
        "start_yes",
        "toy_about",
        "grouped_kept",
        "number_range",
        "place_inside",
        "may_open",
        "rehearsal_title",
    }
    plain = phrases_for_kinds(["plain"], ())
    assert "disguise_nothing" in plain
    assert not plain.keys() & of_some
    assert not plain.keys() & (start_page.NOT_YET.keys() | sending.VERIFYING.keys() - {"verify_title"})
    whole = phrases_for_kinds(
        ["number", "place", "unrelated-question"], (Feature.OPEN_ANSWERS, Feature.REHEARSAL)
    )
    assert whole.keys() >= of_some


def test_a_language_is_spoken_by_its_nearest_shipped_one_and_runs_as_its_script_does() -> None:
    assert SHIPPED[:2] == ("en", "zh-hans"), "those of the researchers' pages"
    nearest = {"de": "de", "de-at": "de", "zh-cn": "zh-hans", "en-gb": "en", "pt-br": None}
    assert {language: shipped_language_for(language) for language in nearest} == nearest
    for runs, languages in {"rtl": "ar ar-eg ar-latn he az-arab", "ltr": "ku zh-hans"}.items():
        assert {text_direction(language) for language in languages.split()} == {runs}


def test_numbers_are_written_as_the_browser_writes_them() -> None:
    for language, written in {
        "en": ("1,200", "12,000", "62.5 %", "7.4"),
        "zh-hans": ("1,200", "12,000", "62.5%", "7.4"),
        "de": ("1.200", "12.000", "62,5 %", "7,4"),
        "es": ("1200", "12.000", "62,5 %", "7,4"),
        "fr": ("1\u202f200", "12\u202f000", "62,5 %", "7,4"),
        "ar": ("1,200", "12,000", "62.5 %", "7.4"),
    }.items():
        said = PhraseRenderer(language)
        counts = said.count_text(1200), said.count_text(12000)
        found = *counts, said.percent_text(0.625, 1), said.factor_text(Fraction("7.4"))
        assert tuple(text.replace("\xa0", " ").replace("٪", "%") for text in found) == written
    assert PhraseRenderer("de").factor_text(Fraction(1000)) == "1.000"
    assert PhraseRenderer("zh-hans").number_style.between == "、"
    # Days are written as the language does, or else in digits.
    assert format_day(date(2031, 5, 4), "de") == "4. Mai 2031"
    assert format_day(date(2031, 5, 4), "tlh") == "2031-05-04"
    assert format_day_and_time(datetime(2031, 5, 4, 8, 30, tzinfo=UTC), "tlh") == "2031-05-04 08:30"


def test_odds_are_said_in_words_of_people_or_of_times_and_nothing_is_said_of_certainty() -> None:
    english, chinese, german = (PhraseRenderer(language) for language in ("en", "zh-hans", "de"))
    assert english.odds_text(0.7) == "about 7 in 10"
    assert english.odds_text(0.7, "odds_first") == "About 7 in 10"
    assert english.odds_text(1.0) == ""
    assert chinese.odds_text(0.25, "odds_people") == "约每 4 人中有 1 人"
    assert chinese.odds_text(0.25) == "约每 4 次中有 1 次"
    said = german.say_phrase("grouped_yes", answer="Ja", odds="in etwa 1 von 2", share="")
    assert german.odds_text(0.5) + " Fällen" in said
    assert german.say_phrase("about_times", m=1, n=2) == "in etwa 1 von 2 Fällen"


def test_only_the_game_with_a_fair_coin_speaks_of_a_coin_and_no_phrase_says_a_word_that_was_misread() -> None:
    coins = (" coin ", "硬币", "Münze", "pièce", "moneda", "قطعة نقود")
    misread = {
        "de": ("zu zweit", "Zahl: ", " Mal</strong> ("),
        "fr": ("répétition", "pareilles"),
        "ar": ("استطلاع", "%(questions)s أسئلة"),
        "en": ("nothing is promised", "not even you", "least often drawn"),
    }
    for language in SHIPPED:
        said = {key: PHRASES[key].shipped_text(language) for key in PHRASES}
        found = {key for key, text in said.items() if any(coin in f" {text}" for coin in coins)}
        assert found - {"toy_result"} == {"toy_about"}, language
        wrong = misread.get(language, ())
        assert [text for text in said.values() if any(word in text for word in wrong)] == []


# The phrases of a design, and those that a draft translates.


TODAY = date(2026, 1, 1)
QUESTIONS = {"sections": [{"kind": "plain", "questions": [{"name": "a", "choices": ["x", "y"]}]}]}


def bilingual_draft(**phrases: str) -> Any:
    """A finished draft in English and Portuguese, with these phrases in Portuguese."""
    said = json.loads(json.dumps(drafts.bilingual()).replace('"zh-hans"', '"pt"'))
    return {**said, "phrases": {key: {"pt": text} for key, text in phrases.items()}}


def draft_with_translations(only_protecting: bool = False) -> Any:
    """With every phrase in its original words, as if they were Portuguese."""
    keys = phrases_to_translate(bilingual_draft())
    return bilingual_draft(
        **{key: each.original_english for key, each in keys.items() if each.protects or not only_protecting}
    )


def phrase_problems(draft: Any) -> list[tuple[str, str]]:
    found = draft_problems(draft, TODAY, 20)
    return [(each.path, each.reason) for each in found if each.path.startswith("phrases")]


def texts_of(draft: Any) -> dict[str, Any]:
    return {key: texts.as_json() for key, texts in freeze_design(draft).phrases}


def test_the_design_has_every_phrase_that_its_pages_need_in_all_its_languages() -> None:
    """The researchers' words are those of the design, and the rest is not guessed."""
    phrases = texts_of(drafts.bilingual())
    assert phrases.keys() == needed_phrases(drafts.bilingual()).keys()
    assert phrases["yes"] == {"en": "Yes", "zh-hans": "是"}
    assert not phrases.keys() & {"not_yet_title", "verify_yes", "preview_title"}
    phrases = texts_of(bilingual_draft(leave="Sair"))
    assert phrases["leave"] == {"en": "Leave", "pt": "Sair"}
    assert phrases["agree"] == {"en": "Agree and start"}


def test_a_design_written_by_hand_needs_no_phrases_and_what_was_frozen_stays_as_it_is() -> None:
    """A relative of a shipped language is said in its words."""
    by_hand = {"format": "candor-design/1", **QUESTIONS}
    assert "phrases" not in parse_design(json.dumps(by_hand)).canonical
    relative = with_complete_phrases(parse_design(json.dumps(by_hand | {"languages": ["zh-cn"]})), ["yes"])
    assert dict(relative.phrases)["yes"].as_json() == {"zh-cn": "是"}
    once = freeze_design(bilingual_draft(leave="Sair"))
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
        draft = bilingual_draft(**{key: text})
        with pytest.raises(InputError) as refused:
            freeze_design(draft)
        assert str(refused.value) == reason
        with pytest.raises(FileRefused) as unread:
            candor_format.read(candor_format.write(draft))
        assert [fault.location for fault in unread.value.faults] == [reason.split(":")[0]]
        assert "phrases" not in normalize_draft(draft)


def test_what_states_the_protection_must_be_there_before_a_survey_opens_and_others_may_lack() -> None:
    assert phrase_problems(drafts.bilingual()) == [], "in languages that are shipped"
    assert untranslated_phrases(drafts.bilingual()) == {}
    protecting = [key for key, each in phrases_to_translate(bilingual_draft()).items() if each.protects]
    assert len(protecting) > 20
    count = f"{len(protecting)} sentences that state the protection are missing in Portuguese"
    assert phrase_problems(bilingual_draft()) == [("phrases.pt", count)]
    draft = draft_with_translations(only_protecting=True)
    assert phrase_problems(draft) == []
    assert len(untranslated_phrases(draft)["pt"].others) > 20
    assert untranslated_phrases(draft_with_translations()) == {}
    del draft["phrases"][protecting[0]]
    one = "1 sentence that states the protection is missing in Portuguese"
    assert phrase_problems(draft) == [("phrases.pt", one)]


def test_a_draft_file_keeps_its_translations_and_not_candors_words() -> None:
    draft = draft_with_translations()
    assert candor_format.read(candor_format.write(draft))["phrases"] == normalize_draft(draft)["phrases"]
    assert normalize_draft(draft)["phrases"].keys() == phrases_to_translate(draft).keys()
    assert "phrases" not in normalize_draft({**draft, "languages": ["en"]}), "a language that is removed"
    opened = {**json.loads(freeze_design(draft).canonical)}
    assert normalize_draft(opened)["phrases"] == normalize_draft(draft)["phrases"]


def test_every_phrase_says_whether_it_states_the_protection() -> None:
    protecting = {key for key, phrase in PHRASES.items() if phrase.protects}
    assert {"grouped_kept", "decide_batches", "limit_program", "disguise_draws"} <= protecting
    assert not protecting & {"back", "continue", "error", "thanks", "getting_ready"}


KEY = PublicKey(2**2047 + 1).text
AGE, THEFT = drafts.complete()["sections"]
BANDED = question("height", number={"low": 100, "high": 200, "limits": [150]})
FEATURES: dict[str, dict[str, Any]] = {
    "ARMS": {"direct": "0.2000"},
    "FOLLOWING": {"follows": "0" * 64},
    "LASTING": {"sections": [AGE, {**THEFT, "lasting": "0.9000"}]},
    "ROUNDS": {"rounds": 3},
    "EXCHANGE": {"invitation_key": KEY},
    "UNDERSTANDING": {"understanding": True},
    "OPEN_ANSWERS": {"open_answers": True},
    "REHEARSAL": {"rehearsal": True},
    "COMPLETION": {"panel": {"en": "Take the code back to the panel."}},
    "BANDS": {"sections": [plain(BANDED), THEFT]},
    "QUOTAS": {"quotas": [{"answers": {"age": "40+"}, "limit": 30}]},
    "SITES": {"sites": ["https://example.org"]},
    "FIELD_DEVICES": {"token_key": KEY, "sealing_key": make_sealing_key()[1]},
    "INSIDE_TOOL": {"asked_at": {"inside": ["https://tool.example"]}},
    "HOST": {"asked_at": {"host": "https://host.example", "record": "https://site.example/a/x/record"}},
    **{duty.upper(): {duty: {"en": "A text"}} for duty in DUTIES},
}


@pytest.mark.parametrize("name", FEATURES)
def test_a_draft_and_its_design_have_the_feature_that_the_draft_asks_for(name: str) -> None:
    draft = {**drafts.complete(open_answers=False), **FEATURES[name]}
    for features in (draft_features(draft), design_features(freeze_design(draft))):
        assert [feature.name for feature in features] == [name]


def test_every_feature_is_tried() -> None:
    assert FEATURES.keys() == {feature.name for feature in Feature}
