"""The supervisor, the web server or the worker is killed: nobody is left behind, and the next start goes on."""

from pathlib import Path

import pytest

from tests.product import kill_and_see_all_end, supervised, wait_for_all

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/start/test_serving.py")]


@pytest.mark.parametrize("program", ["config.web_server", "celery", "supervisor"])
@pytest.mark.parametrize("command", ["demo", "serve"])
def test_whoever_is_killed_nobody_is_left_and_the_next_start_goes_on(
    command: str, program: str, tmp_path: Path
) -> None:
    words = [command, "--web", "1", *(["--empty"] if command == "demo" else [])]
    env = {"TICK_SECONDS": "1", **({"PRODUCTION": "no"} if command == "serve" else {})}
    for attempt in range(2):
        with supervised(tmp_path, words, env) as running:
            wait_for_all(running)
            if attempt == 0:
                kill_and_see_all_end(running, program)
