from datetime import date

import pytest
from django.utils import translation

from privacy.designs import InputError
from surveys import draft_json
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freeze_draft import freeze_design
from tests.surveys.drafts import bilingual, complete

TODAY = date(2026, 12, 1)


def test_a_new_draft_has_a_plain_and_a_sensitive_section() -> None:
    draft = draft_json.new_draft("Work", "en", TODAY)
    assert [section.sensitive for section in read_questionnaire(draft).sections] == [False, True]


def test_prefer_not_to_say_is_preset_on_the_sensitive_question() -> None:
    sensitive = draft_json.new_draft("Work", "en", TODAY)["sections"][1]["questions"][0]
    assert sensitive["choices"][-1] == {
        "name": "prefer-not-to-say",
        "label": {"en": "Prefer not to say"},
    }


def test_a_draft_in_a_language_candor_does_not_speak_presets_no_english() -> None:
    draft = draft_json.new_draft("Trabalho", "pt", TODAY)
    assert draft["consent"] == {}
    assert draft["sections"][1]["questions"][0]["choices"][0] == {"name": "no", "label": {}}


@pytest.mark.parametrize(("language", "no"), [("de", "Nein"), ("fr", "Non"), ("es", "No"), ("ar", "لا")])
def test_the_presets_are_in_each_language_whose_sentences_are_shipped(language: str, no: str) -> None:
    draft = draft_json.new_draft("Work", language, TODAY)
    assert draft["consent"][language]
    choices = draft["sections"][1]["questions"][0]["choices"]
    assert choices[0] == {"name": "no", "label": {language: no}}
    assert all(choice["label"][language] for choice in choices)


def test_the_presets_are_in_the_drafts_language_whatever_the_reader_speaks() -> None:
    with translation.override("zh-hans"):
        assert draft_json.new_draft("Work", "en", TODAY)["sections"][1]["questions"][0]["choices"][1] == {
            "name": "yes",
            "label": {"en": "Yes"},
        }


def test_answers_are_kept_a_year_unless_somebody_says_otherwise() -> None:
    assert draft_json.new_draft("Work", "en", TODAY)["retention"] == "2027-12-01"
    assert draft_json.new_draft("Work", "en", date(2028, 2, 29))["retention"] == "2029-02-28"


def test_what_only_the_builder_reads_stays_behind() -> None:
    assert freeze_design(complete(expected=7)) == freeze_design(complete(expected=8))


def test_an_unknown_key_does_not_stay_behind_silently() -> None:
    with pytest.raises(InputError, match="unknown key 'surprise'"):
        freeze_design(complete(surprise=1))


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Work and health"),
        ("zh-hans", "工作与健康"),
        ("fr", "Work and health"),
        (None, "Work and health"),
    ],
)
def test_a_title_is_shown_in_the_readers_language_or_in_the_first(language: str | None, title: str) -> None:
    assert draft_json.read_text_in_language(bilingual(), "title", language) == title


@pytest.mark.parametrize("title", [None, 5, [], {"en": 5}, {"en": ""}, {}])
def test_a_title_that_is_none_is_empty(title: object) -> None:
    assert draft_json.read_text_in_language(complete(title=title), "title", "en") == ""


def test_a_copy_is_another_draft_and_leaves_the_first_as_it_was() -> None:
    draft = complete()
    copy = draft_json.copy_draft(draft, TODAY, rehearsal=True)
    assert (draft["rehearsal"], copy["rehearsal"]) == (False, True)
    assert draft_json.copy_draft(copy, TODAY, rehearsal=False)["rehearsal"] is False


def test_a_copy_keeps_a_retention_date_to_come_and_renews_one_that_is_over() -> None:
    assert draft_json.copy_draft(complete(), TODAY, rehearsal=False)["retention"] == "2099-12-31"
    over = complete(retention="2026-12-01")
    assert draft_json.copy_draft(over, TODAY, rehearsal=False)["retention"] == "2027-12-01"


@pytest.mark.parametrize("sections", [None, 5, [None], [{"questions": 5}], [{"questions": ["q"]}]])
def test_broken_sections_are_read_with_patience(sections: object) -> None:
    for section in draft_json.read_sections(complete(sections=sections)):
        assert draft_json.read_questions(section) == []
