"""Whether an upgrade loses or refuses anybody: two instances of an earlier build, replaced in turn under load.

tests/config/backup/older holds backups, each named by the commit that made it. `./run bench upgrade` takes the files of
that commit from git's history, restores its backup with them on PostgreSQL, and starts two instances of it behind nginx
with the lines of deploy/. Respondents open a page and send a record at a steady rate; meanwhile one instance after the
other is stopped and started with today's files. Then each acknowledged record has to be stored, and all else as it was.
Until 1.0.0 a build may have other tables: then there is no upgrade, and the row is what `restore` says to its backup.
Exit status 1 if a submission was lost or refused. `--make` adds the backup of the last commit, from which the next
version is upgraded.
"""

import argparse
import asyncio
import io
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from bench.markdown import line
from bench.restart import Instance, give_static, in_front, load, two_instances  # it sets Django up
from tests import commands, servers

OLDER = servers.ROOT / "tests/config/backup/older"
KEY = "the key of backups which hold nobody's answers but the bench's own"
SLUG = "upgraded"
FILL = f"""
from surveys.models import Survey
from tests.config.backup.conftest import fill_database
from tests.intake import asked
fill_database()
asks = asked.design()
survey = asked.survey(asks, slug={SLUG!r})
for number in range(30):
    assert asked.post(survey, asked.envelope(asks, number)).status_code == 201
"""
# The modules had other names in earlier builds.
FACTS = """
import json
try:
    from config.backup.survey_and_account_facts import database_facts
except ImportError:
    from config.backup.facts import facts as database_facts
print(json.dumps(database_facts()))
"""
NAMED = f"""
try:
    from config.backup.irreversible_changes_file import hash_survey_slug
except ImportError:
    from config.backup.since import survey_name as hash_survey_slug
print(hash_survey_slug({SLUG!r}))
"""


class Outcome(NamedTuple):
    """`refusals` by status, or by what happened where there was none; `lost` were acknowledged and are not stored;
    `is_kept`: all else is as it was."""

    submissions: int
    refusals: Counter[str]
    lost: int
    is_kept: bool


@contextmanager
def files_of(commit: str) -> Iterator[Path]:
    """The program as it was."""
    words = ["git", "archive", "--format=zip", commit]
    done = subprocess.run(words, cwd=servers.ROOT, capture_output=True)
    if done.returncode:
        raise SystemExit(f"the history here has no commit {commit}; fetch all of it: git fetch --unshallow")
    with tempfile.TemporaryDirectory(prefix="candor-older-") as name:
        with ZipFile(io.BytesIO(done.stdout)) as archive:
            archive.extractall(name)
        yield Path(name)


def make(name: str) -> Path:
    """Add the backup of this commit."""
    words = ["git", "rev-parse", "--short=8", name]
    commit = subprocess.check_output(words, cwd=servers.ROOT, text=True).strip()
    with files_of(commit) as root, tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        env = servers.environment(VAR=var, SECRET_KEY=KEY)
        servers.manage(env, "migrate", "--verbosity=0", root=root)
        servers.manage(env, "shell", "--verbosity=0", "-c", FILL, root=root)
        path = OLDER / f"{commit}.backup"
        servers.manage(env, "backup", str(path), root=root)
    path.chmod(0o644)
    return path


def facts(env: dict[str, str], root: Path) -> tuple[int, dict[str, Any]]:
    """The records of the survey that is answered, and all else that is told of a database."""
    env = servers.environment(**env)
    told = json.loads(servers.manage(env, "shell", "--verbosity=0", "-c", FACTS, root=root))
    named = servers.manage(env, "shell", "--verbosity=0", "-c", NAMED, root=root).strip()
    (answered,) = [row for row in told["surveys"] if row["named"] == named]
    told["surveys"].remove(answered)
    return answered["records"], told


def is_told_still(before: Any, after: Any) -> bool:
    """Whether later facts tell all that earlier ones did; a later build may tell more of an account or a survey."""
    if isinstance(before, dict):
        return before.keys() <= after.keys() and all(is_told_still(before[key], after[key]) for key in before)
    if isinstance(before, list):
        return all(any(is_told_still(one, other) for other in after) for one in before)
    return bool(before == after)


def refusal(path: Path) -> str:
    """Why today's build does not take this backup; empty where it does."""
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        env = servers.environment(VAR=var, SECRET_KEY=KEY)
        done = commands.by_itself(env, "restore", str(path), "--check")
    said = done.stderr.strip().rpartition("\n")[2].removeprefix("CommandError: ")
    return said.replace(str(path), path.name) if done.returncode else ""


def require_migration(env: dict[str, str], name: str) -> None:
    plan = servers.manage(servers.environment(**env), "migrate", "--plan")
    if "No planned migration operations" in plan:
        raise SystemExit(
            f"{name} has today's tables, so nothing would be upgraded: keep one from before a migration"
        )


def replace(instance: Instance) -> None:
    instance.stop()
    instance.root = servers.ROOT
    give_static(Path(instance.env["VAR"]), servers.collected_static())
    instance.start()


def upgrade(
    path: Path, postgres: servers.Postgres, redis: servers.Redis, rate: float, seconds: float
) -> Outcome:
    with files_of(path.stem) as root, tempfile.TemporaryDirectory(prefix="candor-bench-") as name:
        folder, database = Path(name), postgres.create(f"from_{path.stem}")
        instances = two_instances(folder, database, redis.url, KEY, root, two_ports=False)
        own = instances[0].env
        words = ["restore", str(path), "--without-list", "--yes"]
        servers.manage(servers.environment(**own), *words, root=root)
        require_migration(own, path.name)
        began, before = facts(own, root)
        servers.collected_static()
        with in_front(folder, *instances) as port:
            steps = [partial(replace, instance) for instance in instances]
            answers = asyncio.run(load(port, SLUG, rate, seconds, *steps))
        ended, after = facts(own, servers.ROOT)
    submissions = sum(n for (kind, _status), n in answers.items() if kind == "record")
    refusals = Counter[str]()
    for (_kind, status), n in answers.items():
        refusals[status] += n if status not in ("200", "201") else 0
    return Outcome(
        submissions, +refusals, began + answers["record", "201"] - ended, is_told_still(before, after)
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run bench upgrade", description=__doc__)
    parser.add_argument("--rate", type=float, default=10, help="respondents a second")
    parser.add_argument("--seconds", type=float, default=3, help="of load before and after each replacement")
    parser.add_argument("--make", nargs="?", const="HEAD", metavar="COMMIT", help="add its backup, and end")
    args = parser.parse_args()
    if args.make:
        print(make(args.make).relative_to(servers.ROOT))
        return 0
    print(f"{args.rate:g} respondents a second, two instances behind nginx, replaced in turn\n")
    print("| from | submissions | lost | refused | outcome |\n| -- | --: | --: | --: | -- |", flush=True)
    is_well = True
    with servers.postgres() as postgres, servers.redis() as redis:
        for path in sorted(OLDER.glob("*.backup")):
            if reason := refusal(path):
                print(line([path.stem, *"–––", reason]), flush=True)
                continue
            submissions, refusals, lost, is_kept = upgrade(path, postgres, redis, args.rate, args.seconds)
            words = "all rows as before" if is_kept else "other rows differ"
            words += "".join(f", {n} × {status}" for status, n in refusals.items())
            print(line([path.stem, submissions, lost, refusals.total(), words]), flush=True)
            is_well &= is_kept and not lost and not refusals
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
