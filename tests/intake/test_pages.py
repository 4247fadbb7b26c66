"""What the respondents' pages are before any script runs."""

import json
import re
from datetime import UTC, datetime
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Person
from config.content_security_policy import EVERY_PAGE
from intake.pages import page_scripts
from intake.pages.language_negotiation import accepted_language, language_text, native_language_name
from intake.pages.respondent_views import load_survey_page
from intake.pages.survey_page import Mode
from privacy.designs import Design, Texts
from surveys.kinds.registry import KINDS
from surveys.models import Survey
from surveys.phrases.all_phrases import ANSWER_PAGE, RECEIPT_PAGE
from surveys.phrases.answering import CHOICES, OUTSIDER, TRIES, UNDERSTANDING_SCREEN
from surveys.phrases.arms_crosswise_and_rounds import ARM_SCREEN, LASTING_SCREEN
from surveys.phrases.asked_elsewhere import TOOL_SCREEN
from surveys.phrases.embedding import FRAMED_SCREEN
from surveys.phrases.field_devices import FIELD_SCREEN
from surveys.phrases.how_answers_are_disguised import TOY
from surveys.phrases.inviting import EXCHANGE_SCREEN
from surveys.phrases.numbers_and_places import BANDS, NUMBERS, PLACES
from surveys.phrases.quotas import QUOTA_SCREEN
from surveys.phrases.sending import COMPLETING
from tests.intake import asked
from tests.privacy.conftest import COMPOSER, MODULES, ROOT
from tests.privacy.questionnaires import classes, window
from ui import land_outline_path

pytestmark = [pytest.mark.page, pytest.mark.django_db]
PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
HIDDEN = {
    "kind": "unrelated-question",
    "keep": "0.6",
    "questions": [
        {"name": "theft", "choices": ["no", "yes"], "text": "Stolen?"},
        {"name": "tax", "choices": ["no", "yes"], "text": "Taxes?"},
    ],
}
PLAIN_TOO = {"kind": "plain", "questions": [{"name": "home", "choices": ["town", "country"]}]}
HIDDEN_TOO = HIDDEN | {"questions": [{"name": "debt", "choices": ["no", "yes"]}]}
ASKS = asked.make_design(
    PLAIN,
    HIDDEN,
    languages=["en", "zh-hans"],
    title={"en": "Work and health", "zh-hans": "工作与健康"},
    asker={"en": "An institute"},
    least=40,
)


@pytest.fixture
def open_survey() -> Survey:
    return asked.survey(ASKS)


def get(path: str, **headers: str) -> Any:
    return Client().get(path, headers=headers)


def page_of(*sections: dict[str, Any], **more: Any) -> str:
    """The page of an open survey that asks this."""
    return str(get(asked.survey(asked.make_design(*sections, **more)).address).text)


def as_text(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))
        self.inside = (dict(attributes).get("id") or "") if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[self.inside] = self.texts.get(self.inside, "") + data

    @property
    def page_settings(self) -> dict[str, Any]:
        """What the page tells its script."""
        found: dict[str, Any] = json.loads(self.texts["page"])
        return found

    def names(self) -> set[str]:
        return {tag for tag, _attributes in self.found}


def context(design: Design, mode: Mode = "answer", **more: Any) -> Any:
    """What the page tells its script, without an address."""
    return load_survey_page(design, mode, **more).settings


# --- headers, and what no page does


def test_respondent_page_is_uncached_sends_no_referrer_and_sets_no_cookie(open_survey: Survey) -> None:
    for path in ("/a/receipt", "/a/no-such-survey", open_survey.address):
        response = get(path)
        assert (response["Cache-Control"], response["Referrer-Policy"]) == ("no-store", "no-referrer"), path
        assert not response.cookies, path
        assert "Set-Cookie" not in response, path


def test_respondent_policy_is_stricter_than_elsewhere(open_survey: Survey) -> None:
    elsewhere = dict(rule.split(" ", 1) for rule in EVERY_PAGE.split("; "))
    own = {"form-action": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "'none'"}
    unknown = ("/a/receipt", "/a/no-such-survey", "/a/no/such/page", "/a")
    for path in (open_survey.address, f"{open_survey.address}/record", *unknown):
        policy = get(path)["Content-Security-Policy"]
        ours = dict(rule.split(" ", 1) for rule in policy.split("; "))
        assert {name: ours.pop(name) for name in own} == own, path
        assert ours.items() < elsewhere.items(), path
        assert ours["default-src"] == "'none'", path


def test_script_gets_the_canonical_design_byte_for_byte() -> None:
    nasty = 'x</script><script>alert("\\u003c\\\\u003c <!-- 1")</script>\n'
    design = asked.make_design(PLAIN, HIDDEN, title={"en": nasty}, contact="\\u003c")
    page = Elements(get(asked.survey(design).address).text)
    embedded = re.sub(r"(?s)\\(u003c|.)", lambda it: "<" if it[1] == "u003c" else it[0], page.texts["design"])
    assert embedded == design.canonical
    assert sha256(embedded.encode()).hexdigest() == design.fingerprint == page.page_settings["fingerprint"]
    # A text of the design cannot become markup.
    text = page_of(HIDDEN, title="<img src=x>", why="</dd><b>", intro="<i>", consent="<u>")
    assert not Elements(text).names() & {"img", "b", "i", "u"}


def test_page_is_read_only_and_tells_no_two_visits_apart(open_survey: Survey) -> None:
    assert Client().post(open_survey.address).status_code == 405
    assert Client().head(open_survey.address).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        first = get(open_survey.address)
    assert {query["sql"].split()[0] for query in queries} <= {"SELECT"}
    assert first.content == get(open_survey.address).content


def test_page_has_nothing_inline_and_answers_nothing_without_a_script(open_survey: Survey) -> None:
    inputs = {"input", "select", "textarea", "form"}
    page = Elements(get(open_survey.address).text)
    assert not page.names() & {*inputs, "iframe", "object", "embed", "style"}
    assert "noscript" in page.names()
    for tag, attributes in page.found:
        assert not any(name == "style" or name.startswith("on") for name in attributes)
        if tag == "script" and attributes.get("type") != "application/json":
            assert (attributes.get("src") or "").startswith("/static/")
    # Nor is a place asked.
    assert not Elements(place_page().split('<script type="application/json"')[0]).names() & inputs


def test_shown_hash_covers_all_disguising_modules_in_order(open_survey: Survey) -> None:
    page, folder = get(open_survey.address).text, ROOT / "privacy" / "static"
    # Each of the survey's languages lists them.
    listed = list(dict.fromkeys(re.findall(r'href="/static/(privacy/[^"]+)" target', page)))
    source = b"".join((folder / name).read_bytes() for name in listed)
    assert f'<code class="hash">{sha256(source).hexdigest()}</code>' in page
    # What writes a record as the text for a tool disguises nothing.
    others = {"privacy/handed.js"}
    assert set(listed) == {str(path.relative_to(folder)) for path in MODULES} - others


def test_device_composer_takes_each_module_and_adds_nothing() -> None:
    """But a place for each module that a survey may bring."""
    code = re.sub(r"/\*.*?\*/", "", COMPOSER.read_text(), flags=re.DOTALL)
    taken = {f"privacy/{path}" for path in re.findall(r'from "\.\./privacy/([^"]+)"', code)}
    assert taken == set(page_scripts.disguise_module_names())
    lines = re.sub(r'(im|ex)port [^;]+ from "[^"]+";', "", code).split("\n")
    places = r"let (\w+) = null;|export const add\w+ = \(module\) => void \((\w+) = module\);"
    places += r"|export const \w+Module = \(\) => {1,2}\(?(\w+)\)?;"
    added = [match.group(match.lastindex or 0) for line in lines if (match := re.fullmatch(places, line))]
    modules = ("lasting", "exchange", "understanding", "framed", "handing", "field")
    assert added == [module for module in modules for _line in range(3)]
    composed = (
        'compose({ plain, "unrelated-question": grouped, number, place, crosswise, subset }, draws, below);'
    )
    assert [line for line in lines if line and not re.fullmatch(places, line)] == [composed]


# --- what it says


def test_start_page_promises_the_designs_guarantee_in_every_language(open_survey: Survey) -> None:
    page = get(open_survey.address).text
    promises = "About 3 in 5 times", "(60 %)", "in batches of at least 40.", "Answer only once."
    others = ASKS.fingerprint, "cannot take your answers back", "工作与健康"
    assert asked.missing_parts(page, *promises, *others) == []
    assert "This is a rehearsal." not in page
    # A missing text names its language.
    assert re.search(r'<bdi lang="en" dir="auto"\s*>An institute</bdi>', page)
    # The one program that disguises is loaded, with every word of the scripts.
    assert re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page) == ["intake/device.js"]
    keys, words = (Elements(page).page_settings[name] for name in ("keys", "words"))
    assert set(words) == {"en", "zh-hans"}
    assert len(keys) == len(words["en"]) == len(words["zh-hans"])
    assert None not in words["en"] + words["zh-hans"]
    assert words["zh-hans"][keys.index("yes")] == "是"


def test_start_page_states_purpose_duration_deadline_and_contact() -> None:
    about = {"why": "To learn how common theft is.", "minutes": 7, "retention": "2031-05-04"}
    about |= {"contact": "council@example.org", "consent": "I take part of my own free will."}
    times = "Up to 3 questions. About 7 min.", "deleted by 4 May 2031."
    others = "asking To learn how", "Contact council@example.org", "my own free will."
    assert asked.missing_parts(as_text(page_of(PLAIN, HIDDEN, **about)), *times, *others) == []


def test_start_page_explains_open_answers_and_a_rehearsal() -> None:
    for allowed in (True, False):
        page = page_of(PLAIN, HIDDEN, open_answers=allowed)
        assert ("You can also choose to answer without disguise." in page) is allowed
        assert ("someone could pressure you into it" in page) is allowed
    assert "This is a rehearsal." in page_of(HIDDEN, rehearsal=True)
    over, meant = (
        get(asked.survey(asked.make_design(HIDDEN, rehearsal=tried), state=Survey.State.CLOSED).address).text
        for tried in (True, False)
    )
    assert "This was a rehearsal." in over
    assert "rehearsal" not in meant.split('id="screen"')[0]


def test_random_yes_is_named_after_the_survey_and_sensitive_parts_numbered() -> None:
    for labels, said in ((("Ever", "Ever"), "Ever"), (("Ever", "Often"), "Yes"), (("",), "Yes")):
        questions = [
            {"name": f"q{place}", "choices": ["no", {"name": "yes", "label": label}]}
            for place, label in enumerate(labels)
        ]
        page = page_of({"kind": "unrelated-question", "keep": "0.6", "questions": questions})
        text = re.sub(r"<[^>]+>", "", page)
        assert f"A random answer is “{said}” about 1 in 2 times (50 %)." in text
    start = page_of(PLAIN, HIDDEN, PLAIN_TOO, HIDDEN_TOO).split('id="screen"')[0]
    assert re.findall(r"Sensitive questions, part (\d+)", start) == ["1", "2"]


# --- a survey that is not open


def draft(**values: Any) -> Survey:
    owner, _made = Person.objects.get_or_create(username="owner")
    return Survey.objects.create(owner=owner, draft={"title": {"en": "Secret plans"}}, **values)


def test_unknown_address_and_draft_are_refused_alike() -> None:
    opens = datetime(2027, 3, 1, 8, 30, tzinfo=UTC)
    for address, language, words in (
        ("/a/abcdefghijklmnop", "en", "There is no survey at this address"),
        ("/a/abcdefghijklmnop", "de", "Unter dieser Adresse gibt es keine Umfrage"),
        (draft().address, "en", "not open yet"),
        (draft(opens=opens).address, "en", "1 March 2027, 08:30 (UTC)"),
    ):
        response = get(address, accept_language=language)
        assert (response.status_code, response["Cache-Control"]) == (404, "no-store")
        assert words in response.text
        assert "Secret plans" not in response.text


def test_ended_survey_offers_no_start_but_its_design() -> None:
    for state in (Survey.State.CLOSED, Survey.State.FINISHED, Survey.State.DESTROYED):
        page = get(asked.survey(ASKS, state=state).address).text
        found = Elements(page)
        assert "This survey is closed" in page, state
        attributes = {name for _tag, attributes in found.found for name in attributes}
        assert "data-agree" not in attributes, state
        assert "data-save-design" in attributes, state
        assert found.page_settings["mode"] == "closed", state


# --- the words that scripts get


def test_words_are_sent_only_where_used() -> None:
    def sent_words(design: Design = ASKS, mode: Mode = "answer", **more: Any) -> set[str]:
        return set(context(design, mode, **more)["words"]["en"])

    without = sent_words()
    # Of an invitation, which the script is told to look for, and of a preview, which has nowhere to send to.
    assert sent_words(invited=True) - without == {"invitation_title", "invitation_about"}
    assert Elements(get(asked.survey(ASKS, invited=True).address).text).page_settings["invited"] is True
    assert sent_words(mode="preview") - without == {"preview_title", "preview_about"}
    preview = context(ASKS, "preview")
    assert (preview["record"], preview["mode"]) == ("", "preview")
    # A survey that asks nothing sensitive has no toy.
    assert not (TOY.keys() | CHOICES.keys()) & sent_words(asked.make_design(PLAIN))
    # About numbers.
    brought = sent_words(asked.make_design(classes("debt", "0.5", 0, 500, 1000)))
    assert brought - without == NUMBERS.keys()
    assert not CHOICES.keys() & brought
    assert TOY.keys() | TRIES.keys() <= brought
    used = "".join((COMPOSER.parent / name).read_text() for name in ("numbers.js", "typed_number.js"))
    problems = {f"number_{problem}" for problem in re.findall(r'problem: "(\w+)"', used)}
    unused = {key for key in NUMBERS if f'"{key}"' not in used}
    assert unused == problems | {"number_decimal", "number_unread"}
    # About places.
    assert sent_words(asked.make_design(HOME)) - without == PLACES.keys()
    used = "".join((COMPOSER.parent / name).read_text() for name in ("places.js", "place_map.js"))
    assert [key for key in PLACES if f'"{key}"' not in used] == []


def test_scripts_use_only_words_that_the_page_sends() -> None:
    brought = ANSWER_PAGE.keys() | RECEIPT_PAGE.keys() | COMPLETING.keys()
    brought = brought.union(
        *(ARM_SCREEN, EXCHANGE_SCREEN, FIELD_SCREEN, FRAMED_SCREEN, LASTING_SCREEN, UNDERSTANDING_SCREEN),
        *(
            OUTSIDER,
            BANDS,
            QUOTA_SCREEN,
            TOOL_SCREEN,
            *(kind.draft.script_phrases for kind in KINDS.values()),
        ),
    )
    scripts = [file.read_text() for file in COMPOSER.parent.glob("*.js")]
    assert {key for text in scripts for key in re.findall(r'\bword\("([a-z_]+)"', text)} <= brought


# --- numbers and places


def test_start_page_says_what_is_sent_for_a_number() -> None:
    numbers = classes("debt", "0.7142", 0, 500, 1000, 2000, rest=2), window("hours", 1001, 100, "0.5")
    of_classes = "draws 1 of the numbers 500, 1,000, 2,000", "(10 %), it sends only a yes or no"
    kept = "7 in 10 times (71.4 %), the class that your number is in", "(50 %), a number at most 100 away"
    of_window = "any number from 0 to 1,000", "after 1,000 comes 0 again"
    assert asked.missing_parts(as_text(page_of(*numbers)), *of_classes, *kept, *of_window) == []
    # Where all limits are used none is drawn.
    page = as_text(page_of(classes("debt", "0.7142", 0, 1000, cuts=1)))
    assert "all numbers are divided into classes at 1,000." in page
    assert "draws 1 of" not in page


WHERE = {
    "name": "home",
    "cells": [{"name": name, "at": [place, 0]} for place, name in enumerate("abcd")],
    "regions": [{"name": "north", "cells": ["a", "b"]}, {"name": "south", "cells": ["c"]}],
    "near": 1,
    "odds": "7.38",
}
HOME = {"kind": "place", "questions": [WHERE]}


def place_page(**more: Any) -> str:
    return page_of(HOME | {"questions": [WHERE | more]})


def test_start_page_says_what_a_place_reveals_and_who_is_protected(open_survey: Survey) -> None:
    text, holds = as_text(place_page()), "Who is protected:"
    # b = 638 / (638 + 300)
    inside, outside = "at most 7.4 times as likely", "2 in 3 times (68.0 %) and counts as not disguised"
    unprotected = "Outside the regions, your place is not protected."
    assert asked.missing_parts(text, inside, outside, unprotected, holds) == []
    assert "at most 7.4 times." not in text
    assert holds not in as_text(get(open_survey.address).text)
    assert holds in as_text(page_of(HIDDEN, HOME))
    # The odds of each level.
    north = {"name": "north", "cells": ["a", "b"], "near": 2, "odds": "4.19"}
    text = as_text(place_page(regions=[north, {"name": "south", "cells": ["c"]}]))
    assert (
        asked.missing_parts(text, inside, "In south: at most 7.4 times.", "In north: at most 4.2 times.")
        == []
    )
    # Nothing of an outside that no cell has.
    text = as_text(place_page(regions=[{"name": "all", "cells": ["a", "b", "c", "d"]}]))
    assert "your place is not protected" not in text


def test_land_outline_and_region_centres_are_sent_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(land_outline_path, "land_svg_path", lambda: "M0 0l5 5 5-5z")
    assert Elements(place_page(outline="land")).page_settings["land"] == "M0 0l5 5 5-5z"
    assert "land" not in Elements(place_page(outline=[[0, 0, 9, 0, 9, 9]])).page_settings
    told = Elements(place_page()).page_settings
    assert "land" not in told
    # Cells without shapes: of a and b the middle lies between, so the first; c is alone.
    assert told["middles"] == {"home": [[0.0, 0.0], [2.0, 0.0]]}
    assert "middles" not in context(ASKS)


# --- which language a respondent is met in


def test_survey_starts_in_the_requested_language(open_survey: Survey) -> None:
    for wish, language in {"zh-CN": "zh-hans", "de": "en", "en-US,zh": "en"}.items():
        response = get(open_survey.address, accept_language=wish)
        shown = [a for _tag, a in Elements(response.text).found if "data-in" in a and "hidden" not in a]
        assert [a["data-in"] for a in shown] == [language], wish
        assert response["Content-Language"] == language, wish
    met = {"zh-CN,zh;q=0.9,en;q=0.5": "zh-hans", "zh": "zh-hans", "de-AT": "de", "fr,de;q=0.5,en;q=0.8": "en"}
    met |= dict.fromkeys(("fr", "", "*", ";;;", "en-GB"), "en")
    assert {wish: accepted_language(wish, ("en", "de", "zh-hans")) for wish in met} == met
    # One that has nothing of it is shown in its first language.
    assert accepted_language("en", ("de", "fr")) == "de"
    # Around one that we do not ship is English.
    page = page_of(HIDDEN, languages=["pt"], title={"pt": "Trabalho"})
    assert '<html lang="en" dir="ltr"' in page
    assert re.search(r'<h1 tabindex="-1" lang="pt" dir="auto"\s*>Trabalho</h1>', page)
    told = Elements(page).page_settings
    assert list(told["words"]) == ["pt"]
    assert told["words"]["pt"][told["keys"].index("yes")] == "Yes"


def test_language_names_itself_and_missing_texts_fall_back() -> None:
    names = {"de": "Deutsch", "zh-hans": "简体中文", "de-at": "Deutsch", "tlh": "tlh"}
    assert {language: native_language_name(language) for language in names} == names
    texts = Texts((("de", "Wer"), ("fr", "Qui")))
    for language, said in (("fr", ("Qui", "fr")), ("en", ("Wer", "de"))):
        found = language_text(texts, language, "en")
        assert (found.text, found.language) == said
    assert not language_text(Texts(), "en", "en")
