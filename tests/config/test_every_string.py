"""What scripts and messages say is marked for translation too; found by reading the sources."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers

APART = {".venv", "var", "tests", "bench", "vendor", "migrations", "node_modules", "papers", "management"}
SCRIPTS = sorted(f for f in servers.ROOT.glob("**/static/**/*.js") if not APART & set(f.parts)) + sorted(
    f for f in (servers.ROOT / "static").rglob("*.js") if not APART & set(f.parts)
)
# What stands before the first process speaks on the operator's terminal, before anybody's language is known.
TERMINAL = {servers.ROOT / "config" / "preparing.py"}
MODULES = sorted(
    f
    for f in servers.ROOT.rglob("*.py")
    if not APART & set(f.relative_to(servers.ROOT).parts) and f not in TERMINAL
)
LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL
)
SENTENCE = re.compile(r"[A-Z][a-z]+([ .,:;!?].*)?", re.DOTALL)
# What browsers call keys, headers and kinds of errors; nobody reads them.
NAMES = {"Enter", "Escape", "Tab", "Shift", "Home", "End", "Accept"}
SAYS = {"ValidationError", "Refused", "JobFailed", "problem_page"}
MESSAGES = {"error", "success", "info", "warning"}


def sentences(script: str) -> list[str]:
    literals = (next((group for group in found.groups() if group), "") for found in LITERAL.finditer(script))
    return [text for text in literals if SENTENCE.fullmatch(text) and text not in NAMES]


def bare_messages(module: str) -> Iterator[tuple[int, str]]:
    """Literals handed straight to what a person will read."""
    for node in ast.walk(ast.parse(module)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of_messages = (
            isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "messages"
        )
        if name not in SAYS and not (of_messages and name in MESSAGES):
            continue
        for argument in node.args:
            literal = argument.left if isinstance(argument, ast.BinOp) else argument
            if isinstance(literal, ast.JoinedStr):
                yield node.lineno, ast.unparse(literal)
            elif (
                isinstance(literal, ast.Constant) and isinstance(literal.value, str) and " " in literal.value
            ):
                yield node.lineno, literal.value


def test_there_is_something_to_read() -> None:
    assert len(SCRIPTS) > 10
    assert len(MODULES) > 100


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(servers.ROOT)))
def test_no_script_speaks_a_language_of_its_own(script: Path) -> None:
    assert sentences(script.read_text()) == []


def test_no_message_is_said_without_being_marked() -> None:
    found = {str(f.relative_to(servers.ROOT)): list(bare_messages(f.read_text())) for f in MODULES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_an_unmarked_sentence_would_be_noticed() -> None:
    assert sentences("button.textContent = 'Send it'; key === 'Enter'; // A comment\n") == ["Send it"]
    assert list(bare_messages("messages.error(request, 'Not saved yet')")) == [(1, "Not saved yet")]
    assert list(bare_messages("raise Refused('No %(x)s here' % {'x': 1})")) == [(1, "No %(x)s here")]
    assert list(bare_messages("raise Refused(_('Not now'))")) == []
