"""HTTP client that requests pages of the deployed site like a browser, and parser of a
survey's start page."""

import base64
import json
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

import requests
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from intake.hosted.check_page import BROWSER, PAGE, TYPES, Answer
from proof.outcome import CheckFailed
from proof.script_tokens import imported_addresses

SECONDS = 30
"""Timeout of one request to the site."""
ENCODINGS = ("identity", "gzip", "br")
UNTRUSTED = re.compile(r"certificate verify failed: (.+?) \(_ssl")
"""OpenSSL's reason in the text of an error, such as `self-signed certificate`."""


class Site(Protocol):
    @property
    def address(self) -> str:
        """Address of the site: scheme, host name and port."""
        ...

    def get(self, path: str, encoding: str = "identity", **headers: str) -> Answer: ...

    def post(self, path: str, body: bytes, **headers: str) -> Answer: ...

    def options(self, path: str, **headers: str) -> Answer: ...


@dataclass(frozen=True)
class HttpSite:
    """HTTP client of a site on the network: follows no redirect, uses no proxy or password of this account.

    `ca`: file of the certificates that are trusted instead of the usual authorities.
    """

    address: str
    ca: Path | None = None
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.session.trust_env = False
        if self.ca:
            self.session.verify = str(self.ca)

    def hash_of_key(self) -> str:
        """Returns the hash of the key in the site's certificate once `ca` has verified it; empty without `ca`.

        Chromium takes such hashes, but no file of authorities.
        """
        if not self.ca:
            return ""
        parts = urlsplit(self.address)
        try:
            with (
                socket.create_connection((parts.hostname, parts.port or 443), SECONDS) as line,
                ssl.create_default_context(cafile=self.ca).wrap_socket(
                    line, server_hostname=parts.hostname
                ) as tls,
            ):
                certificate = x509.load_der_x509_certificate(tls.getpeercert(binary_form=True) or b"")
        except OSError as error:
            raise CheckFailed(f"{self.address} does not answer: {type(error).__name__}") from None
        key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(sha256(key).digest()).decode()

    def get(self, path: str, encoding: str = "identity", **headers: str) -> Answer:
        return self._ask("GET", path, {"Accept-Encoding": encoding, **headers_from_keywords(headers)}, None)

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        return self._ask(
            "POST", path, {"Content-Type": "application/json", **headers_from_keywords(headers)}, body
        )

    def options(self, path: str, **headers: str) -> Answer:
        return self._ask("OPTIONS", path, headers_from_keywords(headers), None)

    def _ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        try:
            response = self.session.request(
                method,
                self.address + path,
                headers={"User-Agent": BROWSER["User-Agent"], **headers},
                data=body,
                timeout=SECONDS,
                allow_redirects=False,
            )
        except requests.exceptions.SSLError as error:
            found = UNTRUSTED.search(str(error))
            why = f"its certificate is not trusted ({found[1]})" if found else "SSLError"
            raise CheckFailed(f"{self.address} does not answer: {why}") from None
        except requests.RequestException as error:
            raise CheckFailed(f"{self.address} does not answer: {type(error).__name__}") from None
        lowered = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, lowered, response.content)


@dataclass(frozen=True)
class FolderSite:
    """A folder of files as the site of a page, before a host serves it: it answers without headers of its own."""

    files: Mapping[str, bytes]
    address: str = "the folder"

    def get(self, path: str, encoding: str = "identity", **_headers: str) -> Answer:
        name = path.partition("?")[0].removeprefix("/") or PAGE
        kind = TYPES.get(name.rpartition(".")[2], ("",))[0]
        return (
            Answer(200, {"content-type": kind}, self.files[name])
            if name in self.files
            else Answer(404, {}, b"")
        )

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        raise CheckFailed("a folder takes no record")

    def options(self, path: str, **headers: str) -> Answer:
        raise CheckFailed("a folder takes no record")


def headers_from_keywords(headers: Mapping[str, str]) -> dict[str, str]:
    """Converts names of keyword arguments to HTTP header names."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


class StartPage(HTMLParser):
    """Parser of a survey's start page as the site serves it.

    `path`: the page's own. `scripts`, `preloaded` and `loaded` are addresses; `inline` are tags with code or styles in
    the markup, `inline_scripts` scripts there. `policy`: the Content-Security-Policy in the markup; `before_policy`:
    tags before it that load or run something. `modules`: address of each module that disguises, by name in the order of
    the page. `hashes`: for each language the fingerprint and the hash of these modules. `data`: JSON texts, by id.
    """

    def __init__(self, answer: Answer, path: str) -> None:
        super().__init__()
        self.answer, self.path = answer, path
        self.scripts: list[str] = []
        self.preloaded: list[str] = []
        self.inline: list[str] = []
        self.inline_scripts: list[str] = []
        self.policy = ""
        self.before_policy: list[str] = []
        self.data: dict[str, str] = {}
        self.hashes: list[str] = []
        self.modules: dict[str, str] = {}
        self.loaded: list[str] = []
        self._inside = ""
        self._address = ""
        self.feed(answer.body.decode(errors="replace"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects addresses of scripts and other files, and tags with inline code; notes what the tag contains."""
        attributes = {name: value or "" for name, value in attrs}
        directive = attributes.get("http-equiv", "").lower() if tag == "meta" else ""
        if tag == "base" or directive not in ("", "content-security-policy"):
            raise CheckFailed(
                f"the page holds <{tag}>, which can turn its addresses or lead people elsewhere"
            )
        if directive:
            self.policy = self.policy or attributes.get("content", "")
        elif tag in ("script", "link", "style", "img") and not self.policy:
            self.before_policy.append(tag)
        self._inside, self._address = tag, urljoin(self.path, attributes.get("href", ""))
        if tag == "script" and attributes.get("type") == "application/json":
            self._inside = f"#{attributes.get('id', '')}"
        elif tag == "script" and "src" in attributes:
            self.scripts.append(urljoin(self.path, attributes["src"]))
        elif tag == "script":
            self._inside = "inline"
            self.inline_scripts.append("")
        elif tag == "link" and attributes.get("rel") == "modulepreload":
            self.preloaded.append(self._address)
        elif tag == "link":
            self.loaded.append(self._address)
        elif tag == "code" and "hash" in attributes.get("class", "").split():
            self._inside = "hash"
        if tag in ("img", "iframe", "object", "embed", "video", "audio", "source"):
            self.loaded.append(urljoin(self.path, attributes.get("src") or attributes.get("data", "")))
        if any(name.startswith("on") or name == "style" for name in attributes):
            self.inline.append(tag)

    def handle_data(self, data: str) -> None:
        """Collects JSON texts, inline scripts, hashes and names of modules."""
        if self._inside.startswith("#"):
            self.data[self._inside[1:]] = self.data.get(self._inside[1:], "") + data
        elif self._inside == "inline":
            self.inline_scripts[-1] += data
        elif self._inside == "hash":
            self.hashes.append(data.strip())
        elif self._inside == "a" and re.fullmatch(r"privacy/[\w/]+\.js", data.strip()):
            self.modules[data.strip()] = self._address

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    @cached_property
    def page_settings(self) -> dict[str, Any]:
        """The parsed JSON in the page's element `page`, for its scripts: fingerprint, address of records and others."""
        try:
            settings: dict[str, Any] = json.loads(self.data.get("page", ""))
        except ValueError:
            raise CheckFailed("the page does not hold what its scripts are told") from None
        return settings

    @property
    def design(self) -> str:
        """The canonical text of the design in the page, for its scripts."""
        return re.sub(r"\\u003c", "<", self.data.get("design", ""))

    @property
    def fingerprints(self) -> set[str]:
        return set(self.hashes[::2])

    @property
    def module_hashes(self) -> set[str]:
        return set(self.hashes[1::2])


def fetch_scripts(site: Site, page: StartPage) -> dict[str, bytes]:
    """Fetches every script that a browser would load with the page, also by imports; returns their bytes by path."""
    waiting, scripts = [*page.scripts, *page.preloaded], dict[str, bytes]()
    while waiting:
        path = waiting.pop()
        if path in scripts:
            continue
        if urlsplit(path).netloc or not path.startswith("/"):
            raise CheckFailed(f"a script comes from somewhere else: {path}")
        answer = site.get(path)
        if answer.status != 200:
            raise CheckFailed(f"{path} is answered with {answer.status}")
        scripts[path] = answer.body
        waiting += [
            address if address[:1] != "." else normpath(join(dirname(path), address))
            for address in imported_addresses(path, answer.body.decode(errors="replace"))
        ]
    return scripts
