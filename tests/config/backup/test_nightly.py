"""The units of deploy/ as systemd would run them: a backup, and its check, which /healthz and the metrics tell."""

import re
import shlex
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests import servers
from tests.config.backup.instance import Instance

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/backup/test_restoring.py")]
BACKUPS = """
import json
from config.backup.models import Backup
print(json.dumps([Backup.last_made(), Backup.last_checked()], default=str))
"""


def start(unit: str, instance: Instance, folder: Path) -> None:
    """Its commands, with our folders in the places of the installation's."""
    text = (servers.ROOT / f"deploy/{unit}.service").read_text().replace("$$", "$").replace("%%", "%")
    for line in re.findall(r"^Exec\w+=(.+)$", text.replace("/var/backups/candor", str(folder)), re.MULTILINE):
        subprocess.run(shlex.split(line), cwd=servers.ROOT, env=instance.env, check=True, capture_output=True)


def test_a_night_leaves_one_more_backup_and_tells_that_it_was_checked(
    embedded: Instance, tmp_path: Path
) -> None:
    embedded.shell("from tests.cast import somebody; somebody('olga')")
    assert embedded.shell(BACKUPS) == [None, None]
    folder = tmp_path / "backups"
    folder.mkdir()
    start("candor-backup", embedded, folder)
    (file,) = folder.iterdir()
    made, checked = embedded.shell(BACKUPS)
    assert checked is None
    start("candor-drill", embedded, folder)
    assert embedded.shell(BACKUPS)[0] == made
    checked = datetime.fromisoformat(embedded.shell(BACKUPS)[1])
    assert checked > datetime.fromisoformat(made)
    assert datetime.now(UTC) > checked
    assert [*folder.iterdir()] == [file]


def test_a_backup_that_was_altered_fails_the_check_and_is_not_told_as_checked(
    embedded: Instance, tmp_path: Path
) -> None:
    embedded.shell("from tests.cast import somebody; somebody('olga')")
    folder = tmp_path / "backups"
    folder.mkdir()
    start("candor-backup", embedded, folder)
    (file,) = folder.iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(subprocess.CalledProcessError):
        start("candor-drill", embedded, folder)
    assert embedded.shell(BACKUPS)[1] is None
