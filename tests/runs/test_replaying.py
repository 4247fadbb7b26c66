from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counting import BitmapCounter
from mining.counting.paths import QuestionKinds
from mining.counts import Queries, Query
from mining.parameters import Parameters
from mining.reconstruction import ESTIMATORS, CachedCounter as Known
from privacy.designs import Design
from privacy.records.columns import WORD, Columns, pack as pack_columns, read
from runs import kernel_cache
from runs.searching import search
from runs.shards.packing import ShardCounts, pack, pack_counts, unpack, unpack_counts
from runs.shards.predicted_queries import queries_of_run
from runs.shards.replaying import NOTHING, LevelCounts, Replayed, replay, without_duplicates
from runs.shards.shard_ranges import record_slice
from runs.storing import RunResult
from tests.examples import examples
from tests.mining.engines.surveyed import Answered, answered, surveys
from tests.runs import sealed

pytestmark = pytest.mark.page
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


def in_pieces(
    design: Design, parts: list[Columns], wanted: Parameters, first: Queries
) -> tuple[RunResult, int]:
    """The search as shards do it, which are asked `first` and then what is missing; and how many counts that were."""
    answers = [counted_by(design, parts, first)]
    while True:
        found = replay(lambda counter: search(wanted, Known(counter)), design, answers)
        if not isinstance(found, Queries):
            return found, len(answers)
        (asked,) = unpack(pack([found]))
        assert len(asked)
        answers.append(counted_by(design, parts, asked))


def counted_by(design: Design, parts: list[Columns], asked: Queries) -> LevelCounts:
    shards = []
    for part in parts:
        counter = BitmapCounter(design, [part], kernel_cache.folder())
        shards.append(unpack_counts(pack_counts(ShardCounts(counter.n, counter.count(asked)))))
    one, *others = (LevelCounts(asked, shard.n, shard.counts) for shard in shards)
    for other in others:
        one = one.plus(other.n, other.counts)
    return one


@settings(
    max_examples=examples(30), deadline=None, suppress_health_check=list(HealthCheck)
)  # four searches each
@given(surveys(), wanted_by_anybody, st.lists(st.integers(1, 8), max_size=3))
def test_a_search_in_pieces_finds_the_same_to_the_digit(
    people: Answered, wanted: Parameters, cuts: list[int]
) -> None:
    n = len(people.group)
    whole = read(people.design, pack_columns(people.design, people.group, people.codes))
    ends = sorted({0, n, *(WORD * cut for cut in cuts if WORD * cut < n)})
    parts = [record_slice(whole, start, stop) for start, stop in pairwise(ends)]
    design = people.design.mined
    one = search(wanted, Known(BitmapCounter(design, [whole], kernel_cache.folder())))
    # A sample may tell everything, nothing at all, or what these few records say.
    for first in (NOTHING, foreseen(design, parts[:1], wanted), foreseen(design, parts, wanted)):
        other, counts = in_pieces(design, parts, wanted, first)
        assert (one.itemsets, one.rules, one.findings) == (other.itemsets, other.rules, other.findings)
        assert one.digest == other.digest
        # How many there are, the levels, the rules, and what reports ask besides.
        assert counts <= wanted.max_size + 10


def foreseen(design: Design, sample: list[Columns], wanted: Parameters) -> Queries:
    return queries_of_run(BitmapCounter(design, sample, kernel_cache.folder()), wanted)


def test_what_was_foreseen_among_all_records_is_asked_once() -> None:
    """Without rotation and show-if rules a search asks for nothing but its candidates."""
    people = answered(
        sealed.written(sealed.section("theft", "lie"), sealed.section("sick", "tired")), 900, 0.3, 3
    )
    wanted = Parameters(0.05, 0.1)
    whole = [read(people.design, pack_columns(people.design, people.group, people.codes))]
    result, counts = in_pieces(people.design, whole, wanted, foreseen(people.design, whole, wanted))
    assert counts == 1
    assert max(result.itemsets["size"]) == 3


def test_nothing_is_asked_twice() -> None:
    asked = Queries.of(DESIGN, [Query(((0, 1),)), Query(((0, 1),), asked=(0,)), Query(), Query(((1, 1),))])
    assert without_duplicates(QuestionKinds(DESIGN), asked).items.tolist() == [[1], [3]]


def test_what_all_records_are_counted_by_is_asked_of_nobody() -> None:
    answer = LevelCounts(NOTHING, (3, 4), np.zeros((0, 2), np.int64))
    assert Replayed(DESIGN, [answer]).count([Query(), Query(asked=(0,))]).tolist() == [[3, 4], [3, 4]]


def test_only_what_nobody_has_counted_is_asked() -> None:
    """Also where it is wider than all that was asked before, and where it means the same as what was."""
    known = LevelCounts(Queries.of(DESIGN, [Query(((0, 1),))]), (3, 4), np.array([[1, 2]]))
    both, one, same = Query(((0, 1), (1, 1))), Query(((0, 1),)), Query(((0, 1),), asked=(0,), applies=(0,))
    replayed = Replayed(DESIGN, [known])
    assert replayed.count([same, one, Query()]).tolist() == [[1, 2], [1, 2], [3, 4]]
    asked = replay(lambda counter: counter.count([one, both, Query(((1, 1),)), both]), DESIGN, [known])
    assert isinstance(asked, Queries)
    assert asked.items.tolist() == [[1, 3], [3, -1]]
    more = LevelCounts(asked, (3, 4), np.array([[5, 6], [7, 8]]))
    assert Replayed(DESIGN, [known, more]).count([both, one]).tolist() == [[5, 6], [1, 2]]


def test_the_first_questions_survive_packing() -> None:
    first = Queries.of(DESIGN, [Query(((0, 1), (1, 0)), (0, 1)), Query(asked=(1,), applies=(1,))])
    second = Queries.of(DESIGN, [Query(((1, 1),))])
    for asked, read_again in zip([first, second], unpack(pack([first, second])), strict=True):
        for name in ("items", "asked", "applies"):
            assert np.array_equal(getattr(read_again, name), getattr(asked, name))
