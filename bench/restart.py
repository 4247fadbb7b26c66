"""Whether a restart refuses anybody: two instances behind nginx on one PostgreSQL, restarted in turn under load.

`./run bench restart` starts both with the lines of deploy/nginx.conf and deploy/nginx-upstream.conf. Respondents open a
page and send a record at a steady rate, each once and on connections of their own; meanwhile one instance after the
other is stopped and started again. Whoever gets no page, or no word that the record is stored, was refused. Exit
status 1 if anybody was.
"""

import argparse
import asyncio
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from pathlib import Path

from bench.load import answer, arrive, open_survey, record, request, status  # it sets Django up
from tests import servers
from tests.intake import asked
from tests.product import NGINX_HOST, nginx

Answers = Counter[tuple[str, str]]
"""By what was asked for and the status, or what happened where there is none."""


class Instance:
    """`./run serve` with one web process for each port and a folder of its own; `root` is the program's.
    `respondents_port`: that of staff unless it has two."""

    def __init__(self, folder: Path, env: dict[str, str], root: Path, *, two_ports: bool) -> None:
        self.port, self.env, self.root = servers.free_port(), {**env, "VAR": str(folder)}, root
        self.respondents_port = servers.free_port() if two_ports else self.port
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(mode=0o700)
        if root == servers.ROOT:
            servers.share_first_start(self.env)

    def start(self) -> None:
        words = ["--host", "127.0.0.1", "--port", str(self.port), "serve", "--web", "1", "--workers", "0"]
        if self.respondents_port != self.port:
            words += ["--respondents-port", str(self.respondents_port)]
        words, env = (
            [sys.executable, "-m", "config.start.server_and_worker", *words],
            servers.environment(**self.env),
        )
        with Path(self.env["VAR"], "instance.log").open("w") as log:
            process = subprocess.Popen(words, cwd=self.root, env=env, stdout=log, stderr=log)
        self.process = process
        servers.wait(
            lambda: process.poll() is not None or servers.is_port_listening(self.port),
            "the instance listening",
        )

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
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
def in_front(folder: Path, first: Instance, second: Instance) -> Iterator[int]:
    """The port of nginx in front of both, which are started, and stopped in the end."""
    (folder / "nginx").mkdir()
    respondents = (first.respondents_port, second.respondents_port)
    try:
        first.start()
        give_static(Path(second.env["VAR"]), Path(first.env["VAR"]))
        second.start()
        with nginx(folder / "nginx", first.port, second.port, respondents=respondents) as port:
            yield port
    finally:
        first.stop()
        second.stop()


async def load(port: int, slug: str, rate: float, seconds: float, *steps: Callable[[], object]) -> Answers:
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
        await ask("page", request(f"GET /a/{slug}", "Connection: close", host=NGINX_HOST))
        body = asked.envelope(asked.design()).json
        await ask("record", record(slug, body, "Connection: close", host=NGINX_HOST))

    moments = takewhile(lambda _moment: not over.is_set(), (number / rate for number in count()))
    loading = asyncio.create_task(arrive(moments, respondent))
    for step in steps:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(step)
    await asyncio.sleep(seconds)
    over.set()
    await loading
    return answers


def two_instances(
    folder: Path, database: str, redis: str, key: str, root: Path = servers.ROOT, *, two_ports: bool
) -> list[Instance]:
    """They share all but their folders."""
    env = {"DATABASE_URL": database, "REDIS_URL": redis, "SECRET_KEY": key, "ALLOWED_HOSTS": NGINX_HOST}
    env |= {"BEHIND_PROXY": "yes", "PRODUCTION": "yes"}
    return [Instance(folder / name, env, root, two_ports=two_ports) for name in ("first", "second")]


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
        folder, database = Path(name), postgres.create("restart", postgres.migrated())
        instances = two_instances(folder, database, redis.url, secrets.token_hex(32), two_ports=True)
        with in_front(folder, *instances) as port:
            _survey, slug = open_survey(instances[0].env | servers.environment(), asked.design())
            steps = [instance.restart for instance in instances * args.times]
            answers = asyncio.run(load(port, slug, args.rate, 2, *steps))
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
