"""Field devices beside the respondents of a soak: each asks, uploads, and is killed and started again at any moment."""

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from privacy.designs import Design
from tests.intake import live_survey
from tests.soak.load import Check, none
from tests.soak.system import PATIENCE, Console, Stored

DEVICES = 5
BETWEEN = (2.0, 20.0)
"""Seconds between two kills."""


def set_up(console: Console, survey: int, people: int) -> list[str]:
    """The tickets of the devices, each of which may ask so many people."""
    program = live_survey.set_up_program(survey, people, DEVICES)
    tickets: list[str] = console.ask(f"{program}said = tickets")
    return tickets


class FieldDevices(Thread):
    """Every few seconds one of them is killed and started again; after `stop` each asks and sends to its end."""

    def __init__(
        self, port: int, design: Design, slug: str, tickets: list[str], folder: Path, seed: int, people: int
    ) -> None:
        super().__init__(name="field devices", daemon=True)
        self.random, self.enough, self.kills = Random(seed), Event(), 0
        self.told: list[dict[str, Any]] = []
        self.left: list[dict[str, int]] = []
        folder.mkdir()
        path = folder / "design.json"
        path.write_text(design.canonical)
        shared = {
            "server": f"http://127.0.0.1:{port}",
            "slug": slug,
            "design": str(path),
            "interviews": people,
        }
        self.asked = [
            {**shared, "ticket": ticket, "folder": str(folder / str(n)), "seed": n, "together": 5}
            for n, ticket in enumerate(tickets)
        ]

    def run(self) -> None:
        running = [live_survey.start_device(asked) for asked in self.asked]
        while not self.enough.wait(self.random.uniform(*BETWEEN)):
            killed = self.random.randrange(len(running))
            running[killed].kill()
            self.kills += 1
            self._read(running[killed])
            running[killed] = live_survey.start_device(self.asked[killed])
        for process in running:
            process.kill()
            self.kills += 1
            self._read(process)

    def stop(self) -> None:
        self.enough.set()
        self.join()
        # Without pauses, so that nobody waits for them.
        last = [live_survey.start_device(asked | {"pace": 0.02}) for asked in self.asked]
        end = time.monotonic() + PATIENCE
        for process in last:
            said = self._read(process, max(1.0, end - time.monotonic()))
            self.left.append(said[-1].get("over", {}) if said else {})

    def _read(self, process: "subprocess.Popen[str]", patience: float = PATIENCE) -> list[dict[str, Any]]:
        text, _ = process.communicate(timeout=patience)
        said = live_survey.device_lines(text)
        self.told += said
        return said


def of_field_devices(devices: FieldDevices, stored: Stored) -> Iterator[Check]:
    """Of the survey of the devices: a kill between the flush and the receipt leaves a record without one."""
    receipts = [line for line in devices.told if "receipt" in line]
    secret, keys = bytes.fromhex(stored.secret), Counter(stored.keys)
    lost = [
        line["receipt"][:8]
        for line in receipts
        if hash_with_secret(secret, HashedTextKind.KEY, f"{NO_EPOCH} {line['key']}").hex() not in keys
    ]
    yield Check("field devices", "", f"{len(devices.asked)}, killed {devices.kills} times", True)
    yield none("receipts of field devices whose record is not stored", lost, f" of {len(receipts):,}")
    yield none(
        "keys and tokens of field devices stored more than once", [k for k, n in keys.items() if n > 1]
    )
    unpaired = [] if len(keys) == 2 * len(stored.all) else [f"{len(keys)} hashes, {len(stored.all)} records"]
    yield none("records of field devices without their key and token, or the reverse", unpaired)
    more = len(stored.all) - len(receipts)
    yield Check(
        "records of field devices without a receipt",
        f"at most one a kill, {devices.kills}",
        f"{more:,} of {len(stored.all):,}",
        0 <= more <= devices.kills,
    )
    waiting = [left for left in devices.left if left.get("record") != 0 or left.get("token") != 0]
    yield none("field devices that kept a record or a token to the end", waiting)
    yield none("records that field devices were refused", [line for line in devices.told if "kept" in line])
