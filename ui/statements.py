"""Reads the promises and the stated limits of the page /limits, whose words stand in templates/ui/limits/."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.template import Context, Node, NodeList
from django.template.base import FilterExpression, Parser, Token
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import override

DOCUMENT = Path(__file__).parent.parent / "docs" / "promises.md"


@dataclass(frozen=True)
class Statement:
    """A promise, or a limit of the product, in the active language; `heading`: its title in docs/promises.md.

    `defence`: a measure that softens a limit; empty: there is none, and the page says "not defended".
    """

    key: str
    heading: str
    title: str
    text: str
    defence: str = ""
    advice: str = ""


@dataclass
class StatementNode(Node):
    key: FilterExpression
    title: FilterExpression
    parts: dict[str, NodeList]

    def render(self, context: Context) -> SafeString:
        """Adds the statement to the list `statements`."""
        title = self.title.resolve(context)
        with override(None):
            heading = str(title)
        parts = {name: nodes.render(context).strip() for name, nodes in self.parts.items()}
        safe = {name: mark_safe(text) for name, text in parts.items()}  # noqa: S308 - a template was rendered
        context["statements"].append(Statement(self.key.resolve(context), heading, str(title), **safe))
        return SafeString()


def parse_statement(parser: Parser, token: Token) -> StatementNode:
    """Parses {% statement "key" _("Title") %}text{% defence %}text{% advice %}text{% endstatement %}."""
    _tag, key, title = token.split_contents()
    parts: dict[str, NodeList] = {}
    part = "text"
    while part != "endstatement":
        parts[part] = parser.parse(("defence", "advice", "endstatement"))
        part = parser.next_token().contents
    return StatementNode(parser.compile_filter(key), parser.compile_filter(title), parts)


def read_promises() -> dict[str, Statement]:
    return _read_statements("ui/limits/promises.html")


def read_limits() -> dict[str, Statement]:
    return _read_statements("ui/limits/stated-limits.html")


def _read_statements(template: str) -> dict[str, Statement]:
    """Returns the statements of a template by their keys, in its order."""
    statements: list[Statement] = []
    get_template(template).render({"statements": statements})
    return {statement.key: statement for statement in statements}


@cache
def find_promise_tests() -> dict[str, list[str]]:
    """Returns the names of the tests that docs/promises.md lists under each heading, with their paths below tests/."""
    parts = DOCUMENT.read_text().split("\n## ")[1:]
    return {part.partition("\n")[0]: re.findall(r"^\* `tests/(.+)`$", part, re.MULTILINE) for part in parts}
