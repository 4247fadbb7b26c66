"""LimeSurvey's types of question: which can be asked here, and why the others cannot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from importing.limesurvey.survey_structure import OTHER_WORDS, LimeQuestion
from importing.questionnaire_size import RowRefused
from importing.xlsform.question_types import COMPUTED, DATE, FREE, MEDIA, RANK
from privacy.grammar.reading import RESERVED_CHOICES
from surveys import shipped_words
from surveys.questionnaire.draft_question import Choice
from surveys.questionnaire.normal_values import UniqueNames, normal_name

Texts = dict[str, str]
OTHER = "other"
EXCLUDING = "exclude_all_others"
SEVERAL = ("M", "P")
NOTE, NUMBER = "X", "N"
NO_AND_YES = (Choice("no"), Choice("yes"))

WHY_NOT: Mapping[str, str | Promise] = (
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


class AskedOnce(NamedTuple):
    """What one question of LimeSurvey becomes. `variable`: its name in conditions, `answers`: those of the file."""

    variable: str
    wish: str
    text: Texts
    form: str
    choices: tuple[Choice, ...]
    answers: dict[str, str]


@dataclass(frozen=True)
class LimeKind:
    """`asks` makes the questions. With `in_table` they share their choices, with `together` they are one group."""

    asks: Callable[[LimeQuestion, Sequence[str]], Iterator[AskedOnce]]
    in_table: bool = False
    together: bool = False
    comment: bool = False


def _listed(question: LimeQuestion, languages: Sequence[str]) -> Iterator[AskedOnce]:
    answers = question.of_scale(question.answers)
    yield _one(question.code, question.code, question.text, _with_other(question, answers, languages))


def _with_other(
    question: LimeQuestion, answers: Mapping[str, Texts], languages: Sequence[str]
) -> dict[str, Texts]:
    if not question.other:
        return dict(answers)
    usual = shipped_words.words_in_languages(shipped_words.SOMETHING_ELSE, languages)
    return {**answers, OTHER: {**usual, **question.worded[OTHER_WORDS]}}


def _one(variable: str, wish: str, text: Texts, labels: Mapping[str, Texts], form: str = "one") -> AskedOnce:
    if not labels:
        raise RowRefused(gettext("has no answers to choose from"))
    names = UniqueNames(RESERVED_CHOICES)
    called = {code: names.make_unique(normal_name(code) or "1") for code in labels}
    choices = tuple(Choice(called[code], label) for code, label in labels.items())
    return AskedOnce(variable, wish, text, form, choices, called)


def _yes_no(question: LimeQuestion, languages: Sequence[str]) -> Iterator[AskedOnce]:
    answers = {"N": "no", "Y": "yes"}
    yield AskedOnce(question.code, question.code, question.text, "yes-no", NO_AND_YES, answers)


def _points(most: int) -> Callable[[Sequence[str]], dict[str, Texts]]:
    return lambda languages: {str(n): dict.fromkeys(languages, str(n)) for n in range(1, most + 1)}


def _gender(languages: Sequence[str]) -> dict[str, Texts]:
    return {
        "F": shipped_words.words_in_languages(shipped_words.FEMALE, languages),
        "M": shipped_words.words_in_languages(shipped_words.MALE, languages),
    }


def _uncertain(languages: Sequence[str]) -> dict[str, Texts]:
    return {
        "Y": shipped_words.words_in_languages(shipped_words.YES, languages),
        "U": shipped_words.words_in_languages(shipped_words.UNCERTAIN, languages),
        "N": shipped_words.words_in_languages(shipped_words.NO, languages),
    }


def _change(languages: Sequence[str]) -> dict[str, Texts]:
    return {
        "I": shipped_words.words_in_languages(shipped_words.INCREASE, languages),
        "S": shipped_words.words_in_languages(shipped_words.SAME, languages),
        "D": shipped_words.words_in_languages(shipped_words.DECREASE, languages),
    }


def _fixed(
    labels: Callable[[Sequence[str]], dict[str, Texts]], form: str
) -> Callable[[LimeQuestion, Sequence[str]], Iterator[AskedOnce]]:
    def asks(question: LimeQuestion, languages: Sequence[str]) -> Iterator[AskedOnce]:
        yield _one(question.code, question.code, question.text, labels(languages), form)

    return asks


def _rows_of(
    labels: Callable[[Sequence[str]], dict[str, Texts]] | None,
) -> Callable[[LimeQuestion, Sequence[str]], Iterator[AskedOnce]]:
    """A question for each row of a table; without `labels` its answers are those of the table."""

    def asks(question: LimeQuestion, languages: Sequence[str]) -> Iterator[AskedOnce]:
        answers = labels(languages) if labels else question.of_scale(question.answers)
        for code, text in question.of_scale(question.subquestions).items():
            wish, variable = f"{question.code}-{code}", f"{question.code}_{code}"
            yield _one(variable, wish, text, answers, "scale" if labels else "one")

    return asks


def excluding_option(question: LimeQuestion) -> str:
    """The one option of several that excludes all others, where two or more are left; else empty."""
    code, options = question.attributes.get(EXCLUDING, "").strip(), question.of_scale(question.subquestions)
    is_one = question.kind in SEVERAL and code in options and len(options) + question.other > 2
    return code if is_one else ""


def _several(question: LimeQuestion, languages: Sequence[str]) -> Iterator[AskedOnce]:
    options = _with_other(question, question.of_scale(question.subquestions), languages)
    options.pop(excluding_option(question), None)
    for code, label in options.items():
        choices = (Choice("no"), Choice("yes", label))
        # An option without a tick is empty.
        answers = {"N": "no", "": "no", "Y": "yes"}
        yield AskedOnce(
            f"{question.code}_{code}", f"{question.code}-{code}", question.text, "many", choices, answers
        )


KINDS: Mapping[str, LimeKind] = {
    "L": LimeKind(_listed),
    "!": LimeKind(_listed),
    "O": LimeKind(_listed, comment=True),
    "5": LimeKind(_fixed(_points(5), "scale")),
    "Y": LimeKind(_yes_no),
    "G": LimeKind(_fixed(_gender, "one")),
    "A": LimeKind(_rows_of(_points(5)), in_table=True),
    "B": LimeKind(_rows_of(_points(10)), in_table=True),
    "C": LimeKind(_rows_of(_uncertain), in_table=True),
    "E": LimeKind(_rows_of(_change), in_table=True),
    "F": LimeKind(_rows_of(None), in_table=True),
    "H": LimeKind(_rows_of(None), in_table=True),
    "M": LimeKind(_several, together=True),
    "P": LimeKind(_several, together=True, comment=True),
}


def why_not(kind: str) -> str:
    return str(WHY_NOT.get(kind) or _("is of a type that cannot be asked here"))
