"""Collects, row by row, what becomes of an imported form: the outcome of each row, unique names and show-if rules."""

from collections.abc import Callable, Mapping, Sequence

from django.utils.translation import gettext as _, ngettext

from importing.import_result import CAME, CHANGED, LEFT, ImportedRow, shorten
from importing.questionnaire_size import SizeCounter
from importing.show_if_conditions import (
    ConditionQuestion,
    ExpressionToken,
    RuleRefused,
    WorkBudget,
    show_if_rule,
    xpath_tokens,
)
from privacy.grammar.question_reading import RESERVED_NAME
from surveys.questionnaire.normalization import UniqueNames, normal_name

Texts = Mapping[str, str]
Tokens = Callable[[str], list[ExpressionToken]]


class ImportLog:
    """The log of one import; the readers of XLSForm and LimeSurvey share it.

    `lines`: the outcome of each row so far. `condition_questions`: earlier questions that a condition may name.
    `refusal_reasons`: for other questions, why a condition may not name them. `tokens` splits the form's conditions
    into tokens. A remark belongs to the row that is recorded next.
    """

    def __init__(self, tokens: Tokens = xpath_tokens) -> None:
        self.lines: list[ImportedRow] = []
        self.condition_questions: dict[str, ConditionQuestion] = {}
        self.refusal_reasons: dict[str, str] = {}
        self.size = SizeCounter()
        self._tokens, self._budget = tokens, WorkBudget()
        self._names, self._groups = UniqueNames([RESERVED_NAME]), UniqueNames()
        self._said: list[str] = []
        self._held: dict[str, list[str]] = {}

    def remark(self, *remarks: str) -> None:
        """Adds remarks to the row that is recorded next."""
        self._said += remarks

    def record_row(
        self,
        location: str,
        words: str,
        questions: Sequence[str] = (),
        *,
        unmarked: bool = False,
        asks: tuple[int | None, ...] = (),
    ) -> None:
        """Records that a row was imported: changed if there are remarks on it, else unchanged."""
        said = tuple(shorten(remark) for remark in dict.fromkeys(self._said))
        outcome = CHANGED if said else CAME
        self.lines.append(
            ImportedRow(location, shorten(words), outcome, said, tuple(questions), unmarked, asks)
        )
        self._said.clear()

    def record_left_out(self, location: str, words: str, reason: str) -> None:
        """Records that a row was left out, and why."""
        self._said.clear()
        self.lines.append(ImportedRow(location, shorten(words), LEFT, (shorten(reason),)))

    def unique_question_name(self, wanted: str, stem: str) -> str:
        """Returns a free question name, `wanted` if possible, else one that begins with `stem`."""
        return self._unique_name(self._names, wanted, stem)

    def unique_group_name(self, wanted: str, stem: str) -> str:
        """Returns a free group name, `wanted` if possible, else one that begins with `stem`."""
        return self._unique_name(self._groups, wanted, stem)

    def _unique_name(self, names: UniqueNames, wanted: str, stem: str) -> str:
        """Returns a free name, `wanted` if possible; remarks on a name that differs."""
        name = names.make_unique(normal_name(wanted) or stem)
        if name != wanted:
            self.remark(_("It is called %(name)s here.") % {"name": name})
        return name

    def show_if_rule(self, outer: Sequence[str], own: str = "") -> dict[str, list[str]]:
        """Returns the show-if rule that requires all conditions of `outer` and `own`.

        A condition that no rule can express is left out with a remark.
        """
        attempts = ([[*outer, own]] if own else []) + ([list(outer)] if outer else [])
        rules = (self._rule_or_remark(parts) for parts in attempts)
        return next((rule for rule in rules if rule is not None), {})

    def can_express(self, outer: Sequence[str], own: str) -> bool:
        """True if one show-if rule can express both conditions; otherwise adds a remark."""
        return self._rule_or_remark([*outer, own]) is not None

    def _rule_or_remark(self, conditions: Sequence[str]) -> dict[str, list[str]] | None:
        """Returns the rule that requires all conditions, or None with a remark if no rule can express them."""
        whole = " and ".join(f"({part})" for part in conditions) if len(conditions) > 1 else conditions[0]
        try:
            return show_if_rule(
                whole, self.condition_questions, self.refusal_reasons, self._budget, self._tokens
            )
        except RuleRefused as refusal:
            self.remark(condition_left_out_text(conditions[-1], str(refusal)))
            return None

    def hold_texts(self, texts: Texts) -> None:
        """Keeps texts until the next question: they introduce its section, or stand above its help text."""
        for code, text in texts.items():
            self._held.setdefault(code, []).append(text)

    def take_held_texts(self) -> dict[str, str]:
        """Returns the texts kept by `hold_texts`, and forgets them."""
        texts = {code: "\n\n".join(held) for code, held in self._held.items()}
        self._held.clear()
        return texts

    def help_with_held_texts(self, help_text: Texts, *heading: Texts) -> dict[str, str]:
        """Returns the help text of a question, below the held texts and a heading."""
        return join_texts(self.take_held_texts(), *heading, help_text)


def join_texts(*parts: Texts) -> dict[str, str]:
    """Joins texts language by language, with an empty line between them."""
    codes = dict.fromkeys(code for part in parts for code in part)
    return {code: "\n\n".join(text for part in parts if (text := part.get(code))) for code in codes}


def condition_left_out_text(condition: str, reason: str) -> str:
    shown = condition if len(condition) < 200 else f"{condition[:200]}…"
    said = _("Its condition %(condition)s is left out, so everybody is asked: it %(reason)s.")
    return said % {"condition": shown, "reason": reason}


def became_battery_text() -> str:
    return _("It is a table: its rows became a battery, questions with the same answers on one screen.")


def shown_before_next_text() -> str:
    return _("Its words are shown before the next question.")


def note_condition_text() -> str:
    return _("has a condition, and words between questions are read by everybody")


def not_required_text(questions: int) -> str:
    return ngettext(
        "%(n)s question was not required. Here every question is answered; give it the choice “prefer not"
        " to say” if people may leave it open.",
        "%(n)s questions were not required. Here every question is answered; give them the choice “prefer"
        " not to say” if people may leave them open.",
        questions,
    ) % {"n": questions}


def shown_as_thanks_text() -> str:
    return _("Words below the last question are shown after answering, as thanks.")
