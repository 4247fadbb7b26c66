"""Labels of questions and choices in record files, in one of the survey's languages."""

from django.utils.translation import gettext as _

from privacy.designs import Choice, Question, short_label
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.section import ClassesQuestion
from privacy.kinds.number.number import NumberQuestion


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


def class_words(question: ClassesQuestion, language: str) -> list[str]:
    """Of each code between which limits the number lies, or the bit for the place inside the class."""
    unit = unit_words(question, language)
    limits = [f"{limit} {unit}".strip() for limit in question.limits]
    found = []
    for a, z in intervals(question.classes):
        ends = {"low": limits[a - 1] if a else "", "high": limits[z - 1] if z < question.classes else ""}
        if not ends["high"]:
            words = _("%(low)s or more") if a else _("any number")
        else:
            words = _("%(low)s or more, below %(high)s") if a else _("below %(high)s")
        found.append(words % ends)
    bits = [_("inside the class: no"), _("inside the class: yes")] if question.rest else []
    return found + bits
