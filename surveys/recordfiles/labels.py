"""Labels of questions and choices in record files, in one of the survey's languages."""

from django.utils.translation import gettext as _

from privacy.designs import Choice, Question


def question_words(question: Question, language: str) -> str:
    """The question, with its option where it is one of several; its name where it has no words."""
    text = question.text.in_language(language) or question.name
    option = question.choices[1].label.in_language(language) if question.of else ""
    return f"{text} – {option}" if option else text


def choice_words(choice: Choice, language: str) -> str:
    return choice.label.in_language(language) or {"yes": _("Yes"), "no": _("No")}.get(
        choice.name, choice.name
    )
