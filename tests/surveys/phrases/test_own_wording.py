"""What a design says of the protection is Candor's; what is not is a weak setting."""

import json
from typing import Any

import pytest

from importing import candor_format
from importing.faults import FileRefused
from privacy.designs import Design, InputError
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design, phrases_to_translate
from surveys.phrases.all_phrases import LETTERS, PHRASES
from surveys.phrases.kind_and_chance import ALWAYS_CANDORS, KIND_AND_CHANCE, digits_and_english
from surveys.phrases.kind_words import KIND_WORDS, language_of_kind_word
from surveys.phrases.languages import SHIPPED, shipped_language_for, text_direction
from surveys.phrases.own_wording import WHAT_HAPPENS, own_protection_sentences
from surveys.phrases.phrase_rendering import PhraseRenderer
from surveys.questionnaire.protection import find_weak_settings
from tests.surveys import drafts
from tests.surveys.drafts import normalize_draft

LIE = "Disguised: a random draw may change it before it is sent"


def draft_in_language(language: str, **phrases: str) -> dict[str, Any]:
    """A finished draft in one language, with these phrases in it."""
    draft = json.loads(json.dumps(drafts.complete()).replace('"en"', f'"{language}"'))
    return {**draft, "phrases": {key: {language: text} for key, text in phrases.items()}}


def swahili_phrases(**phrases: str) -> dict[str, Any]:
    """With a translation of every phrase that a survey has to translate."""
    own = {
        key: f"Kwa Kiswahili: {phrase.original_english}"
        for key, phrase in phrases_to_translate(draft_in_language("sw")).items()
    }
    return draft_in_language("sw", **own, **phrases)


def phrase_of(design: Design, key: str) -> dict[str, str]:
    return dict(design.phrases)[key].as_json()


def weak_settings(draft: Draft) -> list[tuple[str, str]]:
    return [(problem.path, problem.reason) for problem in find_weak_settings(freeze_design(draft))]


@pytest.mark.parametrize(
    ("code", "shipped"),
    [
        *[(code, code) for code in SHIPPED],
        *[("en-gb", "en"), ("de-at", "de"), ("fr-ca", "fr"), ("es-419", "es"), ("ar-eg", "ar")],
        *[("zh-cn", "zh-hans"), ("zh", "zh-hans"), ("zh-hans-hk", "zh-hans"), ("zh-sg", "zh-hans")],
        *[("eng", "en"), ("ger", "de"), ("fra", "fr"), ("cmn-hans", "zh-hans"), ("ara", "ar")],
    ],
)
def test_in_a_shipped_language_and_its_variants_every_phrase_is_candors(code: str, shipped: str) -> None:
    """Whether they are read from a draft, or stored in it without being read."""
    draft = draft_in_language(
        code, sent_as_answered=LIE, decide_once="Answer as often as you like.", invite_disguised=LIE
    )
    assert "phrases" not in normalize_draft(draft)
    design = freeze_design(draft)
    assert {key: phrase_of(design, key)[code] for key, _texts in design.phrases} == {
        key: PHRASES[key].shipped_text(shipped) for key, _texts in design.phrases
    }
    assert not dict(design.phrases).keys() & LETTERS.keys()
    assert weak_settings(draft) == []


def test_traditional_chinese_is_a_language_of_its_own() -> None:
    traditional = ("zh-hant", "zh-tw", "zh-hk", "zh-mo", "zh-hant-hk", "zho-hant", "yue")
    assert [shipped_language_for(code) for code in traditional] == [None] * len(traditional)
    design = freeze_design(draft_in_language("zh-hant", leave="離開"))
    assert phrase_of(design, "leave") == {"zh-hant": "離開"}
    assert "agree" not in dict(design.phrases), "and it is not taken for Simplified Chinese"


def test_a_code_that_is_written_otherwise_is_no_language() -> None:
    for code in ("EN-gb", "de_AT", "x-en", "en-x-foo", "en gb"):
        assert read_questionnaire(draft_in_language(code, decide_once="As often as you like.")).phrases == {}
        with pytest.raises(InputError):
            freeze_design(draft_in_language(code))


def test_own_words_of_protection_are_a_weak_setting() -> None:
    needed = phrases_to_translate(draft_in_language("sw"))
    count = sum(phrase.protects or key in WHAT_HAPPENS for key, phrase in needed.items())
    assert count > 20
    [problem] = weak_settings(swahili_phrases())
    reason = f"{count} sentences that state the protection are in the survey’s own words in Swahili"
    assert problem == ("phrases.sw", reason)
    only_others = draft_in_language("sw", leave="Ondoka", agree="Kubali na uanze")
    assert weak_settings(only_others) == []


def test_own_words_on_what_happens_to_an_answer_are_a_weak_setting() -> None:
    """Which a survey need not translate."""
    assert set(PHRASES) >= WHAT_HAPPENS
    own = {
        key: PHRASES[key].original_english.replace("answer", "jibu") for key in ("throw_kept", "nothing_kept")
    }
    [(path, reason)] = weak_settings(draft_in_language("sw", **own))
    assert (path, reason[:24]) == ("phrases.sw", "2 sentences that state t")


def test_own_words_of_letters_are_a_weak_setting() -> None:
    [before], [after] = (
        weak_settings(draft_in_language("sw", decide_once="Mara moja.")),
        weak_settings(
            draft_in_language("sw", decide_once="Mara moja.", invite_may_open="Majibu yanafichwa.")
        ),
    )
    assert before[1].startswith("1 sentence that states")
    assert after[1].startswith("2 sentences that state")


def test_the_kind_and_the_chance_stay_candors_in_a_language_that_it_lacks() -> None:
    """Digits first, English in brackets, which the page marks as English."""
    draft = swahili_phrases(
        sent_as_answered=LIE, disguised="Wazi", grouped_kept="100 %(share)s %(odds)s", odds="9 %(m)s %(n)s"
    )
    assert not normalize_draft(draft)["phrases"].keys() & KIND_AND_CHANCE
    design = freeze_design(draft)
    said = {
        key: phrase_of(design, key)["sw"].strip("\u2066\u2069") for key in ("sent_as_answered", "disguised")
    }
    assert said == {
        "sent_as_answered": "100 % (Not disguised: sent exactly as you answer)",
        "disguised": "< 100 % (Disguised before it leaves this device, so nobody can be sure what you answered)",
    }
    speaker = PhraseRenderer("sw", dict(design.phrases))
    assert speaker.odds_text(0.7) == "about 7 in 10"
    odds = {"odds": speaker.odds_text(0.7, "odds_first"), "share": speaker.percent_text(0.7, 0)}
    assert speaker.phrase_html("grouped_kept", **odds).replace("\xa0", " ") == (
        '<span lang="en" dir="ltr">\u206670 % (<strong>About 7 in 10 times</strong> (70 %), your true answers to this'
        " part are sent.)\u2069</span>"
    )


def test_every_such_sentence_keeps_its_placeholders_and_its_words_are_found() -> None:
    for key in KIND_AND_CHANCE:
        assert PHRASES[key].has_placeholders_of_original(digits_and_english(key) or ""), key
    assert not ALWAYS_CANDORS & phrases_to_translate(draft_in_language("sw")).keys()
    for language in SHIPPED:
        for key in ("disguised", "sent_as_answered", "choice_disguised", "choice_open", "short_open"):
            assert language_of_kind_word(PHRASES[key].shipped_text(language)) == language, (key, language)


def test_no_phrase_with_a_chance_is_left_to_a_translator() -> None:
    """But one: the odds of ten made-up records."""
    chances = {
        key for key, phrase in PHRASES.items() if phrase.placeholders & {"share", "odds", "m", "people"}
    }
    assert chances - KIND_AND_CHANCE == {"outsider_about"}


def draft_with_question(**changes: Any) -> Draft:
    draft = drafts.complete()
    draft["sections"][0]["questions"][0] |= changes
    return draft


QUESTION = "sections[0].questions[0]"
CHOICES = [{"name": "a", "label": {"en": "Yes (Not disguised)"}}, {"name": "b", "label": {"en": "No"}}]


@pytest.mark.parametrize(
    ("draft", "path"),
    [
        (
            draft_with_question(text={"en": f"Have you taken drugs at work this year? {LIE}"}),
            f"{QUESTION}.text.en",
        ),
        (draft_with_question(help={"en": LIE}), f"{QUESTION}.help.en"),
        (draft_with_question(label={"en": "Drugs (disguised)"}), f"{QUESTION}.label.en"),
        (draft_with_question(choices=CHOICES), f"{QUESTION}.choices[0].label.en"),
        (draft_with_question(name="disguised"), f"{QUESTION}.name"),
        (drafts.complete(asker={"en": "Disguised answers, Ltd"}), "asker.en"),
        (drafts.complete(title={"en": "A disguised survey"}), "title.en"),
        (drafts.complete(consent={"en": "I know that all answers are disguised."}), "consent.en"),
        (drafts.complete(panel={"en": "Disguised, you get a code."}), "panel.en"),
        (drafts.complete(contact="disguised@example.org"), "contact"),
        (draft_in_language("sw", question_number="Disguised: %(number)s %(total)s"), "phrases.sw"),
        (draft_in_language("sw", question_number="Dis%(number)sguised %(total)s"), "phrases.sw"),
    ],
)
def test_a_text_that_names_a_kind_of_question_is_a_weak_setting_wherever_it_stands(
    draft: Draft, path: str
) -> None:
    assert (path, "has the word “disguised”, by which Candor says what kind a question is") in weak_settings(
        draft
    )


def test_section_title_naming_a_kind_in_another_language_is_a_weak_setting() -> None:
    draft = drafts.complete()
    draft["sections"][0]["intro"] = {"en": "Verschleiert"}
    [(path, reason)] = weak_settings(draft)
    assert path == "sections[0].intro.en"
    assert "“verschleiert”" in reason


@pytest.mark.parametrize(
    "text",
    [
        *(
            "DISGUISED",
            "Dis­guised",
            "Dis\u200bguised",
            "D i s g u i s e d",
            "Dis-guised",
            "Dis\u3164gu\u02bcised",
            "Dïsguıséd",
        ),
        *("Dіsguіsеd", "ᴅɪꜱɢᴜɪꜱᴇᴅ", "Ｄｉｓｇｕｉｓｅｄ", "𝐃𝐢𝐬𝐠𝐮𝐢𝐬𝐞𝐝", "ⓓⓘⓢⓖⓤⓘⓢⓔⓓ", "🅳🅸🆂🅶🆄🅸🆂🅴🅳", "D1sgu1s3d"),
        *(
            "Undisguised",
            "Nicht verschleiert",
            "Réponse brouillée",
            "Se camufla",
            "未偽裝",
            "مُمَوَّهـة",
            "مموهه",
        ),
        *(
            "ᎠIᏚᏀᑌIᏚᎬᎠ",
            "ꓓꓲꓢꓖꓴꓲꓢꓰꓓ",
            "disguis℮d",
            "dis9ui§ed",
            "disgvised",
            "clisguised",
            "carnufla",
            "ВRОUILLAGЕ",
        ),
        *("VERSCНLEIERT", "veгschleieгt", "Disꞏguised", "伪|装", "مموة"),
        # Marks that force no direction turn the order of what stands between them.
        *(
            "\u2067d\u200fe\u200fs\u200fi\u200fu\u200fg\u200fs\u200fi\u200fd\u2069",
            "\u2067guised\u200fNot dis\u2069",
        ),
        *("Not dis\u2067ed\u200fguis\u2069", "guised\u061cDis"),
    ],
)
def test_a_kind_is_found_however_it_is_written(text: str) -> None:
    assert language_of_kind_word(text)
    for said in (
        "Have you taken office supplies home, or a disguise?",
        "\u2067a guise\u200fof this\u2069",
        "Включён!",
    ):
        assert language_of_kind_word(said) == ""


def test_the_words_are_those_of_the_shipped_languages() -> None:
    assert set(KIND_WORDS) == set(SHIPPED)


OVERRIDES = "\u202a\u202b\u202c\u202d\u202e"
STAYS = "a\u200db\u200c\u200e\u200f\u061c\u2067c\u2069\nd"


def test_no_text_forces_a_direction_of_writing() -> None:
    """A draft that is stored with one does not open, a file with one is refused, and none is saved."""
    for character in OVERRIDES:
        draft = drafts.complete(title={"en": f"Work{character}"})
        with pytest.raises(InputError) as refused:
            freeze_design(draft)
        assert str(refused.value) == f"title.en: holds the character U+{ord(character):04X}"
        with pytest.raises(FileRefused):
            candor_format.read(candor_format.write(draft))
        assert read_questionnaire(draft).title == {"en": "Work"}
    kept = drafts.complete(title={"en": STAYS})
    assert freeze_design(kept).title.as_json() == read_questionnaire(kept).title == {"en": STAYS}


def test_language_code_forces_no_writing_direction() -> None:
    for code, runs in (("en-arab", "ltr"), ("de-hebr", "ltr"), ("ar-latn", "rtl"), ("ms-arab", "rtl")):
        assert text_direction(code) == runs


def test_a_sentence_in_candors_words_of_another_language_is_not_the_surveys_own() -> None:
    """So it is in a survey in Traditional Chinese that was opened with Candor's Simplified Chinese."""
    said = PHRASES["decide_once"].shipped_text("zh-hans")
    assert own_protection_sentences(freeze_design(draft_in_language("zh-hant", decide_once=said))) == []
