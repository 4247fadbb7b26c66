"""Real identity providers, which can be told to answer wrongly: OpenID Connect in a thread, and SAML by pysaml2.

As the ROOT_URLCONF of a test: the product's addresses where both protocols are set up.
"""

import base64
import re
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import requests
from allauth.socialaccount.providers import registry
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import LazySettings
from django.test import Client
from django.urls import include, path

from accounts.providers import urls
from config import urls as product

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the providers' own libraries
    from oidc_provider_mock import User, _server, app
    from oidc_provider_mock._storage import storage
    from saml2 import BINDING_HTTP_REDIRECT, class_name
    from saml2.authn_context import PASSWORDPROTECTEDTRANSPORT
    from saml2.config import IdPConfig
    from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
    from saml2.server import Server
    from saml2.sigver import pre_signature_part

    own_urls = [*urls.openid_connect_urls(), *urls.saml_urls()]

handler400, handler403 = product.handler400, product.handler403
handler404, handler500 = product.handler404, product.handler500
urlpatterns = [path("app/account/", include(own_urls)), *product.urlpatterns]


@contextmanager
def with_providers(settings: LazySettings, providers: dict[str, Any], *protocols: str) -> Iterator[None]:
    """The site has these providers, as allauth's settings say them."""
    from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider

    from accounts.providers.saml_responses import Provider

    classes: dict[str, Any] = {"openid_connect": OpenIDConnectProvider, "saml": Provider}
    for protocol in protocols:
        registry.register(classes[protocol])
    settings.SOCIALACCOUNT_PROVIDERS = providers
    settings.SIGN_IN_PROTOCOLS = {*protocols}
    settings.ROOT_URLCONF = __name__
    settings.ALLOWED_HOSTS = ["testserver"]
    yield
    for protocol in protocols:
        registry.provider_map.pop(protocol, None)


# --- OpenID Connect ---

ChangeToken = Callable[[dict[str, Any]], None]


class OpenIDProvider:
    """`changes` are made to every token before it is signed: with its key, or with a `secret`."""

    def __init__(self) -> None:
        self.changes: list[ChangeToken] = []
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
def run_oidc(users: dict[str, dict[str, Any]]) -> Iterator[OpenIDProvider]:
    provider = OpenIDProvider()
    application = app(user_claims=[User(sub=sub, claims=claims) for sub, claims in users.items()])

    def tamper_with_token(response: Any) -> Any:
        if response.is_json and provider.changes and "id_token" in (body := response.get_json()):
            token = jwt.decode(body["id_token"], options={"verify_signature": False})
            for change in provider.changes:
                change(token)
            # Its key is authlib's in the version for Python 3.11, then joserfc's.
            key, algorithm = storage.jwk.private_key or storage.jwk.get_private_key(), "RS256"
            if provider.secret:
                key, algorithm = provider.secret, "HS256"
            body["id_token"] = jwt.encode(token, key, algorithm, {"kid": storage.jwk.as_dict()["kid"]})
            response.set_data(application.json.dumps(body))
        return response

    application.after_request(tamper_with_token)
    with _server._threaded_server(application) as server:
        provider.url = f"http://localhost:{server.server_port}"
        yield provider


def token_clock_off(seconds: int) -> ChangeToken:
    def shift_times(token: dict[str, Any]) -> None:
        now = int(time.time())
        token.update(iat=now + seconds, exp=now + seconds + 3600)

    return shift_times


def asked_ago(seconds: int | None) -> ChangeToken:
    """The token says that the person was asked this long before it was made; without a number it does not say."""

    def set_sign_in_time(token: dict[str, Any]) -> None:
        token.pop("auth_time", None)
        if seconds is not None:
            token["auth_time"] = token["iat"] - seconds

    return set_sign_in_time


# --- SAML ---

ChangeAnswer = Callable[[str], str]
Attributes = dict[str, str | list[str]]
ENTITY, SSO = "https://idp.example.org/saml", "https://idp.example.org/sso/"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
FORM = "%Y-%m-%dT%H:%M:%SZ"


class SAMLProvider:
    """`change` is made to each answer before it is signed; `asked_ago` is in seconds; `sso`: where it is asked."""

    def __init__(self, folder: Path, sso: str = SSO) -> None:
        self.sso = sso
        self.key, self.certificate_file = folder / "idp.key", folder / "idp.crt"
        self.certificate = self._make_key()
        self.change: ChangeAnswer = str
        self.asked_ago, self.is_signed = 0, True
        self.was_forced: list[bool] = []
        self.server: Any = None

    def _make_key(self) -> str:
        key = rsa.generate_private_key(65537, 2048)
        name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "idp")]), datetime.now(UTC)
        made = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .sign(key, hashes.SHA256())
        )
        pem = made.public_bytes(serialization.Encoding.PEM)
        self.certificate_file.write_bytes(pem)
        private = serialization.PrivateFormat.TraditionalOpenSSL
        self.key.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, private, serialization.NoEncryption())
        )
        return "".join(pem.decode().split("\n")[1:-2])

    def start(self, metadata: str) -> None:
        """Reads the product's metadata, as an operator would enter it."""
        idp = {
            "endpoints": {"single_sign_on_service": [(self.sso, BINDING_HTTP_REDIRECT)]},
            "policy": {"default": {"lifetime": {"minutes": 15}, "attribute_restrictions": None}},
        }
        config = IdPConfig().load(
            {
                "entityid": ENTITY,
                "key_file": str(self.key),
                "cert_file": str(self.certificate_file),
                "xmlsec_binary": "/usr/bin/xmlsec1",
                "metadata": {"inline": [metadata]},
                "service": {"idp": idp},
            }
        )
        self.server = Server(config=config)

    def ask(self, client: Client, next_path: str = "") -> Any:
        """The question that the product sends here."""
        start = client.get("/app/account/saml/campus/sign-in", {"next": next_path} if next_path else {})
        assert start.status_code == 302, start.content
        return self.read_request(start.headers["Location"])

    def read_request(self, address: str) -> Any:
        """What somebody asks who comes here by this address."""
        assert address.startswith(f"{self.sso}?")
        (asked,) = parse_qs(urlsplit(address).query)["SAMLRequest"]
        question = self.server.parse_authn_request(asked, BINDING_HTTP_REDIRECT).message
        self.was_forced.append(question.force_authn == "true")
        return question

    def answer(self, question: Any, name_id: str, attributes: Attributes) -> str:
        made = self.server.create_authn_response(
            attributes,
            name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=name_id),
            authn={"class_ref": PASSWORDPROTECTEDTRANSPORT, "authn_instant": time.time() - self.asked_ago},
            sign_response=False,
            sign_assertion=False,
            **self.server.response_args(question),
        )
        if self.is_signed:
            made.assertion.signature = pre_signature_part(
                made.assertion.id, self.certificate, sign_alg=RSA_SHA256, digest_alg=SHA256
            )
        text = self.change(str(made))
        if self.is_signed:
            text = self.server.sec.sign_statement(text, class_name(made.assertion), node_id=made.assertion.id)
        return base64.b64encode(text.encode()).decode()

    def sign_in(self, client: Client, name_id: str, attributes: Attributes, next_path: str = "") -> Any:
        return send(client, self.answer(self.ask(client, next_path), name_id, attributes))


def send(client: Client, answer: str, relay_state: str = "") -> Any:
    """As the provider's page does, and the redirect after it."""
    sent = client.post("/app/account/saml/campus/back", {"SAMLResponse": answer, "RelayState": relay_state})
    return client.get(sent.headers["Location"]) if sent.status_code == 302 else sent


def answer_clock_off(seconds: int) -> ChangeAnswer:
    def shift_time(found: re.Match[str]) -> str:
        moment = datetime.strptime(found[0], FORM).replace(tzinfo=UTC)
        return (moment + timedelta(seconds=seconds)).strftime(FORM)

    return lambda text: MOMENT.sub(shift_time, text)
