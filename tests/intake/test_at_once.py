"""A hundred at once, through two web processes."""

from collections import Counter
from pathlib import Path

import pytest

from privacy.designs import Envelope
from tests.intake import asked
from tests.intake.house import house

pytestmark = pytest.mark.server
ASKS = asked.design(least=100)


def test_a_hundred_posts_of_one_key_store_one_record(database: dict[str, str], tmp_path: Path) -> None:
    with house(tmp_path, ASKS, database) as home:
        # Everybody's record is another, so that one stored twice would be seen.
        sent = [Envelope("a" * 32, asked.numbered(ASKS, number)) for number in range(100)]
        assert Counter(home.post(sent)) == {201: 1, 200: 99}
        assert len(home.find().all) == 1


def test_a_hundred_posts_of_one_token_store_one_record(database: dict[str, str], tmp_path: Path) -> None:
    with house(tmp_path, ASKS, database, tokens=100) as home:
        sent = [home.envelope(number, home.tokens[0]) for number in range(100)]
        assert Counter(home.post(sent)) == {201: 1, 403: 99}
        found = home.find()
        assert (len(found.all), len(found.keys), len(found.tokens)) == (1, 1, 99)


def test_a_thousand_people_at_once_are_all_stored_once_while_batches_are_sealed(
    database: dict[str, str], tmp_path: Path
) -> None:
    asks = asked.design(least=20)
    with house(tmp_path, asks, database) as home:
        statuses = home.post([home.envelope(number) for number in range(1000)])
        assert Counter(statuses) == {201: 1000}
        found = home.find()
        assert sorted(found.all) == [f"{number:06o}" for number in range(1000)]
        assert len(found.sealed) > 10
        assert min(map(len, found.sealed)) >= 20
        assert len(set(found.keys)) == 1000
