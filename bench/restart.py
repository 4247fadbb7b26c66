"""Whether a restart refuses anybody: two instances behind nginx on one PostgreSQL, restarted in turn under load.

`./run bench restart` starts both with the lines of deploy/nginx.conf and deploy/nginx-upstream.conf. Respondents open a
page and send a record at a steady rate, each once and on connections of their own; meanwhile one instance after the
other is stopped and started again. Whoever gets no page, or no word that the record is stored, was refused. Exit
status 1 if anybody was.
"""

import argparse
import asyncio
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django

# What the tests share of surveys needs models, which need settings.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
from tests import servers  # noqa: E402
from tests.config.proxied import OURS, nginx  # noqa: E402
from tests.intake import asked  # noqa: E402

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
        servers.wait(lambda: self.has_ended or servers.listening(self.port), "the instance listening")

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


@contextmanager
def two(folder: Path, env: dict[str, str]) -> Iterator[list[Instance]]:
    instances = [Instance(folder / name, env, two_ports=True) for name in ("one", "other")]
    try:
        for instance in instances:
            instance.start()
        yield instances
    finally:
        for instance in instances:
            instance.stop()


@contextmanager
def in_front(folder: Path, instances: list[Instance]) -> Iterator[int]:
    first, second = instances
    theirs = (first.respondents_port or first.port, second.respondents_port or second.port)
    with nginx(folder, first.port, second.port, respondents=theirs) as port:
        yield port


async def exchange(port: int, request: str) -> str:
    """The status; what happened where there is none."""
    anything = ssl._create_unverified_context()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=anything)
        writer.write(request.encode())
        status = (await reader.readuntil(b"\r\n")).split()[1].decode()
        await reader.read()
        writer.close()
    except (OSError, asyncio.IncompleteReadError) as error:
        return type(error).__name__
    return status


async def respondent(port: int, slug: str, body: str, answers: Counter[tuple[str, str]]) -> None:
    head = f"Host: {OURS}\r\nConnection: close\r\n"
    answers["page", await exchange(port, f"GET /a/{slug} HTTP/1.1\r\n{head}\r\n")] += 1
    head += (
        f"Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nContent-Length: {len(body)}\r\n"
    )
    answers["record", await exchange(port, f"POST /a/{slug}/record HTTP/1.1\r\n{head}\r\n{body}")] += 1


async def load(port: int, slug: str, rate: float, over: asyncio.Event) -> Counter[tuple[str, str]]:
    answers: Counter[tuple[str, str]] = Counter()
    begin = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        for number in range(1_000_000):
            if over.is_set():
                break
            await asyncio.sleep(begin + number / rate - time.monotonic())
            tasks.create_task(respondent(port, slug, asked.envelope(asked.design()).json, answers))
    return answers


async def restarted(
    instances: list[Instance], port: int, slug: str, rate: float, times: int
) -> Counter[tuple[str, str]]:
    over = asyncio.Event()
    loading = asyncio.create_task(load(port, slug, rate, over))
    for instance in instances * times:
        await asyncio.sleep(2)
        await asyncio.to_thread(instance.stop)
        await asyncio.to_thread(instance.start)
    await asyncio.sleep(2)
    over.set()
    return await loading


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
        (folder / "nginx").mkdir()
        env = {
            "DATABASE_URL": postgres.create("restart", postgres.migrated()),
            "REDIS_URL": redis.url,
            "SECRET_KEY": os.urandom(32).hex(),
            "ALLOWED_HOSTS": OURS,
            "BEHIND_PROXY": "yes",
            "PRODUCTION": "yes",
        }
        with two(folder, env) as instances, in_front(folder / "nginx", instances) as port:
            made = servers.manage(
                instances[0].env | servers.environment(), "shell", "--verbosity=0", "-c", STAGE
            )
            slug = made.split("slug ")[1].split()[0]
            answers = asyncio.run(restarted(instances, port, slug, args.rate, args.times))
    print(f"{2 * args.times} restarts, {args.rate:g} respondents a second\n")
    print("| asked for | times | answered | refused |\n| -- | --: | --: | -- |")
    refused = 0
    for kind, well in (("page", "200"), ("record", "201")):
        told = {status: number for (of, status), number in answers.items() if of == kind}
        others = {status: number for status, number in told.items() if status != well}
        refused += sum(others.values())
        words = ", ".join(f"{number} × {status}" for status, number in others.items())
        print(f"| {kind} | {sum(told.values())} | {told.get(well, 0)} | {words or '0'} |")
    raise SystemExit(refused > 0)


if __name__ == "__main__":
    main()
