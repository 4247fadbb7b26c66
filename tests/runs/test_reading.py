"""Runs over more records than are kept in memory: the same digits from pieces, by any number of threads."""

import gc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from pytest_django.fixtures import Settings

from accounts.models import Person
from intake.batches import sealed_batch_reader
from intake.models import Batch
from jobs import job_state_changes
from jobs.models import State
from jobs.progress_messages import Message
from mining.counting import bitmap_counter
from privacy.designs import Design
from privacy.records.batch_bit_columns import Columns, merge_batches
from runs import run_job, run_records, run_start
from runs.models import Histogram, Run
from runs.run_records import RunRecords, StreamedCounter
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.runs.test_kind_findings import large_places
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
SIZES = [60, 40, 120, 50]
FEW: dict[str, Any] = {"min_support": 0.2, "max_size": 2}
Make = Callable[[Person, Design, list[int]], Survey]
SURVEYS: dict[str, tuple[Make, Callable[[], Design]]] = {
    "histogram with numbers": (sealed.numbers_survey, sealed.small_numbers),
    "histogram": (sealed.survey, sealed.small_design),
    "bitmaps": (sealed.survey, sealed.large_design),
    "numbers": (sealed.numbers_survey, sealed.large_numbers),
    "places": (sealed.numbers_survey, large_places),
    "study": (sealed.study_survey, partial(sealed.study, plan=sealed.PLAN, more=16)),
}


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on a run keeps nothing and reads about a hundred records at a time."""

    def change() -> None:
        monkeypatch.setattr(run_records, "HELD_BYTES", 0)
        monkeypatch.setattr(run_records, "PIECE_BYTES", 100)
        monkeypatch.setattr(run_records, "fits_in_histogram", lambda _design, _n: False)
        # A cached histogram would be counted from.
        Histogram.objects.all().delete()

    return change


@pytest.fixture
def large_survey(owner: Person) -> Survey:
    """Of few questions, though `in_pieces` counts them as if a histogram did not hold them."""
    rotating = sealed.section("sick", "tired", "late", asked=2)
    design = sealed.make_design(sealed.plain("age", "young", "old"), sealed.section("theft", "lie"), rotating)
    return sealed.survey(owner, design, SIZES)


@pytest.mark.at_push(1)
@pytest.mark.parametrize("name", SURVEYS)
def test_records_that_are_read_in_pieces_give_the_digits_of_a_run_that_keeps_them(
    name: str, owner: Person, ran: Ran, in_pieces: Callable[[], None]
) -> None:
    make, design = SURVEYS[name]
    survey = make(owner, design(), [300, 40, 200])
    whole = ran(survey, max_size=2)
    in_pieces()
    pieces = ran(survey, max_size=2)
    assert (whole.state, pieces.state) == (State.DONE, State.DONE), (whole.problem, pieces.problem)
    assert not RunRecords(pieces).is_small
    assert pieces.findings == whole.findings
    assert pieces.digest == whole.digest


@pytest.mark.at_push(1)
@pytest.mark.parametrize("is_streamed", [True, False], ids=["in pieces", "kept"])
def test_one_thread_and_two_give_the_same_digits(
    large_survey: Survey, ran: Ran, settings: Settings, is_streamed: bool, in_pieces: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # Blocks of one word: so few records are several.
    monkeypatch.setattr(bitmap_counter, "MOST_WORDS", 1)
    monkeypatch.setattr(bitmap_counter, "LEAST_WORDS", 1)
    if is_streamed:
        in_pieces()
    digests = set()
    for threads in (1, 2):
        settings.COUNTING_THREADS = threads
        digests.add(ran(large_survey, **FEW).digest)
    assert len(digests) == 1
    assert digests != {""}


def test_a_run_begins_its_count_again_where_batches_are_merged_meanwhile(
    large_survey: Survey, ran: Ran, in_pieces: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ran(large_survey, **FEW)
    in_pieces()
    read_pieces = sealed_batch_reader.read_batch_pieces

    def merging(*arguments: Any, **more: Any) -> Iterator[list[Columns]]:
        pieces = read_pieces(*arguments, **more)
        yield next(pieces)
        parts = Batch.objects.filter(first__in=(3, 4)).order_by("first")
        if len(parts) == 2:
            order = np.random.default_rng(1).permutation(170)
            merged = merge_batches([part.columns for part in parts], order)
            parts.delete()
            Batch.objects.create(survey=large_survey, first=3, last=4, n=170, columns=merged)
        yield from pieces

    monkeypatch.setattr(sealed_batch_reader, "read_batch_pieces", merging)
    assert ran(large_survey, **FEW).digest == whole.digest
    assert Batch.objects.filter(survey=large_survey).count() == 3


def test_a_run_whose_survey_is_destroyed_meanwhile_ends_and_stores_nothing(
    large_survey: Survey, owner: Person, in_pieces: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_pieces()
    count = StreamedCounter.count

    def destroy_and_count(self: StreamedCounter, *queries: object) -> object:
        if Run.objects.exists():
            lifecycle.destroy_survey(large_survey, owner, NOW)
        return count(self, *queries)  # type: ignore[arg-type]

    monkeypatch.setattr(StreamedCounter, "count", destroy_and_count)
    run = run_start.start_mining_run(large_survey, owner, sealed.WANTED, NOW)
    sealed.perform_one(run)
    assert not Run.objects.exists()


def test_a_changed_byte_fails_the_run(large_survey: Survey, ran: Ran, in_pieces: Callable[[], None]) -> None:
    in_pieces()
    batch = Batch.objects.get(first=3)
    Batch.objects.filter(pk=batch.pk).update(columns=bytes(batch.columns)[:-1] + b"\xff")
    run = ran(large_survey, **FEW)
    assert run.state == State.FAILED
    assert "reference" in str(run.problem)


def test_no_more_than_a_piece_is_in_memory_while_a_run_counts(
    large_survey: Survey, ran: Ran, in_pieces: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_pieces()
    # What there is by now takes no part when the garbage collector is asked for objects: there are a million.
    gc.collect()
    gc.freeze()
    most = [0]
    tally = bitmap_counter.BitmapCounter.count

    def note_columns_in_memory(self: bitmap_counter.BitmapCounter, *queries: object) -> object:
        # The records that have come into memory. Only types are asked, so that no lazy object wakes.
        most.append(sum(held.n for held in gc.get_objects() if type(held) is Columns))
        return tally(self, *queries)  # type: ignore[arg-type]

    monkeypatch.setattr(bitmap_counter.BitmapCounter, "count", note_columns_in_memory)
    assert ran(large_survey, **FEW).state == State.DONE
    assert 0 < max(most) <= 128


def test_progress_of_a_run_never_falls(
    large_survey: Survey, owner: Person, in_pieces: Callable[[], None]
) -> None:
    in_pieces()
    run = run_start.start_mining_run(large_survey, owner, sealed.WANTED, NOW)
    job_state_changes.claim(run.pk, token="c", worker="w", now=NOW)
    said: list[tuple[float, str]] = []

    def progress(fraction: float | None, text: str = "", **values: str | int | float) -> None:
        assert fraction is not None
        said.append((fraction, str(Message(text, values))))

    run_job.perform(run, progress)
    fractions = [fraction for fraction, _text in said]
    assert fractions == sorted(fractions)
    of_pairs = {fraction for fraction, text in said if text == "Itemsets of 2 are counted"}
    assert len(of_pairs) > 3
    assert fractions[-1] == 1
