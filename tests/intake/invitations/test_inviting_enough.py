"""Nobody is invited alone: this side counts the people of a list before it writes to the first of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.core import mail
from django.core.signing import TimestampSigner
from django.test import Client

from accounts.models import History, Person
from intake.invitations import mailing, making as tokens
from intake.invitations.mailboxes import mailbox
from intake.models import Token
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.intake.invitations.test_pages import at
from tests.surveys.staff import ASKS

pytestmark = pytest.mark.page
LETTER = {"subject": "Please take part", "message": "Dear all,\n{link}"}
TWENTY = [f"p{number}@example.org" for number in range(20)]
SHORT = "The list is too short. Write to at least 20 people; addresses that differ only after a plus sign count once."


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


def send(client: Client, survey: Survey, to: Sequence[str], **more: str) -> Any:
    data = LETTER | {"addresses": "\n".join(to)} | more
    return client.post(at(survey, "invitations/mail"), data, headers={"Accept": "application/json"})


def proven(*answers: Any) -> dict[str, str]:
    """What the browser sends with the next part."""
    receipts = [receipt for answer in answers for _position, receipt in answer.json()["receipts"]]
    return {"sitting": answers[0].json()["sitting"], "receipts": " ".join(receipts)}


def written_to() -> list[str]:
    return [to for letter in mail.outbox for to in letter.to]


def refused(answer: Any, why: str = SHORT) -> None:
    assert (answer.status_code, answer.json()) == (422, {"refused": why})


def plus(n: int) -> list[str]:
    return [f"ann+{number}@example.org" for number in range(n)]


LISTS: dict[str, list[str]] = {
    "one person": ["ann@example.org"],
    "one too few": TWENTY[:19],
    "one person many times": ["ann@example.org"] * 30,
    "one person in other cases": [word for word in ("ann", "Ann", "aNN", "ANN") for _turn in range(10)],
    "the domain in other cases": [f"ann@{domain}" for domain in ("example.org", "EXAMPLE.org", "Example.Org")]
    * 10,
    "one mailbox with many plus signs": plus(30),
    "one mailbox with many plus signs and others": [*plus(30), *TWENTY[:18]],
    "quoted": ["ann@example.org", '"ann"@example.org', *TWENTY[:18]],
    "full-width letters": ["ann@example.org", "ann@ｅxample.org", *TWENTY[:18]],
    "one domain in two writings": ["ann@bücher.example", "ann@xn--bcher-kva.example", *TWENTY[:18]],
    "what is no address": [*TWENTY[:19], "nobody", "@", "a@b", "x y@example.org"],
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    "claim", [{}, {"whole": "100"}, {"least": "1"}, {"sitting": "", "receipts": "a b c"}]
)
def test_too_few_people_are_refused_whatever_the_browser_says(
    client: Client, invited: Survey, name: str, claim: dict[str, str]
) -> None:
    refused(send(client, invited, LISTS[name], **claim))
    assert mail.outbox == []
    assert not Token.objects.exists()
    assert not History.objects.about(invited).exists()


def test_dots_tell_people_apart(client: Client, invited: Survey) -> None:
    dotted = [f"{'.'.join('abcdefgh'[:n])}{'abcdefgh'[n:]}@example.org" for n in range(1, 8)]
    assert send(client, invited, [*dotted, *TWENTY[:13]]).json()["sent"] == 20
    assert written_to()[:7] == dotted


def test_of_one_mailbox_only_the_first_address_gets_an_invitation(client: Client, invited: Survey) -> None:
    answer = send(client, invited, [*TWENTY, *plus(3), "P3@example.org"]).json()
    assert answer["sent"] == 21
    assert [one["position"] for one in answer["failed"]] == [22, 23, 24]
    assert written_to() == [*TWENTY, "ann+0@example.org"]
    assert tokens.unused(invited) == 21


# --- a list goes out in parts, and comes whole with each of them ------------------------------------------


MANY = [f"m{number}@example.org" for number in range(120)]


def test_a_long_list_goes_out_in_parts_of_fifty(client: Client, invited: Survey) -> None:
    first = send(client, invited, MANY)
    second = send(client, invited, MANY, **proven(first))
    third = send(client, invited, MANY, **proven(first, second))
    fourth = send(client, invited, MANY, **proven(first, second, third))
    assert [answer.json()["sent"] for answer in (first, second, third, fourth)] == [50, 50, 20, 0]
    assert written_to() == MANY
    assert tokens.unused(invited) == 120


def test_a_part_alone_is_not_enough_even_in_a_sitting(client: Client, invited: Survey) -> None:
    first = send(client, invited, MANY)
    refused(send(client, invited, MANY[100:102], **proven(first)))
    assert len(mail.outbox) == 50


def test_a_list_may_be_mended_but_does_not_grow(client: Client, invited: Survey) -> None:
    first = send(client, invited, [*TWENTY, "nobody"])
    assert (first.json()["sent"], [one["position"] for one in first.json()["failed"]]) == (20, [21])
    mended = send(client, invited, [*TWENTY, "somebody@example.org"], **proven(first))
    assert mended.json()["sent"] == 1
    grown = [*TWENTY, "somebody@example.org", "another@example.org"]
    refused(
        send(client, invited, grown, **proven(first, mended)),
        "This list started with 21 email addresses and cannot grow: a few late invitations would single people out. "
        "Reload the page and start a new list.",
    )
    assert written_to() == [*TWENTY, "somebody@example.org"]


@pytest.mark.parametrize(
    "forged",
    [
        "x",
        "x:y:z",
        pytest.param(TimestampSigner().sign("a" * 32 + "-100"), id="signed for something else"),
        "0" * 200,
    ],
)
def test_a_sitting_cannot_be_made_up(client: Client, invited: Survey, forged: str) -> None:
    assert "started more than 12 hours ago" in send(client, invited, MANY, sitting=forged).json()["refused"]
    assert mail.outbox == []


def test_a_sitting_ends(client: Client, invited: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    first = send(client, invited, MANY)
    monkeypatch.setattr(mailing, "HOURS", -1)
    assert "started more than" in send(client, invited, MANY, **proven(first)).json()["refused"]
    assert len(mail.outbox) == 50


def test_receipts_of_somebody_else_or_of_another_survey_say_nothing(
    client: Client, invited: Survey, owner: Person, superuser: Person
) -> None:
    other = asked.survey(ASKS, owner=owner, invited=True)
    first = send(client, invited, TWENTY)
    again = send(client, other, TWENTY, **proven(first))
    assert again.json()["sent"] == 20
    mine = mailing.Mailing("s", invited.pk, owner.pk).receipt("ann@example.org")
    assert mine != mailing.Mailing("s", invited.pk, superuser.pk).receipt("ann@example.org")
    assert mine != mailing.Mailing("t", invited.pk, owner.pk).receipt("ann@example.org")
    assert mine == mailing.Mailing("s", invited.pk, owner.pk).receipt("Ann+1@example.org")


def test_what_failed_is_tried_again_when_its_receipt_is_left_out(client: Client, invited: Survey) -> None:
    first = send(client, invited, TWENTY)
    receipts = [receipt for position, receipt in first.json()["receipts"] if position != 3]
    again = send(client, invited, TWENTY, sitting=first.json()["sitting"], receipts=" ".join(receipts))
    assert again.json()["sent"] == 1
    assert written_to()[-1] == TWENTY[2]


def test_a_list_is_at_most_ten_thousand_long(client: Client, invited: Survey) -> None:
    many = [f"m{number}@e.org" for number in range(10_001)]
    assert "At most 10,000 addresses" in send(client, invited, many).json()["refused"]
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ann@Example.org", "ann@example.org"),
        ("ann+tag@example.org", "ann@example.org"),
        ("ann+a+b@example.org", "ann@example.org"),
        ('"ann"@example.org', "ann@example.org"),
        ('"an\\n+x"@example.org', "ann@example.org"),
        ("ann@BÜCHER.example", "ann@xn--bcher-kva.example"),
    ],
)
def test_these_reach_one_mailbox(first: str, second: str) -> None:
    assert mailbox(first) == mailbox(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.nn@example.org", "ann@example.org"),
        ("ann-1@example.org", "ann@example.org"),
        ("+ann@example.org", "+bob@example.org"),
        ("ann@example.org", "ann@example.com"),
        ("ann@mail.example.org", "ann@example.org"),
    ],
)
def test_these_do_not(first: str, second: str) -> None:
    assert mailbox(first) != mailbox(second)
