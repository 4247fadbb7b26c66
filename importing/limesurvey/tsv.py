"""LimeSurvey's structure as a table: a row for each group, question, subquestion and answer in each language."""

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Mapping

from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.limesurvey.quotas import switched_off
from importing.limesurvey.survey import ALWAYS, LimeGroup, LimeQuestion, LimeQuota, LimeSurvey, Row, add_text
from privacy.grammar.texts import MOST_LANGUAGES

MOST_ROWS = 50_000
"""Questions and answers in all languages, and the settings of the survey."""
BYTE_ORDER = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NEEDED = ("class", "name", "text")


def looks_like_tsv(data: bytes) -> bool:
    """Whether the first line has the columns that LimeSurvey writes."""
    begins = data[:4_000].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").partition(b"\n")[0]
    columns = {cell.strip(b' "\r').lower() for cell in begins.split(b"\t")}
    return {b"class", b"name"} <= columns


def parsed(data: bytes) -> LimeSurvey:
    """`FileRefused` for what is no such table."""
    reader = _TableReader()
    for number, cells in _rows(_decoded(data)):
        reader.row(number, cells)
    return reader.survey


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in BYTE_ORDER.items() if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise _refused(_("is not in UTF-8; export it from LimeSurvey again")) from None


def _refused(reason: str) -> FileRefused:
    return FileRefused([Fault(_("the file"), reason)])


def _rows(text: str) -> Iterator[tuple[int, Row]]:
    """Rows as a spreadsheet counts them, the header being 1."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=False)
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        if not all(column in header for column in NEEDED):
            raise _refused(_("has no columns class, name and text, as LimeSurvey writes them"))
        for number, line in enumerate(lines, 2):
            if number > MOST_ROWS:
                raise FileRefused([Fault(place_of_row(number), _("has more rows than a questionnaire"))])
            cells = Row()
            for column, cell in zip(header, line, strict=False):
                cells.setdefault(column, cell)
            yield number, cells
    except csv.Error:
        raise _refused(_("cannot be read as a table of LimeSurvey; export it again")) from None


def place_of_row(number: int) -> str:
    return _("row %(row)s") % {"row": number}


class _TableReader:
    """Puts the rows of one thing in several languages together."""

    def __init__(self) -> None:
        self.survey = LimeSurvey()
        self._groups: dict[str, LimeGroup] = {}
        self._questions: dict[str, LimeQuestion] = {}
        self._seen: dict[str, int] = {}
        self._group: LimeGroup | None = None
        self._question: LimeQuestion | None = None

    def row(self, number: int, cells: Row) -> None:
        if read := ROWS.get(cells.text("class").upper()):
            read(self, number, cells)

    def _setting(self, number: int, cells: Row) -> None:
        name, text = cells.written("name"), cells.text("text")
        self.survey.settings[name] = text
        if name in ("language", "additional_languages"):
            self.survey.languages |= dict.fromkeys(text.split()[:MOST_LANGUAGES])

    def _words(self, number: int, cells: Row) -> None:
        texts = self.survey.words.setdefault(cells.written("name"), {})
        add_text(texts, self._language(cells), cells.written("text"))

    def _language(self, cells: Row) -> str:
        language = cells.text("language") or next(iter(self.survey.languages), "en")
        self.survey.languages.setdefault(language)
        return language

    def _begin_group(self, number: int, cells: Row) -> None:
        language = self._language(cells)
        self._seen[language] = self._seen.get(language, 0) + 1
        key = cells.text("type/scale") or f"number {self._seen[language]}"
        group = self._groups.get(key)
        if group is None:
            relevance = cells.written("relevance")
            group = self._groups[key] = LimeGroup(place_of_row(number), relevance=relevance)
            self.survey.groups.append(group)
        add_text(group.name, language, cells.written("name"))
        add_text(group.description, language, cells.written("text"))
        self._group, self._question = group, None

    def _begin_question(self, number: int, cells: Row) -> None:
        code, language = cells.text("name"), self._language(cells)
        question = self._questions.get(code)
        if question is None:
            question = self._questions[code] = LimeQuestion(
                place_of_row(number),
                code,
                cells.text("type/scale"),
                relevance=cells.written("relevance"),
                mandatory=cells.text("mandatory").upper() in ("Y", "S"),
                other=cells.text("other").upper() == "Y",
                attributes={name: cell for name, cell in cells.items() if cell},
            )
            if self._group is None:
                self._group = LimeGroup(place_of_row(number))
                self.survey.groups.append(self._group)
            self._group.questions.append(question)
        add_text(question.text, language, cells.written("text"))
        add_text(question.help, language, cells.written("help"))
        for name, texts in question.worded.items():
            add_text(texts, language, cells.written(name))
        self._question = question

    def _subquestion(self, number: int, cells: Row) -> None:
        if self._question is not None:
            self._part(self._question.subquestions, cells)
            self._question.has_conditional_parts |= cells.text("relevance") not in ALWAYS

    def _answer(self, number: int, cells: Row) -> None:
        if self._question is not None:
            self._part(self._question.answers, cells)

    def _quota(self, number: int, cells: Row) -> None:
        """The limit stands in the column mandatory, and whether it is used in default."""
        quota = self.survey.quotas.setdefault(cells.text("id"), LimeQuota())
        quota.name, quota.limit = cells.text("name"), cells.text("mandatory")
        if cells.text("default") == "0":
            quota.obstacle = switched_off()

    def _quota_member(self, number: int, cells: Row) -> None:
        """An answer to the question above it; the quota itself stands further down."""
        if self._question is not None:
            quota = self.survey.quotas.setdefault(cells.text("related_id"), LimeQuota())
            quota.members.append((self._question.code, cells.text("name")))

    def _part(self, parts: dict[tuple[str, str], dict[str, str]], cells: Row) -> None:
        key = (cells.text("type/scale") or "0", cells.text("name"))
        add_text(parts.setdefault(key, {}), self._language(cells), cells.written("text"))


ROWS: Mapping[str, Callable[[_TableReader, int, Row], None]] = {
    "S": _TableReader._setting,
    "SL": _TableReader._words,
    "G": _TableReader._begin_group,
    "Q": _TableReader._begin_question,
    "SQ": _TableReader._subquestion,
    "A": _TableReader._answer,
    "QTA": _TableReader._quota,
    "QTAM": _TableReader._quota_member,
}
"""By the class of a row what reads it; rows of other classes (assessments, words about quotas) say nothing of
questions."""
