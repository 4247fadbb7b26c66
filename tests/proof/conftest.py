"""A survey with a question of each law, served by the product in this process, whose scripts node runs."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from intake.hosted.check_page import Answer
from proof.checks import disguise
from proof.device.script_runners import NodeDevice, find_node, node_device
from proof.proof_context import ProofContext
from surveys.models import Survey
from tests.intake import asked
from tests.privacy.questionnaires import HALF, classes, place, plain, question, sensitive, subset, window

CANARY = "c0ffee" * 4
Seen = TypeVar("Seen")
SECTIONS = (
    plain({"name": "work", "choices": ["employed", "not employed"]}),
    sensitive(
        "0.6", question("drink", "0.2", "0.8"), question("theft", *HALF, show_if={"work": ["employed"]})
    ),
    sensitive("0.5", question("drugs", *HALF), question("cheat", *HALF), asked=1),
    window("age", 5, 1, "0.5"),
    classes("debt", "0.5", 0, 2, 4, rest=2),
    place("home", [(0, 0), (1, 0), (2, 0), (5, 5)], (0, 1, 2)),
    subset(5, 2, "0.6"),
)
LASTING = (
    plain({"name": "work", "choices": ["employed", "not employed"]}),
    sensitive("0.6", question("drink", "0.2", "0.8"), question("theft", *HALF), lasting="0.8"),
    sensitive("0.5", question("drugs", *HALF), question("cheat", *HALF), asked=1, lasting="0.7"),
    window("age", 5, 1, "0.5"),
)


def in_own_thread(function: Callable[[], Seen]) -> Seen:
    """Calls a function that starts a browser: where tests of pages ran before, their Playwright holds this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


@dataclass
class ClientSite:
    """The product in this process. `changed`: by the end of a path what else is served there."""

    address: str = "http://testserver"
    changed: dict[str, Answer] = field(default_factory=dict)

    def get(self, path: str, encoding: str = "identity", **headers: str) -> Answer:
        return self._changed_answer(path, encoding) or (
            static(path) if path.startswith("/static/") else self._page(path, headers)
        )

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        response = Client().post(path, body, content_type="application/json", headers=sent)
        return self._changed_answer(path, "") or answer_of_response(response)

    def options(self, path: str, **headers: str) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._changed_answer(path, "OPTIONS") or answer_of_response(
            Client().options(path, headers=sent)
        )

    def _page(self, path: str, headers: dict[str, str]) -> Answer:
        sent = {name: value for name, value in headers.items() if name != "Accept"}
        return answer_of_response(Client().get(path, headers=sent))

    def _changed_answer(self, path: str, encoding: str) -> Answer | None:
        keys = (key for key in self.changed if path.endswith(key) or f"{path} {encoding}".endswith(key))
        return next((self.changed[key] for key in keys), None)


def answer_of_response(response: Any) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if response.cookies:
        headers["set-cookie"] = response.cookies.output(header="")
    return Answer(response.status_code, headers, response.content)


@cache
def static(path: str) -> Answer:
    found = finders.find(path.removeprefix("/static/"))
    assert isinstance(found, str), path
    return Answer(200, {"content-security-policy": "default-src 'none'"}, Path(found).read_bytes())


@pytest.fixture(scope="session")
def device() -> Iterator[NodeDevice]:
    program = find_node()
    assert program
    with node_device(program) as running:
        yield running


@pytest.fixture
def rehearsal(request: pytest.FixtureRequest, owner: Person) -> Survey:
    """Of every kind of section, or of those that a test says."""
    return asked.survey(asked.make_design(*getattr(request, "param", SECTIONS), rehearsal=True))


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The product's files are the test's own."""
    monkeypatch.setattr(settings, "VAR", tmp_path)


@pytest.fixture
def context(rehearsal: Survey, device: NodeDevice, var: None) -> ProofContext:
    return context_of(rehearsal, device)


@pytest.fixture
def lasting_context(
    request: pytest.FixtureRequest, owner: Person, device: NodeDevice, var: None,
    monkeypatch: pytest.MonkeyPatch,
) -> ProofContext:  # fmt: skip
    """With a tenth of the draws, of which each takes several digests."""
    monkeypatch.setattr(disguise, "LASTING_DRAWS", disguise.LASTING_DRAWS // 10)
    sections = getattr(request, "param", LASTING)
    return context_of(asked.survey(asked.make_design(*sections, rehearsal=True), owner=owner), device)


def context_of(survey: Survey, device: NodeDevice) -> ProofContext:
    assert survey.design
    design, now = survey.design.content, timezone.now()
    return ProofContext(survey, design, ClientSite(), settings.BASE_DIR, now, device=device, canary=CANARY)
