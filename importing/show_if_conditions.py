"""Converts the conditions of imported forms, such as XLSForm's `relevant`, to show-if rules where possible.

A show-if rule names questions with a set of allowed choices each; all must be satisfied. So an expression is
converted to one set of answers for each question that it names, where "" means that the question was not
asked. Expressions that are not such a product of sets are refused.
A number is answered by its band, and a calculation is replaced by its expression.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, product
from typing import NamedTuple, TypeVar

from django.utils.translation import gettext as _

from importing import remarks
from importing.condition_tokens import (
    COMPARISONS,
    IF,
    LONGEST,
    TURNED,
    ExpressionToken,
    RuleRefused,
    Tokens,
    comparison_holds,
    literal_text,
    parse_number,
    with_straight_quotes,
    xpath_tokens,
)
from privacy.kinds.plain.number_bands import MOST_BANDS

DEEPEST = 40
MOST_COMPARED = 2_000_000
"""Highest number of answers that all rules of one file compare: a second of work, and a hundred times an
ordinary file's."""
PER_CHARACTER = 4
"""Cost of parsing a character, in compared answers."""
HIDDEN = ""
NONE_OF_THEM = ""
"""Option without a question: the answer *none* of a question that allows several options."""
SAME_VALUE = ("number", "int", "string")
"""Functions whose value is that of their argument, where answers are codes and whole numbers."""
Argument = TypeVar("Argument")
Region = Mapping[str, frozenset[str]]
"""For each question that matters, the set of answers for which the expression is true."""


class Band(NamedTuple):
    """A choice that stands for the numbers from `low` to `high`."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ConditionQuestion:
    """A question that conditions may name.

    `name`: name in the draft. `answers`: choices of the draft by answer of the file. `hideable`: the question
    has a show-if rule. `of_many`: questions of the draft by option, for a question that allows several
    options. `parts`: the questions into which it was split, each for people with certain earlier answers.
    `bands`: the choices of a question that takes a number.
    """

    name: str
    answers: Mapping[str, Sequence[str]]
    hideable: bool
    of_many: Mapping[str, Sequence[str]] | None = None
    parts: Sequence["ConditionQuestion"] = ()
    bands: Sequence[Band] = ()

    @property
    def choices(self) -> list[str]:
        return list(dict.fromkeys(chain(*self.answers.values(), (band.name for band in self.bands))))

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


@dataclass(frozen=True, slots=True)
class SelectedCount:
    """The number of selected options of a question, as a value in a condition."""

    question: ConditionQuestion


Value = ConditionQuestion | SelectedCount | str
Case = tuple[tuple["Region | RuleRefused", ...], Value]
"""A value of a term, and the regions in which the term has it; a region that no rule can say is its refusal."""


def show_if_rule(
    expression: str,
    questions: Mapping[str, ConditionQuestion],
    refusal_reasons: Mapping[str, str],
    budget: WorkBudget | None = None,
    tokenize: Tokens | None = None,
    calculations: Mapping[str, str] | None = None,
) -> dict[str, list[str]]:
    """Returns the show-if rule of an expression: allowed choices by question. Raises `RuleRefused` if there is none.

    `questions`: the questions that the expression may name. `refusal_reasons`: reasons why it may not name others. All
    expressions of a file share one `budget`. `tokenize`: tokenizer for languages other than XPath. `calculations`:
    expressions of the values that the file computes, by name.
    """
    if len(expression) > LONGEST:
        raise RuleRefused(_("is too long"))
    budget = budget or WorkBudget()
    parser = _Parser(questions, refusal_reasons, budget, tokenize or xpath_tokens, calculations or {})
    region = parser.parse(expression)
    return {
        name: _allowed_answers(name, answers, parser)
        for name, answers in region.items()
        if _restricts_anybody(name, answers, parser)
    }


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
        questions: Mapping[str, ConditionQuestion],
        refusal_reasons: Mapping[str, str],
        budget: WorkBudget,
        tokenize: Tokens,
        calculations: Mapping[str, str],
    ) -> None:
        self._known, self._why_not, self._budget = questions, refusal_reasons, budget
        self._tokenize, self._calculations = tokenize, dict(calculations)
        self._tokens: list[ExpressionToken] = []
        self._index = self._depth = 0
        self.domains: dict[str, frozenset[str]] = {}
        self.order: dict[str, list[str]] = {}
        # By question, the answers in the order in which the expression speaks of them.
        self.mentioned: dict[str, dict[str, None]] = {}

    def parse(self, expression: str) -> Region:
        """Parses the whole expression; returns, for each question that matters, the answers for which it is true."""
        self._begin(expression)
        region = self._parse_or(False)
        self._expect_end()
        return region

    def _begin(self, expression: str) -> None:
        self._budget.spend(PER_CHARACTER * len(expression))
        self._tokens, self._index = self._tokenize(with_straight_quotes(expression)), 0

    def _expect_end(self) -> None:
        if self._index < len(self._tokens):
            raise self._unexpected_token()

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
                "holds “%(text)s”, which a rule cannot say; it can compare answers by =, !=, < and >, ask selected(),"
                " and join these with and, or and not()"
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
        self._deepen()
        if self._accept("not"):
            region = self._parse_argument(lambda: self._parse_or(not negated))
        elif self._accept("!"):
            region = self._parse_term(not negated)
        elif self._accept("("):
            region = self._parse_or(negated)
            self._expect(")")
        elif self._accept("selected"):
            region = self._parse_selected(negated)
        elif self._accept("is_empty"):
            question = self._parse_argument(self._parse_reference)
            region = self._answer_region(question, HIDDEN, negated, by_selected=False)
        else:
            region = self._parse_comparison(negated)
        self._depth -= 1
        return region

    def _parse_argument(self, parse: Callable[[], Argument]) -> Argument:
        self._expect("(")
        argument = parse()
        self._expect(")")
        return argument

    def _deepen(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise RuleRefused(_("is nested too deeply"))

    def _parse_selected(self, negated: bool) -> Region:
        self._expect("(")
        asked = self._parse_reference()
        self._expect(",")
        answer = self._parse_literal()
        self._expect(")")
        return self._answer_region(asked, answer, negated, by_selected=True)

    def _parse_comparison(self, negated: bool) -> Region:
        left = self._parse_operand()
        sign = next(filter(self._accept, COMPARISONS), "")
        if not sign:
            raise self._unexpected_token()
        index = self._index
        right = self._parse_operand()
        regions: list[Region] = []
        for (where, one), (there, other) in product(left, right):
            if not (isinstance(one, str) or isinstance(other, str)):
                self._index = index
                raise self._unexpected_token()
            region = self._compare(one, sign, other, negated)
            if region is not None:
                regions.append(reduce(self._intersection, map(_raise_refusal, (*where, *there)), region))
        if not regions:
            raise RuleRefused(_("can never hold"))
        return reduce(self._union, regions)

    def _compare(self, one: Value, sign: str, other: Value, negated: bool) -> Region | None:
        """Returns the region in which a comparison with a constant holds; None if it never does."""
        if isinstance(one, str):
            if isinstance(other, str):
                return {} if comparison_holds(one, sign, other) != negated else None
            one, sign, other = other, TURNED.get(sign, sign), one
        assert isinstance(other, str)
        if isinstance(one, SelectedCount):
            return self._count_region(one.question, sign, other, negated)
        if sign in ("=", "!="):
            return self._answer_region(one, other, negated != (sign == "!="), by_selected=False)
        return self._number_region(one, sign, other, negated)

    def _parse_operand(self) -> list[Case]:
        """Parses one side of a comparison; returns its values, each with the regions in which it has that value."""
        self._deepen()
        cases = self._parse_value()
        self._depth -= 1
        return cases

    def _parse_value(self) -> list[Case]:
        token = self._peek()
        if token.kind == "ref" and token.text in self._calculations and token.text not in self._known:
            return self._parse_calculation(token.text)
        if token.kind == "ref":
            return [((), self._parse_reference())]
        if any(map(self._accept, IF)):
            return self._parse_if()
        if self._accept("count-selected"):
            return [((), SelectedCount(self._parse_argument(self._parse_reference)))]
        if any(map(self._accept, SAME_VALUE)):
            return self._parse_argument(self._parse_operand)
        return [((), self._parse_literal())]

    def _parse_calculation(self, name: str) -> list[Case]:
        """Parses the expression of a calculation in the place of its name."""
        expression, tokens, index = self._calculations.pop(name), self._tokens, self._index
        try:
            self._begin(expression)
            cases = self._parse_operand()
            self._expect_end()
        except RuleRefused as refusal:
            words = _("names %(name)s, which is computed: it %(reason)s")
            raise RuleRefused(words % {"name": name, "reason": refusal}) from None
        finally:
            self._tokens, self._index, self._calculations[name] = tokens, index + 1, expression
        return cases

    def _parse_if(self) -> list[Case]:
        """Parses the rest of `if(condition, value, other value)`."""
        self._expect("(")
        # Its condition is parsed twice.
        self._budget.spend(len(self._tokens))
        start, depth, end = self._index, self._depth, 0
        where: list[Region | RuleRefused] = []
        for negated in (False, True):
            self._index, self._depth = start, depth
            try:
                where.append(self._parse_or(negated))
                end = self._index
            except RuleRefused as refusal:
                where.append(refusal)
        if not end:
            _raise_refusal(where[0])
        self._index, self._depth = end, depth
        cases: list[Case] = []
        for region in where:
            self._expect(",")
            cases += [((region, *inner), value) for inner, value in self._parse_operand()]
        self._expect(")")
        return cases

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
        return literal_text(token)

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
        if question.bands and not empty:
            return self._number_region(question, "=", answer, negated)
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
        if not (question.of_many or {}).get(answer):
            raise RuleRefused(
                _("compares %(name)s to “%(answer)s”, which is none of its choices")
                % {"name": question.name, "answer": answer}
            )
        assert question.of_many
        name, *more = question.of_many[answer]
        if more:
            raise RuleRefused(remarks.DIFFERENT_QUESTIONS)
        domain = frozenset({"no", "yes"}) | ({HIDDEN} if question.hideable else frozenset())
        return self._make_region(name, frozenset({"yes"}), domain, ["no", "yes"], negated)

    def _number_region(self, question: ConditionQuestion, sign: str, answer: str, negated: bool) -> Region:
        """Returns the region of a comparison by size: of a number's bands, or of choices whose codes are numbers."""
        number, spans = parse_number(answer), list(question.bands)
        for code, choices in question.answers.items():
            value = parse_number(code)
            if value is None or value.denominator != 1:
                number = None
                break
            spans += [Band(choice, int(value), int(value)) for choice in choices]
        if number is None or not spans:
            raise RuleRefused(
                _("compares %(name)s to “%(answer)s”, which is none of its choices")
                % {"name": question.name, "answer": answer}
            )
        chosen = set()
        for name, low, high in spans:
            ends = [COMPARISONS[sign](Fraction(end), number) for end in (low, high)]
            if any(ends) != all(ends) or (sign == "=" and low < number < high):
                reason = _(
                    "compares %(name)s to %(answer)s, within one of its bands; a number has at most %(most)s"
                )
                raise RuleRefused(reason % {"name": question.name, "answer": answer, "most": MOST_BANDS})
            if all(ends):
                chosen.add(name)
        return self._make_region(
            question.name, frozenset(chosen), question.possible_answers(), question.choices, negated
        )

    def _count_region(
        self, question: ConditionQuestion, sign: str, answer: str, negated: bool
    ) -> Region | None:
        """Returns the region in which none, or all, of the options are selected; other numbers are no product of
        sets."""
        options = [option for option, names in (question.of_many or {}).items() if names]
        holds = [comparison_holds(str(n), sign, answer) != negated for n in range(max(len(options), 1) + 1)]
        if all(holds) or not any(holds):
            return {} if all(holds) else None
        if question.of_many is None:
            return self._answer_region(question, HIDDEN, holds[1], by_selected=False)
        if any(holds[1:-1]) or (holds[0] and (holds[-1] or NONE_OF_THEM in question.of_many)):
            raise RuleRefused(remarks.DIFFERENT_QUESTIONS)
        tests = (self._option_region(question, option, holds[0], True) for option in options)
        return reduce(self._intersection, tests)

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


def _raise_refusal(region: Region | RuleRefused) -> Region:
    if isinstance(region, RuleRefused):
        raise region
    return region
