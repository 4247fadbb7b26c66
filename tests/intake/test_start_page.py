"""How much of the start page is in sight, how hard it is to read, and what it says of studies and of earlier waves."""

import json
import re
from collections.abc import Collection
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string

from intake.pages.respondent_views import load_survey_page
from privacy.designs import Design, parse_design
from privacy.mechanisms.permanent_draws import study_fingerprint
from surveys.kinds.phrase_selection import Feature, phrases_for_design, phrases_for_kinds
from surveys.models import Design as DesignRow
from surveys.needs_no_script import can_be_answered_without_script
from surveys.phrases.answering import UNDERSTANDING
from surveys.phrases.arms_crosswise_and_rounds import ARM_SCREEN, CROSSWISE_SCREEN, LASTING
from tests.browser.questionnaires import AGE, FINE, PAIR, STUDIES, SURVEYS, TAX, UNDERSTOOD, crosswise
from tests.intake import asked
from tests.intake.asked import CLIENT, make_design, start

pytestmark = [pytest.mark.page, pytest.mark.django_db]
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
    def sentences(self) -> list[str]:
        return [found for part in re.split(r"[.!?:\n]", self.text) if words(found := part.strip())]


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9][A-Za-z0-9'’-]*", text)


def syllable_count(word: str) -> int:
    """Groups of vowels; a silent e at the end is none, and every word has one."""
    lower = re.sub(r"[^a-z]", "", word.lower())
    groups = len(re.findall(r"[aeiouy]+", lower))
    is_silent = lower.endswith("e") and not lower.endswith(("le", "ee")) and groups > 1
    is_past = lower.endswith("ed") and not lower.endswith(("ted", "ded")) and groups > 1
    return max(groups - is_silent - is_past, 1)


def reading_grade(sentences: list[str]) -> float:
    """The Flesch-Kincaid grade: 0.39 words per sentence + 11.8 syllables per word - 15.59 (Kincaid et al., 1975)."""
    found = [word for sentence in sentences for word in words(sentence)]
    return 0.39 * len(found) / len(sentences) + 11.8 * sum(map(syllable_count, found)) / len(found) - 15.59


# --- how much is in sight, and how hard it is to read

RESEARCHERS = frozenset({"lede", "consent"})
"""The classes of what the researcher writes."""
MOST_WORDS = 120
MOST_GRADE = 7
PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
CAUTION = "A yes in your record does not mean that you said yes."
NAMES = ["fourteen", "short", "numbers", "places", "demo"]


def design_of_survey(name: str, **more: Any) -> Design:
    return parse_design(json.dumps(SURVEYS[name]["design"] | {"title": "", "rehearsal": False} | more))


def page_of(design: Design, **more: Any) -> str:
    page = load_survey_page(design, "answer", "en", **more)
    return render_to_string("intake/answer.html", {"page": page, "speaker": page.speaker})


def start_page_html(design: Design) -> str:
    """All that the start page says, folded or not."""
    return page_of(design).split('<div id="start">')[1].split('<div id="screen"')[0]


def in_sight(design: Design, skipped: frozenset[str] = RESEARCHERS) -> InSight:
    return InSight(f"<div>{start_page_html(design)}", skipped)


def test_plain_survey_does_not_mention_a_disguise_of_answers() -> None:
    design = make_design(PLAIN)
    text = start_page_html(design)
    assert "supply this page and its program" in text
    assert not re.search(r"disguises? your|[Dd]isguised answers|answers are disguised", text)


@pytest.mark.parametrize("name", NAMES)
def test_start_page_shows_at_most_120_easy_words_before_agreeing(name: str) -> None:
    """Of the researcher's words up to 25 are left room for; those of the demonstration are counted as they are."""
    design = parse_design(json.dumps(SURVEYS[name]["design"] | {"rehearsal": True}))
    skipped = frozenset() if name in ("demo", "short") else RESEARCHERS
    assert 60 <= len(words(in_sight(design, skipped).text)) <= MOST_WORDS - 25 * bool(skipped)
    seen = in_sight(design_of_survey(name))
    # Somebody of twelve can read it.
    assert reading_grade(seen.sentences) <= MOST_GRADE
    assert [each for each in seen.sentences if len(each.split()) > 20] == []
    assert len(re.findall("obody can be sure", seen.text)) == 1
    assert "Researchers can still work out how common something is." in seen.text
    # What a yes means is one tap away.
    assert CAUTION not in seen.text
    assert CAUTION.removesuffix(".") in start_page_html(design_of_survey(name))
    # A draw with other odds than even is no coin.
    assert asked.parts_in_text(seen.text, "coin", "Heads", "Tails") == []


def test_start_page_counts_questions_like_other_pages() -> None:
    lines = [
        {"name": name, "form": "many", "of": "taken", "text": {"en": "What?"}, "choices": ["no", "yes"]}
        for name in ("money", "tools", "time")
    ]
    theft = {"name": "theft", "text": {"en": "Ever?"}, "choices": ["no", "yes"]}
    page = start_page_html(
        make_design(PLAIN, {"kind": "unrelated-question", "keep": "0.5", "questions": [*lines, theft]})
    )
    assert asked.missing_parts(page, "sensitive questions (2 of 3)", "Up to 3 questions.") == []


def test_long_introduction_and_consent_are_folded() -> None:
    for times, is_seen in ((1, True), (40, False)):
        text = in_sight(
            design_of_survey("short", intro={"en": "We ask. " * times}, consent={"en": "I agree. " * times}),
            frozenset(),
        ).text
        assert ("We ask." in text, "I agree." in text) == (is_seen, is_seen)
    assert "About this survey" in text
    assert "What you agree to" in text


def test_joint_disclosure_is_one_tap_away_and_unprotected_facts_visible() -> None:
    together = "somebody 5 % sure beforehand can become at most <strong>50 % sure.</strong>"
    assert together in start_page_html(design_of_survey("demo"))
    assert "All answers together" in start_page_html(design_of_survey("places"))
    assert "Only inside the sensitive regions." in start_page_html(design_of_survey("places"))
    assert "All answers together" not in start_page_html(make_design(PLAIN))
    places, demo = in_sight(design_of_survey("places")).text, in_sight(design_of_survey("demo")).text
    assert "Nobody can be sure of them, except a place outside the sensitive regions." in places
    # Both cannot be true.
    assert "Nobody can be sure what you answered" not in places
    assert "outside" not in demo
    assert "You can also choose to answer without disguise." in in_sight(design_of_survey("fourteen")).text
    assert "without disguise" not in in_sight(design_of_survey("fourteen", open_answers=False)).text


def test_survey_without_disguise_promises_none_and_odds_are_one_tap_away() -> None:
    text = in_sight(make_design(PLAIN)).text
    assert "Every answer is sent exactly as you give it." in text
    assert "only its band is sent" not in text
    number = {"low": 0, "high": 120, "step": 1, "limits": [40]}
    banded = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"], "number": number}]}
    assert "Of a number that you enter, only its band is sent." in in_sight(make_design(banded)).text
    assert "Your browser disguises" not in start_page_html(make_design(PLAIN))
    assert asked.parts_in_text(text, CAUTION, "Nobody can be sure", "coin", "made-up") == []
    design = design_of_survey("fourteen")
    text = in_sight(design).text
    summaries = "Who is asking", "How your answers are", "Limits of this", "Check this for yourself"
    assert asked.missing_parts(text, *summaries) == []
    assert asked.parts_in_text(text, "times", design.fingerprint, "could supply a different one") == []


# --- arms, drawn questions and crosswise questions


def study(name: str) -> Design:
    return parse_design(json.dumps(STUDIES[name]["design"]))


def study_start(name: str) -> str:
    return page_of(study(name)).split('<div id="start">')[1].split('<div data-in="zh-hans"')[0]


def study_in_sight(name: str) -> str:
    return InSight(f"<div>{study_start(name)}", RESEARCHERS).text


def test_start_page_promises_directly_asked_people_no_disguise() -> None:
    """Both arms are said in odds, and that the record shows which."""
    seen, text = study_in_sight("arms"), study_start("arms")
    draw = "A random draw asks about 1 in 4 people directly, without disguise. Your device tells you first."
    assert asked.missing_parts(seen, draw, "If your answers are disguised, nobody can be sure") == []
    odds = "(25 %), you are asked directly: no disguise", "(75 %), your answers are disguised"
    limits = "Nothing of it is for people who are asked directly.", "only the batch protects you"
    others = "Your record shows which it was.", "<strong>Asked in pairs:</strong>"
    assert asked.missing_parts(text, *odds, *limits, *others) == []
    assert "asked directly" not in study_start("crosswise")


def test_start_page_states_the_secrets_share_source_and_limits() -> None:
    """Crosswise questions alone are explained without coins; what the device draws is counted as no question."""
    text = study_start("crosswise")
    breaks = "someone who knows your answer to one question can work out the other"
    secret = "whether two answers are the same", "(24.7 %) answer yes", "births 1940 to 1980"
    assert asked.missing_parts(text, *secret, breaks) == []
    assert asked.parts_in_text(text, "flips a coin", "Heads", "data-toy", "random draw") == []
    assert "Up to 3 questions." in study_in_sight("turned")
    turned = study_start("turned")
    forms = "your device draws which one you read", "(24.7 %) answer yes; to the other form"
    assert asked.missing_parts(turned, "1 of 3 questions", *forms) == []
    draws_nothing = "Your device draws nothing."
    assert (draws_nothing in text, draws_nothing in turned) == (True, False)


def test_start_page_without_javascript_links_to_the_form_if_any() -> None:
    def notice(page: str) -> str:
        return page.split("<noscript>")[1].partition("</noscript>")[0]

    link = '<a class="button primary" href="/a/x/form">Answer without JavaScript</a>'
    for name in ("crosswise", "crosswise by invitation"):
        assert link in notice(page_of(study(name), form_url="/a/x/form")), name
    elsewhere = notice(page_of(study("arms")))
    assert "sensitive answers would have to be sent undisguised" in elsewhere
    assert "href" not in elsewhere


def test_phrases_are_sent_only_to_surveys_that_need_them() -> None:
    def ids(*kinds: str, features: Collection[Feature] = ()) -> set[str]:
        return set(phrases_for_kinds(kinds, features))

    assert {"crosswise_same", "form_link", "no_script_plain"} <= ids("plain", "crosswise")
    assert "no_script_plain" not in ids("crosswise", "unrelated-question")
    assert not ids("unrelated-question") & {"crosswise_same", "form_link", "arm_direct"}
    assert "arm_direct" in ids("unrelated-question", features=[Feature.ARMS])
    assert "form_link" not in ids("plain", features=[Feature.ARMS])
    assert "follows_times" in ids("plain", features=[Feature.FOLLOWING])
    assert "follows_times" not in ids("plain")
    arms, pairs = (
        set(load_survey_page(study(name), "answer").settings["words"]["en"]) for name in ("arms", "crosswise")
    )
    assert ARM_SCREEN.keys() <= arms - pairs
    assert CROSSWISE_SCREEN.keys() <= pairs


# --- where understanding is checked

STRONG: dict[str, Any] = TAX | {"keep": "0.25", "questions": [{"name": "other", "choices": ["no", "yes"]}]}
BILINGUAL = ["en", "zh-hans"]
AGES_ONLY = {"kind": "plain", "questions": [AGE]}


def design_with_check(*sections: dict[str, Any]) -> Design:
    return make_design(AGES_ONLY, *sections, UNDERSTOOD, understanding=True, languages=BILINGUAL)


def test_start_page_announces_the_understanding_check_and_what_is_stored() -> None:
    page = start(design_with_check(TAX))
    stored = "your record only says: understood at once, after an explanation, or not."
    others = "First, two questions check", "Up to 2 questions.", "intake/understanding.js"
    assert asked.missing_parts(page, stored, *others) == []
    off = make_design(AGES_ONLY, TAX, languages=BILINGUAL)
    assert not phrases_for_design(off).keys() & UNDERSTANDING.keys()
    assert asked.parts_in_text(start(off), "understanding", "understood", "outsider") == []
    # A survey of pairs alone shows the outsider's view too, and there is no page without JavaScript, though not
    # because answers would be sent undisguised.
    page = start(design_with_check(crosswise(PAIR)))
    assert (
        asked.missing_parts(page, "This survey needs JavaScript"),
        asked.parts_in_text(page, "undisguised"),
    ) == ([], [])
    assert ("data-outsider" in page, "data-toy" in page) == (True, False)
    survey = asked.survey(design_with_check(crosswise(PAIR)))
    assert CLIENT.get(f"/a/{survey.slug}/form")["Location"] == f"/a/{survey.slug}"
    assert "/form" not in CLIENT.get(f"/a/{survey.slug}").text


def test_outsiders_odds_equal_those_of_the_survey() -> None:
    for sections, share in (
        ((TAX,), "0.5000"),
        # The largest keep promises least.
        ((STRONG, TAX), "0.5000"),
        ((STRONG,), "0.2500"),
        # |1 - 2 u| of a crosswise question with u = .2466
        ((crosswise(PAIR),), "0.5068"),
        ((FINE, STRONG), "0.5000"),
    ):
        page = start(design_with_check(*sections)).split('id="page">')[1].partition("</script>")[0]
        assert json.loads(page)["outsider"] == share


# --- a survey that asks again what earlier surveys asked

TWICE = {"kind": "unrelated-question", "keep": "0.5", "questions": [{"name": "s", "choices": ["no", "yes"]}]}


def wave(*sections: dict[str, Any], follows: Design | None = None, title: str = "Now", **more: Any) -> Design:
    """With keep 1/2 and noise 1/2 each section has gamma 1 + (1/2) / (1/2 · 1/2) = 3."""
    known = {"follows": follows.fingerprint} if follows else {}
    titles = {"en": title, "zh-hans": f"{title}（中）"}
    return store(make_design(*(sections or (TWICE,)), title=titles, languages=BILINGUAL, **known, **more))


def store(made: Design) -> Design:
    DesignRow.objects.get_or_create(fingerprint=made.fingerprint, defaults={"json": made.canonical})
    return made


def test_odds_of_two_waves_multiply_and_the_page_says_so() -> None:
    first = wave(title="<b>Work</b> 2025")
    page = start(wave(follows=first))
    english = page.split('<div id="start">')[1].split('<div data-in="zh-hans"')[0]
    text = InSight(f"<div>{english}", frozenset()).text
    assert "These questions were asked before" in text
    assert "answering again makes your protection weaker" in text
    assert "<strong>9 times</strong>" in english
    # A title is text and no markup, in the language of the page.
    assert "&lt;b&gt;Work&lt;/b&gt; 2025</bdi>" in english
    assert "2025（中）</bdi>" in start(wave(follows=first), "zh-CN")
    # The number is of the whole chain.
    second = wave(follows=first, title="Work 2026")
    page = start(wave(follows=second))
    assert "<strong>27 times</strong>" in page
    assert page.index("Work 2026</bdi>") < page.index(" 2025</bdi>")


def test_odds_are_rounded_up_to_one_decimal_on_page_and_form() -> None:
    # u = .2466: gamma = .7534 / .2466 = 3.0551, and three times that is 9.1652.
    first = wave(AGES_ONLY, crosswise(PAIR), title="Before")
    assert "<strong>9.2 times</strong>" in start(wave(follows=first))
    # With the same secret again nothing could be promised.
    another = {**PAIR, "secret": {"en": "Was your father born in January, February or March?"}}
    page = start(wave(AGES_ONLY, crosswise(another), follows=first), form=True)
    # (.7534 / .2466)^2 = 9.3338
    assert "<strong>9.4 times</strong>" in page


def test_page_says_whom_the_number_is_for_if_some_are_not_disguised() -> None:
    said, first = "people whose answers were disguised every time", wave(title="Before")
    options: list[dict[str, Any]] = [{"open_answers": True}, {"direct": "0.5", "least": 100}]
    for more in options:
        assert said in start(wave(follows=first, **more))
        assert said in start(wave(follows=wave(title="Before", **more)))
    assert said not in start(wave(follows=first))
    # And where places were asked.
    cells = [{"name": name, "at": [place, 0]} for place, name in enumerate("abc")]
    home = {"name": "home", "cells": cells, "regions": [{"name": "north", "cells": ["a", "b"]}]}
    places = wave({"kind": "place", "questions": [home | {"near": 1, "odds": "3.00"}]}, title="Before")
    assert "Who is protected:" in start(wave(follows=places))
    assert "Who is protected:" not in start(wave(follows=first))


def test_joint_odds_are_missing_if_a_previous_survey_is_unknown() -> None:
    elsewhere = make_design(TWICE, title="Elsewhere")
    page = start(wave(follows=elsewhere))
    assert "answering again makes your protection weaker" in page
    assert "times</strong> as likely" not in page
    for none in (wave(AGES_ONLY, follows=wave(AGES_ONLY, title="Before")), wave()):
        assert "asked before" not in start(none)


# --- a study whose disguise lasts

LASTS = TWICE | {"keep": "0.81", "lasting": "0.9", "questions": [{"name": "tax", "choices": ["no", "yes"]}]}


def lasting_design(*sections: dict[str, Any], follows: Design | None = None, **more: Any) -> Design:
    known = {"follows": follows.fingerprint, "study": study_fingerprint(follows)} if follows else {}
    return store(make_design(*(sections or (LASTS,)), **known, **more))


def test_start_page_explains_all_rounds_a_change_and_a_missing_code() -> None:
    """a = .9 and r = .9: 19 for ever, 19 for a round that differs, 19^2 = 361 for a second code."""
    page = start(lasting_design())
    figures = "19 times</strong> as likely as any others that stay the same", "by 19 once more"
    assert asked.missing_parts(page, *figures, "at most 361 times as likely", "Two codes of one person") == []
    assert "Other disguised questions" not in page
    assert "Other disguised questions" in start(lasting_design(LASTS, TWICE))
    assert "If you answer openly once" in start(lasting_design(open_answers=True))
    # A later round states no number that holds for changing answers only of one round.
    page = start(lasting_design(follows=lasting_design(title={"en": "Round 1"}), title={"en": "Round 2"}))
    assert "Round 1</bdi>" in page
    weaker = "answering again makes your protection weaker"
    assert asked.parts_in_text(page, "compared with any other answer", weaker) == []


def test_only_code_surveys_load_the_sentences_and_script_of_the_code() -> None:
    lasts, once = lasting_design(), lasting_design(TWICE)
    assert LASTING.keys() <= phrases_for_design(lasts).keys()
    assert not LASTING.keys() & phrases_for_design(once).keys()
    assert ["intake/lasting.js" in start(each) for each in (lasts, once)] == [True, False]
    assert not can_be_answered_without_script(lasts)
