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
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.invitations import tokens
from intake.invitations.texts import poster_sheet_texts, proposed_email
from intake.models import Token
from privacy.designs import Design
from privacy.records import Envelope, Record
from surveys.kinds.phrase_selection import phrases_for_design
from surveys.lifecycle import state_changes as lifecycle, survey_creation
from surveys.lifecycle.design_from_draft import untranslated_phrases
from surveys.models import Survey
from surveys.phrases.all_phrases import LETTERS, PHRASES
from surveys.phrases.phrase_rendering import with_complete_phrases
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.intake import asked
from tests.surveys.conftest import ASKS, address

pytestmark = pytest.mark.page


def page_text(client: Client, survey: Survey, place: str = "invitations") -> str:
    answer = client.get(address(survey, place))
    assert answer.status_code == 200
    return str(answer.text)


def make_invitations(client: Client, survey: Survey, n: int) -> Any:
    return client.post(address(survey, "invitations/file"), {"n": n})


def post(survey: Survey, token: str) -> int:
    record = Record(ASKS.fingerprint, 1, "01")
    status: int = asked.post(survey, Envelope(secrets.token_hex(16), record, token)).status_code
    return status


# --- as a file


def test_invitation_file_holds_links_that_take_one_record_each(
    client: Client, invited: Survey, owner: Person
) -> None:
    few = make_invitations(client, invited, 19)
    assert few.status_code == 422
    assert "greater than or equal to 20" in few.text
    assert not Token.objects.exists()
    answer, other = make_invitations(client, invited, 25), make_invitations(client, invited, 25)
    assert answer["Content-Disposition"] == 'attachment; filename="invitations.csv"'
    header, *links = csv.reader(io.StringIO(answer.text))
    assert header == ["link"]
    found = [re.fullmatch(rf"http://testserver/a/{invited.slug}#([0-9a-f]{{32}})", link) for (link,) in links]
    given = [match[1] for match in found if match]
    assert len(given) == 25
    assert [post(invited, given[0]), post(invited, given[0])] == [201, 403]
    assert not set(answer.content.splitlines()[1:]) & set(other.content.splitlines()[1:])
    assert Token.objects.filter(survey=invited).count() == 49
    # In the history by number only.
    entries = History.objects.about(invited).filter(what="intake.invitations-made")
    assert [(entry.who, entry.note) for entry in entries] == [(owner, "25")] * 2
    # The page never says how many are used.
    before = page_text(client, invited)
    assert "50 invitation links made. 0 invitation emails sent." in before
    assert post(invited, given[1]) == 201
    assert without_tokens(page_text(client, invited)) == without_tokens(before)


def without_tokens(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def test_invitation_page_offers_what_the_state_allows(
    client: Client, draft: Survey, survey: Survey, invited: Survey, owner: Person
) -> None:
    page = page_text(client, draft)
    assert f"/app/surveys/{draft.pk}/settings#id_invited" in page
    assert "Choose before you open it" in page
    # An open address has a copy button, a QR code and a poster.
    page = page_text(client, survey)
    parts = f'value="http://testserver/a/{survey.slug}"', "data-copy", address(survey, "invitations/poster")
    assert asked.missing_parts(page, *parts) == []
    assert "style=" not in page[page.index("<svg") : page.index("</svg>")]
    answer = client.post(address(survey, "invitations/file"), {"n": 20}, follow=True)
    assert "Invitation links can be made only while the survey is open" in answer.text
    assert not Token.objects.exists()
    # Invitations have no code to share, and a poster of them would open nothing.
    page = page_text(client, invited)
    assert 'class="qr"' not in page
    assert 'value="20"' in page
    page = page_text(client, invited, "invitations/poster")
    assert "A survey link on a poster would open nothing" in page
    assert f'href="{address(invited, "invitations")}">Back to invitation links' in page
    assert 'class="sheet"' not in page
    closed = asked.survey(ASKS, owner=owner, invited=True, state=Survey.State.CLOSED)
    page = page_text(client, closed)
    assert "The survey is not open" in page
    assert "can answer. " not in page
    assert 'name="n"' not in page


def test_invitation_tab_is_for_people_who_invite(
    client: Client, survey: Survey, works_on: Callable[..., Person], signed_in_as: As
) -> None:
    tab = f'href="{address(survey, "invitations")}"'
    viewing = signed_in_as(works_on(survey, may_edit=False))
    assert [tab in each.get(address(survey)).text for each in (client, viewing)] == [True, False]


# --- QR code and poster


def test_the_qr_code_is_a_drawing_of_the_address(client: Client, survey: Survey) -> None:
    """It has as many dark modules as the library's own matrix; its path is of horizontal strokes, as long as these."""
    answer = client.get(address(survey, "invitations/qr.svg"))
    assert answer["Content-Type"] == "image/svg+xml"
    (path,) = re.findall(r'\sd="([^"]+)"', answer.text.replace('d="M0 0h', 'x="'))
    dark = sum(int(length) for length in re.findall(r"h(\d+)", path))
    matrix = segno.make_qr(f"http://testserver/a/{survey.slug}", error="m").matrix
    assert dark == sum(sum(row) for row in matrix)
    # Its white margin is four modules wide, as scanners expect; a module is ten pixels.
    assert f'width="{10 * (len(matrix) + 8)}"' in answer.text


def test_poster_is_in_every_language_of_the_survey(client: Client, survey: Survey, owner: Person) -> None:
    page = page_text(client, survey, "invitations/poster")
    assert page.count('class="sheet"') == 1
    parts = "Work &amp; health", "工作", "The works council asks you", "工会", f"/a/{survey.slug}"
    assert asked.missing_parts(page, *parts, "council@example.org") == []
    four = asked.survey(design(PLAIN, languages=["en", "de", "fr", "nl"]), owner=owner)
    assert page_text(client, four, "invitations/poster").count('class="sheet"') == 2


# --- tokens

ASKS_OF_TWENTY = asked.design(least=20)


@pytest.fixture
def invitation_survey() -> Survey:
    return asked.survey(ASKS_OF_TWENTY, invited=True)


@pytest.mark.django_db
def test_token_has_128_bits_and_only_ordered_hashes_are_stored(invitation_survey: Survey) -> None:
    with pytest.raises(NotAllowed, match="Make at least 20 invitation links"):
        tokens.create_invitations(invitation_survey, 19)
    assert not Token.objects.exists()
    made = tokens.create_invitations(invitation_survey, 100)
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in made)
    assert len(set(made)) == Token.objects.filter(survey=invitation_survey).count() == 100
    stored = asked.as_they_lie("intake_token", bytes)
    assert stored == sorted(asked.hash_of(invitation_survey, HashedTextKind.LINK, token) for token in made)


@pytest.mark.django_db
def test_made_invitations_are_counted_and_change_nothing_else(invitation_survey: Survey) -> None:
    before: dict[str, Any] = {**Survey.objects.values().get(pk=invitation_survey.pk)}
    made = tokens.create_invitations(invitation_survey, 25)
    # Mail goes out in parts of one list.
    assert len(tokens.create_tokens(invitation_survey, 5)) == 5
    tokens.delete_unsent_invitation(invitation_survey, made[0])
    tokens.delete_unsent_invitation(invitation_survey, "of nobody")

    def totals(made: int, sent: int | None) -> dict[str, Any]:
        return before | {"invitations_made": made, "invitations_sent": sent}

    assert Survey.objects.values().get(pk=invitation_survey.pk) == totals(29, None)
    tokens.add_to_totals(invitation_survey, sent=3)
    tokens.add_to_totals(invitation_survey, made=2, sent=4)
    tokens.add_to_totals(invitation_survey)
    assert Survey.objects.values().get(pk=invitation_survey.pk) == totals(31, 7)


@pytest.mark.django_db
def test_invitations_exist_only_for_open_surveys_that_ask_for_them(invitation_survey: Survey) -> None:
    closed_since = Survey.objects.get(pk=invitation_survey.pk)
    lifecycle.close_survey(invitation_survey, None, timezone.now())
    closed = asked.survey(ASKS_OF_TWENTY, invited=True, state=Survey.State.CLOSED)
    for none in (closed_since, closed, asked.survey(ASKS_OF_TWENTY)):
        with pytest.raises(NotAllowed):
            tokens.create_tokens(none, 30)
    assert not Token.objects.exists()
    # And one of another survey opens nothing.
    one, other = (asked.survey(ASKS_OF_TWENTY, invited=True) for _survey in range(2))
    (token,) = tokens.create_tokens(other, 1)
    assert asked.outcome(one, asked.envelope(ASKS_OF_TWENTY, token=token)) == asked.UNINVITED
    assert Token.objects.filter(survey=other).count() == 1


# --- What posters and letters promise is what the design keeps

PLAIN = {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"]}]}
HIDDEN = {
    "kind": "unrelated-question",
    "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}],
}
DRAWN = "Your own device draws at random whether you are asked directly"
DISGUISED = "Sensitive answers are disguised on your own device before anything is sent"
OPENLY = ", unless you choose to answer without disguise."
REHEARSAL = "This is a rehearsal. Do not answer as yourself."


def design(*sections: dict[str, Any], **more: Any) -> Design:
    return asked.make_design(*sections, title="Work", asker="The council", **more)


def test_disguise_is_promised_only_where_used_and_a_rehearsal_marked(client: Client, owner: Person) -> None:
    """On the poster and in the proposed letters."""
    for asks, disguised, openly in (
        (design(PLAIN), False, False),
        (design(PLAIN, HIDDEN), True, False),
        (design(PLAIN, HIDDEN, open_answers=True), True, True),
        (design(PLAIN, open_answers=True), False, False),
        (design(HIDDEN, rehearsal=True), True, False),
    ):
        survey = asked.survey(asks, owner=owner)
        letters = [proposed_email(survey, reminder=reminder).message for reminder in (False, True)]
        for words in (page_text(client, survey, "invitations/poster"), *letters):
            assert (DISGUISED in words, OPENLY in words) == (disguised, openly)
            assert "Nobody will learn" not in words
            assert (REHEARSAL in words) is asks.rehearsal


def test_emails_do_not_credit_the_device_with_a_crosswise_disguise(owner: Person) -> None:
    asks = {"secret": {"en": "Were you born in May?"}, "share": "0.0833", "source": "Births"}
    pair = {"kind": "crosswise", "questions": [{"name": "lie", "choices": ["no", "yes"], **asks}]}
    for sections in ([pair], [HIDDEN, pair]):
        for open_answers in (False, True):
            survey = asked.survey(design(*sections, open_answers=open_answers), owner=owner)
            said = proposed_email(survey, reminder=False).message
            assert "in such a way that nobody can be sure what you answered" in said
            assert "device" not in said
            assert (OPENLY in said) is open_answers


def test_emails_and_posters_use_the_phrases_of_the_language(owner: Person) -> None:
    for language in ("en", "zh-hans", "de", "fr", "es", "ar"):
        asks = design(HIDDEN, languages=[language], contact="council@example.org")
        survey = asked.survey(asks, owner=owner)
        said = proposed_email(survey, reminder=False).message
        for key in ("invite_disguised", "invite_same_link"):
            assert PHRASES[key].shipped_text(language) in said
        ((part,),) = poster_sheet_texts(survey)
        assert part.disguised == PHRASES["invite_disguised"].shipped_text(language)
        assert part.speaker.text_direction == ("rtl" if language == "ar" else "ltr")
    arms = asked.survey(design(HIDDEN, direct="0.5", least=100), owner=owner)
    message = proposed_email(arms, reminder=False).message
    assert DRAWN in message
    assert DISGUISED not in message
    two = asked.survey(design(HIDDEN, languages=["en", "zh-hans"]), owner=owner)
    english, chinese = (part.disguised for sheet in poster_sheet_texts(two) for part in sheet)
    assert (english, chinese != english) == (f"{DISGUISED}.", True)


PORTUGUESE = {
    "invite_hello": "%(asker)s convida você: %(title)s.",
    "invite_disguised": "As respostas são disfarçadas no seu aparelho.",
    "invite_same_link": "Responda uma só vez:",
    "poster_scan": "Leia o código.",
}


def test_emails_and_posters_use_the_researchers_own_phrases(client: Client, owner: Person) -> None:
    """Of an open survey and of a draft."""
    own = {key: {"pt": text} for key, text in PORTUGUESE.items()}
    written = design(HIDDEN, languages=["pt"], phrases=own)
    opened = asked.survey(with_complete_phrases(written, phrases_for_design(written)), owner=owner)
    copy = survey_creation.duplicate_survey(opened, owner, timezone.now(), rehearsal=False)
    for survey in (opened, copy):
        said = proposed_email(survey, reminder=False).message
        assert "The council convida você: Work." in said
        assert PORTUGUESE["invite_disguised"] in said
        page = page_text(client, survey, "invitations/poster")
        assert PORTUGUESE["poster_scan"] in page
        assert '<span lang="en" dir="ltr">The council asks you to take part.</span>' in page
    # Of languages that are shipped they are no weight on the pages.
    shipped = design(HIDDEN, languages=["en", "de"])
    complete = with_complete_phrases(shipped, phrases_for_design(shipped))
    assert not dict(complete.phrases).keys() & LETTERS.keys()
    # The disguise in emails must be translated before opening.
    missing = untranslated_phrases(json.loads(design(HIDDEN, languages=["pt"]).canonical))["pt"]
    assert "invite_disguised" in missing.protecting
    assert "invite_may_open" not in (*missing.protecting, *missing.others)
    assert {"invite_hello", "poster_scan"} <= set(missing.others)
