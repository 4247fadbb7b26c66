r"""Conditions of forms from elsewhere, such as XLSForm's `relevant`, as far as a show-if rule can say them.

A show-if rule names questions and a set of choices for each, and all must be true. So an expression becomes one set
of answers for each question that it names, where "" stands for a question that was itself hidden. Expressions that
are no such product of sets are refused.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _

LONGEST, DEEPEST = 5_000, 40
MOST_COMPARED = 2_000_000
"""Answers that all rules of one file look at together: a second's work, and a hundred times an honest file's."""
PER_CHARACTER = 4
"""What reading a character costs, in compared answers."""
HIDDEN = ""
TOKEN = re.compile(
    r"""\s*(?:
        \$\{(?P<ref>[^{}]*)\}
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<word>[A-Za-z][A-Za-z-]*)
      | (?P<sign>!=|=|\(|\)|,)
    )""",
    re.VERBOSE,
)
Match = Callable[[str, int], re.Match[str] | None]
Region = Mapping[str, frozenset[str]]
"""For each question that matters, the answers for which the expression is true."""


class RuleRefused(ValueError):
    """Why, in the reader's language."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that may be named: its answers as the file writes them, and what the rule is about.

    `of_many` are the options of a question of several, each a question of yes and no of its own.
    """

    name: str
    answers: Mapping[str, str]
    hideable: bool
    of_many: Mapping[str, str] | None = None

    def domain(self) -> frozenset[str]:
        return frozenset(self.answers.values()) | ({HIDDEN} if self.hideable else frozenset())


@dataclass(slots=True)
class Effort:
    """The remaining budget of all rules of one file, in characters read and answers compared."""

    left: int = MOST_COMPARED

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise RuleRefused(_("compares more answers than a questionnaire has, with all rules above it"))


class ExpressionToken(NamedTuple):
    kind: str
    text: str


def rule(
    expression: str,
    known: Mapping[str, Asked],
    why_not: Mapping[str, str],
    effort: Effort | None = None,
    tokens: Callable[[str], list[ExpressionToken]] | None = None,
) -> dict[str, list[str]]:
    """The show-if of an expression; `why_not` says of other questions why they cannot be looked at.

    All rules of a file share one `effort`. `tokens` reads another language than XPath.
    """
    if len(expression) > LONGEST:
        raise RuleRefused(_("is too long"))
    effort = effort or Effort()
    effort.spend(PER_CHARACTER * len(expression))
    parser = _Parser((tokens or xpath_tokens)(expression), known, why_not, effort)
    region = parser.whole()
    return {
        name: _allowed(name, answers, parser)
        for name, answers in region.items()
        if _restricts_anybody(name, answers, parser)
    }


def xpath_tokens(expression: str) -> list[ExpressionToken]:
    return [
        ExpressionToken(kind, text.strip() if kind == "ref" else text)
        for kind, text, _start in matches(TOKEN.match, expression)
    ]


def matches(match: Match, expression: str) -> Iterator[tuple[str, str, int]]:
    """The tokens of an expression one after another: the name of the group that matched, its text and its start."""
    start, end = 0, len(expression.rstrip())
    while start < end:
        token = match(expression, start)
        if token is None or token.lastgroup is None:
            raise unreadable(expression[start:])
        yield token.lastgroup, token[token.lastgroup], start
        start = token.end()


def unreadable(rest: str) -> RuleRefused:
    return RuleRefused(_("cannot be read from “%(rest)s” on") % {"rest": rest[:30].strip()})


def _restricts_anybody(name: str, answers: frozenset[str], parser: "_Parser") -> bool:
    """A rule that lets everybody through is none, unless it needs the question to have been asked."""
    domain = parser.domains[name]
    return not (HIDDEN in domain and answers == domain)


def _allowed(name: str, answers: frozenset[str], parser: "_Parser") -> list[str]:
    if not answers:
        raise RuleRefused(_("can never hold"))
    if HIDDEN in answers:
        raise RuleRefused(
            _(
                "would also hold for people who were not asked %(name)s; write which answers to it are meant, each"
                " with ="
            )
            % {"name": name}
        )
    mentioned = (answer for answer in parser.mentioned[name] if answer in answers)
    rest = (answer for answer in parser.order[name] if answer in answers)
    return list(dict.fromkeys([*mentioned, *rest]))


class _Parser:
    """Recursive descent: or, and, not, comparison. A negation is passed down to the comparisons."""

    def __init__(
        self,
        tokens: list[ExpressionToken],
        known: Mapping[str, Asked],
        why_not: Mapping[str, str],
        effort: Effort,
    ) -> None:
        self._tokens, self._known, self._why_not, self._effort = tokens, known, why_not, effort
        self._index = self._depth = 0
        self.domains: dict[str, frozenset[str]] = {}
        self.order: dict[str, list[str]] = {}
        # By question, the answers in the order in which the expression speaks of them.
        self.mentioned: dict[str, dict[str, None]] = {}

    def whole(self) -> Region:
        region = self._or(False)
        if self._index < len(self._tokens):
            raise self._unexpected()
        return region

    def _next(self) -> ExpressionToken:
        return self._tokens[self._index] if self._index < len(self._tokens) else ExpressionToken("end", "")

    def _take(self, text: str) -> bool:
        if self._next() in (ExpressionToken("sign", text), ExpressionToken("word", text)):
            self._index += 1
            return True
        return False

    def _need(self, text: str) -> None:
        if not self._take(text):
            raise self._unexpected()

    def _unexpected(self) -> RuleRefused:
        token = self._next()
        if token.kind == "end":
            return RuleRefused(_("ends too early"))
        return RuleRefused(
            _(
                "holds “%(text)s”, which a rule cannot say; it can compare answers by = and !=, ask selected(), and"
                " join these with and, or and not()"
            )
            % {"text": token.text}
        )

    def _or(self, negated: bool) -> Region:
        region = self._and(negated)
        while self._take("or"):
            other = self._and(negated)
            region = self._both(region, other) if negated else self._either(region, other)
        return region

    def _and(self, negated: bool) -> Region:
        region = self._one(negated)
        while self._take("and"):
            other = self._one(negated)
            region = self._either(region, other) if negated else self._both(region, other)
        return region

    def _one(self, negated: bool) -> Region:
        self._depth += 1
        if self._depth > DEEPEST:
            raise RuleRefused(_("is nested too deeply"))
        if self._take("not"):
            self._need("(")
            region = self._or(not negated)
            self._need(")")
        elif self._take("!"):
            region = self._one(not negated)
        elif self._take("("):
            region = self._or(negated)
            self._need(")")
        elif self._take("selected"):
            region = self._selected(negated)
        else:
            region = self._comparison(negated)
        self._depth -= 1
        return region

    def _selected(self, negated: bool) -> Region:
        self._need("(")
        asked = self._reference()
        self._need(",")
        answer = self._literal()
        self._need(")")
        return self._holds(asked, answer, negated, by_selected=True)

    def _comparison(self, negated: bool) -> Region:
        asked = self._reference()
        unequal = self._take("!=")
        if not unequal:
            self._need("=")
        return self._holds(asked, self._literal(), negated != unequal, by_selected=False)

    def _reference(self) -> Asked:
        token = self._next()
        if token.kind != "ref":
            raise self._unexpected()
        if token.text not in self._known:
            unknown = _("names %(name)s, and no earlier question is called that") % {"name": token.text}
            raise RuleRefused(self._why_not.get(token.text, unknown))
        self._index += 1
        return self._known[token.text]

    def _literal(self) -> str:
        token = self._next()
        if token.kind not in ("text", "number"):
            raise self._unexpected()
        self._index += 1
        return token.text[1:-1] if token.kind == "text" else token.text

    def _holds(self, asked: Asked, answer: str, negated: bool, *, by_selected: bool) -> Region:
        if asked.of_many is not None:
            return self._option(asked, answer, negated, by_selected)
        empty = answer == HIDDEN and not by_selected
        if answer not in asked.answers and not empty:
            raise RuleRefused(
                _("compares %(name)s to “%(answer)s”, which is none of its choices")
                % {"name": asked.name, "answer": answer}
            )
        answers = frozenset(asked.answers[each] for each in (answer,) if each in asked.answers)
        answers |= frozenset({HIDDEN}) & asked.domain() if empty else frozenset()
        return self._region(asked.name, answers, asked.domain(), list(asked.answers.values()), negated)

    def _option(self, asked: Asked, answer: str, negated: bool, by_selected: bool) -> Region:
        if not by_selected:
            raise RuleRefused(
                _("compares %(name)s, where several can be chosen; use selected()") % {"name": asked.name}
            )
        if asked.of_many is None or answer not in asked.of_many:
            raise RuleRefused(
                _("compares %(name)s to “%(answer)s”, which is none of its choices")
                % {"name": asked.name, "answer": answer}
            )
        domain = frozenset({"no", "yes"}) | ({HIDDEN} if asked.hideable else frozenset())
        return self._region(asked.of_many[answer], frozenset({"yes"}), domain, ["no", "yes"], negated)

    def _region(
        self, name: str, chosen: frozenset[str], domain: frozenset[str], order: list[str], negated: bool
    ) -> Region:
        self._effort.spend(len(domain))
        self.domains[name], self.order[name] = domain, order
        answers = domain - chosen if negated else chosen
        mentioned = self.mentioned.setdefault(name, {})
        mentioned.update((answer, None) for answer in order if answer in answers)
        return {name: answers}

    def _both(self, one: Region, other: Region) -> Region:
        names = self._named(one, other)
        return {name: self._of(one, name) & self._of(other, name) for name in names}

    def _named(self, one: Region, other: Region) -> Iterable[str]:
        """The questions of both sides, paid for by all of their answers."""
        names = {**one, **other}
        self._effort.spend(sum(1 + len(self.domains[name]) for name in names))
        return names

    def _either(self, one: Region, other: Region) -> Region:
        names = self._named(one, other)
        differing = [name for name in names if self._of(one, name) != self._of(other, name)]
        if len(differing) <= 1:
            # What one side does not ask for is any answer, and so is what both allow together.
            return {name: one[name] | other[name] for name in one if name in other}
        if all(self._of(one, name) <= self._of(other, name) for name in names):
            return other
        if all(self._of(one, name) >= self._of(other, name) for name in names):
            return one
        raise RuleRefused(
            _(
                "joins different questions by or; a rule can ask for one of several answers to each question, and"
                " then all of it must hold"
            )
        )

    def _of(self, region: Region, name: str) -> frozenset[str]:
        return region.get(name, self.domains[name])
