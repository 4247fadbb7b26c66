"""Invitations as files, codes and posters, and what they promise."""

import csv
import io
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

import pytest
import segno
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from intake.endpoint.key_hashes import Kind
from intake.invitations import tokens
from intake.invitations.texts import poster_sheet_texts, proposed_email
from intake.models import Token
from privacy.designs import Design
from privacy.records import Envelope, Record
from surveys.kinds.phrase_selection import phrases_for_design
from surveys.lifecycle import state_changes as lifecycle, survey_creation
from surveys.lifecycle.freeze_draft import untranslated_phrases
from surveys.models import Survey
from surveys.phrases.all_phrases import LETTERS, PHRASES
from surveys.phrases.phrase_rendering import with_complete_phrases
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.intake import asked
from tests.surveys.conftest import ASKS

pytestmark = pytest.mark.page


def at(survey: Survey, place: str) -> str:
    return f"/app/surveys/{survey.pk}/{place}"


def shown(client: Client, survey: Survey, place: str = "invitations") -> str:
    answer = client.get(at(survey, place))
    assert answer.status_code == 200
    return answer.content.decode()


# --- as a file


def made(client: Client, survey: Survey, n: int) -> Any:
    return client.post(at(survey, "invitations/file"), {"n": n})


def test_a_file_holds_addresses_that_each_take_one_record(
    invited: Survey, owner: Person, signed_in_as: As
) -> None:
    answer = made(signed_in_as(owner), invited, 25)
    assert answer["Content-Disposition"] == 'attachment; filename="invitations.csv"'
    header, *links = csv.reader(io.StringIO(answer.content.decode()))
    assert header == ["link"]
    assert len(links) == 25
    tokens_sent = [
        re.fullmatch(rf"http://testserver/a/{invited.slug}#([0-9a-f]{{32}})", link) for (link,) in links
    ]
    first = tokens_sent[0]
    assert first
    assert all(tokens_sent)
    assert post(invited, first[1]) == 201
    assert post(invited, first[1]) == 403


def post(survey: Survey, token: str) -> int:
    record = Record(ASKS.fingerprint, 1, "01")
    status: int = asked.post(survey, Envelope(secrets.token_hex(16), record, token)).status_code
    return status


def test_a_file_is_kept_nowhere(invited: Survey, owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    one, other = (made(client, invited, 20).content for _ in range(2))
    assert not set(one.splitlines()[1:]) & set(other.splitlines()[1:])
    assert Token.objects.filter(survey=invited).count() == 40


def test_fewer_than_the_smallest_batch_are_not_made(invited: Survey, owner: Person, signed_in_as: As) -> None:
    answer = made(signed_in_as(owner), invited, 19)
    assert answer.status_code == 422
    assert "greater than or equal to 20" in answer.content.decode()
    assert not Token.objects.exists()


def test_making_invitations_stands_in_the_history_by_number_only(
    invited: Survey, owner: Person, signed_in_as: As
) -> None:
    made(signed_in_as(owner), invited, 30)
    entry = History.objects.about(invited).get(what="intake.invitations-made")
    assert (entry.who, entry.note) == (owner, "30")


def test_none_are_made_for_an_open_address(survey: Survey, owner: Person, signed_in_as: As) -> None:
    answer = signed_in_as(owner).post(at(survey, "invitations/file"), {"n": 20}, follow=True)
    assert "Invitation links can be made only while the survey is open" in answer.content.decode()
    assert not Token.objects.exists()


def test_the_page_never_says_how_many_are_used(invited: Survey, owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    spent = re.search(rb"#([0-9a-f]{32})", made(client, invited, 20).content)
    assert spent
    before = shown(client, invited)
    assert "20 invitation links made. 0 invitation emails sent." in before
    assert post(invited, spent[1].decode()) == 201
    assert without_tokens(shown(client, invited)) == without_tokens(before)


def without_tokens(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


# --- what the page says in each state


def test_a_draft_says_how_to_choose(draft: Survey, owner: Person, signed_in_as: As) -> None:
    page = shown(signed_in_as(owner), draft)
    assert f"/app/surveys/{draft.pk}/settings#id_invited" in page
    assert "Choose before you open it" in page


def test_an_open_address_has_a_copy_button_a_qr_code_and_a_poster(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), survey)
    assert f'value="http://testserver/a/{survey.slug}"' in page
    assert "data-copy" in page
    assert "<svg" in page
    assert "style=" not in page[page.index("<svg") : page.index("</svg>")]
    assert at(survey, "invitations/poster") in page


def test_invitations_have_no_code_to_share(invited: Survey, owner: Person, signed_in_as: As) -> None:
    page = shown(signed_in_as(owner), invited)
    assert 'class="qr"' not in page
    assert 'value="20"' in page


def test_nobody_is_invited_to_a_closed_survey(owner: Person, signed_in_as: As) -> None:
    closed = asked.survey(ASKS, owner=owner, invited=True, state=Survey.State.CLOSED)
    page = shown(signed_in_as(owner), closed)
    assert "The survey is not open" in page
    assert 'name="n"' not in page


def test_the_tab_is_for_those_who_invite(
    survey: Survey, owner: Person, works_on: Callable[..., Person], signed_in_as: As
) -> None:
    tab = f'href="{at(survey, "invitations")}"'
    assert tab in signed_in_as(owner).get(f"/app/surveys/{survey.pk}/").content.decode()
    viewer = works_on(survey, may_edit=False)
    assert tab not in signed_in_as(viewer).get(f"/app/surveys/{survey.pk}/").content.decode()


# --- QR code and poster


def test_the_qr_code_is_a_drawing_of_the_address(survey: Survey, owner: Person, signed_in_as: As) -> None:
    answer = signed_in_as(owner).get(at(survey, "invitations/qr.svg"))
    assert answer["Content-Type"] == "image/svg+xml"
    assert modules(answer.content.decode()) == modules_of(f"http://testserver/a/{survey.slug}")


def modules_of(text: str) -> int:
    """Dark modules of its code, counted by the library's own matrix."""
    return sum(sum(row) for row in segno.make_qr(text, error="m").matrix)


def modules(drawing: str) -> int:
    """Dark modules of a drawing: its path is of horizontal strokes, each as long as its modules."""
    (path,) = re.findall(r'\sd="([^"]+)"', drawing.replace('d="M0 0h', 'x="'))
    return sum(int(length) for length in re.findall(r"h(\d+)", path))


def test_a_poster_speaks_every_language_of_the_survey(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), survey, "invitations/poster")
    assert page.count('class="sheet"') == 1
    for part in [
        "Work &amp; health",
        "工作",
        "The works council asks you",
        "工会",
        f"/a/{survey.slug}",
        "council@example.org",
    ]:
        assert part in page, part


def test_a_poster_for_invitations_would_open_nothing(
    invited: Survey, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), invited, "invitations/poster")
    assert "A survey link on a poster would open nothing" in page
    assert f'href="{at(invited, "invitations")}">Back to invitation links' in page
    assert 'class="sheet"' not in page


def test_four_languages_take_two_sheets(owner: Person, signed_in_as: As) -> None:
    design = asked.written(
        {"kind": "plain", "questions": [{"name": "q", "choices": ["a", "b"]}]},
        languages=["en", "de", "fr", "nl"],
    )
    page = shown(signed_in_as(owner), asked.survey(design, owner=owner), "invitations/poster")
    assert page.count('class="sheet"') == 2


ASKS_OF_TWENTY = asked.design(least=20)


@pytest.fixture
def invited_alone() -> Survey:
    return asked.survey(ASKS_OF_TWENTY, invited=True)


@pytest.mark.django_db
def test_a_token_has_128_bits_and_is_never_made_twice(invited_alone: Survey) -> None:
    made = tokens.create_invitations(invited_alone, 100)
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in made)
    assert len(set(made)) == 100


@pytest.mark.django_db
def test_only_hashes_are_stored_in_hash_order(invited_alone: Survey) -> None:
    made = tokens.create_invitations(invited_alone, 50)
    stored = asked.as_they_lie("intake_token", bytes)
    assert stored == sorted(asked.hash_of(invited_alone, Kind.LINK, token) for token in made)
    assert Token.objects.filter(survey=invited_alone).count() == 50


@pytest.mark.django_db
def test_fewer_than_least_are_refused_in_words(invited_alone: Survey) -> None:
    with pytest.raises(NotAllowed, match="Make at least 20 invitation links"):
        tokens.create_invitations(invited_alone, 19)
    assert not Token.objects.exists()


@pytest.mark.django_db
def test_what_was_made_is_counted_and_what_was_not_passed_on_is_not(invited_alone: Survey) -> None:
    made = tokens.create_invitations(invited_alone, 25)
    tokens.create_tokens(invited_alone, 5)
    tokens.delete_token(invited_alone, made[0])
    tokens.delete_token(invited_alone, "of nobody")
    stored = Survey.objects.get(pk=invited_alone.pk)
    assert (stored.invitations_made, stored.invitations_sent) == (29, None)


@pytest.mark.django_db
def test_a_count_of_an_opened_survey_may_grow_and_nothing_else_changes(invited_alone: Survey) -> None:
    before = Survey.objects.values().get(pk=invited_alone.pk)
    tokens.add_to_totals(invited_alone, sent=3)
    tokens.add_to_totals(invited_alone, made=2, sent=4)
    tokens.add_to_totals(invited_alone)
    assert Survey.objects.values().get(pk=invited_alone.pk) == before | {
        "invitations_made": 2,
        "invitations_sent": 7,
    }


@pytest.mark.django_db
def test_mail_goes_out_in_parts_of_one_list(invited_alone: Survey) -> None:
    assert len(tokens.create_tokens(invited_alone, 5)) == 5


@pytest.mark.django_db
@pytest.mark.parametrize("values", [{"invited": False}, {"invited": True, "state": Survey.State.CLOSED}])
def test_only_an_open_survey_that_asks_for_invitations_has_some(values: dict[str, object]) -> None:
    with pytest.raises(NotAllowed):
        tokens.create_tokens(asked.survey(ASKS_OF_TWENTY, **values), 30)


@pytest.mark.django_db
def test_a_survey_that_was_closed_since_it_was_looked_at_has_none(invited_alone: Survey) -> None:
    looked_at = Survey.objects.get(pk=invited_alone.pk)
    lifecycle.close_survey(invited_alone, None, timezone.now())
    with pytest.raises(NotAllowed):
        tokens.create_tokens(looked_at, 30)
    assert not Token.objects.exists()


@pytest.mark.django_db
def test_a_token_of_another_survey_opens_nothing(invited_alone: Survey) -> None:
    other = asked.survey(ASKS_OF_TWENTY, invited=True)
    (token,) = tokens.create_tokens(other, 1)
    assert asked.post(invited_alone, asked.envelope(ASKS_OF_TWENTY, token=token)).status_code == 403
    assert Token.objects.filter(survey=other).count() == 1


# --- What posters and letters promise is what the design keeps

PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
HIDDEN = {
    "kind": "unrelated-question",
    "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}],
}
DISGUISED = "Sensitive answers are disguised on your own device before anything is sent"
OPENLY = ", unless you choose to answer without disguise."


def design(*sections: dict[str, Any], **more: Any) -> Design:
    return asked.written(*sections, title="Work", asker="The council", **more)


def promised(survey: Survey, client: Any) -> list[str]:
    """The poster, and the proposed letters."""
    letters = [proposed_email(survey, reminder=reminder).message for reminder in (False, True)]
    return [shown(client, survey, "invitations/poster"), *letters]


@pytest.mark.parametrize(
    ("asks", "disguised", "openly"),
    [
        (design(PLAIN), False, False),
        (design(PLAIN, HIDDEN), True, False),
        (design(PLAIN, HIDDEN, open_answers=True), True, True),
        (design(PLAIN, open_answers=True), False, False),
    ],
    ids=["plain questions only", "disguised", "open answers allowed", "nothing to answer openly"],
)
def test_the_disguise_is_promised_where_there_is_one(
    asks: Design, disguised: bool, openly: bool, owner: Person, signed_in_as: As
) -> None:
    for words in promised(asked.survey(asks, owner=owner), signed_in_as(owner)):
        assert (DISGUISED in words, OPENLY in words) == (disguised, openly)
        assert "Nobody will learn" not in words


@pytest.mark.parametrize("rehearsal", [True, False])
def test_a_rehearsal_is_marked_and_nothing_else_is(rehearsal: bool, owner: Person, signed_in_as: As) -> None:
    survey = asked.survey(design(HIDDEN, rehearsal=rehearsal), owner=owner)
    for words in promised(survey, signed_in_as(owner)):
        assert ("This is a rehearsal. Do not answer as yourself." in words) is rehearsal


def test_a_poster_promises_in_each_language_of_the_survey(owner: Person) -> None:
    survey = asked.survey(design(HIDDEN, languages=["en", "zh-hans"]), owner=owner)
    english, chinese = (part.disguised for sheet in poster_sheet_texts(survey) for part in sheet)
    assert english == f"{DISGUISED}."
    assert chinese != english


SIX = ("en", "zh-hans", "de", "fr", "es", "ar")


@pytest.mark.parametrize("language", SIX)
def test_emails_and_posters_say_the_phrases_of_the_language(owner: Person, language: str) -> None:
    survey = asked.survey(design(HIDDEN, languages=[language], contact="council@example.org"), owner=owner)
    said = proposed_email(survey, reminder=False).message
    for key in ("invite_disguised", "invite_same_link"):
        assert PHRASES[key].shipped_text(language) in said
    ((part,),) = poster_sheet_texts(survey)
    assert part.disguised == PHRASES["invite_disguised"].shipped_text(language)
    assert part.speaker.text_direction == ("rtl" if language == "ar" else "ltr")


PORTUGUESE = {
    "invite_hello": "%(asker)s convida você: %(title)s.",
    "invite_disguised": "As respostas são disfarçadas no seu aparelho.",
    "invite_same_link": "Responda uma só vez:",
    "poster_scan": "Leia o código.",
}


@pytest.mark.parametrize("is_open", [True, False])
def test_the_researchers_words_are_those_of_emails_and_posters(
    owner: Person, signed_in_as: As, is_open: bool
) -> None:
    own = {key: {"pt": text} for key, text in PORTUGUESE.items()}
    written = design(HIDDEN, languages=["pt"], phrases=own)
    asks = with_complete_phrases(written, phrases_for_design(written))
    survey = asked.survey(asks, owner=owner)
    if not is_open:
        survey = survey_creation.duplicate_survey(survey, owner, timezone.now(), rehearsal=False)
    said = proposed_email(survey, reminder=False).message
    assert "The council convida você: Work." in said
    assert PORTUGUESE["invite_disguised"] in said
    page = signed_in_as(owner).get(f"/app/surveys/{survey.pk}/invitations/poster").content.decode()
    assert PORTUGUESE["poster_scan"] in page
    assert '<span lang="en" dir="ltr">The council asks you to take part.</span>' in page


def test_words_of_emails_are_no_weight_on_the_pages_of_languages_that_are_shipped() -> None:
    written = design(HIDDEN, languages=["en", "de"])
    asks = with_complete_phrases(written, phrases_for_design(written))
    assert not dict(asks.phrases).keys() & LETTERS.keys()


def test_the_disguise_in_emails_must_be_translated_before_opening() -> None:
    asks = design(HIDDEN, languages=["pt"])
    draft = json.loads(asks.canonical)
    missing = untranslated_phrases(draft)["pt"]
    assert "invite_disguised" in missing.protecting
    assert "invite_may_open" not in (*missing.protecting, *missing.others)
    assert {"invite_hello", "poster_scan"} <= set(missing.others)
