"""What a questionnaire file asks, as an independent reader of its format finds it, and who is asked each question.

Conditions are written as Python expressions (each reader translates its own language into them), of which `holds`
understands a small part. Nothing here imports `importing`.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any

Words = dict[str, str]
"""Of each language."""
Answers = Mapping[str, Any]
"""Of each question that is asked: a code, the set of the chosen codes, or a number."""


class Unclear(Exception):
    """Raised for a condition of which the truth does not follow from answers to choices and numbers."""


@dataclass
class Item:
    """One question, or one row of a table. `parts`: what a condition calls an option, its code, and its values if
    chosen and if not, which are `unasked` where it is not asked. `shown_if`: all must hold.
    `offered`: the condition of each choice of a cascading list. A code before `#` stands twice in the file."""

    name: str
    words: Words
    choices: dict[str, Words] = field(default_factory=dict)
    many: bool = False
    number: bool = False
    head: Words = field(default_factory=dict)
    shown_if: list[str] = field(default_factory=list)
    parts: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    unasked: str = ""
    offered: dict[str, str] = field(default_factory=dict)

    @property
    def is_askable(self) -> bool:
        return self.number or bool(self.choices)


@dataclass(frozen=True)
class Fact:
    """Something else that changes who is asked what, or is told what: of a question, or of the whole file."""

    kind: str
    about: str = ""
    detail: str = ""


@dataclass
class Source:
    items: list[Item]
    languages: list[str]
    facts: list[Fact] = field(default_factory=list)


COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:v|asked)\('([^']*)'\)", expression))


def holds(expression: str, items: Mapping[str, Item], answers: Answers) -> bool:
    """Whether people with these answers are asked; `items` by every name that a condition has for them."""
    return _truth(_value(_parse(expression), items, answers))


@cache
def _parse(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise Unclear(expression) from error


def _value(node: ast.expr, items: Mapping[str, Item], answers: Answers) -> Any:
    def inner(each: ast.expr) -> Any:
        return _value(each, items, answers)

    match node:
        case ast.Constant(value):
            return value
        case ast.List(elements):
            return frozenset(str(inner(each)) for each in elements)
        case ast.BoolOp(ast.And(), values):
            # Each is evaluated, so that what is unclear is found.
            return False not in [_truth(inner(each)) for each in values]
        case ast.BoolOp(ast.Or(), values):
            return True in [_truth(inner(each)) for each in values]
        case ast.UnaryOp(ast.Not(), operand):
            return not _truth(inner(operand))
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            return -value
        case ast.Compare(left, [sign], [right]):
            return _compare(sign, inner(left), inner(right))
        case ast.BinOp(left, ast.LShift(), right):  # contains
            return _codes(inner(right)) <= _codes(inner(left))
        case ast.BinOp(left, ast.RShift(), right):  # any of
            return bool(_codes(inner(right)) & _codes(inner(left)))
        case ast.Call(ast.Name(called), [*arguments]):
            return _call(called, [inner(each) for each in arguments], items, answers)
    raise Unclear(ast.unparse(node))


def _call(name: str, arguments: list[Any], items: Mapping[str, Item], answers: Answers) -> Any:
    match name, arguments:
        case "v", [str(question)]:
            return _answer(question, items, answers)
        case "asked", [question]:
            return question in answers
        case "selected", [chosen, wanted]:
            return _codes(wanted) <= _codes(chosen)
        case "count_selected", [chosen]:
            return len(_codes(chosen))
        case "is_empty", [chosen]:
            return not _codes(chosen)
    raise Unclear(name)


def _answer(name: str, items: Mapping[str, Item], answers: Answers) -> Any:
    item = items.get(name)
    if item is None or not item.is_askable:
        raise Unclear(name)
    answer = answers.get(item.name, "")
    if name not in item.parts:
        return answer.partition("#")[0] if isinstance(answer, str) else answer
    code, chosen, left = item.parts[name]
    return item.unasked if item.name not in answers else chosen if code in _codes(answer) else left


def _codes(value: Any) -> Set[str]:
    return value if isinstance(value, frozenset) else frozenset(str(value).split())


def _truth(value: Any) -> bool:
    return value not in ("", "0", 0, False, frozenset())


def _compare(sign: ast.cmpop, left: Any, right: Any) -> bool:
    if type(sign) not in COMPARISONS:
        raise Unclear(type(sign).__name__)
    test = COMPARISONS[type(sign)]
    if isinstance(sign, ast.Eq | ast.NotEq) and frozenset in (type(left), type(right)):
        return test(_codes(left), _codes(right))
    numbers = _number(left), _number(right)
    if None not in numbers:
        return test(*numbers)
    # What is empty is neither above nor below a number.
    return test(str(left), str(right)) if isinstance(sign, ast.Eq | ast.NotEq) else False


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
