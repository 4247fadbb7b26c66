"""Gathers the questions of a form from elsewhere row by row, and what is said of each row."""

from collections.abc import Callable, Mapping, Sequence

from django.utils.translation import gettext as _, ngettext

from importing.import_result import CAME, CHANGED, LEFT, ReadLine, cut
from importing.questionnaire_size import Size
from importing.show_if_conditions import Asked, Effort, ExpressionToken, RuleRefused, rule, xpath_tokens
from privacy.grammar.reading import RESERVED_NAME
from surveys.questionnaire.normal_values import UniqueNames, normal_name

Texts = Mapping[str, str]
Tokens = Callable[[str], list[ExpressionToken]]


class Gathering:
    """`known` and `why_not`: the questions that a condition may look at, and why it may not look at others.

    `tokens` reads the form's conditions. Remarks that are said belong to the row that is settled next.
    """

    def __init__(self, tokens: Tokens = xpath_tokens) -> None:
        self.lines: list[ReadLine] = []
        self.known: dict[str, Asked] = {}
        self.why_not: dict[str, str] = {}
        self.size = Size()
        self._tokens, self._effort = tokens, Effort()
        self._names, self._groups = UniqueNames([RESERVED_NAME]), UniqueNames()
        self._said: list[str] = []
        self._held: dict[str, list[str]] = {}

    def say(self, *remarks: str) -> None:
        self._said += remarks

    def settle(
        self,
        location: str,
        words: str,
        questions: Sequence[str] = (),
        *,
        unmarked: bool = False,
        asks: tuple[int | None, ...] = (),
    ) -> None:
        """Note that a row came in, changed where something was said of it."""
        said = tuple(cut(remark) for remark in dict.fromkeys(self._said))
        outcome = CHANGED if said else CAME
        self.lines.append(ReadLine(location, cut(words), outcome, said, tuple(questions), unmarked, asks))
        self._said.clear()

    def leave(self, location: str, words: str, reason: str) -> None:
        """Note that a row did not come in."""
        self._said.clear()
        self.lines.append(ReadLine(location, cut(words), LEFT, (cut(reason),)))

    def name(self, wish: str, stem: str) -> str:
        return self._unique(self._names, wish, stem)

    def group(self, wish: str, stem: str) -> str:
        return self._unique(self._groups, wish, stem)

    def _unique(self, names: UniqueNames, wish: str, stem: str) -> str:
        """A free name: the wished one where that can be."""
        name = names.make_unique(normal_name(wish) or stem)
        if name != wish:
            self.say(_("It is called %(name)s here.") % {"name": name})
        return name

    def show_if(self, outer: Sequence[str], own: str = "") -> dict[str, list[str]]:
        """The rule that all of `outer` and `own` hold. A condition that no rule can say is left out with a remark."""
        attempts = ([[*outer, own]] if own else []) + ([list(outer)] if outer else [])
        rules = (self._rule(parts) for parts in attempts)
        return next((rule for rule in rules if rule is not None), {})

    def can_say(self, outer: Sequence[str], own: str) -> bool:
        """Whether a rule can say both; if not, a remark is."""
        return self._rule([*outer, own]) is not None

    def _rule(self, parts: Sequence[str]) -> dict[str, list[str]] | None:
        whole = " and ".join(f"({part})" for part in parts) if len(parts) > 1 else parts[0]
        try:
            return rule(whole, self.known, self.why_not, self._effort, self._tokens)
        except RuleRefused as refusal:
            self.say(condition_left(parts[-1], str(refusal)))
            return None

    def hold(self, texts: Texts) -> None:
        """Keep words until the next question: the text of the section that it begins, or else words above its help."""
        for code, text in texts.items():
            self._held.setdefault(code, []).append(text)

    def release(self) -> dict[str, str]:
        """The words that were held, which are then held no more."""
        texts = {code: "\n\n".join(held) for code, held in self._held.items()}
        self._held.clear()
        return texts

    def above(self, help_text: Texts, *heading: Texts) -> dict[str, str]:
        """The help of a question, with the words that were held and a heading above it."""
        return joined(self.release(), *heading, help_text)


def joined(*parts: Texts) -> dict[str, str]:
    codes = dict.fromkeys(code for part in parts for code in part)
    return {code: "\n\n".join(text for part in parts if (text := part.get(code))) for code in codes}


def condition_left(condition: str, reason: str) -> str:
    shown = condition if len(condition) < 200 else f"{condition[:200]}…"
    said = _("Its condition %(condition)s is left out, so everybody is asked: it %(reason)s.")
    return said % {"condition": shown, "reason": reason}


def became_battery() -> str:
    return _("It is a table: its rows became a battery, questions with the same answers on one screen.")


def words_before_next() -> str:
    return _("Its words are shown before the next question.")


def condition_of_words() -> str:
    return _("has a condition, and words between questions are read by everybody")


def not_required(questions: int) -> str:
    return ngettext(
        "%(n)s question was not required. Here every question is answered; give it the choice “prefer not"
        " to say” if people may leave it open.",
        "%(n)s questions were not required. Here every question is answered; give them the choice “prefer"
        " not to say” if people may leave them open.",
        questions,
    ) % {"n": questions}


def words_at_end() -> str:
    return _("Words below the last question are shown after answering, as thanks.")
