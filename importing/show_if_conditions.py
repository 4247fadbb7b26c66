"""Converts the conditions of imported forms, such as XLSForm's `relevant`, to show-if rules where possible.

A show-if rule names questions with a set of allowed choices each; all must be satisfied. So an expression is
converted to one set of answers for each question that it names, where "" means that the question was not
asked. Expressions that are not such a product of sets are refused.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from django.utils.translation import gettext as _

from importing import remarks

LONGEST, DEEPEST = 5_000, 40
MOST_COMPARED = 2_000_000
"""Highest number of answers that all rules of one file compare: a second of work, and a hundred times an
ordinary file's."""
PER_CHARACTER = 4
"""Cost of parsing a character, in compared answers."""
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
"""For each question that matters, the set of answers for which the expression is true."""


class RuleRefused(ValueError):
    """Raised for a condition that no show-if rule can express, with the reason in the reader's language."""


@dataclass(frozen=True, slots=True)
class ConditionQuestion:
    """A question that conditions may name.

    `name`: name in the draft. `answers`: choices of the draft by answer of the file. `hideable`: the question
    has a show-if rule. `of_many`: questions of the draft by option, for a question that allows several
    options. `parts`: the questions into which it was split, each for people with certain earlier answers.
    """

    name: str
    answers: Mapping[str, Sequence[str]]
    hideable: bool
    of_many: Mapping[str, Sequence[str]] | None = None
    parts: Sequence["ConditionQuestion"] = ()

    @property
    def choices(self) -> list[str]:
        return list(dict.fromkeys(chain.from_iterable(self.answers.values())))

    def possible_answers(self) -> frozenset[str]:
        """Returns the possible answers, with an empty text if the question may be hidden."""
        return frozenset(self.choices) | ({HIDDEN} if self.hideable else frozenset())

    def part_with_answer_or_self(self, answer: str) -> "ConditionQuestion":
        """Returns the question that has this answer: one of its parts, if it was split."""
        having = [
            part for part in self.parts if answer in (part.answers if part.of_many is None else part.of_many)
        ]
        if len(having) > 1:
            raise RuleRefused(remarks.DIFFERENT_QUESTIONS)
        return having[0] if having else self


@dataclass(slots=True)
class WorkBudget:
    """The work that is left for all conditions of one file, in answers compared; a parsed character counts as
    several."""

    left: int = MOST_COMPARED

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise RuleRefused(_("compares more answers than a questionnaire has, with all rules above it"))


class ExpressionToken(NamedTuple):
    kind: str
    text: str


def show_if_rule(
    expression: str,
    questions: Mapping[str, ConditionQuestion],
    refusal_reasons: Mapping[str, str],
    budget: WorkBudget | None = None,
    tokenize: Callable[[str], list[ExpressionToken]] | None = None,
) -> dict[str, list[str]]:
    """Returns the show-if rule of an expression: allowed choices by question. Raises `RuleRefused` if there is none.

    `questions`: the questions that the expression may name. `refusal_reasons`: reasons why it may not name others. All
    expressions of a file share one `budget`. `tokenize`: tokenizer for languages other than XPath.
    """
    if len(expression) > LONGEST:
        raise RuleRefused(_("is too long"))
    budget = budget or WorkBudget()
    budget.spend(PER_CHARACTER * len(expression))
    parser = _Parser((tokenize or xpath_tokens)(expression), questions, refusal_reasons, budget)
    region = parser.parse()
    return {
        name: _allowed_answers(name, answers, parser)
        for name, answers in region.items()
        if _restricts_anybody(name, answers, parser)
    }


def xpath_tokens(expression: str) -> list[ExpressionToken]:
    """Splits an XPath expression of an XLSForm into tokens."""
    return [
        ExpressionToken(kind, text.strip() if kind == "ref" else text)
        for kind, text, _start in match_tokens(TOKEN.match, expression)
    ]


def match_tokens(match_token: Match, expression: str) -> Iterator[tuple[str, str, int]]:
    """Yields the tokens of an expression as (name of the matching group, text, start)."""
    start, end = 0, len(expression.rstrip())
    while start < end:
        token = match_token(expression, start)
        if token is None or token.lastgroup is None:
            raise unreadable_refusal(expression[start:])
        yield token.lastgroup, token[token.lastgroup], start
        start = token.end()


def unreadable_refusal(rest: str) -> RuleRefused:
    return RuleRefused(_("cannot be read from “%(rest)s” on") % {"rest": rest[:30].strip()})


def _restricts_anybody(name: str, answers: frozenset[str], parser: "_Parser") -> bool:
    """Returns False if a question that may be hidden allows all answers, and people who were not asked it."""
    domain = parser.domains[name]
    return not (HIDDEN in domain and answers == domain)


def _allowed_answers(name: str, answers: frozenset[str], parser: "_Parser") -> list[str]:
    """Returns the allowed answers to a question, first those that the expression names, in its order.

    Raises `RuleRefused` if there are none, or if people who were not asked the question are allowed too.
    """
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
    """Recursive descent parser for or, and, not, and comparisons; a negation is passed down to the comparisons.

    The result is a region: for each question that matters, the answers for which the expression is true.
    """

    def __init__(
        self,
        tokens: list[ExpressionToken],
        questions: Mapping[str, ConditionQuestion],
        refusal_reasons: Mapping[str, str],
        budget: WorkBudget,
    ) -> None:
        self._tokens, self._known, self._why_not, self._budget = tokens, questions, refusal_reasons, budget
        self._index = self._depth = 0
        self.domains: dict[str, frozenset[str]] = {}
        self.order: dict[str, list[str]] = {}
        # By question, the answers in the order in which the expression speaks of them.
        self.mentioned: dict[str, dict[str, None]] = {}

    def parse(self) -> Region:
        """Parses the whole expression; returns, for each question that matters, the answers for which it is true."""
        region = self._parse_or(False)
        if self._index < len(self._tokens):
            raise self._unexpected_token()
        return region

    def _peek(self) -> ExpressionToken:
        return self._tokens[self._index] if self._index < len(self._tokens) else ExpressionToken("end", "")

    def _accept(self, text: str) -> bool:
        """Returns True and moves on if the next token is this text."""
        if self._peek() in (ExpressionToken("sign", text), ExpressionToken("word", text)):
            self._index += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._unexpected_token()

    def _unexpected_token(self) -> RuleRefused:
        token = self._peek()
        if token.kind == "end":
            return RuleRefused(_("ends too early"))
        return RuleRefused(
            _(
                "holds “%(text)s”, which a rule cannot say; it can compare answers by = and !=, ask selected(), and"
                " join these with and, or and not()"
            )
            % {"text": token.text}
        )

    def _parse_or(self, negated: bool) -> Region:
        region = self._parse_and(negated)
        while self._accept("or"):
            other = self._parse_and(negated)
            region = self._intersection(region, other) if negated else self._union(region, other)
        return region

    def _parse_and(self, negated: bool) -> Region:
        region = self._parse_term(negated)
        while self._accept("and"):
            other = self._parse_term(negated)
            region = self._union(region, other) if negated else self._intersection(region, other)
        return region

    def _parse_term(self, negated: bool) -> Region:
        self._depth += 1
        if self._depth > DEEPEST:
            raise RuleRefused(_("is nested too deeply"))
        if self._accept("not"):
            self._expect("(")
            region = self._parse_or(not negated)
            self._expect(")")
        elif self._accept("!"):
            region = self._parse_term(not negated)
        elif self._accept("("):
            region = self._parse_or(negated)
            self._expect(")")
        elif self._accept("selected"):
            region = self._parse_selected(negated)
        else:
            region = self._parse_comparison(negated)
        self._depth -= 1
        return region

    def _parse_selected(self, negated: bool) -> Region:
        self._expect("(")
        asked = self._parse_reference()
        self._expect(",")
        answer = self._parse_literal()
        self._expect(")")
        return self._answer_region(asked, answer, negated, by_selected=True)

    def _parse_comparison(self, negated: bool) -> Region:
        asked = self._parse_reference()
        unequal = self._accept("!=")
        if not unequal:
            self._expect("=")
        return self._answer_region(asked, self._parse_literal(), negated != unequal, by_selected=False)

    def _parse_reference(self) -> ConditionQuestion:
        token = self._peek()
        if token.kind != "ref":
            raise self._unexpected_token()
        if token.text not in self._known:
            unknown = _("names %(name)s, and no earlier question is called that") % {"name": token.text}
            raise RuleRefused(self._why_not.get(token.text, unknown))
        self._index += 1
        return self._known[token.text]

    def _parse_literal(self) -> str:
        token = self._peek()
        if token.kind not in ("text", "number"):
            raise self._unexpected_token()
        self._index += 1
        return token.text[1:-1] if token.kind == "text" else token.text

    def _answer_region(
        self, question: ConditionQuestion, answer: str, negated: bool, *, by_selected: bool
    ) -> Region:
        """Returns the region (allowed answers by question) of a comparison with one answer.

        In the region the question has this answer; if `negated`, it has another.
        """
        question = question.part_with_answer_or_self(answer)
        if question.of_many is not None:
            return self._option_region(question, answer, negated, by_selected)
        empty = answer == HIDDEN and not by_selected
        if answer not in question.answers and not empty:
            raise RuleRefused(
                _("compares %(name)s to “%(answer)s”, which is none of its choices")
                % {"name": question.name, "answer": answer}
            )
        answers = frozenset(question.answers.get(answer, ()))
        answers |= frozenset({HIDDEN}) & question.possible_answers() if empty else frozenset()
        return self._make_region(
            question.name, answers, question.possible_answers(), question.choices, negated
        )

    def _option_region(
        self, question: ConditionQuestion, answer: str, negated: bool, by_selected: bool
    ) -> Region:
        if not by_selected:
            raise RuleRefused(
                _("compares %(name)s, where several can be chosen; use selected()") % {"name": question.name}
            )
        if question.of_many is None or answer not in question.of_many:
            raise RuleRefused(
                _("compares %(name)s to “%(answer)s”, which is none of its choices")
                % {"name": question.name, "answer": answer}
            )
        name, *more = question.of_many[answer]
        if more:
            raise RuleRefused(remarks.DIFFERENT_QUESTIONS)
        domain = frozenset({"no", "yes"}) | ({HIDDEN} if question.hideable else frozenset())
        return self._make_region(name, frozenset({"yes"}), domain, ["no", "yes"], negated)

    def _make_region(
        self, name: str, chosen: frozenset[str], domain: frozenset[str], order: list[str], negated: bool
    ) -> Region:
        self._budget.spend(len(domain))
        self.domains[name], self.order[name] = domain, order
        answers = domain - chosen if negated else chosen
        mentioned = self.mentioned.setdefault(name, {})
        mentioned.update((answer, None) for answer in order if answer in answers)
        return {name: answers}

    def _intersection(self, left: Region, right: Region) -> Region:
        names = self._names_in_either(left, right)
        return {name: self._answers_in(left, name) & self._answers_in(right, name) for name in names}

    def _names_in_either(self, left: Region, right: Region) -> Iterable[str]:
        """Returns the names of the questions in either region; subtracts the number of their answers from the
        budget."""
        names = {**left, **right}
        self._budget.spend(sum(1 + len(self.domains[name]) for name in names))
        return names

    def _union(self, left: Region, right: Region) -> Region:
        """Returns the union of two regions (allowed answers by question); refuses one that is not a product of sets."""
        names = self._names_in_either(left, right)
        differing = [name for name in names if self._answers_in(left, name) != self._answers_in(right, name)]
        if len(differing) <= 1:
            # A question that one side does not name may have any answer, and so it may in the union.
            return {name: left[name] | right[name] for name in left if name in right}
        if all(self._answers_in(left, name) <= self._answers_in(right, name) for name in names):
            return right
        if all(self._answers_in(left, name) >= self._answers_in(right, name) for name in names):
            return left
        raise RuleRefused(remarks.DIFFERENT_QUESTIONS)

    def _answers_in(self, region: Region, name: str) -> frozenset[str]:
        """Returns the answers to a question that a region allows: all answers if the region does not name the
        question."""
        return region.get(name, self.domains[name])
