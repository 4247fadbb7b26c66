"""What real processes counted of people who were asked to wait is in the database when they end."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests import servers
from tests.intake import asked
from tests.intake.live_survey import live_survey

pytestmark = pytest.mark.server
ASKS = asked.design(least=100, digits=6)
COUNTED = """
import json
from intake.models import WaitCount
print(json.dumps(list(WaitCount.objects.filter(survey={survey}).values_list("asked", "returned"))))
"""


def test_a_process_that_ends_writes_what_it_has_counted(tmp_path: Path) -> None:
    with live_survey(tmp_path, ASKS, {"RECORDS_PER_MINUTE": "20"}) as home:
        statuses = home.post([home.envelope(number) for number in range(300)])
        waiting = statuses.count(503)
        for pid in servers.family(home.process.pid)[1:]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

        def rows() -> list[tuple[int, int]]:
            found: list[tuple[int, int]] = json.loads(home.shell(COUNTED.format(survey=home.survey)))
            return found

        def is_complete() -> bool:
            # Each of two processes is less than 20 off.
            return abs(sum(asked_to_wait for asked_to_wait, _returned in rows()) - waiting) < 40

        servers.wait(is_complete, "both processes having written their counts")
        assert waiting > 200
        assert all(count % 20 == 0 for row in rows() for count in row)
        lines = [line for line in (tmp_path / "web.log").read_text().splitlines() if "asked to wait" in line]
        assert 1 <= len(lines) <= 2, "one line a process"
        assert all(f"survey {home.survey}: in a minute about " in line for line in lines)
