"""Takes pictures of a page as a laptop shows it."""

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, ViewportSize

from tests.browser.visiting import SETTLED

WINDOW: ViewportSize = {"width": 1280, "height": 900}
COLOURS = 64
MAX_BYTES = 150_000
TOP = "scrollTo(0, 0)"
BEGIN = "element => element.scrollIntoView({ block: 'start', behavior: 'instant' })"


@dataclass(frozen=True)
class Camera:
    folder: Path

    def take(self, page: Page, name: str, begin: Locator | None = None) -> None:
        """A file of the window's size; `begin` is what it shows at the top, else the page's own top."""
        page.evaluate(SETTLED)
        if begin:
            begin.evaluate(BEGIN)
        else:
            page.evaluate(TOP)
        self.save(page.screenshot(caret="hide"), f"{name}-{WINDOW['width']}.png")

    def save(self, png: bytes, name: str) -> None:
        out = io.BytesIO()
        picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        picture.save(out, "PNG", optimize=True)
        assert out.tell() < MAX_BYTES, f"{name} has {out.tell():,} bytes"
        (self.folder / name).write_bytes(out.getvalue())
        print(f"{name}: {out.tell():,} bytes", flush=True)
