"""Minutes of what `./run bench growth` does for an hour."""

from dataclasses import replace
from typing import Any

import pytest

from tests.soak.load import Look, Weight, growth_checks, measure_growth

LOOK = Look(0, 0, [Weight("web", 1, 0, 80_000)], {"web": 20}, {"intake_inbox": 90, "jobs_job": 5}, 10**7, 0)


@pytest.mark.server
@pytest.mark.night
def test_soak_finds_little_growth_while_records_arrive() -> None:
    _looks, found = measure_growth("embedded", 180, seed=1, rate=15)
    assert [f"{check.what}: {check.observed}, {check.expected}" for check in found if not check.holds] == []


def test_soak_names_growth_beyond_its_bound() -> None:
    """Of 10,000 records in the last two thirds: 600 bytes for each and 8 MB; 600 rows; 10 lines of the log and 20."""
    middle = replace(LOOK, moment=45.0, weights=[Weight("web", 1, 45.0, 80_000)])
    last = replace(LOOK, moment=90.0, records=10_000, weights=[Weight("web", 1, 90.0, 80_000)])
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"files": {"web": 45}}, ["open files: web"]),
        ({"rows": {"intake_inbox": 691, "jobs_job": 605}}, ["more rows: intake_inbox"]),
        ({"rows": {"intake_inbox": 10, "jobs_job": 606}}, ["more rows: jobs_job"]),
        ({"bytes": 10**7 + 14_000_001}, ["more bytes under VAR and in PostgreSQL"]),
        ({"lines": 31}, ["more lines of the log"]),
    ]
    for changes, wrong in cases:
        looks = [LOOK, middle, replace(last, **changes)]
        assert [check.what for check in growth_checks(looks) if not check.holds] == wrong
