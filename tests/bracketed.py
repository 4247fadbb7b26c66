"""A language in which every translated word is ⟦bracketed⟧: what stands bare on a page was forgotten."""

import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from config import catalogue

LETTER = re.compile(r"[^\W\d_]")
INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")
READ_ALOUD = {
    "title",
    "aria-label",
    "aria-description",
    "aria-roledescription",
    "alt",
    "placeholder",
    "label",
}
# Names that are the same in every language, and what is data or code and not language.
NAMES = re.compile(
    r"\b(Candor|English|CSV|JSON|GitHub|SHA-256|Django|Celery|PostgreSQL|SQLite|Redis|Parquet|Excel"
    r"|Zhang|Jaccard|Kulczynski|numpy|scipy|mining|p|q|H\d+)\b|简体中文"
)
NOT_LANGUAGE = {"script", "style", "code", "kbd", "samp", "var", "math", "template"}
VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
    "use",
}


class Words(HTMLParser):
    """What a person reads or hears, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.text = ""
        self.attributes: list[str] = []

    @property
    def ignored(self) -> bool:
        return any(data for _, data in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        data = tag in NOT_LANGUAGE or given.get("translate") == "no"
        if not (self.ignored or data):
            self.attributes += [value for name, value in given.items() if name in READ_ALOUD]
            self.attributes += [
                v for k, v in given.items() if k.startswith("data-") and " " in v and "://" not in v
            ]
            if tag == "input" and given.get("type") in ("submit", "button", "reset"):
                self.attributes.append(given.get("value", ""))
            if tag == "meta" and given.get("name") == "description":
                self.attributes.append(given.get("content", ""))
        if tag not in VOID:
            self.open.append((tag, data))

    def handle_endtag(self, tag: str) -> None:
        while self.open and any(name == tag for name, _ in self.open):
            if self.open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if not self.ignored:
            self.text += f" {data}"


def bare(text: str) -> str:
    """What is left of a text without its bracketed parts, names and figures."""
    while INNERMOST.search(text):
        text = INNERMOST.sub(" ", text)
    text = NAMES.sub(" ", text)
    return " ".join(text.split()) if LETTER.search(text) else ""


def forgotten(html: str) -> list[str]:
    words = Words()
    words.feed(html)
    return [left for left in map(bare, [words.text, *words.attributes]) if left]


def bracket(words: str) -> str:
    if re.fullmatch(r"\w+(,\w+){1,2}", words):  # the filter yesno takes it apart at its commas
        return ",".join(f"⟦{word}⟧" for word in words.split(","))
    core = words.strip("\n")
    return words.replace(core, f"⟦{core}⟧", 1) if core else words


def pseudo() -> Catalog:
    made = Catalog(locale="en")
    sources = [catalogue.extract()]
    installed = ["django", "axes"]
    for package in installed:
        spec = find_spec(package)
        assert spec
        assert spec.origin
        for path in sorted(Path(spec.origin).parent.glob("**/locale/en/LC_MESSAGES/django.po")):
            with path.open("rb") as file:
                sources.append(read_po(file, locale="en"))
    for source in sources:
        for message in source:
            if not message.id:
                continue
            ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
            marked = tuple(bracket(words) for words in ids)
            made.add(message.id, marked if len(ids) > 1 else marked[0], context=message.context)
    return made


def write(folder: Path) -> None:
    (folder / "xx" / "LC_MESSAGES").mkdir(parents=True)
    with (folder / "xx" / "LC_MESSAGES" / "django.mo").open("wb") as file:
        write_mo(file, pseudo())
