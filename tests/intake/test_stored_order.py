"""Somebody has a copy of the SQLite file while records wait: the order of its rows ties no record to an invitation."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256

import pytest

from intake.endpoint.store_record import store
from tests.intake import asked
from tests.intake.live_survey import LiveSurvey, live_survey
from tests.intake.sqlite_pages import rows_as_they_lie

pytestmark = pytest.mark.server
ASKS = asked.design(least=20, digits=8)
PEOPLE = 25
KEPT = ("intake_inbox", "intake_token", "intake_spenttoken", "intake_freshkey", "intake_seenkey")


Copy = tuple[LiveSurvey, sqlite3.Connection]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """25 people with invitations answered one after the other; the person with number n has the invitation n."""
    var = tmp_path_factory.mktemp("stored-order")
    with live_survey(var, ASKS, {}, PEOPLE) as home:
        for number, token in enumerate(home.tokens):
            assert home.post([home.envelope(number, token)]) == [201]
        with closing(sqlite3.connect(var / "candor.sqlite3")) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy(var / "candor.sqlite3", var / "copy.sqlite3")
        with closing(sqlite3.connect(var / "copy.sqlite3")) as file:
            yield home, file


def numbers_in(home: LiveSurvey, rows: list[tuple[object, ...]]) -> list[int]:
    """The people whose records these are, row by row."""
    texts = {f"1{asked.numbered(ASKS, number).answers}".encode(): number for number in range(PEOPLE)}
    mine = [row for row in rows if home.survey in row]
    return [texts[value] for row in mine for value in row if isinstance(value, bytes) and value in texts]


def invitations_in(home: LiveSurvey, rows: list[tuple[object, ...]]) -> list[int]:
    """The people whose spent invitations these are, row by row."""
    hashes = {sha256(token.encode()).hexdigest(): number for number, token in enumerate(home.tokens)}
    return [hashes[value] for row in rows for value in row if isinstance(value, str) and value in hashes]


def test_the_order_of_rows_in_the_pages_ties_no_record_to_an_invitation(
    copy: Copy,
) -> None:
    home, file = copy
    records = numbers_in(home, rows_as_they_lie(file, "intake_inbox"))
    invitations = invitations_in(home, rows_as_they_lie(file, "intake_spenttoken"))
    assert sorted(records) == sorted(invitations) == list(range(PEOPLE))
    # Guessed at random one pair of 25 is right on average; nine or more are in a millionth of all cases.
    assert sum(map(int.__eq__, records, invitations)) < 9
    assert sum(map(int.__eq__, records, range(PEOPLE))) < 9
    assert sum(map(int.__eq__, records, reversed(range(PEOPLE)))) < 9


def test_the_pages_do_show_the_order_in_which_invitations_were_used(copy: Copy) -> None:
    """So that the attack above would tie records if they lay in their order."""
    home, file = copy
    invitations = invitations_in(home, rows_as_they_lie(file, "intake_spenttoken"))
    assert sum(map(int.__eq__, invitations, range(PEOPLE))) > 20


def test_sqlite_numbers_no_row_of_records_keys_and_invitations(copy: Copy) -> None:
    for table in KEPT:
        with pytest.raises(sqlite3.OperationalError, match="no such column: rowid"):
            copy[1].execute(f"SELECT rowid FROM {table}")


@pytest.mark.django_db
def test_of_more_than_are_picked_from_each_is_stored_once_and_the_pages_tell_no_order() -> None:
    survey = asked.survey(ASKS)
    for number in range(1200):
        store(survey.pk, f"key {number}", "", f"1{number:08}".encode())
    records = [int(record[1:]) for record in asked.as_they_lie("intake_inbox", bytes)]
    assert sorted(records) == list(range(1200))
    assert sum(map(int.__eq__, records, range(1200))) < 20
