"""A hundred at once, through two web processes."""

import secrets
from collections import Counter
from time import monotonic

import pytest

from privacy.records import Envelope
from tests.intake import asked
from tests.intake.conftest import Shared
from tests.intake.live_survey import LiveServer

pytestmark = pytest.mark.server
ASKS = asked.design(least=100)


def test_a_hundred_posts_of_one_key_store_one_record(server: LiveServer) -> None:
    home = server.open(ASKS)
    # Everybody's record is another, so that one stored twice would be seen.
    key = secrets.token_hex(16)
    sent = [Envelope(key, asked.numbered(ASKS, number)) for number in range(100)]
    assert Counter(home.post(sent)) == {201: 1, 200: 99}
    assert len(home.find().all) == 1


def test_a_hundred_posts_of_one_token_store_one_record(server: LiveServer) -> None:
    home = server.open(ASKS, tokens=100)
    sent = [home.envelope(number, home.tokens[0]) for number in range(100)]
    assert Counter(home.post(sent)) == {201: 1, 403: 99}
    found = home.find()
    assert (len(found.all), len(found.keys), len(found.tokens)) == (1, 1, 99)


def test_a_refused_token_leaves_its_key_free_and_a_sealed_key_outlives_its_token(server: LiveServer) -> None:
    asks = asked.design(least=20)
    home = server.open(asks, tokens=40)
    sent = [home.envelope(number, token) for number, token in enumerate(home.tokens)]
    wrong = Envelope(sent[0].key, sent[0].record, "f" * 32)
    assert home.post([wrong]) == [403]
    assert home.find().keys == []
    assert set(home.post(sent)) == {201}
    assert set(home.post([*sent, wrong])) == {200}
    found = home.find()
    assert (len(found.all), len(found.keys), found.tokens) == (40, 40, [])
    assert home.post([home.envelope(40, home.tokens[0])]) == [403]
    assert home.find() == found


def test_a_thousand_people_at_once_are_all_stored_once_while_batches_are_sealed(server: LiveServer) -> None:
    asks = asked.design(least=20)
    home = server.open(asks)
    began = monotonic()
    statuses = home.post([home.envelope(number) for number in range(1000)])
    assert Counter(statuses) == {201: 1000}
    found = home.find()
    assert sorted(found.all) == [f"{number:06o}" for number in range(1000)]
    # Once a second at most, so under load batches are larger.
    assert 1 <= len(found.sealed) <= 2 + monotonic() - began
    assert min(map(len, found.sealed)) >= 20
    assert len(set(found.keys)) == 1000


# Sends a record again while a sealing, not yet committed, moves its key and holds the locks; prints what the sender is
# told.
AGAIN_WHILE_SEALED = """
from threading import Thread
from time import sleep
from django.db import connection, transaction
from django.utils import timezone
from intake.endpoint import accept
from intake.batches import sealing
from intake.endpoint.limits import Limits

public, said = accept.survey_at({slug!r}), []

def again():
    said.append(accept.receive(public, {body!r}, timezone.now(), Limits()).status)
    connection.close()

sender = Thread(target=again)
with transaction.atomic():
    assert sealing.seal({survey}) >= 20
    sender.start()
    with connection.cursor() as cursor:
        while sender.is_alive() and not cursor.execute("SELECT FROM pg_locks WHERE NOT granted").fetchall():
            sleep(0.01)
    assert not said
sender.join()
print(said[0])
"""


def test_a_record_sent_again_while_its_key_is_moved_is_known(shared: Shared) -> None:
    home = shared("postgresql").open(asked.design(least=20))
    sent = [home.envelope(number) for number in range(49)]
    assert set(home.post(sent)) == {201}
    home.shell(ONE_MORE.format(survey=home.survey))
    body = sent[0].json.encode()
    told = home.shell(AGAIN_WHILE_SEALED.format(slug=home.slug, body=body, survey=home.survey))
    assert told.strip() == "200"
    assert len(home.find().all) == 50


ONE_MORE = """
from intake.models import Inbox
Inbox.objects.create(survey_id={survey}, record=b"1777777")
"""
