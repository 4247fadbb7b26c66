"""What `reproduce` wrote: its pages as texts, its tables as lines."""

import csv
import re
from html import unescape
from io import StringIO
from pathlib import Path

from django.core.management import call_command

Line = dict[str, str]


def reproduced(name: str, into: Path, *options: str) -> Path:
    call_command("reproduce", name, "-o", str(into), *options, stderr=StringIO())
    return into


def table(folder: Path, name: str) -> list[Line]:
    with (folder / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def text(folder: Path, name: str, language: str = "en") -> str:
    """Words of a page without its figures; a cell of a table ends with a bar."""
    page = (folder / f"{name}.{language}.html").read_text()
    page = re.sub(r"<style>.*?</style>|<figure.*?</figure>", "", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", re.sub(r"</t[dh]>", " | ", page)))


def verdict(folder: Path, name: str, claim: str) -> str:
    """Of the one claim whose line holds these words; a sentence why stands beside it."""
    page = (folder / f"{name}.en.html").read_text().split('class="claims"')[1]
    lines = re.findall(r'<tr><td>(.*?)</td><td>.*?</td><td><b class="\w+">(.*?)</b> ([^<]+)</td></tr>', page)
    (found,) = [verdict for document, verdict, _reason in lines if claim in unescape(document)]
    return str(found)
