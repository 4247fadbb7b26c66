"""Whether a restart refuses anybody: two instances behind nginx on one PostgreSQL, restarted in turn under load.

`./run bench restart` starts both with the lines of deploy/nginx.conf and deploy/nginx-upstream.conf. Respondents open a
page and send a record at a steady rate, each once and on connections of their own; meanwhile one instance after the
other is stopped and started again. Whoever gets no page, or no word that the record is stored, was refused. Exit
status 1 if anybody was.
"""

import argparse
import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from pathlib import Path

from bench.load import answer, arrive, record, request, shell, status  # it sets Django up
from tests import servers
from tests.config.proxied import OURS, nginx
from tests.intake import asked

Answers = Counter[tuple[str, str]]
"""By what was asked for and the status, or what happened where there is none."""
STAGE = """
from accounts.models import Person
from tests.intake import asked
person = Person.objects.create_superuser("robin", "robin@example.org", "a long password 1")
print("slug", asked.survey(asked.design(), owner=person).slug)
"""


class Instance:
    """`./run serve` with one web process for each port and a folder of its own; `root` is the program's.
    `respondents_port`: where it has one."""

    def __init__(
        self, folder: Path, env: dict[str, str], root: Path = servers.ROOT, *, two_ports: bool = False
    ) -> None:
        self.port, self.env, self.root = servers.free_port(), {**env, "VAR": str(folder)}, root
        self.respondents_port = servers.free_port() if two_ports else None
        self.log = folder / "instance.log"
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o700, exist_ok=True)
        if root == servers.ROOT:
            servers.share_first_start(self.env)

    def start(self) -> None:
        words = ["--host", "127.0.0.1", "--port", str(self.port), "serve", "--web", "1", "--workers", "0"]
        words += ["--respondents-port", str(self.respondents_port)] if self.respondents_port else []
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "config.start.supervisor", *words],
                cwd=self.root,
                env=servers.environment(**self.env),
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        process = self.process
        servers.wait(
            lambda: process.poll() is not None or servers.listening(self.port), "the instance listening"
        )

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)

    def restart(self) -> None:
        self.stop()
        self.start()


def give_static(var: Path, collected: Path) -> None:
    """What a start would collect in half a minute, of the same files."""
    shutil.rmtree(var / "static", ignore_errors=True)
    shutil.copytree(collected / "static", var / "static")
    shutil.copy(collected / "static-collected", var)


@contextmanager
def in_front(folder: Path, instances: list[Instance]) -> Iterator[int]:
    """The port of nginx in front of both, which are started, and stopped in the end."""
    (folder / "nginx").mkdir()
    first, second = instances
    theirs = (first.respondents_port or first.port, second.respondents_port or second.port)
    try:
        first.start()
        give_static(Path(second.env["VAR"]), Path(first.env["VAR"]))
        second.start()
        with nginx(folder / "nginx", first.port, second.port, respondents=theirs) as port:
            yield port
    finally:
        for instance in instances:
            instance.stop()


async def under_load(
    port: int, slug: str, rate: float, seconds: float, *steps: Callable[[], object]
) -> Answers:
    """What respondents are answered who come at this rate, while one step after the other is done."""
    answers: Answers = Counter()
    over = asyncio.Event()

    async def ask(kind: str, sent: bytes) -> None:
        try:
            outcome = status(await answer(port, sent, tls=True)) or "IncompleteReadError"
        except OSError as error:
            outcome = type(error).__name__
        answers[kind, outcome] += 1

    async def respondent(_number: int, _due: float) -> None:
        await ask("page", request(f"GET /a/{slug}", "Connection: close", host=OURS))
        body = asked.envelope(asked.design()).json
        await ask("record", record(slug, body, "Connection: close", host=OURS))

    moments = takewhile(lambda _moment: not over.is_set(), (number / rate for number in count()))
    loading = asyncio.create_task(arrive(moments, respondent))
    for step in steps:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(step)
    await asyncio.sleep(seconds)
    over.set()
    await loading
    return answers


def environment(
    postgres: servers.Postgres, redis: servers.Redis, name: str, template: str, key: str
) -> dict[str, str]:
    """Of two instances that share all but their folders."""
    return {
        "DATABASE_URL": postgres.create(name, template),
        "REDIS_URL": redis.url,
        "SECRET_KEY": key,
        "ALLOWED_HOSTS": OURS,
        "BEHIND_PROXY": "yes",
        "PRODUCTION": "yes",
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench restart", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="how often each instance is restarted")
    parser.add_argument("--rate", type=float, default=10, help="respondents a second")
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="candor-bench-") as name,
        servers.postgres() as postgres,
        servers.redis() as redis,
    ):
        folder = Path(name)
        env = environment(postgres, redis, "restart", postgres.migrated(), os.urandom(32).hex())
        instances = [Instance(folder / name, env, two_ports=True) for name in ("one", "other")]
        with in_front(folder, instances) as port:
            slug = shell(instances[0].env | servers.environment(), STAGE).split("slug ")[1].split()[0]
            steps = [instance.restart for instance in instances * args.times]
            answers = asyncio.run(under_load(port, slug, args.rate, 2, *steps))
    print(f"{2 * args.times} restarts, {args.rate:g} respondents a second\n")
    print("| asked for | times | answered | refused |\n| -- | --: | --: | -- |")
    refused = 0
    for kind, well in (("page", "200"), ("record", "201")):
        outcomes = Counter({outcome: number for (of, outcome), number in answers.items() if of == kind})
        total, answered = outcomes.total(), outcomes.pop(well, 0)
        refused += total - answered
        words = ", ".join(f"{number} × {outcome}" for outcome, number in outcomes.items())
        print(f"| {kind} | {total} | {answered} | {words or '0'} |")
    raise SystemExit(refused > 0)


if __name__ == "__main__":
    main()
