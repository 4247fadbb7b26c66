import numpy as np
import pytest

from mining.counting import counter_of
from mining.counts import Queries, Query
from mining.engines import bitmap
from mining.parameters import Parameters
from mining.runs import keeping
from mining.runs.packing import Counted, fingerprint, pack, pack_counts, unpack, unpack_counts
from mining.runs.replaying import NOTHING, Answer, Changed, NotCountedYet, Replayed
from mining.runs.storing import Result
from surveys.intake.columns import Columns, pack as pack_columns, read
from tests.mining.runs import sealed

DESIGN = sealed.large()


def columns(seed: int) -> Columns:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (19, 250), np.uint16)
    codes[10:13] = 2  # three of the nine that take turns were not asked
    return read(DESIGN, pack_columns(DESIGN, rng.integers(0, 2, 250, np.uint8), codes))


def test_a_search_that_is_interrupted_at_every_count_finds_the_same() -> None:
    parts = [columns(1), columns(2)]
    wanted = Parameters(min_support=0.2, min_confidence=0.4)
    whole = bitmap.find(counter_of(DESIGN, parts, keeping.kernels()), wanted)
    answers: list[Answer] = []
    while True:
        try:
            found = bitmap.find(Replayed(DESIGN, answers), wanted)
        except NotCountedYet as more:
            asked = more.asked
        else:
            break
        shards = []
        for part in parts:
            counter = counter_of(DESIGN, [part], keeping.kernels())
            data = pack_counts(Counted(counter.n, counter.count(unpack(asked))))
            shards.append(unpack_counts(data))
        n = sum(shard.n[0] for shard in shards), sum(shard.n[1] for shard in shards)
        answers.append(Answer(fingerprint(asked), n, shards[0].counts + shards[1].counts))
    # How many there are, three levels, the rules.
    assert len(answers) == 5
    one, other = (Result.of(wanted, (0, 0), of, {}) for of in (whole, found))
    assert len(one.rules["place"]) > 10
    assert (one.itemsets, one.rules, one.levels) == (other.itemsets, other.rules, other.levels)


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
    queries = Queries.of(DESIGN, [Query(((0, 1), (3, 0)), (0, 3)), Query(asked=(5,), applies=(5,))])
    read_again = unpack(pack(queries))
    for name in ("items", "asked", "applies"):
        assert np.array_equal(getattr(read_again, name), getattr(queries, name))
