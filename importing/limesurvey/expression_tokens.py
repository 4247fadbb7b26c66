"""LimeSurvey's expressions as the tokens of a condition (importing.show_if_conditions)."""

import re

from importing.show_if_conditions import ExpressionToken, matches, unreadable

TOKEN = re.compile(
    r"""\s*(?:
        (?P<name>[0-9]{1,9}X[0-9]{1,9}X[0-9]{1,9}[A-Za-z0-9_.]*|[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<number>[0-9]+(?:\.[0-9]+)?)
      | (?P<sign>&&|\|\||==|!=|=|!|\(|\)|,)
    )""",
    re.VERBOSE,
)
SIGNS = {"&&": ("word", "and"), "||": ("word", "or"), "==": ("sign", "=")}
WORDS = {"and": ("word", "and"), "or": ("word", "or"), "eq": ("sign", "="), "ne": ("sign", "!=")}
SUFFIXES = frozenset({"", "NAOK", "code", "value", "valueNAOK"})
"""After the point of a variable, where they mean its answer."""
IS_EMPTY = "is_empty"


def tokens(expression: str) -> list[ExpressionToken]:
    parts = matches(TOKEN.match, expression)
    return _without_is_empty([_token(kind, text, expression[start:]) for kind, text, start in parts])


def _token(kind: str, text: str, rest: str) -> ExpressionToken:
    if kind == "sign":
        return ExpressionToken(*SIGNS.get(text, ("sign", text)))
    if kind != "name":
        return ExpressionToken(kind, text)
    if text.lower() in WORDS:
        return ExpressionToken(*WORDS[text.lower()])
    if text == IS_EMPTY:
        return ExpressionToken("word", text)
    name, _point, suffix = text.partition(".")
    if suffix not in SUFFIXES:
        raise unreadable(rest)
    return ExpressionToken("ref", name)


def _without_is_empty(tokens: list[ExpressionToken]) -> list[ExpressionToken]:
    """Write is_empty(Q1) as (Q1 = '')."""
    made: list[ExpressionToken] = []
    for number, token in enumerate(tokens):
        kinds = [(each.kind, each.text) for each in tokens[number - 2 : number]] if number > 1 else []
        is_asked = token.kind == "ref" and kinds == [("word", IS_EMPTY), ("sign", "(")]
        made.append(token)
        if is_asked:
            del made[-3]
            made += [ExpressionToken("sign", "="), ExpressionToken("text", "''")]
    return made
