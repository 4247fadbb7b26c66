"""Groups of open records: by what was drawn and shown, counted one record at a time."""

import json
from collections import Counter as Tally

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.counting import counter_of
from mining.disclosure.open_records import LEAST, may_be_used, open_groups
from mining.reconstruction import CachedCounter
from privacy.designs import Design, parse
from tests.intake.shapes import designs
from tests.mining.counting.by_hand import CACHE, Records, any_records, mined, packed
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    design,
    place_in_row,
    plain,
    question,
    sensitive,
    thresholds,
    window,
    written,
)


def by_hand(form: Design, records: Records) -> dict[str, int]:
    """By the rotating questions that were drawn, and those behind a rule that were shown."""
    asks = form.mined
    sections = [section for section in asks.sections for _ in section.questions]
    places = [place for place, section in enumerate(sections) if section.sensitive]
    numbers = {place for place in places if asks.questions[place].asked_if_shown}
    found: Tally[str] = Tally()
    for group, codes in records:
        if group == 0:
            seen = mined(form, codes)
            drew = [at for at in places if sections[at].rotates and seen[at] != asks.questions[at].not_asked]
            shown = [
                at
                for at in places
                if asks.questions[at].show_if
                and at not in numbers
                and seen[at] not in (asks.questions[at].not_asked, asks.questions[at].not_applicable)
            ]
            found[f"{' '.join(map(str, drew))}/{' '.join(map(str, shown))}"] += 1
    return dict(found)


@pytest.mark.proof
@settings(max_examples=60, deadline=None)
@given(designs(numbers=True), st.integers(0, 2**32))
def test_groups_are_those_of_the_records(form: Design, seed: int) -> None:
    records = any_records(form, 1_500, np.random.default_rng(seed))
    groups = open_groups(CachedCounter(counter_of(form.mined, [packed(form, records)], CACHE)))
    if groups is not None:
        assert {key: count for key, count in groups.items() if count} == by_hand(form, records)


NUMBERS = parse(
    json.dumps(
        written(
            plain(WORK),
            sensitive("0.5", question("theft", *HALF)),
            thresholds("debt", "0.5", 0, 5, 10, **IF_EMPLOYED),
            window("pay", 7, 1, "0.5", **IF_EMPLOYED),
        )
    )
)


def groups_of(employed: int, others: int) -> dict[str, int] | None:
    """Employed people draw each of two thresholds equally often."""
    hidden = [1, 0, NUMBERS.questions[2].not_applicable, NUMBERS.questions[3].not_applicable]
    records: Records = [(0, [0, 0, 2 * (number % 2), 3]) for number in range(employed)]
    records += [(0, hidden)] * others + [(1, [0, 0, 0, 0])] * 100
    return open_groups(CachedCounter(counter_of(NUMBERS.mined, [packed(NUMBERS, records)], CACHE)))


def test_those_to_whom_a_number_does_not_apply_are_a_group() -> None:
    # Places: theft 1, the thresholds 2 and 3, pay 4. Whoever is asked about debt is shown pay.
    groups = groups_of(40, 13)
    assert groups is not None
    assert {key: count for key, count in groups.items() if count} == {"2/4": 20, "3/4": 20, "/": 13}
    assert may_be_used(groups, [])


@pytest.mark.parametrize("others", [1, LEAST - 1])
def test_fewer_than_ten_whose_number_is_hidden_end_the_use_of_open_records(others: int) -> None:
    """All who answered about theft, less those asked about either threshold, would be these few."""
    assert not may_be_used(groups_of(60, others), [])
    assert may_be_used(groups_of(60, 0), [])


@pytest.mark.parametrize(("hidden", "may"), [(9, False), (10, True)])
def test_those_from_whom_a_place_is_hidden_are_a_group(hidden: int, may: bool) -> None:
    form = design(plain(WORK), place_in_row("home", {"north": [0, 1]}, 3, 1, "6", **IF_EMPLOYED))
    records: Records = [(0, [0, 2])] * 40 + [(0, [1, 4])] * hidden + [(1, [0, 0])] * 50
    groups = open_groups(CachedCounter(counter_of(form.mined, [packed(form, records)], CACHE)))
    assert groups == {"1/": 40, "/": hidden}
    assert may_be_used(groups, []) == may


def test_fewer_than_ten_new_ones_do_too() -> None:
    before = groups_of(60, 20)
    assert not may_be_used(groups_of(60, 25), [before])
    assert may_be_used(groups_of(60, 30), [before])
