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
from intake.pages import respondent_views, scripts
from intake.pages.languages import accepted_language, language_text, native_language_name
from privacy.designs import Texts
from surveys.kinds.registry import KINDS
from surveys.models import Survey
from surveys.phrases.all_phrases import ANSWER_PAGE, RECEIPT_PAGE
from surveys.phrases.answering import CHOICES, OUTSIDER, TRIES, UNDERSTANDING_SCREEN
from surveys.phrases.arms_crosswise_and_rounds import ARM_SCREEN, LASTING_SCREEN
from surveys.phrases.embedding import FRAMED_SCREEN
from surveys.phrases.field_devices import FIELD_SCREEN
from surveys.phrases.how_answers_are_disguised import TOY
from surveys.phrases.inviting import EXCHANGE_SCREEN
from surveys.phrases.numbers_and_places import BANDS, NUMBERS, PLACES
from surveys.phrases.quotas import QUOTA_SCREEN
from surveys.phrases.sending import COMPLETING
from tests.intake import asked
from tests.privacy.node import COMPOSER, MODULES, ROOT
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
WORDS = {
    "languages": ["en", "zh-hans"],
    "title": {"en": "Work and health", "zh-hans": "工作与健康"},
    "asker": {"en": "An institute"},
    "least": 40,
}
ASKS = asked.written(PLAIN, HIDDEN, **WORDS)


@pytest.fixture
def opened() -> Survey:
    return asked.survey(ASKS)


def get(path: str, **headers: str) -> Any:
    return Client().get(path, headers=headers)


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

    def names(self) -> set[str]:
        return {tag for tag, _attributes in self.found}


def test_a_respondents_page_is_kept_nowhere_tells_nobody_and_sets_no_cookie(opened: Survey) -> None:
    for path in ("/a/receipt", "/a/no-such-survey", opened.address):
        response = get(path)
        assert response["Cache-Control"] == "no-store", path
        assert response["Referrer-Policy"] == "no-referrer", path
        assert not response.cookies, path
        assert "Set-Cookie" not in response, path


def test_the_policy_is_stricter_than_elsewhere(opened: Survey) -> None:
    elsewhere = dict(rule.split(" ", 1) for rule in EVERY_PAGE.split("; "))
    unknown = ("/a/receipt", "/a/no-such-survey", "/a/no/such/page", "/a")
    for path in (opened.address, f"{opened.address}/record", *unknown):
        policy = get(path)["Content-Security-Policy"]
        ours = dict(rule.split(" ", 1) for rule in policy.split("; "))
        assert ours.pop("form-action") == "'none'", path
        assert ours.pop("require-trusted-types-for") == "'script'", path
        assert ours.pop("trusted-types") == "'none'", path
        assert ours.items() < elsewhere.items(), path
        assert ours["default-src"] == "'none'", path


def test_the_script_gets_the_canonical_design_to_the_last_byte() -> None:
    nasty = 'x</script><script>alert("\\u003c\\\\u003c <!-- 1")</script>\n'
    design = asked.written(PLAIN, HIDDEN, title={"en": nasty}, contact="\\u003c")
    page = Elements(get(asked.survey(design).address).content.decode())
    embedded = re.sub(
        r"\\(u003c|.)",
        lambda escape: "<" if escape[1] == "u003c" else escape[0],
        page.texts["design"],
        flags=re.DOTALL,
    )
    assert embedded == design.canonical
    assert sha256(embedded.encode()).hexdigest() == design.fingerprint
    assert json.loads(page.texts["page"])["fingerprint"] == design.fingerprint


def test_a_text_of_the_design_cannot_become_markup() -> None:
    design = asked.written(HIDDEN, title="<img src=x>", why="</dd><b>", intro="<i>", consent="<u>")
    page = get(asked.survey(design).address).content.decode()
    assert not Elements(page).names() & {"img", "b", "i", "u"}


def test_the_survey_begins_in_the_language_that_is_wished_for(opened: Survey) -> None:
    for wish, language in {"zh-CN": "zh-hans", "de": "en", "en-US,zh": "en"}.items():
        response = get(opened.address, accept_language=wish)
        page = response.content.decode()
        shown = [a for _tag, a in Elements(page).found if "data-in" in a and "hidden" not in a]
        assert [a["data-in"] for a in shown] == [language], wish
        assert response["Content-Language"] == language, wish


def test_the_page_is_only_read_writes_nothing_and_tells_no_two_visits_apart(opened: Survey) -> None:
    assert Client().post(opened.address).status_code == 405
    assert Client().head(opened.address).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        first = get(opened.address)
    assert {query["sql"].split()[0] for query in queries} <= {"SELECT"}
    assert first.content == get(opened.address).content


def test_nothing_on_the_page_runs_or_looks_inline_and_nothing_is_answered_without_a_script(
    opened: Survey,
) -> None:
    page = Elements(get(opened.address).content.decode())
    assert not page.names() & {"input", "select", "textarea", "form", "iframe", "object", "embed", "style"}
    assert "noscript" in page.names()
    for tag, attributes in page.found:
        assert not any(name == "style" or name.startswith("on") for name in attributes)
        if tag == "script" and attributes.get("type") != "application/json":
            assert (attributes.get("src") or "").startswith("/static/")


def test_the_start_page_makes_the_promises_of_the_design_in_every_language(opened: Survey) -> None:
    page = get(opened.address).content.decode()
    assert "About 3 in 5 times" in page
    assert "(60 %)" in page
    assert "in batches of at least 40." in page
    assert ASKS.fingerprint in page
    assert "Answer only once." in page
    assert "You cannot take your answers back after sending" in page
    assert "This is a rehearsal." not in page
    # A missing text names its language.
    assert "工作与健康" in page
    assert re.search(r'<bdi lang="en" dir="auto"\s*>An institute</bdi>', page)
    # The one program that disguises is loaded, with every word of the scripts.
    assert re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page) == ["intake/device.js"]
    told = json.loads(Elements(page).texts["page"])
    keys, words = told["keys"], told["words"]
    assert set(words) == {"en", "zh-hans"}
    assert len(keys) == len(words["en"]) == len(words["zh-hans"])
    assert None not in words["en"] + words["zh-hans"]
    assert words["zh-hans"][keys.index("yes")] == "是"


def test_the_start_page_says_why_how_long_until_when_and_whom_to_ask() -> None:
    design = asked.written(
        PLAIN,
        HIDDEN,
        why="To learn how common theft is.",
        minutes=7,
        retention="2031-05-04",
        contact="council@example.org",
        consent="I take part of my own free will.",
    )
    facts = " ".join(re.sub(r"<[^>]+>", " ", get(asked.survey(design).address).text).split())
    for fact in [
        "Why we are asking To learn how common theft is.",
        "Up to 3 questions. About 7 min.",
        "All data are deleted by 4 May 2031.",
        "Contact council@example.org",
        "I take part of my own free will.",
    ]:
        assert fact in facts


def test_the_start_page_says_what_answering_openly_means_where_it_is_allowed() -> None:
    for allowed in (True, False):
        page = get(asked.survey(asked.written(PLAIN, HIDDEN, open_answers=allowed)).address).text
        assert ("You can also choose to answer without disguise." in page) is allowed
        assert ("someone could pressure you into it" in page) is allowed


def test_a_rehearsal_says_so() -> None:
    page = get(asked.survey(asked.written(HIDDEN, rehearsal=True)).address).content.decode()
    assert "This is a rehearsal." in page


def test_a_rehearsal_that_is_over_says_so_too() -> None:
    over = asked.survey(asked.written(HIDDEN, rehearsal=True), state=Survey.State.CLOSED)
    assert "This was a rehearsal." in get(over.address).content.decode()
    meant = asked.survey(asked.written(HIDDEN), state=Survey.State.CLOSED)
    assert "rehearsal" not in get(meant.address).content.decode().split('id="screen"')[0]


def test_the_hash_shown_is_of_all_modules_that_disguise_in_the_order_of_their_list(opened: Survey) -> None:
    page = get(opened.address).content.decode()
    # Each of the survey's languages lists them.
    listed = list(dict.fromkeys(re.findall(r'href="/static/(privacy/[^"]+)" target', page)))
    source = b"".join((ROOT / "privacy" / "static" / name).read_bytes() for name in listed)
    assert f'<code class="hash">{sha256(source).hexdigest()}</code>' in page
    assert set(listed) == {str(path.relative_to(ROOT / "privacy" / "static")) for path in MODULES}


def test_what_composes_the_device_takes_each_of_them_and_adds_nothing(opened: Survey) -> None:
    code = re.sub(r"/\*.*?\*/", "", COMPOSER.read_text(), flags=re.DOTALL)
    taken = {f"privacy/{path}" for path in re.findall(r'from "\.\./privacy/([^"]+)"', code)}
    assert taken == set(scripts.device_modules())
    lines = re.sub(r'(im|ex)port [^;]+ from "[^"]+";', "", code).split("\n")
    assert [line for line in lines if line] == [
        "let lasting = null;",
        "export const addLasting = (module) => void (lasting = module);",
        "export const lastingModule = () =>  (lasting);",
        "let exchange = null;",
        "export const addExchange = (module) => void (exchange = module);",
        "export const exchangeModule = () =>  (exchange);",
        "let understanding = null;",
        "export const addUnderstanding = (module) => void (understanding = module);",
        "export const understandingModule = () =>  (understanding);",
        "let framed = null;",
        "export const addFramed = (module) => void (framed = module);",
        "export const framedModule = () => framed;",
        "let field = null;",
        "export const addField = (module) => void (field = module);",
        "export const fieldModule = () => field;",
        'compose({ plain, "unrelated-question": grouped, number, place, crosswise, subset }, draws, below);',
    ]


def test_an_unknown_address_is_refused_without_a_hint() -> None:
    response = get("/a/abcdefghijklmnop")
    assert response.status_code == 404
    assert "There is no survey at this address" in response.content.decode()


def draft(**values: Any) -> Survey:
    owner, _made = Person.objects.get_or_create(username="owner")
    return Survey.objects.create(owner=owner, draft={"title": {"en": "Secret plans"}}, **values)


def test_a_draft_is_not_open_yet_and_shows_nothing_of_itself() -> None:
    response = get(draft().address)
    page = response.content.decode()
    assert response.status_code == 404
    assert "not open yet" in page
    assert "Secret plans" not in page


def test_a_scheduled_survey_says_when_it_opens() -> None:
    page = get(draft(opens=datetime(2027, 3, 1, 8, 30, tzinfo=UTC)).address).content.decode()
    assert "1 March 2027, 08:30 (UTC)" in page


def test_a_survey_that_is_over_offers_no_beginning_but_its_design() -> None:
    for state in (Survey.State.CLOSED, Survey.State.FINISHED, Survey.State.DESTROYED):
        page = get(asked.survey(ASKS, state=state).address).content.decode()
        found = Elements(page)
        assert "This survey is closed" in page, state
        assert not any("data-agree" in attributes for _tag, attributes in found.found), state
        assert any("data-save-design" in attributes for _tag, attributes in found.found), state
        assert json.loads(found.texts["page"])["mode"] == "closed", state


def test_a_survey_by_invitation_tells_the_script_to_look_for_one() -> None:
    page = Elements(get(asked.survey(ASKS, invited=True).address).content.decode())
    assert json.loads(page.texts["page"])["invited"] is True


def test_a_preview_has_nowhere_to_send_to() -> None:
    context = respondent_views.respondent_context(ASKS, "preview")
    assert context["page"]["record"] == ""
    assert context["page"]["mode"] == "preview"


def test_a_survey_in_a_language_that_we_do_not_ship_has_english_around_it() -> None:
    design = asked.written(HIDDEN, languages=["pt"], title={"pt": "Trabalho"})
    response = get(asked.survey(design).address)
    page = response.content.decode()
    assert '<html lang="en" dir="ltr"' in page
    assert re.search(r'<h1 tabindex="-1" lang="pt" dir="auto"\s*>Trabalho</h1>', page)
    told = json.loads(Elements(page).texts["page"])
    assert list(told["words"]) == ["pt"]
    assert told["words"]["pt"][told["keys"].index("yes")] == "Yes"


def test_words_of_an_invitation_and_of_a_preview_come_only_there() -> None:
    def words(mode: respondent_views.Mode, invited: bool = False) -> set[str]:
        return set(respondent_views.respondent_context(ASKS, mode, invited=invited)["page"]["words"]["en"])

    assert words("preview") - words("answer") == {"preview_title", "preview_about"}
    assert words("answer", invited=True) - words("answer") == {"invitation_title", "invitation_about"}


def test_a_survey_that_asks_nothing_sensitive_has_no_toy() -> None:
    context = respondent_views.respondent_context(asked.written(PLAIN), "answer")
    assert not (TOY.keys() | CHOICES.keys()) & context["page"]["words"]["en"].keys()


def test_a_random_yes_is_named_as_the_survey_names_it() -> None:
    def said(*labels: str) -> str:
        questions = [
            {"name": f"q{place}", "choices": ["no", {"name": "yes", "label": label}]}
            for place, label in enumerate(labels)
        ]
        design = asked.written({"kind": "unrelated-question", "keep": "0.6", "questions": questions})
        return re.sub(r"<[^>]+>", "", get(asked.survey(design).address).content.decode())

    assert "A random answer is “Ever” about 1 in 2 times (50 %)." in said("Ever", "Ever")
    assert "A random answer is “Yes” about 1 in 2 times (50 %)." in said("Ever", "Often")
    assert "A random answer is “Yes” about 1 in 2 times (50 %)." in said("")


def test_parts_are_numbered_among_what_is_sensitive() -> None:
    page = get(asked.survey(asked.written(PLAIN, HIDDEN, PLAIN_TOO, HIDDEN_TOO)).address).content.decode()
    assert re.findall(r"Sensitive questions, part (\d+)", page.split('id="screen"')[0]) == ["1", "2"]


def test_the_words_about_numbers_come_where_a_number_is_asked_for(opened: Survey) -> None:
    without = respondent_views.respondent_context(ASKS, "answer")["page"]["words"]["en"]
    assert not NUMBERS.keys() & without.keys()
    numbers = asked.written(classes("debt", "0.5", 0, 500, 1000))
    brought = respondent_views.respondent_context(numbers, "answer")["page"]["words"]["en"]
    assert brought.keys() - without.keys() == NUMBERS.keys()
    assert not CHOICES.keys() & brought.keys()
    assert TOY.keys() | TRIES.keys() <= brought.keys()
    used = "".join((COMPOSER.parent / name).read_text() for name in ("numbers.js", "typed_number.js"))
    problems = {f"number_{problem}" for problem in re.findall(r'problem: "(\w+)"', used)} | {
        "number_decimal",
        "number_unread",
    }
    assert {key for key in NUMBERS if f'"{key}"' not in used} == problems


def test_the_start_page_says_what_goes_out_for_a_number() -> None:
    numbers = asked.written(
        classes("debt", "0.7142", 0, 500, 1000, 2000, rest=2), window("hours", 1001, 100, "0.5")
    )
    page = re.sub(r"<[^>]+>|\s+", " ", get(asked.survey(numbers).address).content.decode())
    text = re.sub(" +", " ", page)
    draws = "Your device draws 1 of the numbers 500, 1,000, 2,000 at random. They divide all numbers into classes."
    assert draws in text
    assert "(10 %), it sends only a yes or no instead, disguised in the same way" in text
    assert "About 7 in 10 times (71.4 %), the class that your number is in is sent." in text
    assert "About 1 in 2 times (50 %), a number at most 100 away from yours is sent" in text
    assert "any number from 0 to 1,000 is sent, drawn at random" in text
    assert "after 1,000 comes 0 again" in text


def test_the_scripts_ask_for_no_word_that_the_page_does_not_bring() -> None:
    folder = COMPOSER.parent
    brought = ANSWER_PAGE.keys() | RECEIPT_PAGE.keys() | COMPLETING.keys()
    brought = brought.union(
        ARM_SCREEN,
        EXCHANGE_SCREEN,
        FIELD_SCREEN,
        FRAMED_SCREEN,
        LASTING_SCREEN,
        UNDERSTANDING_SCREEN,
        OUTSIDER,
        BANDS,
        QUOTA_SCREEN,
        *(kind.draft.script_phrases for kind in KINDS.values()),
    )
    asked_for = {
        key for file in folder.glob("*.js") for key in re.findall(r'\bword\("([a-z_]+)"', file.read_text())
    }
    assert asked_for <= brought


# --- What the respondents' pages say of a place before any script runs, and what they bring for

WHERE = {
    "name": "home",
    "cells": [{"name": name, "at": [place, 0]} for place, name in enumerate("abcd")],
    "regions": [{"name": "north", "cells": ["a", "b"]}, {"name": "south", "cells": ["c"]}],
    "near": 1,
    "odds": "7.38",
}
HOME = {"kind": "place", "questions": [WHERE]}


def place_page(**more: Any) -> str:
    survey = asked.survey(asked.written(HOME | {"questions": [WHERE | more]}))
    return str(get(survey.address).content.decode())


def as_text(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_the_start_page_says_what_a_place_gives_away_inside_and_outside() -> None:
    text = as_text(place_page())
    # b = 638 / (638 + 300)
    assert "any one place inside the regions at most 7.4 times as likely, compared with any other" in text
    assert "Outside the regions, your place is not protected." in text
    assert "is sent about 2 in 3 times (68.0 %) and counts as not disguised" in text
    assert "at most 7.4 times." not in text


def test_the_start_page_says_the_odds_of_each_level() -> None:
    regions = [
        {"name": "north", "cells": ["a", "b"], "near": 2, "odds": "4.19"},
        {"name": "south", "cells": ["c"]},
    ]
    text = as_text(place_page(regions=regions))
    assert "at most 7.4 times as likely" in text
    assert "In south: at most 7.4 times." in text
    assert "In north: at most 4.2 times." in text


def test_the_start_page_says_nothing_of_an_outside_that_no_cell_has() -> None:
    regions = [{"name": "all", "cells": ["a", "b", "c", "d"]}]
    assert "Outside the regions, nothing" not in as_text(place_page(regions=regions))


def test_the_start_page_says_for_whom_its_guarantee_holds(opened: Survey) -> None:
    holds = "Who is protected:"
    assert holds in as_text(place_page())
    assert holds not in as_text(get(opened.address).content.decode())
    mixed = asked.survey(asked.written(HIDDEN, HOME))
    assert holds in as_text(get(mixed.address).content.decode())


def test_the_words_about_places_come_where_a_place_is_asked_for() -> None:
    without = respondent_views.respondent_context(ASKS, "answer")["page"]["words"]["en"]
    brought = respondent_views.respondent_context(asked.written(HOME), "answer")["page"]["words"]["en"]
    assert brought.keys() - without.keys() == PLACES.keys()
    used = "".join((COMPOSER.parent / name).read_text() for name in ("places.js", "place_map.js"))
    assert [key for key in PLACES if f'"{key}"' not in used] == []


def test_the_outline_of_land_comes_with_the_page_where_the_design_says_land(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(land_outline_path, "land_svg_path", lambda: "M0 0l5 5 5-5z")
    page = json.loads(Elements(place_page(outline="land")).texts["page"])
    assert page["land"] == "M0 0l5 5 5-5z"
    assert "land" not in json.loads(Elements(place_page()).texts["page"])
    assert "land" not in json.loads(Elements(place_page(outline=[[0, 0, 9, 0, 9, 9]])).texts["page"])


def test_the_page_says_where_the_names_of_regions_stand() -> None:
    page = json.loads(Elements(place_page()).texts["page"])
    # Cells without shapes: of a and b the middle lies between, so the first; c is alone.
    assert page["middles"] == {"home": [[0.0, 0.0], [2.0, 0.0]]}
    without = respondent_views.respondent_context(ASKS, "answer")["page"]
    assert "middles" not in without


def test_without_a_script_a_place_is_neither_asked_nor_named() -> None:
    body = place_page().split('<script type="application/json"')[0]
    found = Elements(body).found
    assert not [tag for tag, _attributes in found if tag in ("input", "select", "textarea", "form")]


# --- Which language a respondent is met in


def test_the_browser_wishes_and_the_survey_has() -> None:
    met = {"zh-CN,zh;q=0.9,en;q=0.5": "zh-hans", "zh": "zh-hans", "de-AT": "de", "fr,de;q=0.5,en;q=0.8": "en"}
    met |= dict.fromkeys(("fr", "", "*", ";;;", "en-GB"), "en")
    assert {wish: accepted_language(wish, ("en", "de", "zh-hans")) for wish in met} == met
    # One that has nothing of it is shown in its first language.
    assert accepted_language("en", ("de", "fr")) == "de"


def test_a_language_is_named_in_itself() -> None:
    names = {"de": "Deutsch", "zh-hans": "简体中文", "de-at": "Deutsch", "tlh": "tlh"}
    assert {language: native_language_name(language) for language in names} == names


def test_a_text_that_is_missing_is_said_in_the_first_language_that_has_it_or_is_nothing() -> None:
    texts = Texts((("de", "Wer"), ("fr", "Qui")))
    assert (language_text(texts, "fr", "en").text, language_text(texts, "fr", "en").language) == ("Qui", "fr")
    assert (language_text(texts, "en", "en").text, language_text(texts, "en", "en").language) == ("Wer", "de")

    assert not language_text(Texts(), "en", "en")
