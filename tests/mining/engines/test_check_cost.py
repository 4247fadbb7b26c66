"""The predicted cost of a check: by hand, and against a check that is measured."""

from time import perf_counter

import pytest

from mining.engines import check_cost, mlxtend_engine
from mining.engines.check_cost import CheckCost, CheckSpeed, count_work, predict_cost, sample_size
from mining.itemsets.frequent import Level
from mining.parameters import Parameters
from tests.mining.strategies import survey_answered
from tests.privacy import questionnaires
from tests.privacy.questionnaires import HALF

LEVELS = [Level(1, 4, 4, 3), Level(2, 6, 5, 2)]
DESIGN = questionnaires.design(
    questionnaires.sensitive("0.5", *(questionnaires.question(name, *HALF) for name in ("a", "b")))
)


def test_the_work_is_an_inversion_per_candidate_and_one_per_subset_of_what_is_reported() -> None:
    # Candidates: 4 of 2 parts, 6 of 4; reported: 3 of one item, 2 of two with 3 + 6 parts of subsets and the empty one.
    assert count_work(LEVELS) == 4 * 2 + 6 * 4 + 3 * 3 + 2 * 9


def test_time_and_memory_grow_with_the_records() -> None:
    # 59 units; four items and two questions of four bytes, and 200 bytes, on each record.
    cost = predict_cost(CheckSpeed(0.1, 0.001), DESIGN, 1_000, LEVELS)
    assert cost.seconds == pytest.approx(64.9)
    assert cost.bytes == 224_000


def test_up_to_60_seconds_and_2_gigabytes_it_is_made_of_all_records() -> None:
    assert CheckCost(60.0, 2e9).is_low
    assert not CheckCost(60.1, 1.0).is_low
    assert not CheckCost(1.0, 2.1e9).is_low


def test_a_sample_is_as_large_as_it_may_cost(subtests: pytest.Subtests) -> None:
    cases: list[tuple[CheckSpeed, int]] = [
        (CheckSpeed(0.1, 1e-5), int((60 - 5.9) / 59e-5)),
        (CheckSpeed(0.0, 0.0), int(2e9 / 224)),
        (CheckSpeed(2.0, 0.0), 0),
        (CheckSpeed(0.5, 0.001), 0),
    ]
    for speed, expected in cases:
        with subtests.test(f"{speed!r:.60} {expected}"):
            size = sample_size(speed, DESIGN, LEVELS)
            assert size == expected
            assert not size or predict_cost(speed, DESIGN, size, LEVELS).is_low


def test_minutes_are_rounded_up(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float, int]] = [(1.0, 1), (61.0, 2), (3600.0, 60)]
    for seconds, expected in cases:
        with subtests.test(f"{seconds} {expected}"):
            assert check_cost.round_to_minutes(seconds) == expected


def test_the_speed_is_the_line_through_two_measured_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    # The clock is read twice a check; the first is not counted. 500 records take 1 s, 5,000 take 3.
    monkeypatch.setattr(check_cost, "MANY", 5_000)
    ticks = iter([0.0, 9.0, 0.0, 1.0, 0.0, 3.0])
    speed = check_cost.measure_speed(lambda: next(ticks))
    few, many = (speed.fixed + records * speed.per_record for records in (500, 5_000))
    # Of more records slightly fewer itemsets survive, so a unit is not quite three times as long.
    assert many / few == pytest.approx(3.0, rel=0.15)


@pytest.mark.night
def test_what_is_predicted_is_what_a_check_takes() -> None:
    names = [f"q{index}" for index in range(9)]
    design = questionnaires.design(
        *(
            questionnaires.sensitive(
                "0.5", *(questionnaires.question(name, *HALF) for name in names[at : at + 3])
            )
            for at in (0, 3, 6)
        )
    )
    records = survey_answered(design, 20_000, 0.3, 1).records()
    counter, levels = records.counter(), list[Level]()
    begin = perf_counter()
    mlxtend_engine.mine_without_errors(records, counter, Parameters(0.1, 0.3, exact=True), levels.append)
    seconds = perf_counter() - begin
    done = [level for level in levels if level.survivors is not None]
    predicted = predict_cost(check_cost.measure_speed(), records.design, 20_000, done).seconds
    assert seconds / 4 < predicted < 4 * seconds
