"""Labels of questions and choices in record files, in one of the survey's languages."""

from django.utils.translation import gettext as _

from privacy.designs import Choice, Question, short_label
from privacy.kinds.number.form import NumberQuestion, ThresholdsQuestion


def question_label(question: Question, language: str) -> str:
    """The short label, with its option where it is one of several."""
    return _with_option(short_label(question, language), question, language)


def question_words(question: Question, language: str) -> str:
    """The question, with its option where it is one of several; its name where it has no words."""
    return _with_option(question.text.in_language(language) or question.name, question, language)


def _with_option(said: str, question: Question, language: str) -> str:
    option = question.choices[1].label.in_language(language) if question.form == "many" else ""
    return f"{said} – {option}" if option else said


def choice_words(choice: Choice, language: str) -> str:
    return choice.label.in_language(language) or {"yes": _("Yes"), "no": _("No")}.get(
        choice.name, choice.name
    )


def unit_words(question: NumberQuestion, language: str) -> str:
    return " ".join(question.unit.in_language(language).split())


def threshold_words(question: ThresholdsQuestion, language: str) -> list[str]:
    """Both answers to each threshold; *about*, where the device first moves the number to a threshold near it."""
    below, above = (
        (_("below about %(number)s"), _("about %(number)s or more"))
        if question.mean
        else (_("below %(number)s"), _("%(number)s or more"))
    )
    unit = unit_words(question, language)
    numbers = [f"{threshold} {unit}".strip() for threshold in question.thresholds]
    return [words % {"number": number} for number in numbers for words in (below, above)]
