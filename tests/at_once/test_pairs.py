"""Two acts on one survey at once: whatever one does in the midst of the other, one of them came first."""

import random

import pytest

from tests.at_once.interleaving import PAIRS, InTheMidst, Pair, try_pair

pytestmark = [pytest.mark.page, pytest.mark.django_db]


@pytest.mark.at_push(3)
@pytest.mark.parametrize("pair", PAIRS, ids=map(": ".join, PAIRS))
def test_two_acts_end_as_one_after_the_other(pair: Pair) -> None:
    """On SQLite, where one transaction at a time writes; for PostgreSQL see test_pairs_on_postgresql.py."""
    tried, wrong = try_pair(pair, 1, random.Random(": ".join(pair)), InTheMidst, is_serial=True)
    assert not wrong, "\n".join(wrong)
    assert tried


@pytest.mark.parametrize("places", [1, pytest.param(5, marks=pytest.mark.night)])
def test_publishing_and_deleting_end_as_one_after_the_other_wherever_they_meet(places: int) -> None:
    pair = ("reported", "publish", "destroy")
    _tried, wrong = try_pair(pair, places, random.Random(71), InTheMidst, is_serial=True)
    assert not wrong, "\n".join(wrong)
