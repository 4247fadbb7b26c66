from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counting import BitmapCounter
from mining.counts import Queries, Query
from mining.parameters import Parameters
from mining.reconstruction import ESTIMATORS, Counted as Known
from mining.runs import keeping
from mining.runs.packing import Counted, fingerprint, pack, pack_counts, unpack, unpack_counts
from mining.runs.parts import stretch
from mining.runs.performing import search
from mining.runs.replaying import NOTHING, Answer, Changed, NotCountedYet, Replayed
from mining.runs.storing import Result
from privacy.designs import Design
from surveys.intake.columns import WORD, Columns, pack as pack_columns, read
from tests.mining.engines.surveyed import Answered, surveys
from tests.mining.runs import sealed

DESIGN = sealed.written(sealed.section("theft", "lie"))


wanted_by_anybody = st.builds(
    Parameters,
    min_support=st.sampled_from([0.02, 0.1, 0.25]),
    min_confidence=st.sampled_from([0.1, 0.5]),
    estimator=st.sampled_from(ESTIMATORS),
    exact=st.booleans(),
    absences=st.booleans(),
    max_size=st.integers(1, 4),
    most=st.sampled_from([20, 300]),
)


def in_pieces(design: Design, parts: list[Columns], wanted: Parameters) -> tuple[Result, int]:
    """The search as shards do it, interrupted at every count; and how many counts that were."""
    answers: list[Answer] = []
    while True:
        try:
            return search(wanted, Known(Replayed(design, answers))), len(answers)
        except NotCountedYet as more:
            asked = more.asked
        shards = []
        for part in parts:
            counter = BitmapCounter(design, [part], keeping.kernels())
            data = pack_counts(Counted(counter.n, counter.count(unpack(asked))))
            shards.append(unpack_counts(data))
        n = sum(shard.n[0] for shard in shards), sum(shard.n[1] for shard in shards)
        answers.append(Answer(fingerprint(asked), n, np.sum([shard.counts for shard in shards], axis=0)))


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(surveys(), wanted_by_anybody, st.lists(st.integers(1, 8), max_size=3))
def test_a_search_in_pieces_finds_the_same_to_the_digit(
    people: Answered, wanted: Parameters, cuts: list[int]
) -> None:
    in_pieces_as_whole(people, wanted, cuts)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(surveys(), wanted_by_anybody, st.lists(st.integers(1, 8), max_size=3))
def test_a_search_in_pieces_finds_the_same_to_the_digit_whatever_is_asked(
    people: Answered, wanted: Parameters, cuts: list[int]
) -> None:
    in_pieces_as_whole(people, wanted, cuts)


def in_pieces_as_whole(people: Answered, wanted: Parameters, cuts: list[int]) -> None:
    n = len(people.group)
    whole = read(people.design, pack_columns(people.design, people.group, people.codes))
    ends = sorted({0, n, *(WORD * cut for cut in cuts if WORD * cut < n)})
    parts = [stretch(whole, start, stop) for start, stop in pairwise(ends)]
    one = search(wanted, Known(BitmapCounter(people.design, [whole], keeping.kernels())))
    other, counts = in_pieces(people.design, parts, wanted)
    assert (one.itemsets, one.rules, one.findings) == (other.itemsets, other.rules, other.findings)
    assert one.digest == other.digest
    # How many there are, the levels, the rules, and what reports ask besides.
    assert counts <= wanted.max_size + 10


def test_the_first_question_is_how_many_there_are() -> None:
    with pytest.raises(NotCountedYet) as asked:
        Replayed(DESIGN, []).count([Query(items=((0, 1),))])
    assert asked.value.asked == pack(NOTHING)


def test_what_all_records_are_counted_by_is_asked_of_nobody() -> None:
    answer = Answer(fingerprint(pack(NOTHING)), (3, 4), np.zeros((0, 2), np.int64))
    assert Replayed(DESIGN, [answer]).count([Query(), Query(asked=(0,))]).tolist() == [[3, 4], [3, 4]]


def test_another_question_than_the_one_that_was_answered_is_not_gone_on_with() -> None:
    n = Answer(fingerprint(pack(NOTHING)), (3, 4), np.zeros((0, 2), np.int64))
    other = Answer(fingerprint(b"another"), (3, 4), np.ones((1, 2), np.int64))
    with pytest.raises(Changed):
        Replayed(DESIGN, [n, other]).count([Query(items=((0, 1),))])


def test_queries_survive_packing() -> None:
    queries = Queries.of(DESIGN, [Query(((0, 1), (1, 0)), (0, 1)), Query(asked=(1,), applies=(1,))])
    read_again = unpack(pack(queries))
    for name in ("items", "asked", "applies"):
        assert np.array_equal(getattr(read_again, name), getattr(queries, name))
