"""How often a process counts whether a sealing is due."""

from intake.batches import due


def test_a_process_counts_at_first_then_after_a_quarter_of_what_is_missing() -> None:
    pace = due.CountPacing()
    assert pace.counts_now("a")
    pace.next_count("a", missing=12, received=1)
    assert [pace.counts_now("a") for _ in range(4)] == [False, False, True, False]


def test_after_a_count_that_failed_the_next_record_counts() -> None:
    pace = due.CountPacing()
    assert [pace.counts_now("a"), pace.counts_now("a")] == [True, False]
    pace.give_up("a")
    assert pace.counts_now("a")


def test_from_the_second_count_on_a_process_counts_after_its_share_of_what_is_missing() -> None:
    """Of sixty that came it stored twenty, so that it stores about a third of the next twelve."""
    pace = due.CountPacing()
    pace.next_count("a", missing=100, received=40)
    for _ in range(20):
        pace.counts_now("a")
    pace.next_count("a", missing=12, received=100)
    assert [pace.counts_now("a") for _ in range(4)] == [False, False, False, True]


def test_near_the_mark_every_record_counts() -> None:
    pace = due.CountPacing()
    pace.next_count("a", missing=3, received=1)
    assert pace.counts_now("a")


def test_under_load_a_process_sweeps_every_half_minute() -> None:
    now = 100.0
    pace = due.CountPacing(clock=lambda: now)
    assert [pace.sweeps_now(), pace.sweeps_now()] == [True, False]
    now = 131.0
    assert pace.sweeps_now()


def test_a_survey_is_sealed_once_a_second_whichever_process_seals_it() -> None:
    now = 100.0
    pace = due.CountPacing(clock=lambda: now)
    assert pace.seals_now("a", 0)
    # Another process has sealed since: when is not known, so a second counts from now on.
    assert not pace.seals_now("a", 25)
    assert pace.seals_now("b", 0)
    now = 100.9
    assert not pace.seals_now("a", 25)
    now = 101.0
    assert pace.seals_now("a", 25)
