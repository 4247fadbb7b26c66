"""What a phrase is, and that the ids, the templates and the table of phrases agree."""

import re
from collections import Counter
from pathlib import Path

import pytest

from privacy.designs import Texts
from privacy.designs.design import DUTIES
from surveys.kinds.phrase_selection import phrases_for_kinds
from surveys.phrases import (
    answering,
    arms_crosswise_and_rounds,
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
from surveys.phrases.phrase import fill_placeholders, find_placeholders
from surveys.phrases.phrase_rendering import Speaker

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / "templates" / "intake"
MODULES = (
    answering,
    field_devices,
    embedding,
    how_answers_are_disguised,
    inviting,
    numbers_and_places,
    quotas,
    sending,
    start_page,
    arms_crosswise_and_rounds,
)


def test_no_two_phrases_share_an_id() -> None:
    groups = [group for module in MODULES for name, group in vars(module).items() if name.isupper()]
    phrases = {id(phrase): key for group in groups for key, phrase in group.items()}
    assert [key for key, times in Counter(phrases.values()).items() if times > 1] == []
    assert set(phrases.values()) == set(PHRASES)


def test_an_id_is_one_that_a_design_can_name() -> None:
    assert [key for key in PHRASES if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", key)] == []


def test_the_templates_say_phrases_alone_and_only_those_there_are() -> None:
    text = "".join(path.read_text() for path in TEMPLATES.glob("*.html"))
    assert "translate " not in text
    said = set(re.findall(r'{% phrase(?:_text)? "(\w+)"', text))
    assert said <= PHRASES.keys()


def test_every_phrase_is_said_somewhere() -> None:
    scripts = ROOT / "intake" / "static" / "intake"
    rooms = [(TEMPLATES, "*.html"), (scripts, "*.js"), (ROOT / "surveys" / "phrases", "phrase_rendering.py")]
    rooms.append((ROOT / "surveys" / "templatetags", "phrases.py"))
    rooms += [(scripts / "field", "*.js"), (ROOT / "intake" / "pages", "*.py")]
    rooms.append((ROOT / "surveys" / "lifecycle", "freeze_draft.py"))
    rooms += [
        (ROOT / "intake" / "invitations", "*.py"),
        (ROOT / "templates" / "intake" / "invitations", "*.html"),
    ]
    named = "".join(path.read_text() for folder, files in rooms for path in folder.glob(files))
    made = [re.sub(r"\$\{[^}]+\}", r"\\w+", key) for key in re.findall(r"word\(`([^`]+)`", named)]
    assert len(made) > 5
    by_rule = re.compile("|".join(made))
    assert "{% for heading, duty in start.duties.items %}" in named
    assert "{% phrase heading %}" in named
    unsaid = [key for key in PHRASES if f'"{key}"' not in named and not by_rule.fullmatch(key)]
    assert sorted(unsaid) == sorted(DUTIES)


def test_placeholders_are_filled_in_and_percent_signs_stay() -> None:
    assert (
        fill_placeholders("%(n)s of %(all)s, 5 % or 5 %%", {"n": 1, "all": "%(n)s"})
        == "1 of %(n)s, 5 % or 5 %%"
    )
    assert find_placeholders("%(n)s %(n)s %s %(N)s") == {"n"}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("<strong>%(odds)s vezes</strong> (%(share)s)", True),
        ("%(share)s: %(odds)s", True),
        ("%(share)s, %(share)s, %(odds)s", True),
        ("%(share)s", False),
        ("%(share)s %(odds)s %(n)s", False),
        ("<strong>%(share)s %(odds)s", False),
        ("</strong>%(share)s %(odds)s<strong>", False),
    ],
)
def test_a_translation_fits_if_it_has_the_placeholders_of_the_original(text: str, fits: bool) -> None:
    assert PHRASES["grouped_kept"].has_placeholders_of_original(text) is fits


def test_bold_words_are_allowed_where_the_original_has_some() -> None:
    assert not PHRASES["leave"].has_placeholders_of_original("<strong>Sair</strong>")


def test_the_design_speaks_first_and_then_our_own_words() -> None:
    speaker = Speaker("zh-hans", {"leave": Texts((("zh-hans", "走"),))})
    assert speaker.say_phrase("leave") == "走"
    assert speaker.say_phrase("yes") == "是"


def test_a_text_of_the_design_that_cannot_be_filled_in_is_not_said() -> None:
    speaker = Speaker("zh-hans", {"minutes": Texts((("zh-hans", "%(hours)s"),))})
    assert "%" not in speaker.say_phrase("minutes", minutes=5)


def test_a_phrase_that_falls_back_to_english_is_marked_as_english() -> None:
    speaker = Speaker("fa", {"leave": Texts((("fa", "خروج"),))})
    assert (speaker.page_language, speaker.text_direction) == ("fa", "rtl")
    assert speaker.phrase_html("leave") == "خروج"
    assert speaker.phrase_html("agree") == '<span lang="en" dir="ltr">Agree and start</span>'


def test_a_language_without_any_phrase_has_english_around_it() -> None:
    speaker = Speaker("pt")
    assert (speaker.page_language, speaker.phrase_html("agree")) == ("en", "Agree and start")


def test_only_bold_words_stay_markup() -> None:
    text = '<strong>%(odds)s</strong> <img src="x"> %(share)s'
    speaker = Speaker("pt", {"grouped_kept": Texts((("pt", text),))})
    said = speaker.phrase_html("grouped_kept", odds="<b>", share="&")
    assert said == "<strong>&lt;b&gt;</strong> &lt;img src=&quot;x&quot;&gt; &amp;"


OF_SOME = {
    "start_yes",
    "toy_about",
    "grouped_kept",
    "number_range",
    "place_inside",
    "may_open",
    "rehearsal_title",
}
"""Of a kind of section, of open answers or of a rehearsal."""


def test_a_survey_needs_the_phrases_of_its_own_kinds_only() -> None:
    plain = phrases_for_kinds(["plain"], open_answers=False, rehearsal=False)
    assert "disguise_nothing" in plain
    assert not plain.keys() & OF_SOME
    assert not plain.keys() & (start_page.NOT_YET.keys() | sending.VERIFYING.keys() - {"verify_title"})
    whole = phrases_for_kinds(["number", "place", "unrelated-question"], open_answers=True, rehearsal=True)
    assert whole.keys() >= OF_SOME
