"""The product as `./run demo` starts it: whole, watched, and gone when asked."""

import http.client
import json
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from privacy import machine_code_cache
from tests import servers
from tests.config.conftest import python
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
        family = servers.family(started.process.pid)[1:]
        assert family
        assert started.stop() == 0
        assert not any(map(servers.lives, family))
        assert "Traceback" not in started.logs()


def get(running: Product, path: str, **headers: str) -> tuple[int, str]:
    answer = running.ask("GET", path, **headers)
    return answer.status, answer.text


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
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as line_in:
        line_in.sendall(head.encode())
        return line_in.recv(1000)


def test_it_serves_the_sign_in_page_says_two_passwords_and_becomes_healthy(
    running: Product, home: Path
) -> None:
    """It leaves machine code alone in the home of its account; a first start makes all that later ones begin with."""
    status, page = get(running, "/app/account/sign-in")
    assert (status, 'name="password"' in page) == (200, True)
    assert set(running.passwords) == {"researcher", "reviewer"}
    servers.wait(lambda: get(running, "/healthz")[0] == 200, "the worker being warm", pause=0.2)
    assert json.loads(get(running, "/healthz")[1])["ok"] is True
    for folder in (home, servers.first_start() / "home"):
        left = {path.relative_to(folder).parts[:2] for path in folder.rglob("*")}
        assert left <= {(".cache",), (".cache", "candor")}
    made = {path.name for path in (servers.first_start() / "var").iterdir()}
    assert {"candor.sqlite3", "secret-key", "static", "static-collected"} <= made


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
    answer = http.client.HTTPConnection("127.0.0.1", running.port, timeout=servers.PATIENCE)
    answer.request("GET", f"/static/{name}", headers={"Accept-Encoding": "gzip"})
    headers = answer.getresponse().headers
    answer.close()
    expected = {
        "Content-Encoding": "gzip",
        "Cache-Control": "max-age=315360000, immutable",
        "Content-Security-Policy": "default-src 'none'",
        "X-Content-Type-Options": "nosniff",
    }
    assert {header: headers[header] for header in expected} == expected
    # Nobody asks whether it changed, and the page that loads it says what these say.
    assert not {"ETag", "Last-Modified", "Referrer-Policy", "Cross-Origin-Opener-Policy"} & set(headers)


def test_nothing_of_a_respondent_is_in_any_log(running: Product) -> None:
    telltale = {
        "User_Agent": "telltale-agent",
        "Referer": "https://telltale.example/",
        "Accept_Language": "en",
    }
    telltale |= {"Cookie": "session=telltale-cookie", "X_Forwarded_For": "198.51.100.77"}
    for path in ("/a/telltale-slug", "/a/telltale-slug/record", "/a/%ff%00telltale", "/a/receipt?telltale=1"):
        get(running, path, **telltale)
    assert raw(running, "GET", "/a/telltale", "HTTP/9.9")
    for method in ("GET", "POST"):
        for target in WRITTEN_OTHERWISE:
            assert raw(running, method, target), target
    said = running.logs() + "".join(running.said)
    for mark in ("telltale", "198.51.100.77", "127.0.0.1 -", '"GET /a/', "/a/"):
        assert mark not in said
    # What is no respondent's page is logged with its path; otherwise this could find nothing.
    assert get(running, "/app/surveys/no-such-page")[0] == 404
    servers.wait(lambda: "/app/surveys/no-such-page" in running.logs(), "the line in the log")


def pace() -> float:
    """Seconds that this machine takes now to import the product; about one where nothing else runs."""
    load = "import os; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'config.settings'); import config.wsgi"
    began = time.monotonic()
    python("-c", load, check=True)
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
    words = ["serve", "--host", "127.0.0.1", "--port", str(servers.free_port())]
    env = servers.environment(VAR=str(tmp_path))
    done = python("-m", "config.start.server_and_worker", *words, env=env)
    assert done.returncode == 1
    assert "SECRET_KEY: not set" in done.stderr
    assert "Traceback" not in done.stderr
