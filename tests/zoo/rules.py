"""What a report must not say, whatever its survey is like; each rule yields its complaints."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any
from zipfile import ZipFile

from django.utils import translation
from openpyxl import load_workbook

from mining.json_codec import node_from_json
from mining.nodes.number_nodes import NumberShare
from reports.export_table import COLUMNS, JOINED
from surveys.phrases.fixed_page_sentence import PLACEHOLDER
from tests.zoo.survey_collection import PublishedSurvey, words_of

UNFINISHED = re.compile(r"\bNone\b|\bnan\b|%\(\w+\)|{{|{%|interval –|\b-?0 %–0 %|<Promise|&\w+;")
QUOTED = re.compile(r"[“”]|\bH\d\b|answered (Yes|No)\b|: (Yes|No)\b")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NUMBERS_OF_SHARE = re.compile(r"-?\d+(?:\.\d+)?")
BEYOND = re.compile(r"−[\d.]+ (?:to [\d.]+ )?times|−\d+ %|\b1(?!00 %)\d\d %|at (?:most 0|least 100) %")
UP_TO_SIX_WORDS = r"\S+?(?: \S+?){0,5}?"
Rule = Callable[[PublishedSurvey], Iterator[str]]


def found_section(page: str) -> str:
    """*What was found*, with the headline above it."""
    headline = page.partition("<h1>")[2].partition("</h1>")[0]
    section = page.partition('<section id="found">')[2].partition("</section>")[0]
    return words_of(f"{headline} {section}")


def words_never_said(published: PublishedSurvey) -> Iterator[str]:
    """Of a disguise where nothing is disguised, of a device where none draws."""
    for place, text in (*published.texts.items(), *english_letters(published)):
        for word in published.survey_file.file["never"]:
            # Members of a file have fixed names.
            said = re.sub(r'"[\w-]+":', "", text) if place == "metadata of files" else text
            for match in re.finditer(rf"[^.]*\b{re.escape(word)}[^.]*", said, re.IGNORECASE):
                yield f"{place}: {word}: {match[0].strip()[:200]}"


def english_letters(published: PublishedSurvey) -> Iterator[tuple[str, str]]:
    yield from ((place, text) for place, text in published.before.items() if place.endswith(" en"))


def sentences_of_other_designs(published: PublishedSurvey) -> Iterator[str]:
    """A sentence about a design is in no text about a design that has not what the sentence needs."""
    _true, untrue = published.true_sentences()
    for language, texts in {"en": published.texts, "zh-hans": published.chinese_texts}.items():
        with translation.override(language):
            patterns = {one.key: pattern_of(translation.gettext(one.text)) for one in untrue}
        for place, text in texts.items():
            for key, pattern in patterns.items():
                if match := pattern.search(text):
                    yield f"{key} on {place}: {match[0][:200]}"


def pattern_of(text: str) -> re.Pattern[str]:
    """Matches a sentence with anything short in the places of its values; no Chinese word of it may begin earlier."""
    constant = (re.escape(re.sub(r"\s+", " ", part)) for part in PLACEHOLDER.split(text)[::2])
    return re.compile(r"(?<![\u4e00-\u9fff])" + UP_TO_SIX_WORDS.join(constant))


def unfinished_texts(published: PublishedSurvey) -> Iterator[str]:
    pages = {language: published.public_page(language) for language in ("en", "zh-hans", "ar")}
    pages |= {**published.pages, **published.before}
    for place, page in pages.items():
        for match in UNFINISHED.finditer(words_of(page)):
            yield f"{place}: {match[0]}"


def same_numbers_in_each_language(published: PublishedSurvey) -> Iterator[str]:
    english, chinese = (
        Counter(NUMBER.findall(found_section(published.public_page(language)).replace(",", "")))
        for language in ("en", "zh-hans")
    )
    yield from (english - chinese) + (chinese - english)


def one_share_everywhere(published: PublishedSurvey) -> Iterator[str]:
    """Share, interval and number of answers stand alike on the public page, the report, the paper and in the files."""
    places = {
        "public page": published.public_page("en"),
        "report": published.report_page,
        "paper": published.paper,
    }
    labels = published.report.labels
    # The shares of a number fall from limit to limit, where the number stands.
    of_numbers = {
        f"{node['question']}={node_from_json(NumberShare, one).item}": {**one, "share_shown": one["share"]}
        for node in published.json.get("numbers", [])
        for one in (*node["all_records"]["shares"], *node["all_records"]["classes"])
    }
    for place, page in places.items():
        rows = list(rows_of_shares(page))
        known = {
            (labels.answer(one["items"][0]).choice, *shown_numbers(of_numbers.get(one["items"][0], one))): one
            for one in published.json["shares"]
        }
        for label, text, evidence in rows:
            candidates = [
                one for (choice, *numbers), one in known.items() if choice == label and agrees(text, *numbers)
            ]
            if not candidates:
                yield f"{place}: {label}: {text} is in no file"
            if evidence and not any(has_evidence(evidence, one) for one in candidates):
                yield f"{place}: {label}: {evidence} is in no file"
        stated = Counter(label for label, _text, _evidence in rows)
        listed = Counter(labels.answer(item).choice for item in published.listed_answers)
        if place != "paper":
            yield from (f"{place}: {label} is missing" for label in listed - stated)


def one_share_of_each_class(published: PublishedSurvey) -> Iterator[str]:
    """What a page says of a class, a file says too."""
    labels = published.report.labels
    cells = [
        (labels.answer(of_class).choice, cell["share"], cell["low"], cell["high"])
        for table in published.json["groups"]
        for row in table["rows"]
        for of_class, cell in zip(table["classes"], row["cells"], strict=True)
    ]
    for place in ("public page", "report"):
        page = published.public_page("en") if place == "public page" else published.report_page
        for label, text, _facts in rows_of_shares(page, "groups"):
            if not any(label == choice and agrees(text, *numbers) for choice, *numbers in cells):
                yield f"{place}: {label}: {text} is in no file"


def rows_of_shares(page: str, part: str = "shares") -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yields label, share and evidence of each row."""
    section = page.partition(f'<section id="{part}"')[2].partition("</section>")[0]
    for row in re.findall(r'<tr><th class="label" scope="row".*?</tr>', section, re.DOTALL):
        label = words_of(re.search(r"<bdi>(.*?)</bdi>", row, re.DOTALL)[1]).strip()  # type: ignore[index]
        text = words_of(re.search(r'<td class="num">(.*?)</td>', row, re.DOTALL)[1])  # type: ignore[index]
        facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", row))
        yield (
            label,
            text.replace("\u2060", "").strip(),
            {name: words_of(value).strip() for name, value in facts.items()},
        )


def shown_numbers(share: dict[str, Any]) -> tuple[float | None, float | None, float | None]:
    """Share and interval, of those shown the question where a rule hides it."""
    if share["share_shown"] is None:
        return share["support"], share["low"], share["high"]
    return share["share_shown"], share.get("low_shown", share["low"]), share.get("high_shown", share["high"])


def agrees(text: str, share: float | None, low: float | None, high: float | None) -> bool:
    """Whether a text says this share with this interval, or an end of the interval where that is all that is said."""
    numbers = [float(number) / 100 for number in NUMBERS_OF_SHARE.findall(text)]
    if share is None or low is None or high is None or not numbers:
        return text == "–"
    expected = [share, low, high]
    if "at most" in text or "at least" in text:
        expected = [max(high, 0.01)] if "at most" in text else [min(low, 0.99)]
    return len(numbers) == len(expected) and all(
        abs(number - value) < 0.00501 for number, value in zip(numbers, expected, strict=True)
    )


def has_evidence(evidence: dict[str, str], share: dict[str, Any]) -> bool:
    counts = {"Shown to": share["shown"], **dict.fromkeys(("Asked", "Answers used"), share["n_asked"])}
    return all(evidence[name] == f"{n:,}" for name, n in counts.items() if name in evidence and n is not None)


def one_number_in_all_files(published: PublishedSurvey) -> Iterator[str]:
    """Workbook, CSV and JSON have the same numbers in the same rows."""
    book = load_workbook(io.BytesIO(published.files["excel"]), read_only=True)
    for name, rows in csv_tables(published).items():
        sheet = [
            ["" if cell is None else cell for cell in row]
            for row in book[f"Data {name}"].iter_rows(values_only=True)
        ]
        header, *cells = sheet
        if len(cells) != len(rows):
            yield f"{name}: {len(cells)} rows in the workbook, {len(rows)} in CSV"
        for number, (row, in_book) in enumerate(zip(rows, cells, strict=False)):
            for column, value in zip(header, in_book, strict=True):
                if not is_same(row[str(column)], value):
                    yield f"{name} {number} {column}: {row[str(column)]} in CSV, {value} in the workbook"
        for number, (row, node) in enumerate(zip(rows, published.json.get(name) or (), strict=False)):
            if isinstance(node, dict) and name not in ("groups", "numbers", "places"):
                yield from (f"{name} {number} {column}" for column in other_columns(row, node))


def csv_tables(published: PublishedSurvey) -> dict[str, list[dict[str, str]]]:
    archive = ZipFile(io.BytesIO(published.files["csv"]))
    texts = {
        name: archive.read(name).decode("utf-8-sig") for name in archive.namelist() if name.endswith(".csv")
    }
    return {
        name.removesuffix(".csv"): list(csv.DictReader(io.StringIO(text))) for name, text in texts.items()
    }


def is_same(text: str, value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        # A spreadsheet runs no text as a formula.
        return text.lstrip("'") == str(value).lstrip("'")
    return text != "" and abs(float(text) - value) <= 1e-9 * max(1.0, abs(value))


def other_columns(row: dict[str, str], node: dict[str, Any]) -> Iterator[str]:
    members = {COLUMNS.get(name, name): value for name, value in node.items()}
    for column, text in row.items():
        value = members.get(column)
        if column in members and column != "among":
            shown = JOINED.join(value) if isinstance(value, list) else "" if value is None else value
            if not is_same(text, shown):
                yield f"{column}: {text} in CSV, {value} in JSON"


def base_as_in_the_row(published: PublishedSurvey) -> Iterator[str]:
    """What a finding says of all is what some row says, unless its words name other people."""
    page = published.public_page("en")
    rows = {share for _label, share, _facts in rows_of_shares(page)}
    stated = rows | {share.partition(" (")[0] for share in rows}
    for text in re.findall(r"(?:of all,|Among all:) ([^.;]+?)(?: did\b|\.)", found_section(page)):
        if text.strip() not in stated:
            yield f"of all {text} is in no row"


def dashes_are_explained(published: PublishedSurvey) -> Iterator[str]:
    """Where a dash stands for a share, a sentence says what it means."""
    for place, page in {"public page": published.public_page("en"), **published.pages}.items():
        rows = list(rows_of_shares(page))
        if any(
            share == "–" for _label, share, _facts in rows
        ) and "–: too few people answered" not in words_of(page):
            yield f"{place} has a dash"


def numbers_in_their_range(published: PublishedSurvey) -> Iterator[str]:
    """No share is below 0 % or above 100 %, and nothing happens less often than never."""
    for match in BEYOND.finditer(found_section(published.public_page("en"))):
        yield match[0]


def chosen_findings_say_so(published: PublishedSurvey) -> Iterator[str]:
    """A finding whose interval differs from that of its row is one that was chosen, and a sentence says so."""
    page = published.public_page("en")
    rows = {share for _label, share, _facts in rows_of_shares(page)}
    for share in re.findall(r"Of all[^.]*?, (\d+ % \([^)]*\))", found_section(page)):
        if share not in rows and "A finding that was chosen among many" not in words_of(page):
            yield f"{share} is in no row"


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
        if _without_spaces(headline) not in _without_spaces(text):
            yield f"{name}: {text}"
        if ("simulated" in text.lower()) is not published.survey.is_rehearsal:
            yield f"{name} does not say whether the answers are simulated"
    others = {"home page": published.home_page, "list": published.list_of_surveys}
    for name, other in others.items() if "Nothing is estimated" not in headline else ():
        if _without_spaces(headline) not in _without_spaces(words_of(other)).replace("\u2060", ""):
            yield f"{name} has another headline"


def _without_spaces(text: str) -> str:
    return re.sub(r"[\s\u2066-\u2069\u202f\u00a0]+", "", text)


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        words_never_said,
        sentences_of_other_designs,
        unfinished_texts,
        same_numbers_in_each_language,
        one_share_everywhere,
        one_share_of_each_class,
        one_number_in_all_files,
        base_as_in_the_row,
        dashes_are_explained,
        numbers_in_their_range,
        chosen_findings_say_so,
        own_words_where_there_are_some,
        one_headline,
    )
}
