"""A survey of LimeSurvey, whichever file it came from. Texts are by language code, with their markup."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LanguageTexts = dict[str, str]
OTHER_WORDS, SUFFIX = "other_replace_text", "suffix"
WORDED = (OTHER_WORDS, SUFFIX)
"""Attributes whose words respondents read: those of the answer in one's own words, and the unit of a number."""
ALWAYS = frozenset({"", "1"})
"""Conditions that everybody meets."""
Key = tuple[str, str]
"""The scale and the code of an answer or a subquestion."""


class Row(dict[str, str]):
    """A row of a file: its cells by column; those that it lacks are empty."""

    def written(self, column: str) -> str:
        return self.get(column, "")

    def text(self, column: str) -> str:
        """Without the space around it."""
        return self.written(column).strip()


@dataclass
class LimeQuestion:
    """`aliases`: what else conditions call it, such as 12X3X45; `attributes` are those of its advanced settings.

    `worded`: the attributes of `WORDED` by language. `has_conditional_parts`: some of its rows are shown to some only.
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

    def of_scale(self, by_scale: dict[Key, LanguageTexts], scale: str = "0") -> dict[str, LanguageTexts]:
        return {code: texts for (scale_id, code), texts in by_scale.items() if scale_id == scale}


@dataclass
class LimeGroup:
    location: str
    name: LanguageTexts = field(default_factory=dict)
    description: LanguageTexts = field(default_factory=dict)
    relevance: str = ""
    questions: list[LimeQuestion] = field(default_factory=list)


@dataclass
class LimeQuota:
    """`members`: a question's code and an answer's, as LimeSurvey writes them: of several of many the option, of a
    table the row and the answer (SQ1-A1). `obstacle`: why the file's own rule cannot be kept; empty if it may."""

    name: str = ""
    limit: str = ""
    members: list[tuple[str, str]] = field(default_factory=list)
    obstacle: str = ""


@dataclass
class LimeSurvey:
    """`words` by their names in LimeSurvey, such as surveyls_title; `settings` likewise; `quotas` by their number in
    the file."""

    languages: dict[str, None] = field(default_factory=dict)
    words: dict[str, LanguageTexts] = field(default_factory=dict)
    settings: Row = field(default_factory=Row)
    groups: list[LimeGroup] = field(default_factory=list)
    quotas: dict[str, LimeQuota] = field(default_factory=dict)

    def respeak(self, codes: Mapping[str, str]) -> None:
        """Call the languages by other codes; texts in the others are lost."""
        for texts in self._texts():
            written = dict(texts)
            texts.clear()
            for language, text in written.items():
                if language in codes:
                    texts.setdefault(codes[language], text)

    def _texts(self) -> Iterator[LanguageTexts]:
        yield from self.words.values()
        for group in self.groups:
            yield from (group.name, group.description)
            for question in group.questions:
                yield from (question.text, question.help)
                yield from (*question.subquestions.values(), *question.answers.values())
                yield from question.worded.values()


def add_text(texts: LanguageTexts, language: str, text: str) -> None:
    if text.strip():
        texts.setdefault(language, text)
