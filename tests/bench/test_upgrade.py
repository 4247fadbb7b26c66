"""`./run bench upgrade`: earlier builds whose backups lie in tests/config/backup/older, in short."""

import re
import subprocess
import sys

import pytest

from bench import upgrade
from tests import servers

pytestmark = [pytest.mark.server, pytest.mark.night(smaller="config/test_migration_files.py")]

UPGRADED = r"\d+ \| 0 \| 0 \| all rows as before"
REFUSED = r"– \| – \| – \| \S+ was made by an earlier development version of Candor: restore it with that one"


def test_earlier_build_is_upgraded_under_load_without_loss_or_refused() -> None:
    words = [sys.executable, "-m", "bench.upgrade", "--rate", "5", "--seconds", "1"]
    env = servers.environment()
    done = subprocess.run(words, cwd=servers.ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    rows = dict(re.findall(r"^\| (\w{8}) \| (.*) \|$", done.stdout, re.MULTILINE))
    older = servers.ROOT / "tests/config/backup/older"
    assert rows.keys() == {path.stem for path in older.glob("*.backup")}
    assert all(re.fullmatch(f"{UPGRADED}|{REFUSED}", row) for row in rows.values())


def test_backup_of_current_tables_is_refused_by_the_upgrade_bench() -> None:
    with servers.folder() as var:
        env = servers.environment(VAR=str(var / "var"), SECRET_KEY=upgrade.KEY)
        servers.prepare(env)
        with pytest.raises(SystemExit, match=r"^x\.backup has today's tables"):
            upgrade.require_migration(env, "x.backup")
