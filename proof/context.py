"""What all checks of one proof share: the survey, the site as it is served, and a program that runs its modules."""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any

from intake.pages.scripts import PERMANENT_DRAWS, loaded_modules
from privacy.designs import Design
from proof.device.running import Device
from proof.outcome import CheckFailed
from proof.site import Site, StartPage, crawl
from proof.visit import Visit
from surveys.models import Survey

COMPOSER = "intake/device"
KIND_MODULE = re.compile(r"privacy/kinds/(\w+)")
"""A page loads those of its questions, and the module of codes if a disguise lasts; the hash is of all modules."""
WHOLE = "/static/intake/whole-device.js"
"""Composes the device with the kinds that the page's own script adds."""


@dataclass
class ProofContext:
    """Shared input of all checks of one proof.

    `device` and `visit` are None without a program that runs the modules or without a browser; `why` is the reason.
    `logs`: log files that the operator named. `canary`: a word that is sent and must be found nowhere.
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

    @property
    def path(self) -> str:
        return self.survey.address

    @cached_property
    def page(self) -> StartPage:
        answer = self.site.get(self.path)
        if answer.status not in (200, 503):
            raise CheckFailed(f"{self.site.address}{self.path} is answered with {answer.status}")
        return StartPage(answer)

    @cached_property
    def scripts(self) -> dict[str, bytes]:
        """The scripts that a browser loads with the page, by path."""
        return crawl(self.site, self.page)

    @cached_property
    def modules(self) -> dict[str, bytes]:
        """The modules that disguise, by name in the order of the page."""
        if not self.page.modules:
            raise CheckFailed("the start page names no module that disguises")
        modules = {}
        for name, path in self.page.modules.items():
            if path in self.scripts:
                modules[name] = self.scripts[path]
            elif name in loaded_modules(self.design):
                raise CheckFailed(f"the page names {path} and does not load it")
            else:
                modules[name] = self.site.get(path).body
        return modules

    @property
    def digest(self) -> str:
        """SHA-256 of the modules one after the other."""
        return sha256(b"".join(self.modules.values())).hexdigest()

    @cached_property
    def composer(self) -> str:
        """The path of the script that composes the device."""
        paths = [path for path in self.scripts if COMPOSER in path]
        if len(paths) != 1:
            raise CheckFailed("the page does not load one script that composes the device")
        return paths[0]

    @cached_property
    def design_json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.design.canonical)
        return content

    def ask(self, operation: str, **request: Any) -> Any:
        """Runs an operation of device/operations.js on the served modules and returns its answer."""
        assert self.device
        return self.device.ask({**self.scripts, WHOLE: self._whole_device}, WHOLE, operation, **request)

    @cached_property
    def _whole_device(self) -> bytes:
        def beside(path: str) -> str:
            return f"./{relpath(path, dirname(WHOLE))}"

        composer, composed = beside(self.composer), self.scripts[self.composer].decode(errors="replace")
        lines = [f'export * from "{composer}";', f'import {{ addKind }} from "{composer}";']
        for name, path in self.page.modules.items():
            kind = KIND_MODULE.match(name)
            if kind and path in self.scripts and path.rpartition("/")[2] not in composed:
                lines += [
                    f'import {{ {kind[1]} }} from "{beside(path)}";',
                    f'addKind("{kind[1]}", {kind[1]});',
                ]
        if (codes := self.page.modules.get(PERMANENT_DRAWS)) in self.scripts:
            lines.append(f'export * from "{beside(codes)}";')
        return "\n".join(lines).encode()
