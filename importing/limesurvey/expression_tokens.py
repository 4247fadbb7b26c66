"""Tokenizer of LimeSurvey's expressions, for importing.show_if_conditions."""

import re

from importing.condition_tokens import IF, ExpressionToken, match_tokens, unreadable_refusal

TOKEN = re.compile(
    r"""\s*(?:
        (?P<word>[A-Za-z_][A-Za-z0-9_]*)(?=\s{0,9}\()
      | (?P<name>[0-9]{1,9}X[0-9]{1,9}X[0-9]{1,9}[A-Za-z0-9_.]*|[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<ref>\{[^{}]*\})
      | \[(?P<sentence>[^\[\]]*)\]
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?)
      | (?P<sign>&&|\|\||==|!=|<=|>=|[=!<>(),])
    )""",
    re.VERBOSE,
)
SIGNS = {"&&": ("word", "and"), "||": ("word", "or"), "==": ("sign", "=")}
WORDS = {"and": ("word", "and"), "or": ("word", "or"), "eq": ("sign", "="), "ne": ("sign", "!=")}
WORDS |= {"lt": ("sign", "<"), "le": ("sign", "<="), "gt": ("sign", ">"), "ge": ("sign", ">=")}
WORDS |= {each: ("word", each) for each in ("not", *IF)}
SUFFIXES = frozenset({"", "NAOK", "code", "value", "valueNAOK"})
"""Suffixes after the point in a variable with which the variable means the question's answer."""


def tokenize_expression(expression: str) -> list[ExpressionToken]:
    """Splits a LimeSurvey expression into tokens of the kinds that the conditions of all file formats share."""
    parts = match_tokens(TOKEN.match, expression)
    return [_convert_token(kind, text, expression[start:]) for kind, text, start in parts]


def _convert_token(kind: str, text: str, rest: str) -> ExpressionToken:
    """Converts a LimeSurvey token; `rest` is the remaining expression, which a refusal quotes."""
    if kind == "sign":
        return ExpressionToken(*SIGNS.get(text, ("sign", text)))
    if kind in ("name", "word") and text.lower() in WORDS:
        return ExpressionToken(*WORDS[text.lower()])
    if kind != "name":
        return ExpressionToken(kind, text)
    name, _point, suffix = text.partition(".")
    if suffix not in SUFFIXES:
        raise unreadable_refusal(rest)
    return ExpressionToken("ref", name)
