"""PostgreSQL or Redis away: at the start, and while the product serves. People read that, and when to come again."""

import errno
import http.client
import json
import os
import secrets
import socket
import struct
from pathlib import Path

import pytest
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from pytest_django import Settings

from config.start.database_wait import answer_not_ready
from config.urls import handler400, handler403, handler404, handler500, urlpatterns as ours
from jobs.database import DATABASE, FULL, READ_ONLY, REDIS, outage_text
from tests import servers
from tests.product import Answer, Product, supervise

# --- the page ---------------------------------------------------------------------------------------------------


def lose_database(request: HttpRequest) -> HttpResponse:
    raise failure("psycopg.errors", sqlstate="57P01")


def slow_view(request: HttpRequest) -> HttpResponse:
    raise failure("psycopg.errors", sqlstate="57014")


urlpatterns = [
    path("app/surveys/away", lose_database),
    path("app/surveys/slow", slow_view),
    path("a/away", lose_database),
    *ours,
]
__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def failure(
    module: str, kind: type[Exception] = OperationalError, sqlstate: str | None = None
) -> DatabaseError | InterfaceError:
    """As Django hands on what the server's library says."""
    cause = type("Cause", (Exception,), {"__module__": module, "sqlstate": sqlstate})()
    error = kind("its words")
    error.__cause__ = cause
    return error  # type: ignore[return-value]


@pytest.fixture
def client(settings: Settings) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


def test_broken_silent_or_unwritable_service_is_an_outage() -> None:
    """A database that breaks off, stops, starts, or is full of connections; one whose disk is full or can only be
    read. Not a time limit, a lock and a deadlock, where the trace says more."""
    from redis import exceptions

    failures: dict[BaseException | None, str] = {
        exceptions.ConnectionError(): REDIS,
        exceptions.TimeoutError(): REDIS,
        exceptions.BusyLoadingError(): REDIS,
        exceptions.ResponseError(): "",
        ConnectionError(): "",
        OSError(errno.ENOSPC, ""): "the disk is full",
        OSError(errno.EDQUOT, ""): "the disk is full",
        OSError(errno.EROFS, ""): "the disk can only be read",
        FileNotFoundError(errno.ENOENT, ""): "",
        None: "",
    }
    for state in (None, "08006", "57P01", "57P03", "53200", "53300", "58030"):
        failures[failure("psycopg.errors", sqlstate=state)] = DATABASE
        failures[failure("psycopg", InterfaceError, state)] = DATABASE
    failures[failure("psycopg.errors", sqlstate="53100")] = FULL
    failures[failure("psycopg.errors", InternalError, "25006")] = READ_ONLY
    for state in ("57014", "55P03", "40P01"):
        failures[failure("psycopg.errors", sqlstate=state)] = ""
    for error, words in failures.items():
        cause = getattr(error, "__cause__", None)
        assert outage_text(error) == words, (error, getattr(cause, "sqlstate", ""))


def test_outage_page_says_when_to_return(client: Client) -> None:
    """In the language of the browser; a respondent reads it too, without the way home."""
    for place, home in (("/app/surveys/away", True), ("/a/away", False)):
        answer = client.get(place)
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        assert "<h1>This site is not ready at the moment</h1>" in answer.text
        assert "What was saved is safe. Wait a minute, then try again." in answer.text
        assert ('href="/"' in answer.text) == home
        assert "give this number" not in answer.text
    answer = client.get("/app/surveys/away", headers={"accept-language": "zh-hans"})
    assert '<html lang="zh-hans"' in answer.text


def test_slow_statement_is_reported_as_a_problem_of_the_site(client: Client) -> None:
    answer = client.get("/app/surveys/slow")
    assert answer.status_code == 500
    assert "Retry-After" not in answer


def test_client_that_disconnects_is_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    port = servers.free_port()
    with answer_not_ready("127.0.0.1", port):
        for request in (
            b"\xff\r\n\r\n",
            b"POST /a/x/record HTTP/1.1\r\nContent-Length: 900\r\n\r\n{",
            b"BREW / HTTP/1.1\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", port)) as sender:
                sender.sendall(request)
                # A reset instead of an end.
                sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=servers.PATIENCE)
        connection.request("HEAD", "/")
        assert connection.getresponse().status == 503
        connection.close()
    assert capfd.readouterr() == ("", "")


# --- the servers --------------------------------------------------------------------------------------------------


RECORD = "{}"


def page(serving: Product, where: str) -> Answer:
    # With a session, which is looked up in the database.
    return serving.ask("GET", where, Cookie=f"candor-session={'s' * 32}")


@pytest.mark.night
@pytest.mark.server
def test_product_waits_for_its_services_and_recovers(tmp_path: Path) -> None:
    """On servers of its own: nobody else's connections go with them."""
    with servers.postgres() as postgres, servers.redis() as redis:
        assert_waits_and_survives(postgres, redis, tmp_path)


def assert_waits_and_survives(postgres: servers.Postgres, redis: servers.Redis, tmp_path: Path) -> None:
    env = {"SECRET_KEY": os.urandom(32).hex(), "ALLOWED_HOSTS": "127.0.0.1", "HTTPS": "no"}
    env |= {"DATABASE_URL": postgres.create("away", postgres.migrated()), "REDIS_URL": redis.url}
    postgres.stop()
    with supervise(tmp_path, ["serve", "--web", "1", "--workers", "0"], env) as serving:
        serving.read_until("trying for five minutes")
        servers.wait(lambda: servers.is_port_listening(serving.port), "the port answering")
        health = serving.ask("GET", "/healthz")
        assert health.status == 503
        assert json.loads(health.text)["database"] == {"ok": False, "says": "does not answer"}
        for method, where in (("GET", "/app/surveys/"), ("GET", "/a/x"), ("POST", "/a/x/record")):
            answer = serving.ask(method, where, "x" * 60_000 if method == "POST" else None)
            assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
            assert "Its database does not answer yet." in answer.text

        postgres.start()
        servers.wait(lambda: has_status(serving, "/app/surveys/", 302), "the product answering")

        postgres.stop()
        for where in 10 * ["/app/surveys/", "/a/x"]:
            answer = page(serving, where)
            assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
            assert "A part of it does not answer." in answer.text
        sent = serving.ask("POST", "/a/x/record", RECORD, Content_Type="application/json")
        assert (sent.status, json.loads(sent.text)["outcome"]) == (503, "cannot be stored now")
        postgres.start()
        servers.wait(lambda: has_status(serving, "/app/surveys/", 302), "the product answering again")
        assert serving.ask("POST", "/a/x/record", RECORD, Content_Type="application/json").status == 404

        redis.kill()
        form = page(serving, "/app/account/sign-in")
        assert form.status == 200
        assert sign_in(serving, form).status == 503
        redis.start()
        servers.wait(lambda: sign_in(serving, form).status == 200, "signing in")
        serving.stop()
        assert serving.process.stdout
        log = serving.process.stdout.read()
    assert "Traceback" not in log
    lines = [line for line in log.splitlines() if "does not answer" in line]
    assert [line.count("times more") for line in lines].count(0) == 2, log  # one of each service
    assert "the database does not answer" in log
    assert "Redis does not answer" in log


def has_status(serving: Product, where: str, status: int) -> bool:
    try:
        return page(serving, where).status == status
    except OSError:
        return False  # between the waiting and the web server nobody listens


def sign_in(serving: Product, form: Answer) -> Answer:
    token = form.headers["Set-Cookie"].partition("=")[2].partition(";")[0]
    fields = f"username=nobody-{secrets.token_hex(4)}&password=guess&csrfmiddlewaretoken={token}"
    headers = {"Cookie": f"candor-csrf={token}", "Content_Type": "application/x-www-form-urlencoded"}
    return serving.ask("POST", "/app/account/sign-in", fields, **headers)
