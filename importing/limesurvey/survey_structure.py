"""Structure of a LimeSurvey survey, the same for all file formats.

Texts are stored by language code, with their markup.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from importing.faults import Fault

LanguageTexts = dict[str, str]
OTHER_WORDS, SUFFIX = "other_replace_text", "suffix"
WORDED = (OTHER_WORDS, SUFFIX)
"""Attributes with texts for respondents: the label of the free-text answer, and the unit of a number."""
ALWAYS = frozenset({"", "1"})
"""Conditions that are always true."""
COMPUTED, EQUATION = "*", "equation"
"""LimeSurvey's letter for a question that is computed from other answers, and the attribute with its expression."""
NEVER = "0"
"""A condition that is never true."""
Key = tuple[str, str]
"""Key of an answer or a subquestion: its scale and its code."""


class Row(dict[str, str]):
    """A row of a file: its cells by column; missing cells are empty."""

    def raw_text(self, column: str) -> str:
        return self.get(column, "")

    def stripped_text(self, column: str) -> str:
        """Returns a cell without surrounding space."""
        return self.raw_text(column).strip()


@dataclass
class LimeQuestion:
    """A question of LimeSurvey.

    `aliases`: its other names in conditions, such as 12X3X45 or {age}. `conditions`: conditions besides `relevance`,
    each imported or left out separately. `remarks`: changes made while parsing. `left_settings`: names of
    settings that cannot be imported. `obstacle`: the reason why it cannot be asked; empty if it can.
    `attributes`: its advanced settings. `worded`: the texts of the attributes in `WORDED`, by language.
    `has_conditional_parts`: some of its rows have conditions.
    """

    location: str
    code: str
    kind: str
    relevance: str = ""
    mandatory: bool = False
    other: bool = False
    aliases: tuple[str, ...] = ()
    text: LanguageTexts = field(default_factory=dict)
    help: LanguageTexts = field(default_factory=dict)
    subquestions: dict[Key, LanguageTexts] = field(default_factory=dict)
    answers: dict[Key, LanguageTexts] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    worded: dict[str, LanguageTexts] = field(default_factory=lambda: {name: {} for name in WORDED})
    has_conditional_parts: bool = False
    conditions: list[str] = field(default_factory=list)
    remarks: tuple[str, ...] = ()
    left_settings: tuple[str, ...] = ()
    obstacle: str = ""

    def expression(self) -> str:
        """Returns the expression of a computed question; empty if its text is more than one expression, or if it has
        conditions of its own."""
        equation = self.attributes.get(EQUATION, "")
        text = (equation or next(iter(self.text.values()), "")).strip()
        is_one = text[:1] == "{" and text[-1:] == "}" and not {"{", "}"} & {*text[1:-1]}
        expression = text[1:-1] if is_one else equation
        return "" if self.conditions or self.relevance not in ALWAYS else expression

    def add_entry_or_remark(self, entries: dict[Key, LanguageTexts], code: str, texts: LanguageTexts) -> None:
        """Adds an answer or a subquestion; adds a remark instead if its code is used already."""
        if ("0", code) in entries:
            said = _("“%(text)s” is left out: its code %(code)s is that of another answer.")
            self.remarks += (said % {"text": next(iter(texts.values()), ""), "code": code},)
        else:
            entries["0", code] = texts

    def entries_of_scale(
        self, by_scale: dict[Key, LanguageTexts], scale: str = "0"
    ) -> dict[str, LanguageTexts]:
        """Returns the answers or subquestions of one scale (of `by_scale`) as texts by code."""
        return {code: texts for (scale_id, code), texts in by_scale.items() if scale_id == scale}


@dataclass
class LimeGroup:
    """A group of questions. `obstacle`: the reason why none of them can be asked; empty if they can."""

    location: str
    name: LanguageTexts = field(default_factory=dict)
    description: LanguageTexts = field(default_factory=dict)
    relevance: str = ""
    conditions: list[str] = field(default_factory=list)
    questions: list[LimeQuestion] = field(default_factory=list)
    obstacle: str = ""


@dataclass
class LimeQuota:
    """A quota: how many people with certain answers are wanted.

    `members`: pairs of a question's code and an answer's code as LimeSurvey writes them: for a multiple-choice question
    the option's code, for a table row and answer (SQ1-A1). `obstacle`: the reason why the quota cannot be imported;
    empty if it can.
    """

    name: str = ""
    limit: str = ""
    members: list[tuple[str, str]] = field(default_factory=list)
    obstacle: str = ""


@dataclass
class LimeSurvey:
    """A survey with its groups of questions.

    `words` and `settings`: texts and settings by LimeSurvey's names, such as surveyls_title. `quotas`: by their number
    in the file. `losses`: parts of the file that cannot be imported, with their location. `written_conditions`: the
    wording of a condition in the file, where it differs. `computed`: expressions of computed values that are
    no questions, by name.
    """

    languages: dict[str, None] = field(default_factory=dict)
    words: dict[str, LanguageTexts] = field(default_factory=dict)
    settings: Row = field(default_factory=Row)
    groups: list[LimeGroup] = field(default_factory=list)
    quotas: dict[str, LimeQuota] = field(default_factory=dict)
    losses: list[Fault] = field(default_factory=list)
    written_conditions: dict[str, str] = field(default_factory=dict)
    computed: dict[str, str] = field(default_factory=dict)

    def all_conditions(self) -> Iterator[str]:
        for group in self.groups:
            yield from (group.relevance, *group.conditions)
            for question in group.questions:
                yield from (question.relevance, *question.conditions)

    def calculations(self) -> dict[str, str]:
        """Returns the expressions of the survey's computed values, by each of their names in conditions."""
        groups = (each for each in self.groups if each.relevance in ALWAYS and not each.conditions)
        questions = (question for group in groups for question in group.questions)
        return self.computed | {
            name: expression
            for question in questions
            if question.kind == COMPUTED and (expression := question.expression())
            for name in (question.code, *question.aliases)
        }

    def report_left_out_setting(self, location: str, setting: str) -> None:
        """Reports that this setting of a group, or of the whole file, cannot be imported."""
        said = _("has the setting %(name)s, which is left out")
        self.losses.append(Fault(location, said % {"name": setting}))

    def rename_or_drop_languages(self, codes: Mapping[str, str]) -> None:
        """Replaces language codes by the mapping `codes`; deletes texts in other languages."""
        for texts in self._all_texts():
            written = dict(texts)
            texts.clear()
            for language, text in written.items():
                if language in codes:
                    texts.setdefault(codes[language], text)

    def _all_texts(self) -> Iterator[LanguageTexts]:
        yield from self.words.values()
        for group in self.groups:
            yield from (group.name, group.description)
            for question in group.questions:
                yield from (question.text, question.help)
                yield from (*question.subquestions.values(), *question.answers.values())
                yield from question.worded.values()


def add_text_if_missing(texts: LanguageTexts, language: str, text: str) -> None:
    """Adds a text in a language, unless the text is blank or the language has one already."""
    if text.strip():
        texts.setdefault(language, text)


def alias_of_part(alias: str, part: str) -> str:
    """Returns the name in conditions of a question's row or option; SurveyJS writes {question.row}."""
    return f"{alias[:-1]}.{part}}}" if part and alias.endswith("}") else alias + part
