"""JavaScript tokenizer: separates the code of a script from its comments, and finds which scripts it imports.

Whether a slash divides or begins a regular expression follows from what stands before it. After `}` and a few other
tokens only a full parser could decide. A script with such a slash is refused: a wrong guess could hide an import.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from proof.outcome import CheckFailed

TOKEN = re.compile(
    r"""
      (?P<space>[\s\ufeff]+)
    | (?P<comment>//[^\n\r\u2028\u2029]*|/\*.*?\*/)
    | (?P<string>"(?:[^"\\\n\r]|\\(?:\r\n|.))*"|'(?:[^'\\\n\r]|\\(?:\r\n|.))*')
    | (?P<template>`(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{))
    | (?P<number>[0-9][\w.]*)
    | (?P<word>\#?(?:[^\W\d]|\$)[\w$]*)
    | (?P<mark>(?!<!--|-->|/\*)(?:\.\.\.|\+\+|--|[-+*/%=<>!&|^~?:;,.(){}\[\]]))
    """,
    re.VERBOSE | re.DOTALL,
)
"""Pattern of a token where a slash divides.

Two things match nothing, so that they are refused: `<!--` and `-->`, which begin a comment in a script that is no
module, and a backslash outside a text, which can spell `import` in another way.
"""
TEMPLATE_REST = re.compile(r"(?P<template>\}(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{))", re.DOTALL)
"""Pattern of a template from the end of an expression to the next expression, or to the end of the template."""
REGEX = re.compile(
    r"(?P<regex>/(?:[^/\\\[\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029]"
    r"|\[(?:[^\]\\\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029])*\])+/[\w$]*)"
)
LINE_BREAK = re.compile(r"[\n\r\u2028\u2029]")
OPERATORS = frozenset([
    "break", "case", "continue", "debugger", "default", "delete", "do", "else", "extends", "in", "instanceof", "new",
    "return", "throw", "typeof", "void",
])  # fmt: skip
"""Words after which a slash begins a regular expression; after other words it divides."""
UNCLEAR = frozenset(["await", "of", "yield", "++", "--"])
"""Tokens after which a slash may do either."""
HEADS = {"if": True, "while": True, "for": True, "with": True, "await": None}
"""By the word before parentheses: True if a slash after these begins a regular expression, None if it may do either."""
ADDRESS = re.compile(r"\.{0,2}(?:/[\w.@-]+)+", re.ASCII)
"""Pattern of an imported path that a browser and this program read alike: no escape, no empty part, no other site."""


class Token(NamedTuple):
    """`kind`: the name of a group in the patterns of this module."""

    kind: str
    text: str


class Bracket(NamedTuple):
    """An open bracket; where an expression begins in a template, `opening` is a backtick.

    `before_regex`: True if a slash after the closing bracket begins a regular expression, None if it may do either.
    """

    opening: str
    before_regex: bool | None


def without_comments(path: str, code: str) -> str:
    """Returns the code with a space in place of each comment; raises CheckFailed as `read_tokens`."""
    return "".join(" " if kind == "comment" else text for kind, text in read_tokens(path, code))


def imported_addresses(path: str, code: str) -> list[str]:
    """Returns what stands in the import and export lines of a script; raises CheckFailed as `read_tokens`.

    Also raises it for `import(...)` and its like, whose address may be known only while the script runs.
    """
    addresses = []
    tokens = [token for token in read_tokens(path, code) if token.kind not in ("space", "comment")]
    for (_kind, word), (kind, text) in pairwise(tokens):
        if word == "import" and text in ("(", "."):
            raise CheckFailed(
                f"{path} holds import{text}, by which it may load scripts that it does not name"
            )
        if word in ("import", "from") and kind == "string":
            if not ADDRESS.fullmatch(text[1:-1]):
                raise CheckFailed(f"{path} imports {text}, which is no plain path on this site")
            addresses.append(text[1:-1])
    return addresses


def read_tokens(path: str, code: str) -> list[Token]:
    """Returns the tokens of a script, spaces and comments included: their texts, joined, are `code`.

    Raises CheckFailed with `path` and the line if a token is unclear. Code that no browser would run gives any tokens.
    """
    tokens: list[Token] = []
    brackets: list[Bracket] = []
    before_regex: bool | None = True
    at, previous = 0, ""
    while at < len(code):
        if code[at] == "/" and code[at + 1 : at + 2] not in ("/", "*"):
            if before_regex is None:
                raise refusal(path, code, at, "a slash may divide or begin a regular expression")
            match = REGEX.match(code, at) if before_regex else TOKEN.match(code, at)
        elif code[at] == "}" and brackets and brackets[-1].opening == "`":
            match = TEMPLATE_REST.match(code, at)
        else:
            match = TOKEN.match(code, at)
        if not match:
            raise refusal(path, code, at, "it is unclear what begins")
        token = Token(str(match.lastgroup), match[0])
        tokens.append(token)
        at = match.end()
        if token.kind not in ("space", "comment"):
            before_regex = _is_before_regex(token, previous, brackets)
            # The name of a property, such as `.return`, is no operator.
            previous = f".{token.text}" if previous == "." else token.text
        elif before_regex is False and LINE_BREAK.search(token.text):
            # A statement such as `import "./a.js"` may end here without a semicolon.
            before_regex = None
    return tokens


def _is_before_regex(token: Token, previous: str, brackets: list[Bracket]) -> bool | None:
    """Returns whether a slash after this token begins a regular expression; None if it may do either.

    `previous` is the token before. A bracket that the token opens or closes is added to `brackets` or taken from them.
    """
    kind, text = token
    if kind == "word" and previous == ".":
        return False
    if text in UNCLEAR:
        return None
    if text in (")", "]", "}"):
        return brackets.pop().before_regex if brackets else None
    if kind == "template":
        if text[0] == "}":
            brackets.pop()
        if text[-1] == "`":
            return False
        text = "`"
    if text in ("(", "[", "{", "`"):
        before_regex = {"(": HEADS.get(previous, False), "{": None}.get(text, False)
        brackets.append(Bracket(text, before_regex))
        return True
    return kind == "mark" or text in OPERATORS


def refusal(path: str, code: str, at: int, problem: str) -> CheckFailed:
    """Returns the error for code that cannot be read from the character at index `at` on."""
    line = code.count("\n", 0, at) + 1
    return CheckFailed(f"{path} cannot be read: in line {line} {problem} at {code[at : at + 40]!r}")
