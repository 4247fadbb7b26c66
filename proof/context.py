"""What all checks of one proof share: the survey, the site as it is served, and who can run its modules."""

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
from proof.site import Site, StartPage, crawled
from proof.visit import Visit
from surveys.models import Survey

COMPOSER = "intake/device"
OF_KINDS = re.compile(r"privacy/kinds/(\w+)")
"""A page loads those of its questions, and the module of codes where a disguise lasts; the hash is of all modules."""
WHOLE = "/static/intake/whole-device.js"
"""Composes the device with the kinds that the page's own script adds."""


@dataclass
class ProofContext:
    """`device` and `visit` are None where no program is there to run the modules, or no browser to visit; `why` says
    why. `logs`: log files that the operator named. `canary`: a word that is sent and must be found nowhere."""

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
        return StartPage.read(answer, self.path)

    @cached_property
    def scripts(self) -> dict[str, bytes]:
        """By path what a browser gets with the page."""
        return crawled(self.site, self.page)

    @cached_property
    def modules(self) -> dict[str, bytes]:
        """By name the modules that disguise, in the order of the page."""
        if not self.page.modules:
            raise CheckFailed("the start page names no module that disguises")
        return {name: self._served(name, path) for name, path in self.page.modules.items()}

    @property
    def digest(self) -> str:
        """The SHA-256 of all of them, one after the other."""
        return sha256(b"".join(self.modules.values())).hexdigest()

    def _served(self, name: str, path: str) -> bytes:
        if path not in self.scripts:
            if name not in loaded_modules(self.design):
                return self.site.get(path).body
            raise CheckFailed(f"the page names {path} and does not load it")
        return self.scripts[path]

    @cached_property
    def composer(self) -> str:
        """The path of the script that composes the device."""
        paths = [path for path in self.scripts if COMPOSER in path]
        if len(paths) != 1:
            raise CheckFailed("the page does not load one script that composes the device")
        return paths[0]

    @staticmethod
    def _beside(path: str) -> str:
        return f"./{relpath(path, dirname(WHOLE))}"

    @cached_property
    def design_json(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.design.canonical)
        return content

    def ask(self, operation: str, **request: Any) -> Any:
        """What the modules as served answer."""
        assert self.device
        return self.device.ask({**self.scripts, WHOLE: self._whole_device}, WHOLE, operation, **request)

    @cached_property
    def _whole_device(self) -> bytes:
        composer, composed = self._beside(self.composer), self.scripts[self.composer].decode(errors="replace")
        lines = [f'export * from "{composer}";', f'import {{ addKind }} from "{composer}";']
        for name, path in self.page.modules.items():
            kind = OF_KINDS.match(name)
            if kind and path in self.scripts and path.rpartition("/")[2] not in composed:
                lines += [
                    f'import {{ {kind[1]} }} from "{self._beside(path)}";',
                    f'addKind("{kind[1]}", {kind[1]});',
                ]
        if (of_codes := self.page.modules.get(PERMANENT_DRAWS)) in self.scripts:
            lines.append(f'export * from "{self._beside(of_codes)}";')
        return "\n".join(lines).encode()
