"""A field device of node with the product's own modules, against a real server: no record is lost or doubled."""

import random
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from tests import servers
from tests.intake import asked
from tests.intake.conftest import Found, LiveServer, LiveSurvey, device_lines, set_up_program, start_device

pytestmark = pytest.mark.server
SPENT = 5


@dataclass
class Device:
    """One that asks and uploads until `interviews` people were asked in all."""

    at: LiveSurvey
    folder: Path
    design: Path
    ticket: str
    seed: int = 1

    def start(self, interviews: int) -> "subprocess.Popen[str]":
        server = {"server": f"http://127.0.0.1:{self.at.port}", "slug": self.at.slug, "ticket": self.ticket}
        files = {"design": str(self.design), "folder": str(self.folder)}
        pace = {"interviews": interviews, "seed": self.seed, "together": 5, "pace": 0.02}
        return start_device(server | files | pace)

    def run(self, interviews: int) -> list[dict[str, Any]]:
        process = self.start(interviews)
        said, _ = process.communicate(timeout=servers.PATIENCE)
        assert process.returncode == 0
        return device_lines(said)

    def killed_after(self, lines: int, seconds: float, interviews: int) -> list[dict[str, Any]]:
        """Killed so many seconds after it has told so many lines."""
        process = self.start(interviews)
        assert process.stdout
        told = [process.stdout.readline() for _line in range(lines)]
        sleep(seconds)
        process.kill()
        return device_lines("".join([*told, process.communicate()[0]]))


def device(server: LiveServer, folder: Path, people: int) -> Device:
    design = asked.field_design()
    at = server.open_survey(design)
    program = set_up_program(at.survey, people)
    ticket = at.shell(f"{program}print(tickets[0])").strip()
    path = folder / "design.json"
    path.write_text(design.canonical)
    return Device(at, folder / "tablet", path, ticket)


def is_there(found: Found, receipt: dict[str, Any]) -> bool:
    return found.hash_of(HashedTextKind.KEY, f"{NO_EPOCH} {receipt['key']}") in found.keys


@pytest.mark.parametrize(("people", "kills"), [(20, 4), pytest.param(60, 8, marks=pytest.mark.night)])
def test_repeatedly_killed_device_loses_and_doubles_no_record(
    server: LiveServer, tmp_path: Path, people: int, kills: int
) -> None:
    tablet = device(server, tmp_path, people)
    chance = random.Random(7)
    told: list[dict[str, Any]] = []
    # While it is setting itself up or fetching tokens, then while it is asking or uploading.
    told += tablet.killed_after(0, chance.uniform(0.2, 1), people)
    for _time in range(kills - 1):
        told += tablet.killed_after(chance.randrange(1, 8), chance.uniform(0, 0.1), people)
    told += tablet.run(people)
    receipts = [line for line in told if "receipt" in line]
    found = tablet.at.find()
    assert all(is_there(found, receipt) for receipt in receipts)
    # A record's submission key and its token.
    assert len(found.keys) == len(set(found.keys)) == 2 * len(found.all_records)
    # A kill between the flush and the receipt leaves a record without one.
    assert 0 <= len(found.all_records) - len(receipts) <= kills
    assert not Counter(receipt["answers"] for receipt in receipts) - Counter(found.all_records)
    assert told[-1]["over"]["token"] == told[-1]["over"]["record"] == 0
    assert not [line for line in told if "kept" in line]


def test_two_devices_with_one_folder_use_each_token_once(server: LiveServer, tmp_path: Path) -> None:
    first = device(server, tmp_path, 20)
    first.run(0)
    second = replace(first, folder=tmp_path / "copy", seed=2)
    shutil.copytree(first.folder, second.folder)
    stored, again = first.run(20), second.run(20)
    found = first.at.find()
    assert len([line for line in stored if "arrived" in line]) == len(found.all_records) == 20
    assert all(is_there(found, line) for line in stored if "receipt" in line)
    # The copy keeps all its records and says why.
    assert Counter(line["state"] for line in again if "kept" in line) == {SPENT: 20}
    assert again[-1]["over"]["spent"] == 20
    assert not any(is_there(found, line) for line in again if "receipt" in line)
