"""The whole proof of a product that runs, on both databases: a real server, a real browser, a real report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proof.browser_visit import browser_problem
from tests import commands, servers
from tests.intake import asked
from tests.intake.conftest import LiveServer, LiveSurvey, live_server
from tests.proof.conftest import LASTING, SECTIONS

pytestmark = [pytest.mark.server, pytest.mark.browser, pytest.mark.night(smaller="proof/test_command.py")]


Opened = Callable[[LiveServer], LiveSurvey]


def everything_holds(folder: Path, opened: Opened, settings: dict[str, str]) -> dict[str, Any]:
    """The report of the survey that is opened on a new server."""
    # Folders and logs that are open to others would be found.
    var = folder / "var"
    var.mkdir(mode=0o700)
    with live_server(var, settings, pages=True) as server:
        (var / "web.log").chmod(0o600)
        survey = opened(server)
        address = f"http://127.0.0.1:{server.port}"
        out = folder / "out"
        done = commands.by_itself(server.env, "prove", survey.slug, "--address", address, "--out", str(out))
        terminals = done.stderr + (var / "web.log").read_text()
    report: dict[str, Any]
    (report,) = (json.loads(path.read_text()) for path in out.glob("*.json"))
    assert [check for check in report["checks"] if check["result"] != "held"] == []
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in terminals
    return report


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_proof_of_a_rehearsal_passes_every_check(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    assert browser_problem() == ""
    settings = {}
    if database == "postgresql":
        postgres: servers.Postgres = request.getfixturevalue("postgres")
        settings["DATABASE_URL"] = postgres.create("proof", postgres.migrated())
    everything_holds(
        tmp_path, lambda server: server.open_survey(asked.make_design(*SECTIONS, rehearsal=True)), settings
    )


def test_proof_of_a_lasting_rehearsal_passes_every_check(tmp_path: Path) -> None:
    everything_holds(
        tmp_path, lambda server: server.open_survey(asked.make_design(*LASTING, rehearsal=True)), {}
    )


def test_proof_of_an_exchange_rehearsal_passes_every_check(tmp_path: Path) -> None:
    def open_exchange_survey(server: LiveServer) -> LiveSurvey:
        key = asked.signing_key().public.text
        survey = server.open_survey(
            asked.make_design(*SECTIONS, rehearsal=True, invitation_key=key), tokens=100
        )
        survey.shell(asked.STORE_KEY.format(survey=survey.survey, primes=asked.primes()))
        return survey

    report = everything_holds(tmp_path, open_exchange_survey, {})
    (submission,) = (check for check in report["checks"] if check["name"] == "submission")
    assert "with a token that the exchange did not hold" in json.dumps(submission)
