"""The whole product: its packages and files, its start in a folder of its own, and nginx in front of it."""

import ast
import getpass
import http.client
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from config.start.start_preparation import check_port_is_free
from tests import servers

# --- its packages, as pyproject.toml lists them, their files, and the tests by name ---


_project = tomllib.loads((servers.ROOT / "pyproject.toml").read_text())
ROOMS: tuple[str, ...] = tuple(_project["tool"]["importlinter"]["root_packages"])
_SOURCES = (*ROOMS, "static", "r", "docs")


@cache
def files(ending: str) -> tuple[Path, ...]:
    """The product's own, in order; what is installed beside them (.venv, node_modules) is not looked through."""
    top = servers.ROOT.glob(f"*{ending}")
    return tuple(
        sorted([*top, *(file for room in _SOURCES for file in (servers.ROOT / room).rglob(f"*{ending}"))])
    )


@cache
def functions(path: str) -> frozenset[str]:
    """Of a test file, those of its classes as `Class::test`."""
    source = (servers.ROOT / "tests" / path).read_text()
    if not path.endswith(".py"):
        return frozenset(re.findall(r'^test\("(.+?)"', source, re.MULTILINE))
    tree = ast.parse(source)
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return frozenset(found)


def missing_tests(named: Iterable[str]) -> list[str]:
    """Those of these tests, written `file::test`, that are not there; of JavaScript a whole file may be named."""
    missing = []
    for test in named:
        path, _, name = test.partition("::")
        if not (name in functions(path) if name else (servers.ROOT / "tests" / path).exists()):
            missing.append(test)
    return missing


# --- its start, as a newcomer starts it ---


EMPTY = ("demo", "--empty")


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    text: str


def processor_seconds_wanted(pid: int) -> float:
    """Seconds that a process could have worked and waited for a processor that others held."""
    known = Path(f"/proc/{pid}/schedstat")
    return int(known.read_text().split()[1]) / 1e9 if known.exists() else 0.0


@dataclass
class Product:
    """`seconds` until it was ready, and how many of them it was `processor_seconds_wanted` on a busy machine.

    `cookies` are by role those of the first browser in which somebody signed in.
    """

    port: int
    var: Path
    env: dict[str, str]
    process: subprocess.Popen[str]
    seconds: float = 0.0
    queued: float = 0.0
    said: list[str] = field(default_factory=list)
    others: dict[str, tuple[str, str]] = field(default_factory=dict)
    cookies: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def passwords(self) -> dict[str, tuple[str, str]]:
        """Role -> user name and password, as printed at the start, and of the `others` that a test made."""
        rows = [re.fullmatch(r"  (researcher|reviewer) +(\S+) +(\S+)", line.rstrip()) for line in self.said]
        return {row[1]: (row[2], row[3]) for row in rows if row} | self.others

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        """One request as it is written here: nothing is added to it and no redirect followed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=servers.PATIENCE)
        try:
            connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read().decode())
        finally:
            connection.close()

    def logs(self) -> str:
        return "".join(path.read_text() for path in sorted((self.var / "log").glob("*.log")))

    def read_until(self, words: str) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line)
            if words in line:
                return
        raise AssertionError(f"{words!r} was never said: {''.join(self.said)}\n{self.logs()}")

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(servers.PATIENCE)


@contextmanager
def supervise(
    var: Path, words: Sequence[str], env: dict[str, str], root: Path = servers.ROOT
) -> Iterator[Product]:
    """The supervisor at work with these words; what it has said is read by whoever waits for it.

    It begins with the tables and static files that the first start of this run has made.
    """
    port = servers.free_port()
    if root == servers.ROOT:
        servers.share_first_start({**env, "VAR": str(var)})
    elif var.is_dir():
        servers.compile_kernels()
    settings = servers.environment(VAR=str(var), **env)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "config.start.server_and_worker",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            *words,
        ],
        cwd=root,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    running = Product(port, var, settings, process)
    try:
        yield running
    finally:
        running.stop()
        assert process.stdout
        process.stdout.close()


@contextmanager
def product(
    var: Path, words: Sequence[str] = EMPTY, root: Path = servers.ROOT, **env: str
) -> Iterator[Product]:
    began = time.monotonic()
    with supervise(var, words, env, root) as running:
        running.read_until("Ctrl-C")
        running.seconds, running.queued = (
            time.monotonic() - began,
            processor_seconds_wanted(running.process.pid),
        )
        key = var / "secret-key"
        running.env["SECRET_KEY"] = key.read_text() if key.exists() else os.urandom(32).hex()
        yield running


def is_well(running: Product) -> bool:
    try:
        return running.ask("GET", "/healthz").status == 200
    except OSError:
        return False


def wait_for_all(running: Product) -> None:
    """Two first processes and a child of each."""
    servers.wait(
        lambda: is_well(running) and len(servers.family(running.process.pid)) >= 5,
        "the product being well",
        pause=0.2,
    )


def process_of(running: Product, program: str) -> int:
    """The first process of this program, or the supervisor."""
    if program == "supervisor":
        return running.process.pid
    return next(
        pid
        for pid in servers.children(running.process.pid)
        if program in Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    )


def kill_and_see_all_end(running: Product, program: str) -> None:
    everybody = servers.family(running.process.pid)[1:]
    os.kill(process_of(running, program), signal.SIGKILL)
    assert running.process.wait(servers.PATIENCE) == (-signal.SIGKILL if program == "supervisor" else 1)
    servers.wait(lambda: not any(map(servers.is_process_alive, everybody)), "all of them ending")
    # The port is free: the next start goes on.
    check_port_is_free("127.0.0.1", running.port)


# --- a real nginx with the blocks of deploy/, in front of two instances ---


NGINX_BLOCK, NGINX_UPSTREAM = (
    (servers.ROOT / f"deploy/{name}.conf").read_text(encoding="utf-8") for name in ("nginx", "nginx-upstream")
)
NGINX_HOST = "survey.example.org"
NGINX_CONNECTIONS = 4_096
"""Of nginx: each request takes two. With its default of 512 it closes the others unanswered from 257 at once on."""


@contextmanager
def nginx(
    folder: Path, one: int, other: int, *, respondents: tuple[int, int] | None = None, tls: bool = True
) -> Iterator[int]:
    """In front of two instances; `respondents`: their ports for these, where they have some."""
    uncached = f"127.0.0.1:{servers.free_port()}"
    (folder / "block.conf").write_text(NGINX_BLOCK.replace("127.0.0.1:8090", uncached))
    upstream = NGINX_UPSTREAM.replace("127.0.0.1:8000", f"127.0.0.1:{one}")
    upstream = upstream.replace("127.0.0.1:8001", f"127.0.0.1:{other}")
    for written, port in zip((8100, 8101), respondents or (one, other), strict=True):
        upstream = upstream.replace(f"127.0.0.1:{written}", f"127.0.0.1:{port}")
    upstream = upstream.replace("/run/candor-files", f"{folder}/files").replace("127.0.0.1:8090", uncached)
    keys = ""
    if tls:
        certificate = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        certificate += [
            "-subj",
            f"/CN={NGINX_HOST}",
            "-addext",
            f"subjectAltName=DNS:{NGINX_HOST},IP:127.0.0.1",
            "-keyout",
            f"{folder}/key.pem",
            "-out",
            f"{folder}/cert.pem",
        ]
        subprocess.run(certificate, check=True, capture_output=True)
        keys = f"ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;"
    server = f"server_name {NGINX_HOST}; {keys} include {folder}/block.conf;"
    with running_nginx(folder, upstream, server, " ssl" if tls else "") as port:
        yield port


@contextmanager
def reusing_connections(folder: Path, behind: int) -> Iterator[int]:
    """In front of one server, over connections that carry one request after the other; without TLS."""
    server = 'location / { proxy_pass http://one; proxy_http_version 1.1; proxy_set_header Connection ""; }'
    with running_nginx(folder, f"upstream one {{ server 127.0.0.1:{behind}; keepalive 1; }}", server) as port:
        yield port


@contextmanager
def running_nginx(folder: Path, upstream: str, server: str, kind: str = "") -> Iterator[int]:
    port = servers.free_port()
    temporary = "\n".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"user {getpass.getuser()}; daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"worker_rlimit_nofile {2 * NGINX_CONNECTIONS}; events {{ worker_connections {NGINX_CONNECTIONS}; }}\n"
        f"http {{ access_log {folder}/access.log; {temporary}\n{upstream}\n"
        f"server {{ listen 127.0.0.1:{port}{kind}; {server} }} }}"
    )
    process = subprocess.Popen(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
    try:
        servers.wait(lambda: servers.is_port_listening(port), "nginx listening")
        yield port
    finally:
        process.terminate()
        process.wait(servers.PATIENCE)
