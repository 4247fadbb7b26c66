"""A browser that ends or hangs makes a test fail with a name, and leaves nothing behind."""

import os
import signal
from pathlib import Path

import pytest

from tests import servers
from tests.engines.webdriver import PHONE, Driver, Failure

pytestmark = [pytest.mark.apart, pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_webdriver_command_without_an_answer_is_named_and_ends_the_browser(
    engine: type[Driver], tmp_path: Path, number: signal.Signals
) -> None:
    driver = engine(tmp_path / "profile", "en", PHONE)
    pids = [pid for process in driver.processes for pid in servers.family(process.pid)]
    assert len(pids) > 3
    driver.patience = 1
    os.kill(driver.processes[-1].pid, number)
    with pytest.raises(Failure, match=f"no answer: {driver.name} to GetCurrentURL"):
        driver.command("GetCurrentURL")
    servers.wait(lambda: not any(map(servers.is_process_alive, pids)), "all of them ending")
