"""A disk without room: nothing acknowledged is lost, whoever was refused can send again, and everybody is told."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from intake.endpoint.unstored import AGAIN
from tests import servers
from tests.intake import asked
from tests.intake.live_survey import LiveSurvey, live_survey

pytestmark = pytest.mark.server
ASKS = asked.design(least=20, digits=6)


def answered(home: LiveSurvey, path: str, body: str | None = None) -> tuple[int, Any, Any]:
    """Status, headers and JSON."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{home.port}{path}",
        body.encode() if body else None,
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=servers.PATIENCE) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.load(error)


def test_a_full_disk_refuses_records_for_now_says_so_and_loses_none(tmp_path: Path) -> None:
    with live_survey(tmp_path, ASKS, {}) as home:
        before, after = (
            [home.envelope(number) for number in numbers] for numbers in (range(60), range(60, 360))
        )
        assert set(home.post(before)) == {201}
        with servers.full_disk(home.process.pid):
            assert set(home.post(after)) == {503}
            status, headers, said = answered(home, f"/a/{home.slug}/record", after[0].json)
            assert (status, said["outcome"]) == (503, "cannot be stored now")
            assert int(headers["Retry-After"]) >= AGAIN
            # A record that had arrived is known, whatever the disk is like.
            assert answered(home, f"/a/{home.slug}/record", before[0].json)[0] == 200
            status, _headers, health = answered(home, "/healthz")
            assert (status, health["disk"]["says"]) == (503, "cannot be written")
            # Whichever of the two processes is asked, many of the posts went to it.
            assert health["records"]["says"] == "cannot be stored"
            lines = (tmp_path / "web.log").read_text().splitlines()
            assert 1 <= sum("could not be stored" in line for line in lines) <= 2, "one line a process"
        assert set(home.post(after)) == {201}
        assert answered(home, "/healthz")[2]["disk"]["ok"]
        found = home.find()
        assert sorted(found.all) == [each.record.answers for each in [*before, *after]]
