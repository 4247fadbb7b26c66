"""A real OpenID provider in a thread, which can be told to answer wrongly."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import jwt
import requests
from django.test import Client
from oidc_provider_mock import User, _server, app
from oidc_provider_mock._storage import storage

Change = Callable[[dict[str, Any]], None]


class Provider:
    """`changes` are made to every token before it is signed: with its key, or with a `secret`."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.url, self.secret = "", ""

    def visit(self, client: Client, sub: str, next_path: str = "") -> str:
        """The address, with its query, to which the provider sends this person back."""
        start = client.get("/app/account/oidc/campus/sign-in", {"next": next_path} if next_path else {})
        assert start.status_code == 302, start.content
        answer = requests.post(
            start.headers["Location"], data={"sub": sub}, allow_redirects=False, timeout=10
        )
        back = urlsplit(answer.headers["Location"])
        return f"{back.path}?{back.query}"

    def sign_in(self, client: Client, sub: str, next_path: str = "") -> Any:
        return client.get(self.visit(client, sub, next_path))


@contextmanager
def running(users: dict[str, dict[str, Any]]) -> Iterator[Provider]:
    provider = Provider()
    application = app(user_claims=[User(sub=sub, claims=claims) for sub, claims in users.items()])

    def tamper(response: Any) -> Any:
        if response.is_json and provider.changes and "id_token" in (body := response.get_json()):
            token = jwt.decode(body["id_token"], options={"verify_signature": False})
            for change in provider.changes:
                change(token)
            key, algorithm = jwt.PyJWK(storage.jwk.as_dict(is_private=True)).key, "RS256"
            if provider.secret:
                key, algorithm = provider.secret, "HS256"
            body["id_token"] = jwt.encode(token, key, algorithm, {"kid": storage.jwk.as_dict()["kid"]})
            response.set_data(application.json.dumps(body))
        return response

    application.after_request(tamper)
    with _server._threaded_server(application) as server:
        provider.url = f"http://localhost:{server.server_port}"
        yield provider


def clock_off(seconds: int) -> Change:
    def change(token: dict[str, Any]) -> None:
        now = int(time.time())
        token.update(iat=now + seconds, exp=now + seconds + 3600)

    return change


def asked_ago(seconds: int | None) -> Change:
    """The token says that the person was asked this long before it was made; without a number it does not say."""

    def change(token: dict[str, Any]) -> None:
        token.pop("auth_time", None)
        if seconds is not None:
            token["auth_time"] = token["iat"] - seconds

    return change
