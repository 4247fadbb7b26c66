"""Tokens of the conditions of imported forms, and the numbers to which conditions compare their questions."""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import accumulate, takewhile
from typing import NamedTuple

from django.utils.translation import gettext as _

LONGEST, MOST_AHEAD = 5_000, 300_000
COMPARED = re.compile(r"(?:[<>=]|\b(?:lt|le|gt|ge|eq|ne)\b)\s{0,9}\W?-?\d|\d\W?\s{0,9}[<>=!]")
"""Pattern of a comparison with a number, which may be quoted."""
TOKEN = re.compile(
    r"""\s*(?:
        \$\{(?P<ref>[^{}]*)\}
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<word>[A-Za-z][A-Za-z-]*)
      | (?P<sign>!=|<=|>=|[=<>(),])
    )""",
    re.VERBOSE,
)
QUOTED = re.compile(
    r"""'[^'‘’‚‛`´′]*'
      | ['‘’‚‛`´′](.{0,100}?)['‘’‚‛`´′](?=\s*(?:$|[^\w\s]|and\b|or\b))
      | "[^"“”„‟«»″]*"
      | ["“”„‟«»″](.{0,100}?)["“”„‟«»″](?=\s*(?:$|[^\w\s]|and\b|or\b))""",
    re.VERBOSE,
)
"""Pattern of a quoted text. A text between other signs than straight quotes ends where an expression can go on."""
NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,9})?")
COMPARISONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Signs of comparisons if both sides change places."""
ABOVE = {"=": (False, True), "!=": (False, True), "<": (False,), ">=": (False,), ">": (True,), "<=": (True,)}
"""By sign, the sides of a number on which the truth of a comparison with it changes: just below it, just above it."""
IF = ("if", "iif")
Match = Callable[[str, int], re.Match[str] | None]


class RuleRefused(ValueError):
    """Raised for a condition that no show-if rule can express, with the reason in the reader's language."""


class Threshold(NamedTuple):
    """A number at which the truth of a condition changes; with `above`, it changes just above it."""

    number: Fraction
    above: bool


class ExpressionToken(NamedTuple):
    kind: str
    text: str


Tokens = Callable[[str], list[ExpressionToken]]


def with_straight_quotes(expression: str) -> str:
    """Replaces typographic quotes around texts by straight ones."""

    def straight(match: re.Match[str]) -> str:
        text = match[1] if match[1] is not None else match[2]
        return match[0] if text is None else f'"{text}"' if "'" in text else f"'{text}'"

    return QUOTED.sub(straight, expression)


def xpath_tokens(expression: str) -> list[ExpressionToken]:
    """Splits an XPath expression of an XLSForm into tokens."""
    return [
        ExpressionToken(kind, text.strip() if kind == "ref" else text)
        for kind, text, _start in match_tokens(TOKEN.match, expression)
    ]


def thresholds(
    expressions: Iterable[str], tokenize: Tokens, calculations: Mapping[str, str]
) -> dict[str, list[Threshold]]:
    """Returns the thresholds to which these expressions and calculations compare each reference, in their order.

    Of a hostile file only the first `MOST_AHEAD` characters are read.
    """
    named: dict[str, list[Threshold]] = {}
    texts = [*calculations.values(), *dict.fromkeys(text for text in expressions if COMPARED.search(text))]
    sizes = accumulate(map(len, texts))
    few = takewhile(lambda each: each[1] <= MOST_AHEAD, zip(texts, sizes, strict=True))
    read = [_tokens_if_readable(text, tokenize) for text, _size in few]
    computed = dict(zip(calculations, read, strict=False))
    for tokens in read:
        for one, sign, other in zip(tokens, tokens[1:], tokens[2:], strict=False):
            is_turned = other.kind == "ref"
            compared = TURNED.get(sign.text, sign.text) if is_turned else sign.text
            reference, constant = (other, one) if is_turned else (one, other)
            number = parse_number(literal_text(constant)) if constant.kind in ("text", "number") else None
            if reference.kind == "ref" and compared in COMPARISONS and number is not None:
                found = (Threshold(number, above) for above in ABOVE[compared])
                named.setdefault(reference.text, []).extend(found)
    for name, tokens in reversed(computed.items()):
        # A calculation that only passes on an answer is compared in its place.
        references = [token.text for token in tokens if token.kind == "ref"]
        if name in named and len(references) == 1 and not {token.text for token in tokens} & {*IF}:
            named.setdefault(references[0], []).extend(named[name])
    return named


def _tokens_if_readable(expression: str, tokenize: Tokens) -> list[ExpressionToken]:
    try:
        return tokenize(with_straight_quotes(expression)) if len(expression) <= LONGEST else []
    except RuleRefused:
        return []


def parse_number(text: str) -> Fraction | None:
    return Fraction(text) if NUMBER.fullmatch(text) else None


def literal_text(token: ExpressionToken) -> str:
    return token.text[1:-1] if token.kind == "text" else token.text


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


def comparison_holds(one: str, sign: str, other: str) -> bool:
    """True if two constants compare so: as numbers if both are, else as texts, which have no order."""
    left, right = parse_number(one), parse_number(other)
    if left is None or right is None:
        return (one == other) == (sign == "=") if sign in ("=", "!=") else False
    return COMPARISONS[sign](left, right)
