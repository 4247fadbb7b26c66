import csv
import io
import re
import secrets
from collections.abc import Callable
from typing import Any

import pytest
import segno
from django.test import Client

from accounts.models import History, Person
from intake.invitations import making as tokens
from intake.models import Token
from privacy.records import Envelope, Record
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.surveys.staff import ASKS

pytestmark = pytest.mark.page
READ = ["invitations", "invitations/mail", "invitations/qr.svg", "invitations/poster"]
POSTED = ["invitations/file", "invitations/mail"]


def at(survey: Survey, place: str) -> str:
    return f"/surveys/{survey.pk}/{place}"


def shown(client: Client, survey: Survey, place: str = "invitations") -> str:
    answer = client.get(at(survey, place))
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("place", READ)
def test_nobody_is_sent_to_the_sign_in_page(survey: Survey, place: str) -> None:
    assert Client().get(at(survey, place)).status_code == 302


@pytest.mark.parametrize("place", READ)
def test_another_researcher_finds_no_such_page(
    survey: Survey, stranger: Person, signed_in_as: As, place: str
) -> None:
    assert signed_in_as(stranger).get(at(survey, place)).status_code == 404


@pytest.mark.parametrize("place", READ)
def test_who_may_not_invite_is_refused(
    survey: Survey, reviewer: Person, works_on: Callable[..., Person], signed_in_as: As, place: str
) -> None:
    for person in (reviewer, works_on(survey, may_edit=False)):
        assert signed_in_as(person).get(at(survey, place)).status_code == 403


@pytest.mark.parametrize("place", READ)
def test_an_editor_sees_every_page(
    survey: Survey, works_on: Callable[..., Person], signed_in_as: As, place: str
) -> None:
    shown(signed_in_as(works_on(survey, may_edit=True)), survey, place)


@pytest.mark.parametrize("place", POSTED)
def test_posting_needs_the_same_right(
    invited: Survey, stranger: Person, reviewer: Person, signed_in_as: As, place: str
) -> None:
    assert Client().post(at(invited, place)).status_code == 302
    assert signed_in_as(stranger).post(at(invited, place)).status_code == 404
    assert signed_in_as(reviewer).post(at(invited, place)).status_code == 403


@pytest.mark.parametrize("place", sorted({*READ, *POSTED}))
def test_no_page_takes_a_wrong_method(survey: Survey, owner: Person, signed_in_as: As, place: str) -> None:
    client = signed_in_as(owner)
    assert client.put(at(survey, place)).status_code == 405
    if place not in POSTED:
        assert client.post(at(survey, place)).status_code == 405
    if place not in READ:
        assert client.get(at(survey, place)).status_code == 405


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
    assert tokens.unused(invited) == 40


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
    assert f"/surveys/{draft.pk}/settings#id_invited" in page
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
    assert tab in signed_in_as(owner).get(f"/surveys/{survey.pk}/").content.decode()
    viewer = works_on(survey, may_edit=False)
    assert tab not in signed_in_as(viewer).get(f"/surveys/{survey.pk}/").content.decode()


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
