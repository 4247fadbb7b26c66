"""No place in a batch, among the keys and in SQLite's pages tells when somebody came."""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone
from numpy.typing import NDArray

from intake.batches import sealing
from intake.batches.seen_keys import split_hashes
from intake.endpoint.epochs import epoch_at
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.endpoint.store_record import SubmissionHashes, store_record
from intake.models import FreshKey, Inbox
from tests.intake import asked
from tests.intake.asked import rows_as_they_lie
from tests.intake.conftest import live_survey
from tests.intake.test_sealing import numbers_by_batch

SHUFFLES = 1_500
"""So that a p of 1/1,501 is below 0.001."""


def statistics(arrivals: NDArray[np.float64]) -> NDArray[np.float64]:
    """How places go with arrivals, how neighbours do, and how far apart neighbours came, in absolute terms."""
    n = len(arrivals)
    centred = arrivals - arrivals.mean()
    steps = np.abs(np.diff(arrivals))
    return np.array(
        [
            # A sum of products, not @: threads of the matrix product cost more than they save.
            abs((centred * (np.arange(n) - (n - 1) / 2)).sum()),
            abs((centred[:-1] * centred[1:]).sum()),
            abs(steps.mean() - (n + 1) / 3),
            (steps == 1).sum(),
        ]
    )


@cache
def statistics_by_chance(n: int) -> NDArray[np.float64]:
    """The statistics of random orders of n."""
    rng = np.random.default_rng(1)
    return np.array([statistics(rng.permutation(n).astype(float)) for _ in range(SHUFFLES)])


def p_values(arrivals: Sequence[float]) -> NDArray[np.float64]:
    """The share of random orders that look at least as little random, statistic by statistic."""
    ranks = np.argsort(np.argsort(arrivals)).astype(float)
    as_much = (statistics_by_chance(len(ranks)) >= statistics(ranks)).sum(axis=0)
    p: NDArray[np.float64] = np.divide(1 + as_much, 1 + SHUFFLES)
    return p


@pytest.mark.django_db
@pytest.mark.page
@pytest.mark.parametrize("least", [1_000, pytest.param(10_000, marks=pytest.mark.night)])
def test_order_in_a_batch_and_among_its_keys_reveals_nothing(least: int) -> None:
    # The test notices an order of three tenths.
    order = np.random.default_rng(3).permutation(least)
    order[: 3 * least // 10].sort()
    assert (p_values(order.tolist()) < 0.001).any()
    waiting = 5 * least // 2
    survey = asked.survey(asked.design(least=least))
    rng = np.random.default_rng(2)
    arrival = {rng.bytes(16): number for number in range(waiting)}
    Inbox.objects.bulk_create(Inbox(survey=survey, record=f"1{n:06o}".encode()) for n in arrival.values())
    epoch = epoch_at(timezone.now())
    FreshKey.objects.bulk_create(FreshKey(survey=survey, hash=key, epoch=epoch) for key in arrival)
    # Seeded, so that what fails by chance once in a while always gives the same.
    sealing.seal_records(survey.pk, random_bytes=rng.bytes)
    (batch,) = numbers_by_batch(survey)
    assert least <= len(batch) <= 3 * least // 2
    assert (p_values(batch) > 0.001).all()
    # Neither the earlier nor the later half was sealed: four standard deviations of the mean of a drawn part.
    deviation = waiting / 12**0.5 * ((1 - len(batch) / waiting) / len(batch)) ** 0.5
    assert abs(sum(batch) / len(batch) - (waiting - 1) / 2) < 4 * deviation
    blocks = rows_as_they_lie(connection.connection, "intake_seenkeys")
    keys = [hash_ for block in blocks if isinstance(block[-1], bytes) for hash_ in split_hashes(block[-1])]
    assert (p_values([arrival[key] for key in keys]) > 0.001).all()
    left = asked.as_they_lie("intake_inbox", bytes)
    assert (p_values([int(record[1:], 8) for record in left]) > 0.001).all()


# --- Somebody has a copy of the SQLite file while records wait

ASKS_OF_FEW = asked.design(least=20, digits=8)
PEOPLE = 25
KEPT = ("intake_inbox", "intake_token", "intake_spenttoken", "intake_freshkey", "intake_seenkeys")


@pytest.mark.night
@pytest.mark.server
def test_row_order_on_database_pages_links_no_record_to_an_invitation(tmp_path: Path) -> None:
    """25 people with invitations answered one after the other; the person with number n has the invitation n."""
    with live_survey(tmp_path, ASKS_OF_FEW, {}, PEOPLE) as home:
        for number, token in enumerate(home.tokens):
            assert home.post([home.envelope(number, token)]) == [201]
        with closing(sqlite3.connect(tmp_path / "candor.sqlite3")) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy(tmp_path / "candor.sqlite3", tmp_path / "copy.sqlite3")
        found = home.find()
    links = (found.hash_of(HashedTextKind.LINK, token) for token in home.tokens)
    hashes = {bytes.fromhex(link): number for number, link in enumerate(links)}
    texts = {f"1{asked.number_record(ASKS_OF_FEW, n).answers}".encode(): n for n in range(PEOPLE)}
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as file:
        records, invitations = (
            [people[value] for row in rows_as_they_lie(file, table) for value in row if value in people]
            for table, people in (("intake_inbox", texts), ("intake_spenttoken", hashes))
        )
        # SQLite numbers no row of records, keys and invitations.
        for table in KEPT:
            with pytest.raises(sqlite3.OperationalError, match="no such column: rowid"):
                file.execute(f"SELECT rowid FROM {table}")
    everybody = list(range(PEOPLE))
    assert sorted(records) == sorted(invitations) == everybody
    # The pages do show the order in which invitations were used: the attack would tie records that lay in their order.
    assert sum(map(int.__eq__, invitations, everybody)) > 20
    # Guessed at random one pair of 25 is right on average; nine or more are in a millionth of all cases.
    for order in (invitations, everybody, everybody[::-1]):
        assert sum(map(int.__eq__, records, order)) < 9


@pytest.mark.server
@pytest.mark.django_db
def test_records_beyond_the_pick_are_stored_once_without_a_revealing_order() -> None:
    survey = asked.survey(ASKS_OF_FEW)
    for number in range(1200):
        store_record(SubmissionHashes(survey.pk, 1, number.to_bytes(16)), f"1{number:08}".encode())
    records = [int(record[1:]) for record in asked.as_they_lie("intake_inbox", bytes)]
    assert sorted(records) == list(range(1200))
    assert sum(map(int.__eq__, records, range(1200))) < 20
