"""Invitations by mail: a letter a person, nobody alone, and nothing kept."""

import itertools
import logging
import re
import smtplib
from collections.abc import Iterator, Sequence
from socketserver import StreamRequestHandler, ThreadingTCPServer
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
from intake.invitations import emails, resumable_mailing_receipts
from intake.invitations.resumable_mailing_receipts import mailbox_of_address
from intake.models import Token
from surveys.models import Survey
from tests import servers
from tests.intake import asked
from tests.intake.test_invitations import post
from tests.surveys.conftest import ASKS, address

pytestmark = pytest.mark.page
TOKEN = re.compile(r"/a/[\w-]+#([0-9a-f]{32})")
LETTER = {"subject": "Please take part", "message": "Dear all,\n{link}\nThank you."}
ADDRESSES = [f"p{number}@example.org" for number in range(120)]
FEW, TWENTY = ADDRESSES[:3], ADDRESSES[:20]
"""Twenty are just enough to be invited together."""


def send(client: Client, survey: Survey, to: Sequence[str] = TWENTY, kind: str = "", **more: str) -> Any:
    data = LETTER | {"addresses": "\n".join(to)} | more
    place = address(survey, "invitations/mail" + (f"?kind={kind}" if kind else ""))
    return client.post(place, data, headers={"Accept": "application/json"})


def page_of(client: Client, survey: Survey, to: Sequence[str] = (), query: str = "") -> str:
    """Without a script: what it shows, or where there are addresses what it answers."""
    place, data = address(survey, f"invitations/mail{query}"), LETTER | {"addresses": "\n".join(to)}
    return str((client.post(place, data) if to else client.get(place)).text)


def next_part(*answers: Any, without: Sequence[int] = ()) -> dict[str, str]:
    """What the browser sends with the next part, but the receipts of these positions."""
    given = [pair for answer in answers for pair in answer.json()["receipts"]]
    receipts = [receipt for position, receipt in given if position not in without]
    return {"sitting": answers[0].json()["sitting"], "receipts": " ".join(receipts)}


def written_to() -> list[str]:
    return [to for letter in mail.outbox for to in letter.to]


def failures_by_position(answer: Any) -> dict[int, str]:
    return {one["position"]: one["reason"] for one in answer.json()["failed"]}


def token_count(survey: Survey) -> int:
    return Token.objects.filter(survey=survey).count()


class Broken(BaseEmailBackend):
    """Refuses p1, breaks off at p2, and otherwise keeps letters like the test's own."""

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        (to,) = letters[0].to
        if to.startswith("p1@"):
            raise smtplib.SMTPRecipientsRefused({to: (550, b"nobody of this name")})
        if to.startswith("p2@"):
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


def test_each_person_gets_an_own_letter_that_works_once(client: Client, invited: Survey) -> None:
    answer = send(client, invited, subject="Please\nBcc: eve@example.org").json()
    assert (answer["sent"], answer["failed"]) == (20, [])
    assert [letter.to for letter in mail.outbox] == [[person] for person in TWENTY]
    found = [TOKEN.findall(str(letter.body)) for letter in mail.outbox]
    assert len({token for (token,) in found}) == token_count(invited) == 20
    stored = Survey.objects.get(pk=invited.pk)
    assert (stored.invitations_made, stored.invitations_sent) == (20, 20)
    ((token,), *_) = found
    assert [post(invited, token), post(invited, token)] == [201, 403]
    letter = mail.outbox[0]
    assert re.fullmatch(r"Dear all,\r?\nhttp://testserver/a/\S+\r?\nThank you\.", str(letter.body))
    assert letter.reply_to == ["council@example.org"], "answers go to the contact"
    # A subject cannot bring a header.
    assert {letter.subject for letter in mail.outbox} == {"Please Bcc: eve@example.org"}
    assert {address for letter in mail.outbox for address in letter.recipients()} == set(TWENTY)


def test_open_link_letter_is_the_same_for_everybody(client: Client, survey: Survey) -> None:
    assert send(client, survey, FEW).json()["sent"] == 3
    (body,) = {str(letter.body) for letter in mail.outbox}
    assert f"http://testserver/a/{survey.slug}\n" in body.replace("\r", "")
    assert not Token.objects.exists()


def test_failed_letters_are_named_by_position_only(
    client: Client, invited: Survey, settings: Settings
) -> None:
    """An invitation goes with its letter."""
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    answer = send(client, invited, [*TWENTY, "nobody", "P0@example.org"])
    assert answer.json()["sent"] == token_count(invited) == 18
    reasons = failures_by_position(answer)
    assert list(reasons) == [2, 3, 21, 22]
    assert "If it was sent all the same, an invitation in it does not work." in reasons[3]
    assert reasons[21] == "This is not an email address."
    assert reasons[22] == "This email address appears twice."
    assert all(post(invited, *TOKEN.findall(str(letter.body))) == 201 for letter in mail.outbox)


def test_unreachable_mail_server_postpones_all_letters(
    client: Client, invited: Survey, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    answer = send(client, invited).json()
    assert (answer["sent"], answer["failed"], answer["receipts"]) == (0, [], [])
    assert answer["pause"] == "The email server could not be reached."
    assert not Token.objects.exists()
    assert not History.objects.about(invited).exists()


# --- a server that takes letters later


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
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    with servers.serve(Office(("127.0.0.1", 0), handler)) as settings.EMAIL_PORT:
        yield handler


def test_temporarily_refused_address_is_reported_as_such(
    client: Client, invited: Survey, office: type[PostOffice]
) -> None:
    """One that is refused for good does not count as a busy server."""
    office.codes = [250, 450]
    answer = send(client, invited)
    reason = "The email server takes it later (450). Send it again in a quarter of an hour."
    assert failures_by_position(answer) == {2: reason}
    assert (answer.json()["sent"], answer.json()["pause"], token_count(invited)) == (19, "", 19)
    assert office.taken == [TWENTY[0], *TWENTY[2:]]
    office.codes = [451, 451, 550, 451, 250, 451]
    answer = send(client, invited)
    assert (answer.json()["sent"], answer.json()["pause"]) == (15, "")
    assert failures_by_position(answer)[3] == "The email server refused this address."


@pytest.mark.parametrize("codes", [[250, 250, 421], [250, 250, 451, 452, 451]], ids=["hangs up", "thrice"])
def test_overloaded_mail_server_is_left_alone_and_the_rest_sent_later(
    client: Client, invited: Survey, office: type[PostOffice], codes: list[int]
) -> None:
    """What was sent is known, and nobody is written to twice."""
    office.codes = list(codes)
    first = send(client, invited)
    assert first.json()["sent"] == token_count(invited) == 2
    assert first.json()["pause"] == f"The email server takes no more emails for now ({codes[-1]})."
    places = list(failures_by_position(first))
    assert places == [place for place, code in enumerate(codes[:-1], 1) if code != 250]
    assert office.taken == TWENTY[:2]
    # The browser lists those who failed again, and hands on the receipts of the others.
    again = send(client, invited, **next_part(first, without=places))
    assert (again.json()["sent"], failures_by_position(again), again.json()["pause"]) == (18, {}, "")
    assert sorted(office.taken) == sorted(TWENTY)
    assert token_count(invited) == 20


@pytest.fixture
def slow_mail(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Slow"
    monkeypatch.setattr(emails, "time", SimpleNamespace(monotonic=lambda: Slow.clock))


def test_slow_mail_server_gets_letters_within_the_time_limit(
    client: Client, invited: Survey, slow_mail: None
) -> None:
    """The browser sends the others with its next request; nobody is invited twice and no invitation is lost."""
    first = send(client, invited)
    assert (first.json()["sent"], failures_by_position(first), len(first.json()["receipts"])) == (3, {}, 3)
    assert (len(mail.outbox), token_count(invited)) == (3, 3)
    assert send(client, invited, **next_part(first)).json()["sent"] == 3
    assert (written_to(), token_count(invited)) == (TWENTY[:6], 6)


def test_people_who_must_wait_are_named_with_the_reason_without_a_script(
    client: Client, survey: Survey, office: type[PostOffice], request: pytest.FixtureRequest
) -> None:
    office.codes = [250, 421]
    page = page_of(client, survey, FEW)
    assert "1 email sent." in page
    assert page.count("The email server takes no more emails for now (421).") == 2
    request.getfixturevalue("slow_mail")
    page = page_of(client, survey, TWENTY)
    assert "3 emails sent." in page
    assert page.count("There was no time left. Send it again.") == 17


# --- the page, and what it refuses


def test_page_proposes_a_letter_in_every_language(client: Client, invited: Survey, survey: Survey) -> None:
    by_invitation, by_file = page_of(client, invited), "download the invitation links"
    letter = by_invitation[by_invitation.index('name="message"') : by_invitation.index("</textarea>")]
    assert asked.missing_parts(letter, "The works council asks you to take part", "工作") == []
    assert letter.count("{link}") == 2
    # Invitations are taken as a file then.
    assert by_file in by_invitation
    assert re.search(r"<form[^>]* data-mailing hidden", by_invitation)
    assert f'href="{address(invited, "invitations")}">Back to invitation links' in by_invitation
    assert by_file not in page_of(client, survey)
    assert by_file not in page_of(client, invited, query="?kind=reminder")
    page = page_of(client, survey, ["ann@example.org, nobody;bob@example.org"])
    assert asked.missing_parts(page, "2 emails sent", "Email address 2:", "Please take part") == []
    assert "ann@example.org" not in page


def test_reminder_contains_no_new_link(client: Client, invited: Survey) -> None:
    page = page_of(client, invited, query="?kind=reminder")
    assert "A reminder is sent to the whole list" in page
    assert "nobody knows who has answered already" in page
    assert "{link}" not in page[page.index('name="message"') : page.index("</textarea>")]
    assert "people could answer twice" in send(client, invited, FEW, "reminder").json()["refused"]
    assert mail.outbox == []
    assert send(client, invited, FEW, "reminder", message="Please answer.").json()["sent"] == 3
    assert not Token.objects.exists()
    assert History.objects.about(invited).get().what == "intake.reminders-mailed"


def test_too_many_or_no_addresses_are_refused(
    client: Client, owner: Person, invited: Survey, survey: Survey
) -> None:
    """More than fifty at once where letters bring no invitation; a letter without an address; a closed survey."""
    closed = asked.survey(ASKS, owner=owner, invited=True, state=Survey.State.CLOSED)
    many = [f"m{number}@e.org" for number in range(10_001)]
    for answer, why in (
        (send(client, survey, ADDRESSES[:51]), "At most 50"),
        (send(client, invited, ADDRESSES[:51], "reminder", message="Please answer."), "At most 50"),
        (send(client, invited, message="Hello"), "Write {link} where"),
        (send(client, closed), ""),
        (send(client, invited, many), "At most 10,000 addresses"),
    ):
        assert answer.status_code == 422
        assert why in answer.json()["refused"]
    assert mail.outbox == []


def test_two_chinese_reasons_are_joined_without_a_space(
    client: Client, owner: Person, invited: Survey
) -> None:
    Person.objects.filter(pk=owner.pk).update(language="zh-hans")
    refused = send(client, invited, subject="", message="").json()["refused"]
    assert refused.count("。") == 2
    assert " " not in refused


# --- nothing is kept


def test_no_address_or_invitation_is_stored_or_logged(
    client: Client,
    invited: Survey,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    with caplog.at_level(logging.DEBUG):
        answer = send(client, invited, [*TWENTY, "not an address"])
    assert answer.json()["sent"] == 18
    (secret,) = TOKEN.findall(str(mail.outbox[0].body))
    kept = "\n".join(connection.connection.iterdump())
    said = caplog.text + "".join(capfd.readouterr())
    assert "intake_token" in kept
    proofs = " ".join(next_part(answer).values()).split()
    for word in [*TWENTY, "not an address", "Dear all", secret, *proofs]:
        assert word not in kept + said, word


def test_site_without_a_mail_server_logs_no_letter(
    client: Client, invited: Survey, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert "MAIL_URL" in page_of(client, invited)
    assert send(client, invited).json() == {"refused": "This site has no email server."}
    assert "example.org" not in "".join(capfd.readouterr())
    assert not Token.objects.exists()


# --- nobody is invited alone

SHORT = "The list is too short. Write to at least 20 people; addresses that differ only after a plus sign count once."


def plus_addresses(n: int) -> list[str]:
    return [f"ann+{number}@example.org" for number in range(n)]


LISTS: dict[str, list[str]] = {
    "one person": ["ann@example.org"],
    "one too few": TWENTY[:19],
    "one person many times": ["ann@example.org"] * 30,
    "one person in other cases": [word for word in ("ann", "Ann", "aNN", "ANN") for _turn in range(10)],
    "the domain in other cases": ["ann@example.org", "ann@EXAMPLE.org", "ann@Example.Org"] * 10,
    "one mailbox with many plus signs": plus_addresses(30),
    "one mailbox with many plus signs and others": [*plus_addresses(30), *TWENTY[:18]],
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
def test_too_few_people_are_refused_even_against_the_browser(
    client: Client, invited: Survey, tried: list[tuple[str, dict[str, str]]]
) -> None:
    for name, claim in tried:
        answer = send(client, invited, LISTS[name], **claim)
        assert (answer.status_code, answer.json()) == (422, {"refused": SHORT}), (name, claim)
    # Nor can a sitting be made up.
    for forged in ("x", "x:y:z", TimestampSigner().sign("a" * 32 + "-100"), "0" * 200):
        said = send(client, invited, ADDRESSES, sitting=forged).json()["refused"]
        assert "started more than 12 hours ago" in said, forged
    assert mail.outbox == []
    assert not Token.objects.exists()
    assert not History.objects.about(invited).exists()


def test_only_the_first_address_of_a_mailbox_is_invited(client: Client, invited: Survey) -> None:
    answer = send(client, invited, [*TWENTY, *plus_addresses(3), "P3@example.org"])
    assert answer.json()["sent"] == token_count(invited) == 21
    assert list(failures_by_position(answer)) == [22, 23, 24]
    assert written_to() == [*TWENTY, "ann+0@example.org"]
    # Dots tell people apart.
    mail.outbox.clear()
    dotted = [f"{'.'.join('abcdefgh'[:n])}{'abcdefgh'[n:]}@example.org" for n in range(1, 8)]
    assert send(client, invited, [*dotted, *TWENTY[:13]]).json()["sent"] == 20
    assert written_to()[:7] == dotted


def test_long_list_is_sent_in_parts_of_fifty(
    client: Client, invited: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [send(client, invited, ADDRESSES)]
    # A part alone is not enough even in a sitting.
    part = send(client, invited, ADDRESSES[100:102], **next_part(*answers))
    assert (part.status_code, part.json(), len(mail.outbox)) == (422, {"refused": SHORT}, 50)
    for _part in range(3):
        answers.append(send(client, invited, ADDRESSES, **next_part(*answers)))
    assert [answer.json()["sent"] for answer in answers] == [50, 50, 20, 0]
    assert (written_to(), token_count(invited)) == (ADDRESSES, 120)
    # A sitting ends.
    monkeypatch.setattr(resumable_mailing_receipts, "HOURS", -1)
    late = send(client, invited, ADDRESSES, **next_part(answers[0])).json()
    assert "started more than" in late["refused"]
    assert len(mail.outbox) == 120


def test_address_list_may_be_corrected_but_not_extended(client: Client, invited: Survey) -> None:
    first = send(client, invited, [*TWENTY, "nobody"])
    assert (first.json()["sent"], list(failures_by_position(first))) == (20, [21])
    mended = send(client, invited, [*TWENTY, "somebody@example.org"], **next_part(first))
    assert mended.json()["sent"] == 1
    grown = [*TWENTY, "somebody@example.org", "another@example.org"]
    refused = send(client, invited, grown, **next_part(first, mended)).json()["refused"]
    assert "started with 21 email addresses and cannot grow" in refused
    assert written_to() == [*TWENTY, "somebody@example.org"]
    # What failed is tried again when its receipt is left out.
    again = send(client, invited, TWENTY, **next_part(first, without=[3]))
    assert again.json()["sent"] == 1
    assert written_to()[-1] == TWENTY[2]


def test_sending_receipts_of_others_are_ignored(
    client: Client, invited: Survey, owner: Person, superuser: Person
) -> None:
    other = asked.survey(ASKS, owner=owner, invited=True)
    first = send(client, invited)
    assert send(client, other, **next_part(first)).json()["sent"] == 20

    def receipt(sitting: str, person: Person, address: str = "ann@example.org") -> str:
        return resumable_mailing_receipts.Mailing(sitting, invited.pk, person.pk).sign_receipt(address)

    mine = receipt("s", owner)
    assert mine not in (receipt("s", superuser), receipt("t", owner))
    assert mine == receipt("s", owner, "Ann+1@example.org")


def test_addresses_of_one_mailbox_are_recognised() -> None:
    of_ann = mailbox_of_address("ann@example.org")
    same = ("Ann@Example.org", "ann+tag@example.org", "ann+a+b@example.org", '"ann"@example.org')
    for other in (*same, '"an\\n+x"@example.org'):
        assert mailbox_of_address(other) == of_ann, other
    for other in ("a.nn@example.org", "ann-1@example.org", "ann@example.com", "ann@mail.example.org"):
        assert mailbox_of_address(other) != of_ann, other
    assert mailbox_of_address("ann@BÜCHER.example") == mailbox_of_address("ann@xn--bcher-kva.example")
    assert mailbox_of_address("+ann@example.org") != mailbox_of_address("+bob@example.org")
