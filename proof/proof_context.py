"""Shared input of all checks of one proof: the survey, the served site, and a program that
runs its modules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from privacy.designs import Design
from proof.browser_visit import Visit
from proof.device.script_runners import Device
from proof.outcome import CheckFailed
from proof.site_client import Site, StartPage, fetch_scripts
from surveys.models import Survey

COMPOSER = "intake/device"
"""Name of the script that assembles the modules that disguise answers."""


@dataclass
class ProofContext:
    """Shared input of all checks of one proof.

    `device` and `visit` are None without a program that runs the modules or without a browser; `why` is the reason.
    `logs`: log files that the operator named. `canary`: a word that is sent and must be found nowhere on the server.
    `host`: the site that serves the page, at `host_path`, if it is not `site`, which gets the records; `folder`: the
    files that were stored for it when the survey was opened, by name.
    """

    survey: Survey
    design: Design
    site: Site
    source: Path
    now: datetime
    device: Device | None = None
    visit: Visit | None = None
    why: str = ""
    logs: tuple[Path, ...] = ()
    canary: str = ""
    host: Site | None = None
    host_path: str = "/"
    folder: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def page_site(self) -> Site:
        return self.host or self.site

    @property
    def page_path(self) -> str:
        return self.host_path if self.host else self.path

    @property
    def record_address(self) -> str:
        """The address of the records as the page should have it."""
        return self.design.asked_at.record if self.host and self.design.asked_at else f"{self.path}/record"

    @property
    def path(self) -> str:
        return self.survey.address

    @cached_property
    def page(self) -> StartPage:
        answer = self.page_site.get(self.page_path)
        if answer.status not in (200, 503):
            raise CheckFailed(f"{self.page_site.address}{self.page_path} is answered with {answer.status}")
        return StartPage(answer, self.page_path)

    @cached_property
    def scripts(self) -> dict[str, bytes]:
        """The contents of all scripts that a browser loads with the start page, by path."""
        return fetch_scripts(self.page_site, self.page)

    @cached_property
    def modules(self) -> dict[str, bytes]:
        """The contents of the JavaScript modules that disguise answers, by name in the order of the page."""
        if not self.page.modules:
            raise CheckFailed("the start page names no module that disguises")
        return {name: self.page_site.get(path).body for name, path in self.page.modules.items()}

    @property
    def modules_digest(self) -> str:
        """SHA-256 of the concatenated modules that disguise."""
        return sha256(b"".join(self.modules.values())).hexdigest()

    @cached_property
    def composer_path(self) -> str:
        """Path of the script that assembles the modules that disguise."""
        paths = [path for path in self.scripts if COMPOSER in path]
        if len(paths) != 1:
            raise CheckFailed("the page does not load one script that composes the device")
        return paths[0]

    @cached_property
    def design_json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.design.canonical)
        return content

    def run_operation(self, operation: str, **request: Any) -> Any:
        """Runs an operation of device/operations.js on the modules that the site serves; returns its result."""
        assert self.device
        return self.device.run_operation(self.scripts, self.composer_path, operation, **request)
