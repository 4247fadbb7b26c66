"""How much of the start page is in sight, how hard it is to read, and what it says of studies."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string

from intake.pages.respondent_views import respondent_context
from privacy.designs import Design, parse
from surveys.kinds.phrase_selection import phrases_for_design, phrases_for_kinds
from surveys.phrases.answering import UNDERSTANDING
from surveys.phrases.arms_crosswise_and_rounds import ARM_SCREEN, CROSSWISE_SCREEN
from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import Speaker
from tests.browser.questionnaires import AGE, FINE, PAIR, STUDIES, SURVEYS, TAX, UNDERSTOOD, crosswise
from tests.intake import asked
from tests.intake.asked import CLIENT, start

pytestmark = pytest.mark.page
VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "path"})
SENTENCE_ENDS = frozenset({"p", "li", "h1", "h2", "h3", "dt", "dd", "summary", "button", "div"})
OUT_OF_SIGHT = frozenset({"head", "script", "noscript", "svg"})


class InSight(HTMLParser):
    """The words that a person with a script sees; each element of its own ends a sentence.

    A closed `details` shows its summary only. `data-needs-script` is hidden until the script is there, and
    `data-waiting` until then only. `skipped` are the classes of what the researcher writes.
    """

    def __init__(self, page: str, skipped: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.skipped = skipped
        self.hidden: list[bool] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        given = dict(attributes)
        classes = set((given.get("class") or "").split())
        is_hidden = (
            tag in OUT_OF_SIGHT
            or ("hidden" in given and "data-needs-script" not in given)
            or "data-waiting" in given
            or bool(classes & self.skipped)
            or (bool(self.open) and self.open[-1] == "details" and tag != "summary")
        )
        self.hidden.append(is_hidden or (bool(self.hidden) and self.hidden[-1]))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if tag in SENTENCE_ENDS and not self.hidden[-1]:
            self.text += "\n"
        self.hidden.pop()
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not (self.hidden and self.hidden[-1]):
            self.text += data

    @property
    def words(self) -> list[str]:
        return words(self.text)

    @property
    def sentences(self) -> list[str]:
        return [found for part in re.split(r"[.!?:\n]", self.text) if words(found := part.strip())]


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9][A-Za-z0-9'’-]*", text)


def syllables(word: str) -> int:
    """Groups of vowels; a silent e at the end is none, and every word has one."""
    lower = re.sub(r"[^a-z]", "", word.lower())
    groups = len(re.findall(r"[aeiouy]+", lower))
    is_silent = lower.endswith("e") and not lower.endswith(("le", "ee")) and groups > 1
    is_past = lower.endswith("ed") and not lower.endswith(("ted", "ded")) and groups > 1
    return max(groups - is_silent - is_past, 1)


def grade(sentences: list[str]) -> float:
    """The Flesch-Kincaid grade: 0.39 words per sentence + 11.8 syllables per word - 15.59 (Kincaid et al., 1975)."""
    found = [word for sentence in sentences for word in words(sentence)]
    return 0.39 * len(found) / len(sentences) + 11.8 * sum(map(syllables, found)) / len(found) - 15.59


# --- How much of the start page is in sight, and how hard it is to read

RESEARCHERS = frozenset({"lede", "consent"})
"""The classes of what the researcher writes."""
MOST_WORDS = 120
MOST_GRADE = 7
PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
CAUTION = "A yes in your record does not mean that you said yes."
NAMES = ["fourteen", "short", "numbers", "places", "demo"]


def named(name: str, **more: Any) -> Design:
    return parse(json.dumps(SURVEYS[name]["design"] | {"title": "", "rehearsal": False} | more))


def whole(design: Design) -> str:
    """All that the start page says, folded or not."""
    page = render_to_string("intake/answer.html", respondent_context(design, "answer", language="en"))
    return page.split('<div id="start">')[1].split('<div id="screen"')[0]


def in_sight(design: Design, skipped: frozenset[str] = RESEARCHERS) -> InSight:
    return InSight(f"<div>{whole(design)}", skipped)


@pytest.mark.parametrize("name", NAMES)
def test_at_most_120_easy_words_are_in_sight_before_agree_and_one_sentence_of_guarantee(name: str) -> None:
    """Of the researcher's words up to 25 are left room for; those of the demonstration are counted as they are."""
    design = parse(json.dumps(SURVEYS[name]["design"] | {"rehearsal": True}))
    skipped = frozenset() if name in ("demo", "short") else RESEARCHERS
    assert 60 <= len(in_sight(design, skipped).words) <= MOST_WORDS - 25 * bool(skipped)
    seen = in_sight(named(name))
    # Somebody of twelve can read it.
    assert grade(seen.sentences) <= MOST_GRADE
    assert [each for each in seen.sentences if len(each.split()) > 20] == []
    assert len(re.findall("obody can be sure", seen.text)) == 1
    assert "Researchers can still work out how common something is." in seen.text
    # What a yes means is one tap away.
    assert CAUTION not in seen.text
    assert CAUTION.removesuffix(".") in whole(named(name))
    # A draw with other odds than even is no coin.
    assert not any(word in seen.text for word in ("coin", "Heads", "Tails"))


def test_a_long_introduction_and_a_long_consent_are_folded() -> None:
    long = {"intro": {"en": "We ask. " * 40}, "consent": {"en": "I agree. " * 40}}
    assert "We ask." in in_sight(named("short", intro={"en": "We ask."}), frozenset()).text
    assert "I agree." in in_sight(named("short", consent={"en": "I agree."}), frozenset()).text
    text = in_sight(named("short", **long), frozenset()).text
    assert "About this survey" in text
    assert "What you agree to" in text
    assert "We ask." not in text
    assert "I agree." not in text


def test_what_all_answers_together_tell_is_one_tap_away() -> None:
    together = (
        "All answers together: somebody 5 % sure beforehand can become at most <strong>50 % sure.</strong>"
    )
    assert together in whole(named("demo"))
    assert "All answers together" in whole(named("places"))
    assert "Only inside the sensitive regions." in whole(named("places"))
    assert "All answers together" not in whole(asked.written(PLAIN))


def test_what_is_not_protected_is_in_sight() -> None:
    outside = "Nobody can be sure of them, except a place outside the sensitive regions."
    assert outside in in_sight(named("places")).text
    # Both cannot be true.
    assert "Nobody can be sure what you answered" not in in_sight(named("places")).text
    assert "outside" not in in_sight(named("demo")).text
    assert "You can also choose to answer without disguise." in in_sight(named("fourteen")).text
    closed = named("fourteen", open_answers=False)
    assert "without disguise" not in in_sight(closed).text


def test_a_survey_that_disguises_nothing_promises_no_disguise() -> None:
    text = in_sight(asked.written(PLAIN)).text
    assert "Every answer is sent exactly as you give it." in text
    assert not any(word in text for word in (CAUTION, "Nobody can be sure", "coin", "made-up"))


def test_odds_limits_and_fingerprint_are_one_tap_away() -> None:
    text = in_sight(named("fourteen")).text
    for summary in (
        "Who is asking",
        "How your answers are protected",
        "Limits of this protection",
        "Check this for yourself (technical)",
    ):
        assert summary in text
    design = named("fourteen")
    assert "times" not in text
    assert design.fingerprint not in text
    assert "could supply a different one" not in text


# --- the measures themselves


def test_syllables_are_groups_of_vowels() -> None:
    counts = {
        "yes": 1,
        "made": 1,
        "browser": 2,
        "disguise": 2,
        "answered": 2,
        "people": 2,
        "anybody": 4,
        "8": 1,
    }
    assert {word: syllables(word) for word in counts} == counts


def test_the_grade_is_that_of_flesch_and_kincaid() -> None:
    # 6 words, 6 syllables and one sentence: 0.39 * 6 + 11.8 - 15.59.
    assert grade(["The cat sat on the mat"]) == pytest.approx(-1.45)
    # 4 words in 2 sentences with 11 syllables: 0.39 * 2 + 11.8 * 2.75 - 15.59.
    assert grade(["Nobody answered", "Anybody cannot"]) == pytest.approx(17.64)


def test_what_is_folded_hidden_or_the_researchers_is_not_in_sight() -> None:
    page = """<div><p class="lede">Theirs.</p><p hidden>Hidden.</p><p hidden data-needs-script>Ours</p>
        <details><summary>Open <b>me</b></summary><p>Folded.</p></details><p data-waiting>Wait.</p><p>Seen.</div>"""
    assert InSight(page, frozenset({"lede"})).words == ["Ours", "Open", "me", "Seen"]


# --- What the pages say of arms, drawn questions and crosswise questions before anything is ans


def study(name: str) -> Design:
    return parse(json.dumps(STUDIES[name]["design"]))


def study_start(name: str) -> str:
    page = render_to_string("intake/answer.html", respondent_context(study(name), "answer", language="en"))
    return page.split('<div id="start">')[1].split('<div data-in="zh-hans"')[0]


def study_in_sight(name: str) -> str:
    return InSight(f"<div>{study_start(name)}", frozenset({"lede", "consent"})).text


def test_the_start_page_says_both_arms_in_odds_and_that_the_record_shows_which() -> None:
    seen = "A random draw asks about 1 in 4 people directly, without disguise. Your device tells you first."
    assert seen in study_in_sight("arms")
    text = study_start("arms")
    assert "<strong>About 1 in 4 times</strong> (25 %), you are asked directly: no disguise, no name." in text
    assert "<strong>About 3 in 4 times</strong> (75 %), your answers are disguised before they" in text
    assert "Your record shows which it was." in text


def test_nothing_is_promised_to_somebody_who_is_asked_directly() -> None:
    assert "If your answers are disguised, nobody can be sure" in study_in_sight("arms")
    assert "Nothing of it is for people who are asked directly." in study_start("arms")
    assert "If you are asked directly, only the batch protects you" in study_start("arms")
    assert "asked directly" not in study_start("crosswise")


def test_crosswise_questions_alone_are_explained_without_coins() -> None:
    text = study_start("crosswise")
    assert "you say only whether two answers are the same" in text
    assert [word for word in ("flips a coin", "Heads", "data-toy", "random draw") if word in text] == []


def test_crosswise_questions_beside_others_are_said_too() -> None:
    assert "<strong>Asked in pairs:</strong>" in study_start("arms")


def test_the_share_of_the_secret_its_source_and_what_breaks_it_are_on_the_start_page() -> None:
    text = study_start("crosswise")
    assert "<strong>about 1 in 4 people</strong> (24.7 %) answer yes" in text
    assert "Office of Statistics, births 1940 to 1980" in text
    assert "someone who knows your answer to one question can work out the other" in text


def test_what_the_device_draws_is_counted_as_no_question() -> None:
    assert "Up to 3 questions." in study_in_sight("turned")
    assert "1 of 3 questions" in study_start("turned")


def test_somebody_without_javascript_is_led_to_the_form_where_there_is_one() -> None:
    for name in ("crosswise", "crosswise by invitation"):
        context = respondent_context(study(name), "answer", language="en", form="/a/x/form")
        page = render_to_string("intake/answer.html", context)
        notice = page.split("<noscript>")[1].split("</noscript>")[0]
        assert '<a class="button primary" href="/a/x/form">Answer without JavaScript</a>' in notice, name


def test_elsewhere_the_page_says_that_it_needs_javascript() -> None:
    notice = study_start("arms").split("<noscript>")[1].split("</noscript>")[0]
    assert "true answers would have to be sent" in notice
    assert "href" not in notice


def test_only_surveys_that_need_them_bring_the_phrases() -> None:
    def ids(*kinds: str, has_arms: bool = False) -> set[str]:
        return set(phrases_for_kinds(kinds, open_answers=False, rehearsal=False, has_arms=has_arms))

    assert {"crosswise_same", "form_link"} <= ids("plain", "crosswise")
    assert not ids("unrelated-question") & {"crosswise_same", "form_link", "arm_direct"}
    assert "arm_direct" in ids("unrelated-question", has_arms=True)
    assert "form_link" not in ids("plain", has_arms=True)


def test_the_words_of_the_arm_and_of_crosswise_questions_come_where_they_are_said() -> None:
    def words(name: str) -> set[str]:
        return set(respondent_context(study(name), "answer")["page"]["words"]["en"])

    assert ARM_SCREEN.keys() <= words("arms")
    assert CROSSWISE_SCREEN.keys() <= words("crosswise")
    assert words("arms") - words("crosswise") >= ARM_SCREEN.keys()


# --- What respondents' pages say and load where understanding is checked, and what they leave o

AGES_ONLY = {"kind": "plain", "questions": [AGE]}
STRONG: dict[str, Any] = TAX | {"keep": "0.25", "questions": [{"name": "other", "choices": ["no", "yes"]}]}


def checked(*sections: dict[str, Any]) -> Design:
    return asked.written(AGES_ONLY, *sections, UNDERSTOOD, understanding=True, languages=["en", "zh-hans"])


def page_json(page: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(page.split('id="page">')[1].split("</script>", maxsplit=1)[0])
    return said


@pytest.mark.django_db
def test_the_start_page_tells_the_check_and_what_is_stored_of_it() -> None:
    page = start(checked(TAX))
    assert "First, two questions check whether this page was clear." in page
    assert "your record only says: understood at once, after an explanation, or not." in page
    assert "Up to 2 questions." in page
    assert "intake/understanding.js" in page


@pytest.mark.django_db
def test_elsewhere_nothing_of_it_is_said_or_loaded() -> None:
    off = asked.written(AGES_ONLY, TAX, languages=["en", "zh-hans"])
    page = start(off)
    assert not phrases_for_design(off).keys() & UNDERSTANDING.keys()
    for word in ("understanding", "understood", "outsider"):
        assert word not in page


@pytest.mark.django_db
def test_the_outsiders_odds_are_those_of_the_survey() -> None:
    for sections, share in (
        ((TAX,), "0.5000"),
        # The largest keep promises least.
        ((STRONG, TAX), "0.5000"),
        ((STRONG,), "0.2500"),
        # |1 - 2 u| of a crosswise question with u = .2466
        ((crosswise(PAIR),), "0.5068"),
        ((FINE, STRONG), "0.5000"),
    ):
        assert page_json(start(checked(*sections)))["outsider"] == share


@pytest.mark.django_db
def test_a_survey_of_pairs_alone_shows_the_outsiders_view_too() -> None:
    page = start(checked(crosswise(PAIR)))
    assert "data-outsider" in page
    assert "data-toy" not in page


@pytest.mark.django_db
def test_there_is_no_page_without_javascript() -> None:
    survey = asked.survey(checked(crosswise(PAIR)))
    assert CLIENT.get(f"/a/{survey.slug}/form")["Location"] == f"/a/{survey.slug}"
    assert "/form" not in CLIENT.get(f"/a/{survey.slug}").text


def test_its_sentences_are_in_the_six_languages() -> None:
    english = Speaker("en")
    for language in SHIPPED:
        said = Speaker(language)
        same = [key for key in UNDERSTANDING if said.text_and_language(key) == english.text_and_language(key)]
        assert same == (list(UNDERSTANDING) if language == "en" else []), language
