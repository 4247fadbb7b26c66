"""The page without JavaScript: where it exists, what it may do, and what becomes of what it sends."""

import json
import re
import secrets
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import OperationalError
from django.utils import timezone

from intake.endpoint import endpoint
from intake.endpoint.epochs import epoch_at
from intake.endpoint.rate_limits import RequestLimits
from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox
from intake.pages import no_script_form
from privacy.designs import Design, parse_design
from surveys.models import Survey
from surveys.needs_no_script import can_be_answered_without_script
from tests.browser.questionnaires import AGE, BOSS, PAIR, STUDIES, TAX, VERSION, crosswise
from tests.intake import asked
from tests.intake.asked import CLIENT, make_design, post_form as send

pytestmark = [pytest.mark.page, pytest.mark.django_db]
LANGUAGES = {"languages": ["en", "zh-hans"]}
PLAIN = {"kind": "plain", "questions": [AGE]}
WIDE = {"name": "wide", "choices": [f"c{code}" for code in range(12)]}
USED = [{"name": name, "form": "many", "of": "used", "choices": ["no", "yes"]} for name in ("pills", "wine")]
MIXED = make_design({"kind": "plain", "questions": [AGE, WIDE, *USED]}, crosswise(PAIR), **LANGUAGES)


def make_survey(design: Design = MIXED, **values: Any) -> Survey:
    return asked.survey(design, **values)


def form_page(survey: Survey, **headers: str) -> str:
    return str(CLIENT.get(f"/a/{survey.slug}/form", headers=headers).text)


def body(*values: str, key: str = "", token: str = "") -> str:
    answers = {no_script_form.form_field_name(place): value for place, value in enumerate(values)}
    epoch = {} if token else {"epoch": f"{epoch_at(timezone.now()):04}"}
    last = {"token": token} if token else {}
    return urlencode({"key": key or secrets.token_hex(16)} | epoch | answers | last)


def records() -> list[str]:
    return [bytes(row.record).decode() for row in Inbox.objects.all()]


FILLED = ("1", "07", "0", "1", "1")


# --- where it exists, and what it may do


def of_plain(*questions: dict[str, Any]) -> Design:
    return make_design({"kind": "plain", "questions": list(questions)}, **LANGUAGES)


BY_DEVICE = {
    "coins": make_design(PLAIN, TAX, **LANGUAGES),
    "arms": make_design(PLAIN, crosswise(PAIR), direct="0.5", least=100, **LANGUAGES),
    "a choice": make_design(PLAIN, crosswise(PAIR), open_answers=True, **LANGUAGES),
    "order": make_design(PLAIN | {"order": "random"}, crosswise(PAIR), **LANGUAGES),
    "rules": of_plain(AGE, BOSS | {"show_if": {"age": ["40+"]}}),
    "drawn": of_plain(VERSION, AGE),
}


def test_form_is_missing_where_the_device_must_compute(subtests: pytest.Subtests) -> None:
    for name, design in BY_DEVICE.items():
        with subtests.test(name):
            survey = make_survey(design)
            assert not can_be_answered_without_script(design)
            assert CLIENT.get(f"/a/{survey.slug}/form")["Location"] == f"/a/{survey.slug}"
            codes = (no_script_form.pad_code(question, 0) for question in design.questions)
            assert send(survey, body(*codes)).status_code == 404
            assert records() == []
            assert "/form" not in CLIENT.get(f"/a/{survey.slug}").text


def test_closed_survey_has_no_form_and_other_methods_are_refused() -> None:
    values: list[dict[str, Any]] = [{"state": "closed"}, {"paused": timezone.now()}]
    for value in values:
        survey = make_survey(**value)
        assert CLIENT.get(f"/a/{survey.slug}/form")["Location"] == f"/a/{survey.slug}", value
    survey = make_survey()
    for method in ("put", "delete", "patch"):
        assert getattr(CLIENT, method)(f"/a/{survey.slug}/form").status_code == 405, method
    survey.slug = "nothing-here"
    assert send(survey, body(*FILLED)).status_code == 404
    assert CLIENT.get("/a/nothing-here/form").status_code == 302


def test_form_has_no_script_and_posts_only_to_us() -> None:
    survey = make_survey()
    answer = CLIENT.get(f"/a/{survey.slug}/form")
    policy, page = answer["Content-Security-Policy"], answer.text
    assert "form-action 'self'" in policy
    assert "script-src" not in policy
    assert policy.startswith("default-src 'none'")
    assert "<script" not in page
    assert f'<form method="post" action="/a/{survey.slug}/form" autocomplete="off"' in page
    assert (answer["Cache-Control"], answer["Referrer-Policy"]) == ("no-store", "no-referrer")
    assert not answer.cookies
    # It asks for no invitation, in the language of the browser, and each answer sends its code.
    assert "您多大年龄？" in form_page(survey, **{"Accept-Language": "zh-CN"})
    page = form_page(survey, **{"Accept-Language": "en"})
    assert "How old are you?" in page
    assert 'name="token"' not in page
    assert f'href="/a/{survey.slug}/form"' in CLIENT.get(f"/a/{survey.slug}").text
    for place, question in enumerate(MIXED.questions):
        values = re.findall(rf'name="answer-{place}" value="(\d+)" required', page)
        codes = range(len(question.choices))
        assert sorted(values) == sorted(no_script_form.pad_code(question, code) for code in codes)


def test_same_and_different_send_their_recorded_code() -> None:
    strong = r'value="(\d)" required autocomplete="off"><span[^>]*><strong>([\w ]+)</strong>'
    for share, same, different in (("0.2466", "0", "1"), ("0.7534", "1", "0")):
        page = form_page(make_survey(make_design(crosswise(PAIR | {"share": share}), **LANGUAGES)))
        assert re.findall(strong, page) == [(same, "The same"), (different, "Different")], share


# --- what is sent


def test_form_answers_become_an_ordinary_record_counted_once() -> None:
    survey = make_survey()
    (key,), (other,) = (
        re.findall(r'name="key" value="([0-9a-f]{32})"', form_page(survey)) for _visit in "ab"
    )
    assert key != other
    # The server makes the key and stores it nowhere before it comes back.
    assert not FreshKey.objects.exists()
    answers = [send(survey, body(*FILLED, key=key)) for _time in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert "Your answers have been received" in answers[0].text
    assert 'id="completion"' not in answers[0].text
    assert "already arrived at an earlier try" in answers[1].text
    assert (records(), FreshKey.objects.count()) == (["1107011"], 1)


def test_all_form_requests_are_equally_long() -> None:
    found = {len(body(age, wide, *"01", pair)) for age in "01" for wide in ("00", "11") for pair in "01"}
    assert found == {no_script_form.form_body_length(MIXED, invited=False)}
    token = secrets.token_hex(16)
    assert len(body(*FILLED, token=token)) == no_script_form.form_body_length(MIXED, invited=True)


def test_changed_stale_or_foreign_form_stores_nothing() -> None:
    survey, sent = make_survey(), body(*FILLED)
    changed = [
        sent.replace("answer-1=07", "answer-1=7"),
        sent.replace("&answer-4=1", ""),
        sent.replace("answer-0=1", "answer-4=1"),
        sent.replace("answer-0=1", "answer-0=x"),
        sent.replace("key=", "kex="),
        re.sub("key=.", "key=G", sent),
        "",
        "&" * len(sent),
    ]
    for each in changed:
        answer = send(survey, each)
        assert answer.status_code == 422, each
        assert "Your answers were not stored" in answer.text, each
    # Codes that no page offers.
    for codes in (("1", "07", "0", "1", "2"), ("1", "99", "0", "1", "1")):
        assert send(survey, body(*codes)).status_code == 422, codes
    # What is longer than the form is not read.
    assert send(survey, sent + "&more=1").status_code == 413
    assert send(survey, sent, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert records() == []


def test_typed_invitation_is_spent() -> None:
    survey = make_survey(invited=True)
    (token,) = create_tokens(survey, 1)
    assert 'name="token" required minlength="32" maxlength="32" pattern="[0-9a-f]{32}"' in form_page(survey)
    answers = [send(survey, body(*FILLED, token=each)) for each in ("0" * 32, token, token)]
    assert [answer.status_code for answer in answers] == [403, 201, 403]
    assert "This invitation link cannot be used" in answers[2].text
    assert len(records()) == 1


# --- batteries, and none of these

SCALE = [{"name": f"p{point}", "label": {"en": f"Point {point}"}} for point in range(3)]
WORK = {"form": "scale", "of": "work", "help": {"en": "How do you see your work?"}, "choices": SCALE}
STATEMENTS: list[dict[str, Any]] = [
    {"name": name, "text": {"en": f"My {name} is good"}, **WORK} for name in ("boss", "pay")
]


def test_statements_sharing_a_scale_form_one_table() -> None:
    page = form_page(make_survey(of_plain(*STATEMENTS, AGE)))
    assert page.count("<fieldset") == 2
    assert "Question 1 of 2" in page
    assert page.count('<div class="battery columns">') == 1
    words = re.findall(r'<span id="words-(\d)"\s*>([^<]+)</span>', page)
    assert words == [("0", "My boss is good"), ("1", "My pay is good")]
    assert page.count("How do you see your work?") == 1
    assert re.findall(r'name="answer-1" value="(\d)" required', page) == ["0", "1", "2"]
    # Those that share no help stand under what to do, and a long scale in no line.
    alone = [{key: value for key, value in each.items() if key != "help"} for each in STATEMENTS]
    assert "Select one answer in each line" in form_page(make_survey(of_plain(*alone)))
    long = {"choices": [{"name": f"p{point}"} for point in range(8)]}
    assert '<div class="battery">' in form_page(make_survey(of_plain(*(each | long for each in STATEMENTS))))
    # Their records are those of their questions.
    assert send(make_survey(of_plain(*STATEMENTS)), body("2", "0")).status_code == 201
    assert records() == ["120"]


def test_form_explains_exclusive_answers() -> None:
    first, second = USED
    page = form_page(make_survey(of_plain(first | {"none": {"en": "None of these"}}, second)))
    assert "For “None of these”, answer no to each." in page
    assert "answer no to each" not in form_page(make_survey())


def test_form_states_crosswise_limits_and_who_makes_the_key() -> None:
    page = form_page(make_survey(parse_design(json.dumps(STUDIES["crosswise"]["design"]))))
    assert "What breaks it: someone who knows your answer to question A" in page
    assert "could use it to tie your answers to your visit" in page


# --- what it answers

PAYING = make_design(PLAIN, crosswise(PAIR), panel={"en": "You get a code for your panel."}, **LANGUAGES)
CODE, ADDRESS = "THANKS-4711", "https://panel.example.org/complete/4711"


def test_completion_comes_with_stored_and_already_stored_forms() -> None:
    survey, key = make_survey(PAYING, completion=CODE), secrets.token_hex(16)
    page = form_page(survey)
    promise = "You get a code for your panel.", "It is the same for everybody", "you took part"
    assert asked.missing_parts(page, *promise) == []
    assert CODE not in page
    for status in (201, 200):
        answer = send(survey, body("1", "1", key=key))
        assert answer.status_code == status
        assert f'<code dir="ltr">{CODE}</code>' in answer.text
    # An address is a link that says where it leads.
    link = f'href="{ADDRESS}" rel="noreferrer" referrerpolicy="no-referrer">Continue to panel.example.org<'
    assert link in send(make_survey(PAYING, completion=ADDRESS), body("1", "1")).text
    tried = send(
        make_survey(make_design(PLAIN, rehearsal=True, panel={"en": "A code."}, **LANGUAGES)), body("1")
    ).text
    assert "This is a demonstration." in tried
    assert '<code dir="ltr">EXAMPLE-CODE</code>' in tried


def test_refused_form_gets_no_completion_and_an_equally_long_answer(subtests: pytest.Subtests) -> None:
    elsewhere = body("1", "1")
    arrived = send(make_survey(PAYING), elsewhere)
    none: dict[str, Any] = {}
    refusals: dict[str, tuple[dict[str, Any], str, dict[str, str]]] = {
        "empty": (none, "", {}),
        "impossible": (none, body("1", "9"), {}),
        "too long": (none, body("1", "1") + "&more=1", {}),
        "another site": (none, body("1", "1"), {"Sec-Fetch-Site": "cross-site"}),
        "paused": ({"paused": timezone.now()}, body("1", "1"), {}),
        "closed": ({"state": "finished"}, body("1", "1"), {}),
        # There its key is not known.
        "known in another survey": ({"state": "finished"}, elsewhere, {}),
        "uninvited": ({"invited": True}, body("1", "1", token="d" * 32), {}),
    }
    for name, (values, what, headers) in refusals.items():
        with subtests.test(name):
            refused = send(make_survey(PAYING, completion=CODE, **values), what, **headers)
            assert refused.status_code >= 400
            assert CODE not in f"{refused.headers}{refused.text}"
            assert len(refused.content) == len(arrived.content)


@pytest.mark.at_push(3)
@pytest.mark.parametrize("language", ["en", "zh-CN", "de", "ar"])
@pytest.mark.parametrize("thanks", ["", "谢谢您。\n\n" * 900, '"' * 3000])
def test_form_answers_are_equally_long_in_every_outcome_and_language(language: str, thanks: str) -> None:
    asks = make_design(PLAIN, crosswise(PAIR), thanks={"de": thanks}, languages=["de", "en", "zh-hans", "ar"])
    survey, sent = make_survey(asks), body("1", "1")
    bodies, headers = (sent, sent, "", body("1", "9")), {"Accept-Language": language}
    answers = [send(survey, each, **headers) for each in bodies]
    assert [answer.status_code for answer in answers] == [201, 200, 422, 422]
    assert len({len(answer.content) for answer in answers}) == 1


def test_flood_of_forms_stores_nothing_and_queries_nothing(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    survey = make_survey()
    monkeypatch.setattr(endpoint, "LIMITS", RequestLimits(in_total=0))
    with django_assert_num_queries(0):
        answer = send(survey, body(*FILLED))
    assert answer.status_code == 429
    assert "reload this page" in answer.text


def test_form_without_storage_asks_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    paused = send(make_survey(paused=timezone.now()), body(*FILLED))
    assert paused.status_code == 503
    assert "reload this page" in paused.text
    survey = make_survey()

    def raise_disk_full(*_values: object) -> None:
        raise OperationalError("disk full")

    for place, name in ((endpoint, "receive_record"), (no_script_form, "find_public_survey")):
        monkeypatch.setattr(place, name, raise_disk_full)
        answer = send(survey, body(*FILLED))
        assert answer.status_code == 503
        assert "Your answers could not be stored yet" in answer.text
        assert len(answer.content) == len(paused.content)
