"""Parses LimeSurvey's table format: one row per group, question, subquestion or answer and language."""

import itertools
from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from importing import remarks
from importing.delimited_text import decode, first_nonblank_line, numbered_rows
from importing.faults import file_refusal
from importing.limesurvey.survey_structure import (
    ALWAYS,
    LimeGroup,
    LimeQuestion,
    LimeQuota,
    LimeSurvey,
    Row,
    add_text_if_missing,
)
from privacy.grammar.translated_texts import MOST_LANGUAGES

NEEDED = ("class", "name", "text")


def looks_like_tsv(data: bytes) -> bool:
    """True if the first line has the columns of LimeSurvey's table."""
    return {"class", "name"} <= {cell.strip(' "').lower() for cell in first_nonblank_line(data).split("\t")}


def parse(data: bytes) -> LimeSurvey:
    """Returns the survey in the table; raises `FileRefused` for other files."""
    reader = _TableReader()
    rows = numbered_rows(decode(data), "\t")
    header = [cell.strip().lower() for _number, cells in itertools.islice(rows, 1) for cell in cells]
    if not all(column in header for column in NEEDED):
        raise file_refusal(_("has no columns class, name and text, as LimeSurvey writes them"))
    for number, cells in rows:
        # If two columns have the same name, the first is read.
        reader.read_row(number, Row(reversed([*zip(header, cells, strict=False)])))
    return reader.survey


def row_location(number: int) -> str:
    return _("row %(row)s") % {"row": number}


class _TableReader:
    """Builds the survey row by row; merges the rows of one question in several languages."""

    def __init__(self) -> None:
        self.survey = LimeSurvey()
        self._groups: dict[str, LimeGroup] = {}
        self._questions: dict[str, LimeQuestion] = {}
        self._seen: dict[str, int] = {}
        self._group: LimeGroup | None = None
        self._question: LimeQuestion | None = None

    def read_row(self, number: int, cells: Row) -> None:
        if read := ROWS.get(cells.stripped_text("class").upper()):
            read(self, number, cells)

    def _read_setting(self, number: int, cells: Row) -> None:
        name, text = cells.raw_text("name"), cells.stripped_text("text")
        self.survey.settings[name] = text
        if name in ("language", "additional_languages"):
            self.survey.languages |= dict.fromkeys(text.split()[:MOST_LANGUAGES])

    def _read_survey_text(self, number: int, cells: Row) -> None:
        texts = self.survey.words.setdefault(cells.raw_text("name"), {})
        add_text_if_missing(texts, self._language_of_row(cells), cells.raw_text("text"))

    def _language_of_row(self, cells: Row) -> str:
        """Returns the language of a row; the survey's first language if the row has none."""
        language = cells.stripped_text("language") or next(iter(self.survey.languages), "en")
        self.survey.languages.setdefault(language)
        return language

    def _read_group(self, number: int, cells: Row) -> None:
        language = self._language_of_row(cells)
        self._seen[language] = self._seen.get(language, 0) + 1
        key = cells.stripped_text("type/scale") or f"number {self._seen[language]}"
        group = self._groups.get(key)
        if group is None:
            relevance = cells.raw_text("relevance")
            group = self._groups[key] = LimeGroup(row_location(number), relevance=relevance)
            self.survey.groups.append(group)
            if cells.stripped_text("random_group"):
                self.survey.report_left_out_setting(group.location, "random_group")
        add_text_if_missing(group.name, language, cells.raw_text("name"))
        add_text_if_missing(group.description, language, cells.raw_text("text"))
        self._group, self._question = group, None

    def _read_question(self, number: int, cells: Row) -> None:
        code, language = cells.stripped_text("name"), self._language_of_row(cells)
        question = self._questions.get(code)
        if question is None:
            question = self._questions[code] = LimeQuestion(
                row_location(number),
                code,
                cells.stripped_text("type/scale"),
                relevance=cells.raw_text("relevance"),
                mandatory=cells.stripped_text("mandatory").upper() in ("Y", "S"),
                other=cells.stripped_text("other").upper() == "Y",
                attributes={name: cell for name, cell in cells.items() if cell},
            )
            if self._group is None:
                self._group = LimeGroup(row_location(number))
                self.survey.groups.append(self._group)
            self._group.questions.append(question)
        add_text_if_missing(question.text, language, cells.raw_text("text"))
        add_text_if_missing(question.help, language, cells.raw_text("help"))
        for name, texts in question.worded.items():
            add_text_if_missing(texts, language, cells.raw_text(name))
        self._question = question

    def _read_subquestion(self, number: int, cells: Row) -> None:
        if self._question is not None:
            self._add_answer_or_subquestion_text(self._question.subquestions, cells)
            self._question.has_conditional_parts |= cells.stripped_text("relevance") not in ALWAYS
            if preset := cells.stripped_text("default"):
                self._question.attributes["default"] = preset

    def _read_answer(self, number: int, cells: Row) -> None:
        if self._question is not None:
            self._add_answer_or_subquestion_text(self._question.answers, cells)

    def _read_quota(self, number: int, cells: Row) -> None:
        """Reads a quota; the column "mandatory" contains its limit, the column "default" whether it is active."""
        quota = self.survey.quotas.setdefault(cells.stripped_text("id"), LimeQuota())
        quota.name, quota.limit = cells.stripped_text("name"), cells.stripped_text("mandatory")
        if cells.stripped_text("default") == "0":
            quota.obstacle = str(remarks.SWITCHED_OFF)

    def _read_quota_member(self, number: int, cells: Row) -> None:
        """Reads a row that adds an answer to a quota.

        The answer belongs to the question in a row above; the row of the quota comes later.
        """
        if self._question is not None:
            quota = self.survey.quotas.setdefault(cells.stripped_text("related_id"), LimeQuota())
            quota.members.append((self._question.code, cells.stripped_text("name")))

    def _add_answer_or_subquestion_text(
        self, parts: dict[tuple[str, str], dict[str, str]], cells: Row
    ) -> None:
        """Adds the text of a row to its answer or subquestion in `parts`."""
        key = (cells.stripped_text("type/scale") or "0", cells.stripped_text("name"))
        add_text_if_missing(parts.setdefault(key, {}), self._language_of_row(cells), cells.raw_text("text"))


ROWS: Mapping[str, Callable[[_TableReader, int, Row], None]] = {
    "S": _TableReader._read_setting,
    "SL": _TableReader._read_survey_text,
    "G": _TableReader._read_group,
    "Q": _TableReader._read_question,
    "SQ": _TableReader._read_subquestion,
    "A": _TableReader._read_answer,
    "QTA": _TableReader._read_quota,
    "QTAM": _TableReader._read_quota_member,
}
"""Reader of each class of rows; other classes (assessments, texts of quotas) are not about questions."""
