"""Reads quotes.toml: what the five documents print, with its line, and the words they have for the field's terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tomllib import loads
from typing import Any

from django.utils.translation import get_language

FILE = Path(__file__).parent / "quotes.toml"


@dataclass(frozen=True)
class Quote:
    """Something that a document prints: `quote` is the text's, word for word; `says` and `zh` tell what it says.

    `of`: key in docs/references.md of a cited work whose item it is. `ours`: the result here, `reason`: why it does not
    hold, where, or what to mind, both with the names of numbers in braces; `by`: the names of what computed it.
    `alone`: Python that recomputes the row without Candor, and what it `prints`. A quote without a line is no
    document's: a claim of a published study.
    """

    id: str
    says: str
    kind: str = "claim"
    line: int = 0
    quote: str = ""
    zh: str = ""
    of: str = ""
    ours: str = ""
    ours_zh: str = ""
    reason: str = ""
    reason_zh: str = ""
    by: Sequence[str] = ()
    alone: str = ""
    prints: str = ""

    @property
    def statement(self) -> str:
        """What the document says, in the active language; the quote itself where it is enough."""
        if not self.line or not is_chinese():
            return self.says
        return self.zh or (self.says if self.kind == "formula" else self.quote)

    def our_result(self, numbers: Mapping[str, object]) -> str:
        return (self.ours_zh if is_chinese() and self.ours_zh else self.ours).format(**numbers)

    def reason_with(self, numbers: Mapping[str, object]) -> str:
        return (self.reason_zh if is_chinese() and self.reason_zh else self.reason).format(**numbers)


@dataclass(frozen=True)
class PrintedDocument:
    """A document: its number, the SHA-256 of its text, and its titles; a title without a line is ours."""

    number: str
    sha256: str
    english: str
    chinese: str
    english_line: int = 0
    chinese_line: int = 0

    @property
    def title(self) -> str:
        return self.chinese if is_chinese() else self.english

    @property
    def is_title_printed(self) -> bool:
        return bool(self.chinese_line if is_chinese() else self.english_line)


@dataclass(frozen=True)
class Term:
    """A term of the field: `documents` has, by number, the line and the words of each document with the term.

    Where no document has it, the Chinese is the field's. `product`: the word of Candor's pages, if it is another one.
    """

    english: str
    chinese: str
    documents: Mapping[str, tuple[int, str]]
    product: str


def is_chinese() -> bool:
    return (get_language() or "").startswith("zh")


@cache
def _content() -> dict[str, Any]:
    return loads(FILE.read_text(encoding="utf-8"))


@cache
def printed_documents() -> dict[str, PrintedDocument]:
    """Returns the five documents by the names of their pages."""
    return {name: PrintedDocument(**members) for name, members in _content()["documents"].items()}


@cache
def quotes_by_id() -> dict[str, Quote]:
    return {key: Quote(key, **members) for key, members in _content()["quotes"].items()}


@cache
def terms() -> list[Term]:
    return [
        Term(
            english,
            members["chinese"],
            {
                number: (line, own[0] if own else members["chinese"])
                for number, (line, *own) in members.get("documents", {}).items()
            },
            members.get("product", ""),
        )
        for english, members in _content()["terms"].items()
    ]
