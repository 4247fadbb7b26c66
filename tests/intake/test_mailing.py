"""Invitations by mail: a letter a person, nobody alone, and nothing kept."""

import itertools
import logging
import re
import smtplib
from collections.abc import Iterator, Sequence
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.signing import TimestampSigner
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.models import History, Person
from intake.invitations import emails, mailing_receipts
from intake.invitations.mailing_receipts import normalise_address
from intake.models import Token
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.intake.test_invitations import at, post
from tests.surveys.conftest import ASKS

pytestmark = pytest.mark.page
TOKEN = re.compile(r"/a/[\w-]+#([0-9a-f]{32})")
LETTER = {"subject": "Please take part", "message": "Dear all,\n{link}\nThank you."}
PEOPLE = ["ann@example.org", "bob@example.org", "cyd@example.org"]
EVERYBODY = [*PEOPLE, *(f"p{number}@example.org" for number in range(17))]
"""Just enough to be invited together."""


def sent(client: Client, survey: Survey, to: Sequence[str] = PEOPLE, kind: str = "", **more: str) -> Any:
    data = LETTER | {"addresses": "\n".join(to)} | more
    query = f"?kind={kind}" if kind else ""
    return client.post(at(survey, f"invitations/mail{query}"), data, headers={"Accept": "application/json"})


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


def proofs(answer: Any) -> list[str]:
    """What the browser hands back to show whom a letter was tried for."""
    given = answer.json()
    return [given["sitting"], *(receipt for _position, receipt in given["receipts"])]


class Broken(BaseEmailBackend):
    """Refuses bob, breaks off at cyd, and otherwise keeps letters like the test's own."""

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        (to,) = letters[0].to
        if to.startswith("bob"):
            raise smtplib.SMTPRecipientsRefused({to: (550, b"nobody of this name")})
        if to.startswith("cyd"):
            raise smtplib.SMTPServerDisconnected(f"while writing to {to}")
        mail.outbox.extend(letters)
        return 1


class Slow(BaseEmailBackend):
    """Takes eight seconds for a letter."""

    clock = 0.0

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        Slow.clock += 8
        mail.outbox.extend(letters)
        return 1


class Unreachable(BaseEmailBackend):
    def open(self) -> bool:
        raise ConnectionRefusedError


def test_a_letter_of_its_own_to_each_person_says_what_was_written_and_works_once(
    client: Client, invited: Survey
) -> None:
    answer = sent(client, invited, EVERYBODY).json()
    assert (answer["sent"], answer["failed"]) == (20, [])
    assert [letter.to for letter in mail.outbox] == [[person] for person in EVERYBODY]
    found = [TOKEN.findall(str(letter.body)) for letter in mail.outbox]
    assert len({token for (token,) in found}) == 20
    assert Token.objects.filter(survey=invited).count() == 20
    stored = Survey.objects.get(pk=invited.pk)
    assert (stored.invitations_made, stored.invitations_sent) == (20, 20)
    ((token,), *_) = found
    assert [post(invited, token), post(invited, token)] == [201, 403]

    # Answers go to the contact.
    letter = mail.outbox[0]
    assert letter.subject == "Please take part"
    assert re.fullmatch(r"Dear all,\r?\nhttp://testserver/a/\S+\r?\nThank you\.", str(letter.body))
    assert letter.reply_to == ["council@example.org"]


def test_an_open_address_goes_to_everybody_alike(client: Client, survey: Survey) -> None:
    assert sent(client, survey).json()["sent"] == 3
    assert {letter.body for letter in mail.outbox} == {mail.outbox[0].body}
    assert f"http://testserver/a/{survey.slug}\n" in mail.outbox[0].body.replace("\r", "")
    assert not Token.objects.exists()


def test_what_is_no_address_is_said_by_position_alone(client: Client, invited: Survey) -> None:
    answer = sent(client, invited, ["ann@example.org", "nobody", "Ann@example.org", *EVERYBODY[1:]])
    assert answer.json()["sent"] == 20
    assert [(one["position"], one["reason"]) for one in answer.json()["failed"]] == [
        (2, "This is not an email address."),
        (3, "This email address appears twice."),
    ]
    assert Token.objects.filter(survey=invited).count() == 20


def test_a_letter_that_fails_takes_its_invitation_along(
    client: Client, invited: Survey, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    answer = sent(client, invited, EVERYBODY)
    assert answer.json()["sent"] == 18
    assert [one["position"] for one in answer.json()["failed"]] == [2, 3]
    assert Token.objects.filter(survey=invited).count() == 18
    assert all(post(invited, *TOKEN.findall(str(letter.body))) == 201 for letter in mail.outbox)


def test_a_server_that_cannot_be_reached_leaves_all_of_them_to_be_sent_later(
    client: Client, invited: Survey, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    answer = sent(client, invited, EVERYBODY).json()
    assert (answer["sent"], answer["failed"], answer["receipts"]) == (0, [], [])
    assert answer["pause"] == "The email server could not be reached."
    assert not Token.objects.exists()
    assert not History.objects.about(invited).exists()


# --- a server that takes letters later ---------------------------------------------------------------------


class PostOffice(StreamRequestHandler):
    """Speaks SMTP: `codes` are its answers to one recipient after the other, then 250; with 421 it hangs up."""

    codes: list[int]
    taken: list[str]

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline().decode().strip():
            word, code = line.split(maxsplit=1)[0].upper(), 250
            if word == "RCPT":
                code = self.codes.pop(0) if self.codes else 250
                if code == 250:
                    self.taken.append(line[line.index("<") + 1 : line.index(">")])
            elif word == "DATA":
                self.wfile.write(b"354 go on\r\n")
                while self.rfile.readline() != b".\r\n":
                    pass
            self.wfile.write(b"%d words\r\n" % code)
            if code == 421 or word == "QUIT":
                return


class Office(ThreadingTCPServer):
    block_on_close = False


@pytest.fixture
def office(settings: Settings) -> Iterator[type[PostOffice]]:
    handler = type("Handler", (PostOffice,), {"codes": [], "taken": []})
    with Office(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
        yield handler
        server.shutdown()


def test_an_address_that_the_server_takes_later_is_named_so_and_the_others_are_sent(
    client: Client, invited: Survey, office: type[PostOffice]
) -> None:
    office.codes = [250, 450]
    answer = sent(client, invited, EVERYBODY).json()
    (failure,) = answer["failed"]
    assert failure == {
        "position": 2,
        "reason": "The email server takes it later (450). Send it again in a quarter of an hour.",
    }
    assert (answer["sent"], answer["pause"]) == (19, "")
    assert office.taken == [EVERYBODY[0], *EVERYBODY[2:]]
    assert Token.objects.filter(survey=invited).count() == 19


@pytest.mark.parametrize("codes", [[250, 250, 421], [250, 250, 451, 452, 451]], ids=["hangs up", "thrice"])
def test_a_server_that_takes_no_more_is_left_in_peace_and_the_rest_is_sent_later(
    client: Client, invited: Survey, office: type[PostOffice], codes: list[int]
) -> None:
    """What was sent is known, and nobody is written to twice."""
    office.codes = list(codes)
    first = sent(client, invited, EVERYBODY)
    assert first.json()["sent"] == 2
    assert first.json()["pause"] == f"The email server takes no more emails for now ({codes[-1]})."
    failed = [one["position"] for one in first.json()["failed"]]
    assert failed == [place for place, code in enumerate(codes[:-1], 1) if code != 250]
    assert office.taken == EVERYBODY[:2]
    assert Token.objects.filter(survey=invited).count() == 2
    name, *_receipts = proofs(first)
    # The browser lists those who failed again, and hands on the receipts of the others.
    receipts = [proof for place, proof in first.json()["receipts"] if place not in failed]
    again = sent(client, invited, EVERYBODY, sitting=name, receipts=" ".join(receipts)).json()
    assert (again["sent"], again["failed"], again["pause"]) == (18, [], "")
    assert sorted(office.taken) == sorted(EVERYBODY)
    assert Token.objects.filter(survey=invited).count() == 20


def test_without_a_script_those_who_have_to_wait_are_named_with_the_reason(
    client: Client, survey: Survey, office: type[PostOffice]
) -> None:
    office.codes = [250, 421]
    data = LETTER | {"addresses": "\n".join(PEOPLE)}
    page = client.post(at(survey, "invitations/mail"), data).content.decode()
    assert "1 email sent." in page
    assert page.count("The email server takes no more emails for now (421).") == 2


def test_an_address_that_is_refused_for_good_does_not_count_as_a_busy_server(
    client: Client, survey: Survey, office: type[PostOffice]
) -> None:
    office.codes = [451, 451, 550, 451, 250, 451]
    answer = sent(client, survey, EVERYBODY).json()
    assert (answer["sent"], answer["pause"]) == (15, "")
    assert answer["failed"][2]["reason"] == "The email server refused this address."


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    monkeypatch.setattr(emails, "time", SimpleNamespace(monotonic=lambda: Slow.clock))


def test_a_slow_server_gets_as_many_letters_as_there_is_time_for(
    client: Client, invited: Survey, slow: None
) -> None:
    """The browser sends the others with its next request; nobody is invited twice and no invitation is lost."""
    first = sent(client, invited, EVERYBODY)
    assert (first.json()["sent"], first.json()["failed"], len(mail.outbox)) == (3, [], 3)
    assert (Token.objects.filter(survey=invited).count(), len(first.json()["receipts"])) == (3, 3)
    name, *receipts = proofs(first)
    again = sent(client, invited, EVERYBODY, sitting=name, receipts=" ".join(receipts))
    assert again.json()["sent"] == 3
    assert [letter.to for letter in mail.outbox] == [[person] for person in EVERYBODY[:6]]
    assert Token.objects.filter(survey=invited).count() == 6


def test_without_a_script_those_whom_there_was_no_time_for_are_named(
    client: Client, survey: Survey, slow: None
) -> None:
    data = LETTER | {"addresses": "\n".join(EVERYBODY)}
    page = client.post(at(survey, "invitations/mail"), data).content.decode()
    assert "3 emails sent." in page
    assert page.count("There was no time left. Send it again.") == 17


def test_more_than_fifty_at_once_are_refused_where_letters_bring_no_invitation_and_few_are_not(
    client: Client, survey: Survey, invited: Survey
) -> None:
    many = [f"p{number}@example.org" for number in range(51)]
    for to, message, kind in ((survey, LETTER["message"], ""), (invited, "Please answer.", "reminder")):
        answer = sent(client, to, many, kind, message=message)
        assert answer.status_code == 422
        assert "At most 50" in answer.json()["refused"]
        assert mail.outbox == []
        assert sent(client, to, kind=kind, message=message).json()["sent"] == 3
        mail.outbox.clear()


def test_a_letter_without_the_address_and_one_for_a_closed_survey_are_refused(
    client: Client, owner: Person, invited: Survey
) -> None:
    assert "Write {link} where" in sent(client, invited, message="Hello").json()["refused"]
    closed = asked.survey(ASKS, owner=owner, invited=True, state=Survey.State.CLOSED)
    assert sent(client, closed).status_code == 422
    assert mail.outbox == []


def test_a_subject_cannot_bring_a_header(client: Client, invited: Survey) -> None:
    sent(client, invited, EVERYBODY, subject="Hello\nBcc: eve@example.org")
    assert {letter.subject for letter in mail.outbox} == {"Hello Bcc: eve@example.org"}
    assert {address for letter in mail.outbox for address in letter.recipients()} == set(EVERYBODY)


# --- how many at least


def test_without_a_script_invitations_are_taken_as_a_file(
    client: Client, invited: Survey, survey: Survey
) -> None:
    assert "download the invitation links" in mail_page(client, invited)
    assert re.search(r"<form[^>]* data-mailing hidden", mail_page(client, invited))
    assert f'href="{at(invited, "invitations")}">Back to invitation links' in mail_page(client, invited)
    assert "download the invitation links" not in mail_page(client, survey)
    assert "download the invitation links" not in mail_page(client, invited, "?kind=reminder")


def mail_page(client: Client, survey: Survey, query: str = "") -> str:
    return client.get(at(survey, f"invitations/mail{query}")).content.decode()


# --- reminders


def test_a_reminder_brings_no_new_address_and_has_no_place_for_one(client: Client, invited: Survey) -> None:
    page = client.get(at(invited, "invitations/mail?kind=reminder")).content.decode()
    assert "A reminder is sent to the whole list" in page
    assert "nobody knows who has answered already" in page
    assert "{link}" not in page[page.index('name="message"') : page.index("</textarea>")]
    answer = sent(client, invited, kind="reminder")
    assert "people could answer twice" in answer.json()["refused"]
    assert mail.outbox == []
    assert sent(client, invited, kind="reminder", message="Please answer.").json()["sent"] == 3
    assert not Token.objects.exists()
    assert History.objects.about(invited).get().what == "intake.reminders-mailed"


# --- without a script


def test_a_page_without_script_takes_fifty_at_a_time(client: Client, survey: Survey) -> None:
    data = LETTER | {"addresses": "ann@example.org, nobody;bob@example.org"}
    page = client.post(at(survey, "invitations/mail"), data).content.decode()
    assert "2 emails sent" in page
    assert "Email address 2:" in page
    assert "Please take part" in page
    assert "ann@example.org" not in page


def test_the_first_letter_is_proposed_in_every_language(client: Client, invited: Survey) -> None:
    page = client.get(at(invited, "invitations/mail")).content.decode()
    letter = page[page.index('name="message"') : page.index("</textarea>")]
    assert "The works council asks you to take part" in letter
    assert "工作" in letter
    assert letter.count("{link}") == 2


# --- nothing is kept


def test_no_address_and_no_invitation_is_stored_or_logged(
    client: Client,
    invited: Survey,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    with caplog.at_level(logging.DEBUG):
        answer = sent(client, invited, [*EVERYBODY, "not an address"])
    assert answer.json()["sent"] == 18
    (secret,) = TOKEN.findall(str(mail.outbox[0].body))
    kept = "\n".join(connection.connection.iterdump())
    said = caplog.text + "".join(capfd.readouterr())
    assert "intake_token" in kept
    for word in [*EVERYBODY, "not an address", "Dear all", secret, *proofs(answer)]:
        assert word not in kept + said, word


def test_a_site_without_mail_server_writes_no_letter_into_its_log(
    client: Client, invited: Survey, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert "MAIL_URL" in client.get(at(invited, "invitations/mail")).content.decode()
    assert sent(client, invited).json() == {"refused": "This site has no email server."}
    assert "example.org" not in "".join(capfd.readouterr())
    assert not Token.objects.exists()


# --- Nobody is invited alone

SHORT_LETTER = {"subject": "Please take part", "message": "Dear all,\n{link}"}
TWENTY = [f"p{number}@example.org" for number in range(20)]
SHORT = "The list is too short. Write to at least 20 people; addresses that differ only after a plus sign count once."


def send(client: Client, survey: Survey, to: Sequence[str], **more: str) -> Any:
    data = SHORT_LETTER | {"addresses": "\n".join(to)} | more
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


CLAIMS: list[dict[str, str]] = [{}, {"whole": "100"}, {"least": "1"}, {"sitting": "", "receipts": "a b c"}]
EACH_ONCE = [*zip(LISTS, itertools.cycle(CLAIMS), strict=False)]


@pytest.mark.parametrize(
    "tried", [EACH_ONCE, pytest.param([*itertools.product(LISTS, CLAIMS)], marks=pytest.mark.night)]
)
def test_too_few_people_are_refused_whatever_the_browser_says(
    client: Client, invited: Survey, tried: list[tuple[str, dict[str, str]]]
) -> None:
    for name, claim in tried:
        answer = send(client, invited, LISTS[name], **claim)
        assert (answer.status_code, answer.json()) == (422, {"refused": SHORT}), (name, claim)
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
    assert Token.objects.filter(survey=invited).count() == 21


# --- a list goes out in parts, and comes whole with each of them ------------------------------------------


MANY = [f"m{number}@example.org" for number in range(120)]


def test_a_long_list_goes_out_in_parts_of_fifty(client: Client, invited: Survey) -> None:
    first = send(client, invited, MANY)
    second = send(client, invited, MANY, **proven(first))
    third = send(client, invited, MANY, **proven(first, second))
    fourth = send(client, invited, MANY, **proven(first, second, third))
    assert [answer.json()["sent"] for answer in (first, second, third, fourth)] == [50, 50, 20, 0]
    assert written_to() == MANY
    assert Token.objects.filter(survey=invited).count() == 120


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


def test_a_sitting_cannot_be_made_up(client: Client, invited: Survey) -> None:
    for forged in ("x", "x:y:z", TimestampSigner().sign("a" * 32 + "-100"), "0" * 200):
        said = send(client, invited, MANY, sitting=forged).json()["refused"]
        assert "started more than 12 hours ago" in said, forged
    assert mail.outbox == []


def test_a_sitting_ends(client: Client, invited: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    first = send(client, invited, MANY)
    monkeypatch.setattr(mailing_receipts, "HOURS", -1)
    assert "started more than" in send(client, invited, MANY, **proven(first)).json()["refused"]
    assert len(mail.outbox) == 50


def test_receipts_of_somebody_else_or_of_another_survey_say_nothing(
    client: Client, invited: Survey, owner: Person, superuser: Person
) -> None:
    other = asked.survey(ASKS, owner=owner, invited=True)
    first = send(client, invited, TWENTY)
    again = send(client, other, TWENTY, **proven(first))
    assert again.json()["sent"] == 20
    mine = mailing_receipts.Mailing("s", invited.pk, owner.pk).sign_receipt("ann@example.org")
    assert mine != mailing_receipts.Mailing("s", invited.pk, superuser.pk).sign_receipt("ann@example.org")
    assert mine != mailing_receipts.Mailing("t", invited.pk, owner.pk).sign_receipt("ann@example.org")
    assert mine == mailing_receipts.Mailing("s", invited.pk, owner.pk).sign_receipt("Ann+1@example.org")


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


def test_which_addresses_reach_one_mailbox() -> None:
    for first, second in (
        ("Ann@Example.org", "ann@example.org"),
        ("ann+tag@example.org", "ann@example.org"),
        ("ann+a+b@example.org", "ann@example.org"),
        ('"ann"@example.org', "ann@example.org"),
        ('"an\\n+x"@example.org', "ann@example.org"),
        ("ann@BÜCHER.example", "ann@xn--bcher-kva.example"),
    ):
        assert normalise_address(first) == normalise_address(second), first
    for first, second in (
        ("a.nn@example.org", "ann@example.org"),
        ("ann-1@example.org", "ann@example.org"),
        ("+ann@example.org", "+bob@example.org"),
        ("ann@example.org", "ann@example.com"),
        ("ann@mail.example.org", "ann@example.org"),
    ):
        assert normalise_address(first) != normalise_address(second), first
