"""LimeSurvey's question types: how each is converted, and the reasons why others cannot be asked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from importing.faults import RowRefused
from importing.limesurvey.survey_structure import OTHER_WORDS, LimeQuestion
from importing.xlsform.question_types import COMPUTED, DATE, FREE, MEDIA, RANK
from privacy.grammar.question_reading import RESERVED_CHOICES
from surveys import default_draft_texts
from surveys.questionnaire.draft_question import Choice
from surveys.questionnaire.value_normalization import UniqueNames, normal_name

Texts = dict[str, str]
OTHER = "other"
WRITTEN_OTHER = "-oth-"
"""Code of the free-text answer "other" in conditions."""
EXCLUDING = "exclude_all_others"
SEVERAL = ("M", "P")
NOTE, NUMBER = "X", "N"
NO_AND_YES = (Choice("no"), Choice("yes"))

REFUSAL_REASONS: Mapping[str, str | Promise] = (
    dict.fromkeys(["S", "T", "U", "Q"], FREE)
    | dict.fromkeys(["K", ":"], _("takes several numbers at once; ask for each of them apart"))
    | {
        "D": DATE,
        "R": RANK,
        "|": MEDIA,
        "*": COMPUTED,
        ";": FREE,
        "1": _("asks two things in one table; make two tables of it"),
        "I": _("changes the language, which people choose on the first page here"),
    }
)


class ConvertedQuestion(NamedTuple):
    """One question made from a LimeSurvey question.

    `variable`: its name in conditions. `wish`: its preferred name. `answers`: names of its choices by the
    file's answer codes.
    """

    variable: str
    wish: str
    text: Texts
    form: str
    choices: tuple[Choice, ...]
    answers: dict[str, str]


Conversion = Callable[[LimeQuestion, Sequence[str]], Iterator[ConvertedQuestion]]
Labels = Callable[[Sequence[str]], dict[str, Texts]]
"""Function that returns the labels of answers by answer code, in the given languages."""


@dataclass(frozen=True)
class LimeQuestionType:
    """How one of LimeSurvey's question types is converted.

    `convert` yields the resulting questions. `in_table`: they share their choices, as rows of a table. `together`: they
    are the options of one group. `comment`: respondents could add a comment.
    """

    convert: Conversion
    in_table: bool = False
    together: bool = False
    comment: bool = False


def _convert_list_question(question: LimeQuestion, languages: Sequence[str]) -> Iterator[ConvertedQuestion]:
    """Converts a list question with one answer."""
    answers = question.entries_of_scale(question.answers)
    labels = _add_other_answer(question, answers, languages)
    asked = _single_choice(question.code, question.code, question.text, labels)
    written = {WRITTEN_OTHER: asked.answers[OTHER]} if question.other else {}
    yield asked._replace(answers={**asked.answers, **written})


def _add_other_answer(
    question: LimeQuestion, answers: Mapping[str, Texts], languages: Sequence[str]
) -> dict[str, Texts]:
    """Returns the answers, with a further choice "other" if the question has it."""
    if not question.other:
        return dict(answers)
    usual = default_draft_texts.shipped_words_by_language(default_draft_texts.SOMETHING_ELSE, languages)
    return {**answers, OTHER: {**usual, **question.worded[OTHER_WORDS]}}


def _single_choice(
    variable: str, wish: str, text: Texts, labels: Mapping[str, Texts], form: str = "one"
) -> ConvertedQuestion:
    """Returns a question with one choice for each label; raises `RowRefused` without labels."""
    if not labels:
        raise RowRefused(gettext("has no answers to choose from"))
    names = UniqueNames(RESERVED_CHOICES)
    called = {code: names.make_unique(normal_name(code) or "1") for code in labels}
    choices = tuple(Choice(called[code], label) for code, label in labels.items())
    return ConvertedQuestion(variable, wish, text, form, choices, called)


def _yes_no_question(question: LimeQuestion, languages: Sequence[str]) -> Iterator[ConvertedQuestion]:
    answers = {"N": "no", "Y": "yes"}
    yield ConvertedQuestion(question.code, question.code, question.text, "yes-no", NO_AND_YES, answers)


def _point_labels(highest: int) -> Labels:
    return lambda languages: {str(n): dict.fromkeys(languages, str(n)) for n in range(1, highest + 1)}


def _shipped_labels(**words: Promise) -> Labels:
    """Returns a function that gives the labels of answers, by answer code, in Candor's own translations."""
    return lambda languages: {
        code: default_draft_texts.shipped_words_by_language(word, languages) for code, word in words.items()
    }


GENDER = _shipped_labels(F=default_draft_texts.FEMALE, M=default_draft_texts.MALE)
UNCERTAIN = _shipped_labels(
    Y=default_draft_texts.YES, U=default_draft_texts.UNCERTAIN, N=default_draft_texts.NO
)
CHANGE = _shipped_labels(
    I=default_draft_texts.INCREASE, S=default_draft_texts.SAME, D=default_draft_texts.DECREASE
)


def _with_fixed_labels(labels: Labels, form: str) -> Conversion:
    """Returns a function that converts questions whose type fixes their answers."""

    def convert_to_single_choice(
        question: LimeQuestion, languages: Sequence[str]
    ) -> Iterator[ConvertedQuestion]:
        yield _single_choice(question.code, question.code, question.text, labels(languages), form)

    return convert_to_single_choice


def _conversion_by_row(labels: Labels | None) -> Conversion:
    """Returns a function that converts a table into one question per row.

    Without `labels` the table's own answers are used.
    """

    def convert_table_rows(question: LimeQuestion, languages: Sequence[str]) -> Iterator[ConvertedQuestion]:
        answers = labels(languages) if labels else question.entries_of_scale(question.answers)
        for code, text in question.entries_of_scale(question.subquestions).items():
            wish, variable = f"{question.code}-{code}", f"{question.code}_{code}"
            yield _single_choice(variable, wish, text, answers, "scale" if labels else "one")

    return convert_table_rows


def excluding_option_code(question: LimeQuestion) -> str:
    """Returns the code of the option that excludes all others; empty if there is none, or if too few others remain."""
    code, options = (
        question.attributes.get(EXCLUDING, "").strip(),
        question.entries_of_scale(question.subquestions),
    )
    is_one = question.kind in SEVERAL and code in options and len(options) + question.other > 2
    return code if is_one else ""


def _convert_multiple_choice(question: LimeQuestion, languages: Sequence[str]) -> Iterator[ConvertedQuestion]:
    """Converts a question with several options: one yes-no question per option."""
    options = _add_other_answer(question, question.entries_of_scale(question.subquestions), languages)
    options.pop(excluding_option_code(question), None)
    for code, label in options.items():
        choices = (Choice("no"), Choice("yes", label))
        # An option without a tick is empty.
        answers = {"N": "no", "": "no", "Y": "yes"}
        yield ConvertedQuestion(
            f"{question.code}_{code}", f"{question.code}-{code}", question.text, "many", choices, answers
        )


KINDS: Mapping[str, LimeQuestionType] = {
    "L": LimeQuestionType(_convert_list_question),
    "!": LimeQuestionType(_convert_list_question),
    "O": LimeQuestionType(_convert_list_question, comment=True),
    "5": LimeQuestionType(_with_fixed_labels(_point_labels(5), "scale")),
    "Y": LimeQuestionType(_yes_no_question),
    "G": LimeQuestionType(_with_fixed_labels(GENDER, "one")),
    "A": LimeQuestionType(_conversion_by_row(_point_labels(5)), in_table=True),
    "B": LimeQuestionType(_conversion_by_row(_point_labels(10)), in_table=True),
    "C": LimeQuestionType(_conversion_by_row(UNCERTAIN), in_table=True),
    "E": LimeQuestionType(_conversion_by_row(CHANGE), in_table=True),
    "F": LimeQuestionType(_conversion_by_row(None), in_table=True),
    "H": LimeQuestionType(_conversion_by_row(None), in_table=True),
    "M": LimeQuestionType(_convert_multiple_choice, together=True),
    "P": LimeQuestionType(_convert_multiple_choice, together=True, comment=True),
}


def refusal_reason(kind: str) -> str:
    """Returns the reason why a question of this type cannot be asked."""
    return str(REFUSAL_REASONS.get(kind) or _("is of a type that cannot be asked here"))
