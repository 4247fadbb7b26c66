"""The product as `./run demo` starts it: whole, watched, and gone when asked."""

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from privacy import machine_code_cache
from tests import servers
from tests.product import Product, product

pytestmark = pytest.mark.server


SECONDS = 5.0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the account that the product runs under, with the machine code that takes a minute to compile."""
    servers.compile_kernels()
    home, compiled = tmp_path_factory.mktemp("home"), machine_code_cache.cache_folder()
    shutil.copytree(compiled, home / ".cache" / "candor" / compiled.name)
    for folder in (home / ".cache", home / ".cache" / "candor"):
        folder.chmod(0o700)
    return home


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[Product]:
    """As talkative as it can be made, since nothing of a respondent may be in what it says. Ctrl-C ends all of it."""
    with product(tmp_path_factory.mktemp("product"), HOME=str(home), LOG_LEVEL="DEBUG") as started:
        yield started
        family = list(processes(started))
        assert family
        assert started.stop() == 0
        assert not any(map(servers.lives, family))
        assert "Traceback" not in started.logs()


def get(running: Product, path: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(running.url + path, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=servers.PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode()


# The address of a respondent's page, as a request line may write it.
WRITTEN_OTHERWISE = [
    "//a/telltale",
    "/%61/telltale",
    "/%2561/telltale",
    "/a%2ftelltale",
    "/%2fa/telltale",
    "/./a/telltale",
    "/%2e/a/telltale",
    "/x/../a/telltale",
    "/app/surveys/../a/telltale",
    "/app/surveys/%2e%2e/a/telltale",
    "/a/../telltale",
    "/a/../surveys/telltale",
    "/A/telltale",
    "/a;telltale/x",
    "/a\\telltale",
    "/app/surveys\\..\\a\\telltale",
    "/http://candor.example/a/telltale",
    "/a/telltale#telltale",
    "/a/telltale%0d%0atelltale",
    "http://{host}/a/telltale",
    "http://{host}//a/telltale",
    "HTTP://{host}/a/telltale",
    "http://telltale@{host}/a/telltale",
    "//telltale.example/a/telltale",
    "a/telltale",
    "*",
]


def raw(running: Product, method: str, target: str, version: str = "HTTP/1.1") -> bytes:
    """One request whose first line is written as it stands here; the beginning of what comes back."""
    host = f"127.0.0.1:{running.port}"
    length = "Content-Length: 0\r\n" if method == "POST" else ""
    line = f"{method} {target.format(host=host)} {version}"
    head = f"{line}\r\nHost: {host}\r\nX: telltale\r\n{length}Connection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", running.port)) as line_in:
        line_in.settimeout(20)
        line_in.sendall(head.encode())
        return line_in.recv(1000)


def healthy(running: Product) -> bool:
    return get(running, "/healthz")[0] == 200


def processes(running: Product) -> dict[int, str]:
    """The supervisor's descendants: process id -> command line."""
    listing = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listing.splitlines()[1:]]
    family, found = {running.process.pid}, {}
    for pid, parent, words in sorted(rows, key=lambda row: int(row[0])):
        if int(parent) in family:
            family.add(int(pid))
            found[int(pid)] = words
    return found


def test_it_serves_the_sign_in_page_and_says_two_passwords(running: Product) -> None:
    status, page = get(running, "/app/account/sign-in")
    assert status == 200
    assert 'name="password"' in page
    assert set(running.passwords) == {"researcher", "reviewer"}


def test_it_becomes_healthy(running: Product) -> None:
    servers.wait(lambda: healthy(running), "the worker being warm", pause=0.2)
    assert json.loads(get(running, "/healthz")[1])["ok"] is True


def test_a_first_start_makes_all_that_later_ones_begin_with() -> None:
    made = {path.name for path in (servers.first_start() / "var").iterdir()}
    assert {"candor.sqlite3", "secret-key", "static", "static-collected"} <= made


def test_machine_code_alone_is_left_in_the_home_of_the_account(running: Product, home: Path) -> None:
    servers.wait(lambda: healthy(running), "the worker being warm", pause=0.2)
    for folder in (home, servers.first_start() / "home"):
        assert {path.relative_to(folder).parts[:2] for path in folder.rglob("*")} <= {
            (".cache",),
            (".cache", "candor"),
        }


def test_whoever_says_https_is_not_believed_without_a_proxy(running: Product) -> None:
    """A form sent over https would have to say which page it comes from."""
    form, cookie = f"theme=dark&csrfmiddlewaretoken={'c' * 32}", f"candor-csrf={'c' * 32}"
    kind = "application/x-www-form-urlencoded"
    for believed in ("X_Forwarded_Proto", "X_Forwarded_Protocol", "X_Forwarded_SSL"):
        said = {believed: {"X_Forwarded_Protocol": "ssl", "X_Forwarded_SSL": "on"}.get(believed, "https")}
        answer = running.ask(
            "POST", "/app/account/preferences", form, Cookie=cookie, Content_Type=kind, **said
        )
        assert answer.status == 302, believed


def test_static_files_are_hashed_compressed_and_kept(running: Product) -> None:
    manifest = json.loads((running.var / "static" / "staticfiles.json").read_text())["paths"]
    name = next(hashed for plain, hashed in manifest.items() if plain.endswith("tokens.css"))
    request = urllib.request.Request(f"{running.url}/static/{name}", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=servers.PATIENCE) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Cache-Control"] == "max-age=315360000, immutable"
        assert answer.headers["Content-Security-Policy"] == "default-src 'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        # Nobody asks whether it changed, and the page that loads it says what these say.
        unused = {"ETag", "Last-Modified", "Referrer-Policy", "Cross-Origin-Opener-Policy"}
        assert not unused & set(answer.headers)


def test_nothing_of_a_respondent_is_in_any_log(running: Product) -> None:
    telltale = {
        "User-Agent": "telltale-agent",
        "Referer": "https://telltale.example/",
        "Cookie": "session=telltale-cookie",
        "X-Forwarded-For": "198.51.100.77",
        "Accept-Language": "en",
    }
    for path in ("/a/telltale-slug", "/a/telltale-slug/record", "/a/%ff%00telltale", "/a/receipt?telltale=1"):
        get(running, path, **telltale)
    assert raw(running, "GET", "/a/telltale", "HTTP/9.9")
    for method in ("GET", "POST"):
        for target in WRITTEN_OTHERWISE:
            assert raw(running, method, target), target
    said = running.logs() + "".join(running.said)
    for mark in ("telltale", "198.51.100.77", "127.0.0.1 -", '"GET /a/', "/a/"):
        assert mark not in said


def test_what_is_no_respondents_page_is_logged_with_its_path(running: Product) -> None:
    """Otherwise the test above could find nothing."""
    assert get(running, "/app/surveys/no-such-page")[0] == 404
    servers.wait(lambda: "/app/surveys/no-such-page" in running.logs(), "the line in the log")


def pace() -> float:
    """Seconds that this machine takes now to import the product; about one where nothing else runs."""
    load = "import os; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'config.settings'); import config.wsgi"
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", load], check=True, capture_output=True)
    return time.monotonic() - began


@pytest.mark.night
def test_a_second_start_keeps_the_data_and_is_ready_in_five_seconds(tmp_path: Path) -> None:
    """The better of two, without what other programs on the machine took of it; longer where all takes longer.

    Web and worker each import the product, at the same time.
    """
    with product(tmp_path) as first:
        names = {name for name, _ in first.passwords.values()}
    took: list[float] = []
    while len(took) < 2 and not any(seconds < SECONDS for seconds in took):
        with product(tmp_path) as second:
            assert {name for name, _ in second.passwords.values()} == names
            assert get(second, "/app/account/sign-in")[0] == 200
            took.append(second.seconds - second.queued)
    assert min(took) < max(SECONDS, 4 * pace()), took


def test_serve_in_production_says_what_is_missing(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "config.start.server_and_worker",
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
    ]
    done = subprocess.run(
        [*command, str(servers.free_port())],
        cwd=servers.ROOT,
        env=servers.environment(VAR=str(tmp_path)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "SECRET_KEY: not set" in done.stderr
    assert "Traceback" not in done.stderr
