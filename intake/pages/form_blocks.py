"""The questions of the page without JavaScript, frame by frame, as the page with JavaScript shows them page by page."""

from itertools import groupby
from typing import Any, Literal, NamedTuple

from intake.pages import form_body
from intake.pages.languages import LanguageText, language_text
from privacy.designs import Choice, Design, Question, Texts
from surveys.kinds.kind import SurveyKind
from surveys.kinds.registry import kind_of
from surveys.phrases.speaker import Speaker

Placed = tuple[int, Question]
MOST_COLUMNS = 7
"""Points of a scale that stand in one line, as in several.js."""


class FormAnswer(NamedTuple):
    """One answer to choose: its value in the form, and its words or the phrases that say it."""

    value: str
    label: LanguageText | None = None
    phrase: str = ""
    means: str = ""


class FormQuestion(NamedTuple):
    """One question of the form; `words` say which, where several share a frame."""

    position: int
    field: str
    answers: list[FormAnswer]
    words: LanguageText


class FormBlock(NamedTuple):
    """What stands in one frame: a question, the options of one, or the statements of a battery.

    `text` is empty above a battery whose statements share no help. `secret` is another question asked beside it,
    `none` the answer that would exclude all options.
    """

    layout: Literal["choices", "options", "battery"]
    text: LanguageText
    help: LanguageText
    asked: list[FormQuestion]
    secret: LanguageText | None
    none: LanguageText | None
    intro: LanguageText | None
    is_scale: bool

    @property
    def is_wide(self) -> bool:
        """Whether the answers of a battery stand in one line."""
        return len(self.asked[0].answers) <= MOST_COLUMNS


def blocks(design: Design, speaker: Speaker) -> list[FormBlock]:
    form_blocks, index = list[FormBlock](), 0
    for section in design.sections:
        intro = _said(section.presentation.intro, speaker)
        placed = list(enumerate(section.questions, index))
        for _group, together in groupby(placed, lambda one: one[1].of or one[0]):
            form_blocks.append(_block(list(together), kind_of(section), intro, speaker))
            intro = None
        index += len(placed)
    return form_blocks


def _block(
    together: list[Placed], kind: SurveyKind[Any], intro: LanguageText | None, speaker: Speaker
) -> FormBlock:
    _place, first = together[0]
    beside = kind.asked_beside(first)
    layout: Literal["choices", "options", "battery"] = "choices"
    text, help_text = _named(first.text, first, speaker), _told(first.help, speaker)
    if first.form == "many":
        layout = "options"
    elif len(together) > 1:
        layout = "battery"
        is_shared = len({question.help for _place, question in together}) == 1
        text, help_text = (help_text if is_shared else _told(Texts(), speaker)), _told(Texts(), speaker)
    return FormBlock(
        layout,
        text,
        help_text,
        [_asked(index, question, kind, speaker) for index, question in together],
        _told(beside, speaker) if beside is not None else None,
        _said(first.none, speaker),
        intro,
        first.form == "scale",
    )


def _asked(index: int, question: Question, kind: SurveyKind[Any], speaker: Speaker) -> FormQuestion:
    field = form_body.field(index)
    answers = [
        FormAnswer(form_body.value(question, code), phrase=phrase, means=f"{phrase}_means")
        for phrase, code in kind.form_words(question)
    ] or [_answer(question, code, choice, speaker) for code, choice in enumerate(question.choices)]
    if question.form == "many":
        return FormQuestion(index, field, answers[::-1], _named(question.choices[1].label, question, speaker))
    return FormQuestion(index, field, answers, _named(question.text, question, speaker))


def _answer(question: Question, code: int, choice: Choice, speaker: Speaker) -> FormAnswer:
    value, label = form_body.value(question, code), _told(choice.label, speaker)
    if question.form == "many" or (question.form == "yes-no" and not label):
        return FormAnswer(value, phrase="yes" if choice.name == "yes" else "no")
    return FormAnswer(value, label or LanguageText(choice.name, speaker.language, False))


def _named(texts: Texts, question: Question, speaker: Speaker) -> LanguageText:
    return _told(texts, speaker) or LanguageText(question.name, speaker.language, False)


def _said(texts: Texts, speaker: Speaker) -> LanguageText | None:
    return _told(texts, speaker) if texts else None


def _told(texts: Texts, speaker: Speaker) -> LanguageText:
    return language_text(texts, speaker.language, speaker.around)
