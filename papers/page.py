"""One page a document: what it is, what of its claims holds, figures, tables. The same numbers give the same bytes.

Texts are in the active language; `html` writes the page with its figures inside, so that it can be sent alone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape

from django.utils.translation import gettext as _

from papers.drawing import Figure, svg
from ui.references import references


class Verdict(Enum):
    """Of a claim of a document."""

    HOLDS = "holds"
    FAILS = "fails"
    UNAVAILABLE = "unavailable"

    def __str__(self) -> str:
        return {"holds": _("holds"), "fails": _("fails"), "unavailable": _("cannot be had")}[self.value]


@dataclass(frozen=True)
class Claim:
    """`document`: what it says or prints; `ours`: what is computed here; `reason`: why it fails or cannot be had."""

    document: str
    ours: str
    verdict: Verdict
    reason: str = ""


def judged(document: str, ours: str, holds: bool, reason: str = "") -> Claim:
    return Claim(document, ours, Verdict.HOLDS if holds else Verdict.FAILS, "" if holds else reason)


@dataclass(frozen=True)
class Table:
    """`file`: the CSV, by its name without the document's, that has these numbers and more."""

    caption: str
    head: Sequence[str]
    lines: Iterable[Sequence[object]]
    note: str = ""
    file: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure that is no plot of curves, as SVG."""

    svg: str


@dataclass(frozen=True)
class Page:
    """`cited`: keys of docs/references.md; the document is first."""

    title: str
    cited: Sequence[str]
    introduction: Sequence[str]
    claims: Sequence[Claim]
    figures: Sequence[Figure | Drawing]
    tables: Sequence[Table]
    not_built: Sequence[str] = ()


def html(page: Page, name: str, language: str, others: Mapping[str, str]) -> str:
    """`name` of the document, as its files begin; `others`: the pages in other languages, by their language's name."""
    body = [
        f"<h1>{escape(page.title)}</h1>",
        *_links(others),
        _heading(_("References")),
        *(f'<p class="reference">{_cited(key)}</p>' for key in page.cited),
        *_paragraphs(page.introduction),
        *_claims(page.claims),
        _heading(_("Figures")) if page.figures else "",
        '<div class="figures">',
        *(f"<figure>{_drawn(figure)}</figure>" for figure in page.figures),
        "</div>",
        _heading(_("Tables")) if page.tables else "",
        *(part for table in page.tables for part in _table(table, name)),
        _heading(_("Not built")) if page.not_built else "",
        *_paragraphs(page.not_built),
    ]
    return document(page.title, language, body)


def index(pages: Mapping[str, Page], language: str, others: Mapping[str, str]) -> str:
    """`pages` by the name of their document."""
    head = [_("document"), *map(str, Verdict)]
    lines = [
        [
            f'<a href="{name}.{language}.html">{escape(page.title)}</a>',
            *(sum(claim.verdict is verdict for claim in page.claims) for verdict in Verdict),
        ]
        for name, page in pages.items()
    ]
    title = _("Documents made again")
    digests = _("SHA256SUMS has the digest of every file: check them with sha256sum -c SHA256SUMS.")
    body = [
        f"<h1>{title}</h1>",
        *_links(others),
        *_rows(_("Claims of each document"), head, lines),
        f"<p>{digests}</p>",
    ]
    return document(title, language, body)


def document(title: str, language: str, body: Iterable[str]) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    parts = [
        f'<!doctype html>\n<html lang="{language}">\n<head>{head}{STYLE}</head>\n<body><main>',
        *body,
        "</main></body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _heading(text: str) -> str:
    return f"<h2>{text}</h2>"


def _links(others: Mapping[str, str]) -> Iterator[str]:
    yield from (f'<p><a href="{file}">{escape(language)}</a></p>' for language, file in others.items())


def _cited(key: str) -> str:
    parts = [escape(part) for part in references()[key].parts]
    text = "".join(f"<cite>{part}</cite>" if at % 2 else part for at, part in enumerate(parts))
    return f'<b>{key}</b> <span lang="en">{text}</span>'


def _paragraphs(texts: Iterable[str]) -> Iterator[str]:
    return (f"<p>{escape(text)}</p>" for text in texts)


def _claims(claims: Sequence[Claim]) -> Iterator[str]:
    if not claims:
        return
    head = [_("the document"), _("ours"), _("verdict")]
    lines = [
        [
            escape(claim.document),
            escape(claim.ours),
            f'<b class="{claim.verdict.value}">{claim.verdict}</b> {escape(claim.reason)}',
        ]
        for claim in claims
    ]
    yield _heading(_("What of the document holds"))
    yield from _rows("", head, lines, "claims")


def _drawn(figure: Figure | Drawing) -> str:
    return figure.svg if isinstance(figure, Drawing) else svg(figure)


def _table(table: Table, name: str) -> Iterator[str]:
    lines = [[escape(str(cell)) for cell in line] for line in table.lines]
    yield from _rows(escape(table.caption), list(map(escape, table.head)), lines)
    file = f'<a href="{name}-{table.file}.csv">{name}-{table.file}.csv</a>' if table.file else ""
    if table.note or file:
        yield f"<p>{escape(table.note)} {file}</p>"


def _rows(
    caption: str, head: Sequence[str], lines: Iterable[Sequence[object]], kind: str = ""
) -> Iterator[str]:
    """Cells are HTML. Columns of numbers are set to the right."""
    cells = [list(map(str, line)) for line in lines]
    numbers = [all(map(NUMBER.match, column)) for column in zip(*cells, strict=True)] or [False] * len(head)
    yield f'<div class="wide" tabindex="0"><table class="{kind}"><caption>{caption}</caption>'
    yield _row("th", 'scope="col"', head, numbers)
    yield from (_row("td", "", line, numbers) for line in cells)
    yield "</table></div>"


def _row(tag: str, attributes: str, cells: Sequence[str], numbers: Sequence[bool]) -> str:
    kinds = ['class="n"' if number else "" for number in numbers]
    return (
        "<tr>"
        + "".join(
            f"<{tag} {attributes} {kind}>{cell}</{tag}>" for cell, kind in zip(cells, kinds, strict=True)
        )
        + "</tr>"
    )


NUMBER = re.compile(r"$|[-−<]? ?\.?\d")
STYLE = """<style>
:root{color-scheme:light dark;--ink:#1b2431;--paper:#faf8f4;--line:#d9d5cc;--bad:#9c2c2c}
@media(prefers-color-scheme:dark){:root{--ink:#e8e6e1;--paper:#161b22;--line:#3a424e;--bad:#ff9a8a}}
body{font:16px/1.5 system-ui,"Noto Sans CJK SC",sans-serif;color:var(--ink);background:var(--paper);max-width:64rem;
margin:0 auto;padding:1rem}
a{color:inherit}h2{margin-top:2rem}caption{text-align:left;font-weight:600;padding:.5rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--line);padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}
.n{text-align:right}.claims td{min-width:12rem}
.fails,.unavailable{color:var(--bad)}
.figures{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr))}
figure{margin:0}svg{max-width:100%;height:auto}.reference{margin:.25rem 0}
</style>"""
