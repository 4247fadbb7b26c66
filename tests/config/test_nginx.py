"""The nginx block of deploy/ in a real nginx: sign-in, an upload, a record and a mailing, with and without a port."""

import asyncio
import http.client
import os
import re
import ssl
from email.message import Message
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import pytest

from bench.restart import exchange
from tests import servers
from tests.config.proxied import OURS, nginx
from tests.event_loop import run_in_thread
from tests.intake import asked
from tests.product import supervised

pytestmark = pytest.mark.server
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
        parts = [
            f'--x\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in fields.items()
        ]
        named = 'Content-Disposition: form-data; name="file"; filename="t.csv"\r\nContent-Type: text/csv'
        body = "".join(parts).encode() + f"--x\r\n{named}\r\n\r\n".encode() + file + b"\r\n--x--\r\n"
        return self.ask("POST", path, body, "multipart/form-data; boundary=x")


@pytest.mark.release
def test_behind_nginx_people_sign_in_upload_mail_and_answer_with_and_without_a_port(
    postgres: servers.Postgres, redis: servers.Redis, tmp_path: Path
) -> None:
    env = {
        "DATABASE_URL": postgres.create("nginx", postgres.migrated()),
        "REDIS_URL": redis.url,
        "SECRET_KEY": os.urandom(32).hex(),
        "ALLOWED_HOSTS": OURS,
        "SITE_URL": f"https://{OURS}:8443",
        "BEHIND_PROXY": "yes",
        "MAIL_URL": f"file://{tmp_path}/mail",
    }
    folder = tmp_path / "nginx"
    folder.mkdir()
    with (
        supervised(tmp_path, ["serve", "--web", "1"], env) as serving,
        # The other instance is away.
        nginx(folder, serving.port, servers.free_port()) as port,
    ):
        servers.wait(lambda: servers.listening(serving.port), "the web server answering")
        made = servers.manage({**serving.env, "PRODUCTION": "yes"}, "shell", "--verbosity=0", "-c", SOMEBODY)
        slug, invited = re.findall(r"slug (\S+) (\d+)", made)[0]
        for host in (f"{OURS}:{port}", OURS):
            browser = Browser(port, host)
            who = {"username": "robin", "password": "a long password 1"}
            status, headers, page = browser.send("/account/sign-in", who)
            assert (status, headers["Location"]) == (302, "/account/home"), page[:2_000]
            rows = "\n".join(["age,town", *(f"{20 + row % 50},{row % 3}" for row in range(200_000))])
            status, headers, page = browser.send("/releases/new", {"before": "no"}, rows.encode())
            assert status == 302, (status, re.findall(r"error[^<]*<[^<]*", page)[:5], page[-600:])
            body = asked.envelope(asked.design()).json.encode()
            assert browser.ask("POST", f"/a/{slug}/record", body, "application/json")[0] == 201
            assert browser.ask("POST", f"/a/{slug}/record", b"x" * 65_537, "application/json")[0] == 413
            people = "\n".join(f"p{number}@example.org" for number in range(20))
            letter = {"subject": "Please take part", "message": "Dear all,\n{link}", "addresses": people}
            status, _headers, page = browser.send(f"/surveys/{invited}/invitations/mail", letter)
            assert status in (200, 302), page[:2_000]
        # A proxy that hands on the name alone, where the site says its port.
        others = Browser(port, OURS, f"{OURS}:8443")
        assert others.send("/account/sign-in", who)[0] == 302
        token = "0" * 32
        assert browser.ask("GET", f"/public/{token}")[0] == 404
        assert browser.ask("GET", "/metrics")[0] == 404
        written = [path.read_text() for path in (tmp_path / "mail").iterdir()]
        assert sum(text.count(f"https://{OURS}:8443/a/") for text in written) == 40
        assert serving.stop() == 0
    logged = (folder / "access.log").read_text() + (folder / "error.log").read_text()
    assert "/account/sign-in" in logged
    assert slug not in logged
    assert token not in logged


async def answers_of_slow_instance(folder: Path, people: int) -> set[str]:
    """The answers that so many get at once, of an instance that takes its time for each."""
    everybody_waits, waiting = asyncio.Event(), 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting
        await reader.readuntil(b"\r\n\r\n")
        waiting += 1
        if waiting == people:
            everybody_waits.set()
        await everybody_waits.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, backlog=people) as instance:
        behind = instance.sockets[0].getsockname()[1]
        proxy = nginx(folder, behind, servers.free_port())
        port = await asyncio.to_thread(proxy.__enter__)
        try:
            asking = f"GET /a/x HTTP/1.1\r\nHost: {OURS}\r\nConnection: close\r\n\r\n"
            everybody = asyncio.gather(*(exchange(port, asking) for _ in range(people)))
            return set(await asyncio.wait_for(everybody, servers.PATIENCE))
        finally:
            await asyncio.to_thread(proxy.__exit__, None, None, None)


def test_nginx_refuses_nobody_while_hundreds_wait_for_an_instance(tmp_path: Path) -> None:
    """Each takes two of its connections, and with its default of 512 the 257th was refused."""
    assert run_in_thread(lambda: answers_of_slow_instance(tmp_path, 300)) == {"200"}
