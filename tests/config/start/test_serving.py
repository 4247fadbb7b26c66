"""The other two ways to run: in production behind a proxy, and while somebody writes code."""

import http.client
import os
import re
import shutil
import socket
import urllib.request
from http.cookies import Morsel, SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests import servers
from tests.product import EMPTY, Answer, Product, is_well, kill_and_see_all_end, product, supervised
from ui.url_path_classes import APP

pytestmark = pytest.mark.server

SOMEBODY = """
from accounts.models import Person
Person.objects.create_superuser("operator", "operator@example.org", "a long password 1")
"""
OURS = "survey.example.org"
OPERATORS = "an-operators-token-0123456789"


def proxied(serving: Product, method: str, path: str, body: str | None = None, **more: str) -> Answer:
    """As the proxy in front hands it on."""
    said = {"Host": OURS, "X_Forwarded_Proto": "https", "X_Forwarded_For": "192.0.2.1"}
    if body is not None:
        said |= {"Content_Type": "application/x-www-form-urlencoded", "Referer": f"https://{OURS}{path}"}
    return serving.ask(method, path, body, **said, **more)


def set_by(answer: Answer, name: str) -> Morsel[str]:
    """The cookie of this name, which is set once, for the pages that may have it."""
    lines = [SimpleCookie(line) for line in answer.headers.get_all("Set-Cookie", [])]
    found = [line[name] for line in lines if name in line]
    assert [each["path"] for each in found] == [APP]
    return found[0]


def says_that_it_runs(running: Product, env: dict[str, str]) -> None:
    with supervised(running.var, ["serve", "--port", str(running.port)], env) as second:
        assert second.process.wait(servers.PATIENCE) == 1
        assert second.process.stdout
        said = second.process.stdout.read()
    assert said.count("\n") == 1
    assert f"this instance is running already (process {running.process.pid})" in said
    servers.wait(lambda: is_well(running), "the first being well all the same")


def test_it_serves_in_production_behind_a_proxy_and_all_end_when_the_supervisor_is_killed(
    postgres: servers.Postgres, redis: servers.Redis, tmp_path: Path
) -> None:
    env = {
        "DATABASE_URL": postgres.create("serving", postgres.migrated()),
        "REDIS_URL": redis.url,
        "SECRET_KEY": os.urandom(32).hex(),
        "ALLOWED_HOSTS": OURS,
        "BEHIND_PROXY": "yes",
        "MAIL_URL": f"file://{tmp_path}/mail",
        "TICK_SECONDS": "1",
        "METRICS_TOKEN": OPERATORS,
    }
    with supervised(tmp_path, ["serve", "--web", "2"], env) as serving:
        servers.wait(lambda: servers.listening(serving.port), "the web server answering")
        servers.wait(lambda: is_well(serving), "the worker being warm", pause=0.2)

        plain = serving.ask("GET", "/app/account/sign-in", Host=OURS)
        assert (plain.status, plain.headers["Location"]) == (301, f"https://{OURS}/app/account/sign-in")
        assert serving.ask("GET", "/", Host="evil.example", X_Forwarded_Proto="https").status == 400

        page = proxied(serving, "GET", "/app/account/sign-in")
        assert page.status == 200
        assert page.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
        assert re.search(r"/static/ui/[a-z-]+\.[0-9a-f]{12}\.css", page.text)
        token = set_by(page, "__Secure-csrf")
        assert (token["secure"], token["httponly"], token["domain"]) == (True, True, "")

        servers.manage({**serving.env, "PRODUCTION": "yes"}, "shell", "--verbosity=0", "-c", SOMEBODY)
        form = {"username": "operator", "password": "a long password 1", "csrfmiddlewaretoken": token.value}
        given = f"__Secure-csrf={token.value}"
        signed_in = proxied(serving, "POST", "/app/account/sign-in", urlencode(form), Cookie=given)
        assert signed_in.status == 302
        session = set_by(signed_in, "__Secure-session")
        assert (session["secure"], session["httponly"], session["samesite"]) == (True, True, "Lax")
        # A proxy may take no more than a page of memory, and this answer has the most headers of all.
        assert len(bytes(signed_in.headers)) < 3_800
        account = proxied(serving, "GET", "/app/account/", Cookie=f"__Secure-session={session.value}")
        assert account.status == 200

        # Whichever of the processes answers says what all have counted.
        for _ in range(8):
            metrics = serving.ask("GET", "/metrics", Authorization=f"Bearer {OPERATORS}")
            assert metrics.status == 200
            for status in ("2xx", "3xx"):
                line = f'candor_request_seconds_count{{group="account",status="{status}"}} 2.0'
                assert line in metrics.text
            assert "\ncandor_worker_up 1.0\n" in metrics.text
        assert serving.ask("GET", "/metrics", Authorization="Bearer x").status == 401
        memory = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{serving.process.pid}/status").read_text())
        assert memory
        assert int(memory[1]) < 25_000, "whoever keeps two processes is small, not 75 MB"
        says_that_it_runs(serving, env)
        assert "Traceback" not in serving.logs()
        kill_and_see_all_end(serving, "supervisor")
    assert not (tmp_path / "secret-key").exists()
    assert not (tmp_path / "candor.sqlite3").exists()


def answers_at(running: Product, said: str) -> None:
    """At the address that is printed, and by the name of the machine."""
    address = f"http://{said}:{running.port}"
    assert f"Candor is ready: {address}/" in "".join(running.said)
    for name in (said, socket.gethostname()):
        request = urllib.request.Request(address, headers={"Host": f"{name}:{running.port}"})
        with urllib.request.urlopen(request, timeout=servers.PATIENCE) as answer:
            assert answer.status == 200


@pytest.mark.night
def test_an_address_of_ipv6_answers_as_it_is_printed(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no address of IPv6")
    with product(tmp_path, [*EMPTY, "--web", "1", "--workers", "0", "--host", "::1"]) as running:
        answers_at(running, "[::1]")


@pytest.mark.night
def test_dev_answers_on_all_addresses_and_reloads_when_a_file_changes(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    # The times of files are copied, so what Python has compiled is good for the copies too.
    apart = shutil.ignore_patterns(".*", "var", "tests", "bench", "docs", "node_modules")
    shutil.copytree(servers.ROOT, tree, ignore=apart)
    var = tmp_path / "var"
    var.mkdir(mode=0o700)
    shutil.copy(servers.migrated_file(), var)
    words = ["dev", "--empty", "--web", "1", "--workers", "0", "--host", "0.0.0.0"]
    with product(var, words, root=tree) as running:
        answers_at(running, "127.0.0.1")
        assert "How it works" in running.ask("GET", "/").text
        places = tree / "ui" / "apps.py"
        places.write_text(places.read_text().replace("How it works", "How it is done"))
        running.read_until("A file changed; reloading.")

        def shown() -> bool:
            try:
                return "How it is done" in running.ask("GET", "/").text
            except (OSError, http.client.HTTPException):  # the old server goes, the new one comes
                return False

        servers.wait(shown, "the page of the changed file")
        assert running.stop() == 0
