"""Tokenizer of LimeSurvey's expressions, for importing.show_if_conditions."""

import re

from importing.show_if_conditions import ExpressionToken, match_tokens, unreadable_refusal

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
"""Suffixes after the point in a variable with which the variable means the question's answer."""
IS_EMPTY = "is_empty"


def tokenize_expression(expression: str) -> list[ExpressionToken]:
    """Splits a LimeSurvey expression into tokens of the kinds that the conditions of all file formats share."""
    parts = match_tokens(TOKEN.match, expression)
    return _replace_is_empty([_convert_token(kind, text, expression[start:]) for kind, text, start in parts])


def _convert_token(kind: str, text: str, rest: str) -> ExpressionToken:
    """Converts a LimeSurvey token; `rest` is the remaining expression, which a refusal quotes."""
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
        raise unreadable_refusal(rest)
    return ExpressionToken("ref", name)


def _replace_is_empty(tokens: list[ExpressionToken]) -> list[ExpressionToken]:
    """Replaces is_empty(Q1) by (Q1 = '')."""
    made: list[ExpressionToken] = []
    for number, token in enumerate(tokens):
        kinds = [(each.kind, each.text) for each in tokens[number - 2 : number]] if number > 1 else []
        is_asked = token.kind == "ref" and kinds == [("word", IS_EMPTY), ("sign", "(")]
        made.append(token)
        if is_asked:
            del made[-3]
            made += [ExpressionToken("sign", "="), ExpressionToken("text", "''")]
    return made
