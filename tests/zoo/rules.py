"""What a report must not say, whatever its survey is like; each rule yields its complaints."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from zipfile import ZipFile

from mining.json_codec import node_from_json
from mining.nodes.number_nodes import NumberShare
from reports.sentences.finding import MeasuredValue
from reports.sentences.number_format import percent
from tests.zoo.survey_collection import PublishedSurvey, words_of

UNFINISHED = re.compile(r"\bNone\b|\bnan\b|%\(\w+\)|{{|{%|interval –|\b-?0 %–0 %")
QUOTED = re.compile(r"[“”]|\bH\d\b|answered (Yes|No)\b|: (Yes|No)\b")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
Rule = Callable[[PublishedSurvey], Iterator[str]]


def found_section(page: str) -> str:
    """*What was found*, with the headline above it."""
    headline = page.partition("<h1>")[2].partition("</h1>")[0]
    section = page.partition('<section id="found">')[2].partition("</section>")[0]
    return words_of(f"{headline} {section}")


def words_never_said(published: PublishedSurvey) -> Iterator[str]:
    """Of a disguise where nothing is disguised, of a device where none draws."""
    report = {**published.json, "about": published.json["about"]}
    texts = {"public page": words_of(published.public_page("en")), "json": json.dumps(report)}
    for place, text in texts.items():
        for word in published.survey_file.file["never"]:
            # Members of the file have fixed names.
            said = re.sub(r'"[\w-]+":', "", text) if place == "json" else text
            for match in re.finditer(rf"[^.]*\b{re.escape(word)}[^.]*", said, re.IGNORECASE):
                yield f"{place}: {match[0].strip()[:200]}"


def unfinished_texts(published: PublishedSurvey) -> Iterator[str]:
    pages = {language: published.public_page(language) for language in ("en", "zh-hans", "ar")}
    pages |= {"report": published.report_page, "paper": published.paper}
    for place, page in pages.items():
        for match in UNFINISHED.finditer(words_of(page)):
            yield f"{place}: {match[0]}"


def same_numbers_in_each_language(published: PublishedSurvey) -> Iterator[str]:
    english, chinese = (
        Counter(NUMBER.findall(found_section(published.public_page(language)).replace(",", "")))
        for language in ("en", "zh-hans")
    )
    yield from (english - chinese) + (chinese - english)


def shares_as_in_the_files(published: PublishedSurvey) -> Iterator[str]:
    """Each share that a file knows with its interval stands on the page, and the table has the file's numbers.

    Of a number the page has the shares of its node, which fall from limit to limit.
    """
    page = words_of(published.public_page("en")).replace("\u2060", "")
    archive = ZipFile(io.BytesIO(published.files["csv"]))
    rows = csv.DictReader(io.StringIO(archive.read("shares.csv").decode("utf-8-sig")))
    table = {row["items"]: row for row in rows}
    of_numbers = {
        f"{node['question']}={node_from_json(NumberShare, one).item}": one
        for node in published.json.get("numbers", [])
        for one in (*node["all_records"]["shares"], *node["all_records"]["classes"])
    }
    for share in published.json["shares"]:
        (item,) = share["items"]
        if share["support"] is None:
            continue
        if abs(float(table[item]["support"]) - share["support"]) > 1e-6:
            yield f"{item}: {table[item]['support']} in shares.csv"
        support, low, high = (
            share[name] if share["share_shown"] is None else share[shown]
            for name, shown in (("support", "share_shown"), ("low", "low_shown"), ("high", "high_shown"))
        )
        if item in of_numbers:
            support, low, high = (of_numbers[item][name] for name in ("share", "low", "high"))
        # The page says how many answered yes, or at least so much.
        is_other_side = item.endswith("=no") or "=<" in item
        measured = MeasuredValue(support, low, high)
        stated = (measured.bound_text if measured.is_at_end else percent(support)).replace("\xa0", " ")
        if measured.is_known and not is_other_side and stated not in page:
            yield f"{item}: {stated} is not on the page"


def own_words_where_there_are_some(published: PublishedSurvey) -> Iterator[str]:
    """No quotation mark, code, Yes, No or H1 in a finding where every answer has words of its own."""
    if published.survey_file.file.get("has_own_words"):
        for match in QUOTED.finditer(found_section(published.public_page("en"))):
            yield match[0]


def one_headline(published: PublishedSurvey) -> Iterator[str]:
    """Page, preview of a link, home page and list of surveys say the same; a rehearsal says in each that it is one."""
    page = published.public_page("en")
    headline = words_of(page.partition("<h1>")[2].partition("</h1>")[0]).replace("\u2060", "").strip()
    previews = dict(re.findall(r'<meta property="(og:[a-z]+)" content="([^"]*)"', page))
    for name in ("og:title", "og:description"):
        text = unescape(previews.get(name, "")).replace("\u2060", "")
        if _squeezed(headline) not in _squeezed(text):
            yield f"{name}: {text}"
        if "simulated" not in text.lower():
            yield f"{name} does not say that the answers are simulated"
    for name, other in {"home page": published.home_page, "list": published.list_of_surveys}.items():
        if _squeezed(headline) not in _squeezed(words_of(other)).replace("\u2060", ""):
            yield f"{name} has another headline"


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\u2066-\u2069\u202f\u00a0]+", "", text)


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        words_never_said,
        unfinished_texts,
        same_numbers_in_each_language,
        shares_as_in_the_files,
        own_words_where_there_are_some,
        one_headline,
    )
}
