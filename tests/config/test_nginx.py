"""The nginx block of deploy/ in a real nginx: sign-in, an upload, a record and a mailing, with and without a port."""

import asyncio
import http.client
import os
import re
import socket
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing
from email.message import Message
from functools import cached_property
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from config import web_server
from tests import servers
from tests.intake import asked
from tests.product import NGINX_BLOCK, NGINX_HOST, NGINX_UPSTREAM, nginx, supervise
from tests.servers import run_in_thread

pytestmark = pytest.mark.server
T = TypeVar("T")
SOMEBODY = """
from accounts.models import Person
from tests.intake import asked
person = Person.objects.create_superuser("robin", "robin@example.org", "a long password 1")
survey = asked.survey(asked.design(), owner=person)
invited = asked.survey(asked.design(), owner=person, invited=True)
print("slug", survey.slug, invited.pk)
"""


class Browser:
    """One that stands outside of nginx, at an address with or without a port; cookies as they are set."""

    def __init__(self, port: int, host: str, origin: str = "") -> None:
        self.port, self.host, self.cookies = port, host, dict[str, str]()
        self.origin = f"https://{origin or host}"

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, Message, str]:
        said = {"Host": self.host, "Cookie": "; ".join(f"{name}={of}" for name, of in self.cookies.items())}
        if kind:
            said |= {"Content-Type": kind, "Origin": self.origin, "Referer": self.origin + path}
            said |= {"Sec-Fetch-Site": "same-origin"}
        anything = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=anything)
        try:
            connection.request(method, path, body or None, said)
            response = connection.getresponse()
            for line in response.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: one.value for name, one in SimpleCookie(line).items()}
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def send(self, path: str, fields: dict[str, str], file: bytes = b"") -> tuple[int, Message, str]:
        """A form of this page, with the token that the page holds."""
        _status, _headers, page = self.ask("GET", path)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token, page[:500]
        fields = {"csrfmiddlewaretoken": token[1], **fields}
        if not file:
            return self.ask("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")
        named = {f'name="{name}"': value for name, value in fields.items()}
        named['name="file"; filename="t.csv"\r\nContent-Type: text/csv'] = file.decode()
        disposition = "--x\r\nContent-Disposition: form-data; {}\r\n\r\n{}\r\n"
        body = ("".join(disposition.format(*part) for part in named.items()) + "--x--\r\n").encode()
        return self.ask("POST", path, body, "multipart/form-data; boundary=x")


@pytest.mark.night
def test_nginx_serves_sign_in_uploads_mail_and_answers_with_or_without_a_port(
    postgres: servers.Postgres, redis: servers.Redis, tmp_path: Path
) -> None:
    env = {"DATABASE_URL": postgres.create("nginx", postgres.migrated()), "REDIS_URL": redis.url}
    env |= {
        "SECRET_KEY": os.urandom(32).hex(),
        "ALLOWED_HOSTS": NGINX_HOST,
        "SITE_URL": f"https://{NGINX_HOST}:8443",
    }
    env |= {"BEHIND_PROXY": "yes", "MAIL_URL": f"file://{tmp_path}/mail"}
    folder = tmp_path / "nginx"
    folder.mkdir()
    with (
        supervise(tmp_path, ["serve", "--web", "1"], env) as serving,
        # The other instance is away.
        nginx(folder, serving.port, servers.free_port()) as port,
    ):
        servers.wait(lambda: servers.is_port_listening(serving.port), "the web server answering")
        made = servers.manage({**serving.env, "PRODUCTION": "yes"}, "shell", "--verbosity=0", "-c", SOMEBODY)
        slug, invited = re.findall(r"slug (\S+) (\d+)", made)[0]
        for host in (f"{NGINX_HOST}:{port}", NGINX_HOST):
            browser = Browser(port, host)
            who = {"username": "robin", "password": "a long password 1"}
            status, headers, page = browser.send("/app/account/sign-in", who)
            assert (status, headers["Location"]) == (302, "/app/account/home"), page[:2_000]
            rows = "\n".join(["age,town", *(f"{20 + row % 50},{row % 3}" for row in range(200_000))])
            status, headers, page = browser.send("/app/releases/new", {"before": "no"}, rows.encode())
            assert status == 302, (status, re.findall(r"error[^<]*<[^<]*", page)[:5], page[-600:])
            body = asked.envelope(asked.design()).json.encode()
            assert browser.ask("POST", f"/a/{slug}/record", body, "application/json")[0] == 201
            assert browser.ask("POST", f"/a/{slug}/record", b"x" * 65_537, "application/json")[0] == 413
            people = "\n".join(f"p{number}@example.org" for number in range(20))
            letter = {"subject": "Please take part", "message": "Dear all,\n{link}", "addresses": people}
            status, _headers, page = browser.send(f"/app/surveys/{invited}/invitations/mail", letter)
            assert status in (200, 302), page[:2_000]
        # A proxy that hands on the name alone, where the site says its port.
        others = Browser(port, NGINX_HOST, f"{NGINX_HOST}:8443")
        assert others.send("/app/account/sign-in", who)[0] == 302
        # Somebody whose line breaks off in the midst of a request.
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(f"GET /a/{slug} HTTP/1.1\r\nHost: {NGINX_HOST}\r\nAccept".encode())
        token = "0" * 32
        assert browser.ask("GET", f"/public/{token}")[0] == 404
        assert browser.ask("GET", "/metrics")[0] == 404
        written = [path.read_text() for path in (tmp_path / "mail").iterdir()]
        assert sum(text.count(f"https://{NGINX_HOST}:8443/a/") for text in written) == 40
        assert serving.stop() == 0
    logged = (folder / "access.log").read_text() + (folder / "error.log").read_text()
    assert "/app/account/sign-in" not in logged
    assert slug not in logged
    assert token not in logged


async def status(port: int, path: str, address: str, *headers: str) -> str:
    """What nginx answers to a request from this address of the loopback."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    except OSError as error:
        return type(error).__name__
    try:
        lines = [f"GET {path} HTTP/1.1", f"Host: {NGINX_HOST}", "Connection: close", *headers, "", ""]
        writer.write("\r\n".join(lines).encode())
        return (await reader.read()).partition(b"\r\n")[0].split()[1].decode()
    finally:
        writer.close()


class SlowInstance:
    """Hears requests of `/a/slow` and answers none of them before `all_may_go`; `waiting` counts them.

    `paths`: of all requests, `heads` their heads. `files`: the requests of files, which may be kept for a minute.
    `respondents`: one beside it.
    """

    def __init__(self) -> None:
        self.waiting = 0
        self.paths: list[str] = []
        self.files: list[bytes] = []
        self.heads: list[bytes] = []
        self.all_may_go = asyncio.Event()

    @cached_property
    def for_respondents(self) -> "SlowInstance":
        return SlowInstance()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):  # also where the test ends before the answer
            head = await reader.readuntil(b"\r\n\r\n")
            is_slow, is_file = b"/a/slow" in head, head.startswith(b"GET /static/x.")
            self.files += [head] * is_file
            self.heads.append(head)
            self.paths.append(head.split()[1].decode())
            if is_slow:
                self.waiting += 1
                await self.all_may_go.wait()
            if b"/a/repeated" in head:
                writer.write(b"HTTP/1.1 302 Found\r\nLocation: /" + b"%25" * 8_000 + b"\r\n")
                writer.write(b"Content-Length: 0\r\nConnection: close\r\n\r\n")
                return
            lasting = b"\r\nCache-Control: max-age=60\r\nVary: Accept-Encoding" if is_file else b""
            writer.write(b"HTTP/1.1 200 OK" + lasting + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()

    async def wait_until_all_have_arrived(self) -> None:
        """Until no more requests arrive."""
        before = -1
        while before != self.waiting or not self.waiting:
            before = self.waiting
            await asyncio.sleep(0.3)


def talk_through_nginx(
    folder: Path, talk: Callable[[int, SlowInstance], Awaitable[T]], *, apart: bool = False
) -> T:
    """What comes of the talk with a port of nginx in front of a slow instance; `apart`: respondents have a port that
    another one hears, which `instance` names `for_respondents`."""

    async def serve_and_talk() -> T:
        instance = SlowInstance()
        async with (
            await asyncio.start_server(instance.answer, "127.0.0.1", 0, backlog=2_000) as server,
            await asyncio.start_server(instance.for_respondents.answer, "127.0.0.1", 0) as second,
        ):
            ports = [one.sockets[0].getsockname()[1] for one in (server, second)]
            away = servers.free_port()
            theirs = (ports[1], away) if apart else None
            proxy = nginx(folder, ports[0], away, respondents=theirs, tls=False)
            port = await asyncio.to_thread(proxy.__enter__)
            try:
                return await asyncio.wait_for(talk(port, instance), servers.PATIENCE)
            finally:
                instance.all_may_go.set()
                await asyncio.to_thread(proxy.__exit__, None, None, None)

    return run_in_thread(serve_and_talk)


def test_nginx_refuses_nobody_while_hundreds_wait(tmp_path: Path) -> None:
    """Each takes two of its connections, and with its default of 512 the 257th was refused."""

    async def talk_to_nginx(port: int, instance: SlowInstance) -> set[str]:
        people = [asyncio.create_task(status(port, "/a/slow", f"127.0.3.{n % 250 + 1}")) for n in range(290)]
        await instance.wait_until_all_have_arrived()
        assert instance.waiting == 290
        instance.all_may_go.set()
        return set(await asyncio.gather(*people))

    assert talk_through_nginx(tmp_path, talk_to_nginx) == {"200"}


@pytest.mark.night
def test_connections_of_one_address_refuse_nobody_else_and_are_not_logged(tmp_path: Path) -> None:
    """Files count towards a higher bound than pages, so that a page that waits has its styles."""

    async def talk_to_nginx(port: int, instance: SlowInstance) -> list[str]:
        attack = [asyncio.create_task(status(port, "/a/slow", "127.0.0.2")) for _ in range(700)]
        await instance.wait_until_all_have_arrived()
        assert instance.waiting <= limit(r"limit_conn candor_pages (\d+)")
        pages = ("/a/x", "/public/x", "/app/account/sign-in", "/")
        heard = [await status(port, path, "127.0.0.3") for path in pages]
        heard.append(await status(port, "/static/x.css", "127.0.0.2"))
        for task in attack:
            task.cancel()
        refused = [task.result() for task in attack if task.done() and not task.cancelled()]
        assert refused
        assert set(refused) == {"429"}
        return heard

    assert talk_through_nginx(tmp_path, talk_to_nginx) == ["200"] * 5
    logged = (tmp_path / "access.log").read_text() + (tmp_path / "error.log").read_text()
    assert "127.0.0.3" in logged
    assert "127.0.0.2" not in logged


def test_nginx_does_not_count_page_files_and_queues_sign_ins(tmp_path: Path) -> None:
    async def talk_to_nginx(port: int, _instance: SlowInstance) -> tuple[set[str], Counter[str]]:
        files = ["/static/x.js", "/a/logo/x.webp", "/a/colour/x.css"] * 300
        answers = {await status(port, path, "127.0.0.4") for path in files}
        asking = [status(port, "/app/account/sign-in", "127.0.0.5") for _ in range(150)]
        sign_ins = list(map(asyncio.create_task, asking))
        done, waiting = await asyncio.wait(sign_ins, timeout=2)
        for task in waiting:
            task.cancel()
        return answers, Counter(task.result() for task in done)

    files, sign_ins = talk_through_nginx(tmp_path, talk_to_nginx)
    assert files == {"200"}
    assert sign_ins.keys() == {"200", "429"}
    assert 20 < sign_ins["200"] < 50
    assert sign_ins["429"] < 50


def test_missing_static_names_are_counted_and_cached_ones_are_not(tmp_path: Path) -> None:
    """Without a bound they reached Candor, and everybody else waited."""

    async def talk_to_nginx(port: int, instance: SlowInstance) -> tuple[Counter[str], int, str, str]:
        assert await status(port, "/static/x.js", "127.0.0.9") == "200"
        asking = [status(port, f"/static/missing-{number}.js", "127.0.0.9") for number in range(1_000)]
        flood = list(map(asyncio.create_task, asking))
        done, waiting = await asyncio.wait(flood, timeout=2)
        kept = await status(port, "/static/x.js", "127.0.0.9")
        others = await status(port, "/static/other.js", "127.0.0.10")
        for task in waiting:
            task.cancel()
        assert not any(b"127.0.0.9" in head or b"Sender" in head for head in instance.heads)
        return Counter(task.result() for task in done), len(instance.paths), kept, others

    answers, reached, kept, others = talk_through_nginx(tmp_path, talk_to_nginx)
    assert answers["429"] >= 250
    assert reached < 300
    assert (kept, others) == ("200", "200")


def test_static_file_is_fetched_from_candor_once_per_encoding(tmp_path: Path) -> None:
    async def talk_to_nginx(port: int, instance: SlowInstance) -> list[set[str]]:
        packings = ["gzip", "gzip, deflate, br", "br;q=1.0, x", "x", "y, z"]
        for accepted in packings * 2:
            for path in ("/static/x.js", "/static/x.js?1", "/static/x.js?2"):
                assert await status(port, path, "127.0.0.6", f"Accept-Encoding: {accepted}") == "200"
        return [set(re.findall(r"Accept-Encoding: (\w+)", head.decode())) for head in instance.files]

    assert sorted(talk_through_nginx(tmp_path, talk_to_nginx), key=str) == [set(), {"br"}, {"gzip"}]


def test_redirect_of_the_longest_address_is_passed_on(tmp_path: Path) -> None:
    """With nginx's own 4 kB for the head of an answer people read that the site was away."""

    async def talk_to_nginx(port: int, _instance: SlowInstance) -> str:
        return await status(port, "/a/repeated", "127.0.0.8")

    assert talk_through_nginx(tmp_path, talk_to_nginx) == "302"


def test_respondents_and_readers_have_separate_processes(tmp_path: Path) -> None:
    theirs = ["/a/x", "/a/x/record", "/public/x", "/static/x.js"]
    others = ["/", "/app/account/sign-in", "/app/surveys/3", "/healthz", "/app/limits", "/api/1/surveys"]

    async def talk_to_nginx(port: int, staff: SlowInstance) -> tuple[list[str], list[str]]:
        for path in [*theirs, *others]:
            assert await status(port, path, "127.0.0.7") == "200"
        return staff.for_respondents.paths, staff.paths

    assert talk_through_nginx(tmp_path, talk_to_nginx, apart=True) == (theirs, others)


def test_too_long_request_is_refused_in_words(tmp_path: Path) -> None:
    async def talk_to_nginx(port: int, _instance: SlowInstance) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"POST /a/x HTTP/1.1\r\nHost: {NGINX_HOST}\r\nContent-Length: 65537\r\n\r\n".encode())
        try:
            return await reader.readuntil(b"send less.\n")
        finally:
            writer.close()

    answer = talk_through_nginx(tmp_path, talk_to_nginx)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"That is too large." in answer


def test_nginx_without_an_instance_answers_in_words(tmp_path: Path) -> None:
    """No log holds the secret of a link by e-mail."""
    links: dict[str, list[str]] = {"surveys:invitation-link": [], "accounts:email-confirm": []}
    links |= {"accounts:invitation": ["x"], "accounts:password-reset-confirm": ["x"]}
    by_mail = [reverse(name, args=[*before, "secret"]) for name, before in links.items()]
    with nginx(tmp_path, servers.free_port(), servers.free_port()) as port:
        browser = Browser(port, NGINX_HOST)
        for path in ("/app/surveys/", "/a/slug", "/a/slug/record", "/public/x", *by_mail):
            sent = ("POST", path, b"{}") if path.endswith("/record") else ("GET", path)
            status, headers, text = browser.ask(*sent)
            assert (status, headers["Retry-After"]) == (503, "5")
            assert text.startswith("This site is away for a moment: please try again")
    logged = (tmp_path / "error.log").read_text()
    assert "/app/surveys/ " in logged
    assert "secret" not in logged


@pytest.mark.parametrize("head", ["Content-Length: 2000000", "Transfer-Encoding: chunked"])
def test_one_address_sends_eight_long_bodies_at_once_and_many_short_ones(tmp_path: Path, head: str) -> None:
    async def begin_request(port: int, line: str) -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writers.append(writer)
        writer.write(f"POST /app/releases/new HTTP/1.1\r\nHost: {NGINX_HOST}\r\n{line}\r\n\r\n".encode())
        return reader

    async def talk_to_nginx(port: int, _instance: SlowInstance) -> set[bytes]:
        short = [await begin_request(port, "Content-Length: 999999") for _ in range(12)]
        long = [asyncio.create_task((await begin_request(port, head)).readline()) for _ in range(12)]
        refused = set[asyncio.Task[bytes]]()
        while len(refused) < 4:
            refused, _waiting = await asyncio.wait(long, return_when=asyncio.FIRST_COMPLETED)
        assert len(refused) == 4
        assert not any(reader.at_eof() for reader in short)
        for task in long:
            task.cancel()
        for writer in writers:
            writer.close()
        return {answer.result().split()[1] for answer in refused}

    writers: list[asyncio.StreamWriter] = []
    assert talk_through_nginx(tmp_path, talk_to_nginx) == {b"429"}


def limit(pattern: str) -> int:
    found = re.search(pattern, NGINX_BLOCK + NGINX_UPSTREAM)
    assert found, pattern
    return int(found[1])


def test_four_hundred_people_in_one_hall_are_within_the_limits() -> None:
    """As the guide works it out: nobody is refused, and the last of them waits twenty seconds."""
    people, rate = 400, limit(r"zone=candor_requests:10m rate=(\d+)r/s")
    burst, at_once = limit(r"burst=(\d+) delay=20;\n"), 20
    pages = limit(r"limit_conn candor_pages (\d+)")
    assert people <= burst
    assert (people - at_once) / rate <= 20
    assert 2 * pages <= web_server.CONNECTIONS
    guide = (servers.ROOT / "docs/operations.md").read_text()
    for number in (f"{pages} requests of pages", f"{rate} a second", f"burst of {burst}"):
        assert number in " ".join(guide.split())
