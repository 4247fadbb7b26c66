"""Labels of questions and choices in record files, in one of the survey's languages."""

from privacy.designs import Question, short_label


def question_label(question: Question, language: str) -> str:
    """The short label, with its option where it is one of several."""
    return _with_option(short_label(question, language), question, language)


def question_words(question: Question, language: str) -> str:
    """The question, with its option where it is one of several; its name where it has no words."""
    return _with_option(question.text.in_language(language) or question.name, question, language)


def _with_option(said: str, question: Question, language: str) -> str:
    option = question.choices[1].label.in_language(language) if question.form == "many" else ""
    return f"{said} – {option}" if option else said
