"""Writes a draft as LimeSurvey's table (.txt), with a link to Candor instead of the disguised sections."""

import csv
import html
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from importing.limesurvey.question_types import EXCLUDING
from importing.xlsform.allowed_names import choose_names
from privacy.grammar.question import YES_NO
from surveys import default_draft_texts
from surveys.questionnaire.draft_question import DraftQuestion, Words
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.question_block_editing import is_group_of_options
from surveys.questionnaire.questionnaire import Questionnaire

COLUMNS = (
    *("class", "type/scale", "name", "relevance", "text", "help", "language"),
    *("mandatory", "other", "random_order", EXCLUDING),
)
CODE = re.compile(r"[A-Za-z][A-Za-z0-9]{0,19}")
PART = re.compile(r"[A-Za-z][A-Za-z0-9]{0,4}")
"""Pattern of a code that LimeSurvey accepts for an option, a row or an answer."""
EXCLUDES = "NONE"
"""Code of an option that excludes all others."""
Cells = dict[str, str]


def write(draft: Questionnaire, link: str) -> bytes:
    """Returns the draft as LimeSurvey's table, in bytes.

    `link`: the address where Candor asks the disguised questions; it identifies nobody.
    """
    text = io.StringIO(newline="")
    table = csv.DictWriter(
        text, COLUMNS, restval="", delimiter="\t", lineterminator="\r\n", quoting=csv.QUOTE_ALL
    )
    table.writeheader()
    table.writerows(_Writer(draft, link).table_rows())
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def unsupported_questions(draft: Questionnaire) -> list[str]:
    """Returns the names of plain questions that LimeSurvey cannot ask unchanged."""
    return [
        question.name
        for section in draft.sections
        for question in section.questions
        if _is_answered_by_device(section, question)
    ]


def _is_answered_by_device(section: DraftSection, question: DraftQuestion) -> bool:
    """True if the device answers the question at random without showing it, which LimeSurvey cannot do."""
    return not section.sensitive and bool(question.shares)


class _Writer:
    """Writes the sections in order; stores the codes of questions, which later conditions need."""

    def __init__(self, draft: Questionnaire, link: str) -> None:
        self._draft, self._link, self._languages = draft, link, draft.languages
        plain = [each for section in draft.sections if not section.sensitive for each in section.questions]
        wishes = {self._block_key(each): each.of or each.name for each in plain}
        self._codes = choose_names(wishes, CODE, "q")
        self._said: dict[tuple[str, str], str] = {}

    def _block_key(self, question: DraftQuestion) -> str:
        """Returns the key of the table or group to which a question belongs, else the question's name."""
        return f"of={question.of}" if question.of else question.name

    def table_rows(self) -> Iterator[Cells]:
        first, *others = self._languages
        yield {"class": "S", "name": "language", "text": first}
        if others:
            yield {"class": "S", "name": "additional_languages", "text": " ".join(others)}
        words = {"title": self._draft.title, "welcometext": self._draft.intro, "endtext": self._draft.thanks}
        for name, said in words.items():
            yield from self._rows_in_each_language({"class": "SL", "name": f"surveyls_{name}"}, text=said)
        parts = groupby(self._draft.sections, key=lambda section: section.sensitive)
        number = 0
        for sensitive, sections in parts:
            for section in [next(sections)] if sensitive else sections:
                number += 1
                group = {"class": "G", "type/scale": f"G{number}", "name": f"{number}", "relevance": "1"}
                yield from self._rows_in_each_language(group, text={} if sensitive else section.intro)
                yield from self._link_rows(number) if sensitive else self._section_rows(section)

    def _rows_in_each_language(
        self, cells: Cells, *, text: Words, help_text: Words | None = None
    ) -> Iterator[Cells]:
        """Yields the row once for each language, the first language first."""
        for code in self._languages:
            said = {"text": text.get(code, ""), "help": (help_text or {}).get(code, "")}
            yield {
                **cells,
                **{name: html.escape(words, quote=False) for name, words in said.items()},
                "language": code,
            }

    def _link_rows(self, number: int) -> Iterator[Cells]:
        """Yields, in each language, the row with the link to the disguised questions in Candor."""
        cells = {"class": "Q", "type/scale": "X", "name": f"candor{number}", "relevance": "1"}
        address = html.escape(self._link)
        words = default_draft_texts.shipped_words_by_language(default_draft_texts.ELSEWHERE, self._languages)
        for code in self._languages:
            said = html.escape(words.get(code, str(default_draft_texts.ELSEWHERE)), quote=False)
            text = f'{said} <a href="{address}" target="_blank" rel="noopener noreferrer">{address}</a>'
            yield {**cells, "text": text, "language": code}

    def _section_rows(self, section: DraftSection) -> Iterator[Cells]:
        asked = [each for each in section.questions if not _is_answered_by_device(section, each)]
        for _key, members in groupby(asked, key=self._block_key):
            together = list(members)
            if is_group_of_options(together):
                yield from self._multiple_choice_rows(together)
            elif together[0].of:
                yield from self._battery_rows(together)
            else:
                yield from self._single_choice_rows(together[0])

    def _question_row_by_language(
        self, question: DraftQuestion, kind: str, text: Words, **extra_cells: str
    ) -> Iterator[Cells]:
        cells = {
            "class": "Q",
            "type/scale": kind,
            "name": self._codes[self._block_key(question)],
            "relevance": self._relevance_expression(question),
            "mandatory": "Y",
            "random_order": "1" if question.shuffled else "",
            **extra_cells,
        }
        yield from self._rows_in_each_language(cells, text=text, help_text=question.help)

    def _single_choice_rows(self, question: DraftQuestion) -> Iterator[Cells]:
        code = self._codes[question.name]
        is_yes_no = set(question.choice_names) == set(YES_NO) and not any(
            each.label for each in question.choices
        )
        yield from self._question_row_by_language(question, "Y" if is_yes_no else "L", question.text)
        answers = {"no": "N", "yes": "Y"} if is_yes_no else self._answer_codes(question)
        self._register_conditions(question.name, code, answers)
        if not is_yes_no:
            yield from self._answer_rows(question, answers)

    def _battery_rows(self, lines: list[DraftQuestion]) -> Iterator[Cells]:
        """Yields the rows of a table of questions; the help text of its first question becomes the text above it."""
        first, code = lines[0], self._codes[self._block_key(lines[0])]
        answers = self._answer_codes(first)
        for row in self._question_row_by_language(first, "F", first.help):
            yield {**row, "help": ""}
        rows = choose_names({each.name: each.name.removeprefix(f"{each.of}-") for each in lines}, PART, "SQ")
        for line in lines:
            yield from self._rows_in_each_language(self._subquestion_cells(rows[line.name]), text=line.text)
            self._register_conditions(line.name, f"{code}_{rows[line.name]}", answers)
        yield from self._answer_rows(first, answers)

    def _multiple_choice_rows(self, options: list[DraftQuestion]) -> Iterator[Cells]:
        first, code = options[0], self._codes[self._block_key(options[0])]
        excluding = {EXCLUDING: EXCLUDES} if first.none else {}
        yield from self._question_row_by_language(first, "M", first.text, **excluding)
        codes = choose_names(
            {each.name: each.name.removeprefix(f"{each.of}-") for each in options}, PART, "SQ"
        )
        for option in options:
            yield from self._rows_in_each_language(
                self._subquestion_cells(codes[option.name]), text=option.choices[1].label
            )
            self._register_conditions(option.name, f"{code}_{codes[option.name]}", {"yes": "Y", "no": ""})
        if first.none:
            yield from self._rows_in_each_language(self._subquestion_cells(EXCLUDES), text=first.none)

    def _subquestion_cells(self, code: str) -> Cells:
        return {"class": "SQ", "type/scale": "0", "name": code, "relevance": "1"}

    def _answer_codes(self, question: DraftQuestion) -> dict[str, str]:
        return choose_names({name: name for name in question.choice_names}, PART, "A")

    def _answer_rows(self, question: DraftQuestion, codes: Mapping[str, str]) -> Iterator[Cells]:
        usual = {"no": default_draft_texts.NO, "yes": default_draft_texts.YES}
        for choice in question.choices:
            words = choice.label or (
                default_draft_texts.shipped_words_by_language(usual[choice.name], self._languages)
                if choice.name in usual
                else {}
            )
            cells = {"class": "A", "type/scale": "0", "name": codes[choice.name]}
            yield from self._rows_in_each_language(
                cells, text=words or dict.fromkeys(self._languages, choice.name)
            )

    def _register_conditions(self, name: str, variable: str, answers: Mapping[str, str]) -> None:
        """Stores, for each answer of a question, the expression that tests it; later conditions need it."""
        self._said |= {(name, choice): f'{variable}.NAOK == "{code}"' for choice, code in answers.items()}

    def _relevance_expression(self, question: DraftQuestion) -> str:
        """Returns the condition under which a question is shown, as an expression of LimeSurvey.

        A condition on a question that was left out is never true.
        """
        return (
            " and ".join(
                f"({self._any_answer_expression(name, allowed)})"
                for name, allowed in question.show_if.items()
            )
            or "1"
        )

    def _any_answer_expression(self, name: str, allowed: Iterable[str]) -> str:
        """Returns the expression for "the question has one of the allowed answers"; "0" if no answer can be tested."""
        return " or ".join(said for choice in allowed if (said := self._said.get((name, choice)))) or "0"
