"""What scripts and messages say is marked for translation too; found by reading the sources."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers
from tests.rooms import files

APART = {
    *("vendor", "migrations", "papers", "management"),
    # What an operator reads in a terminal.
    "backup",
}
SCRIPTS = [f for f in files(".js") if "static" in f.parts and not APART & set(f.parts)]
# What stands before the first process speaks on the operator's terminal, before anybody's language is known.
TERMINAL = {servers.ROOT / "config" / "start" / "preparing.py"}
MODULES = sorted(
    f for f in files(".py") if not APART & set(f.relative_to(servers.ROOT).parts) and f not in TERMINAL
)
LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL
)
SENTENCE = re.compile(r"[A-Z][a-z]+([ .,:;!?].*)?", re.DOTALL)
# What browsers call keys, headers and kinds of errors; nobody reads them.
NAMES = {"Enter", "Escape", "Tab", "Shift", "Home", "End", "Accept"}
SAYS = {"ValidationError", "NotAllowed", "JobFailed", "BadRequest", "Message", "add_error", "problem_page"}
SAYS |= {"mark_for_translation"}  # gettext finds what it marks under its short name, `_`, alone
MAY_SAY = re.compile("|".join([*SAYS, r"messages\."]))
MESSAGES = {"error", "success", "info", "warning"}
# What these calls name instead of saying it; whatever else is handed to them is read.
NAMED = {"code", "params", "field", "extra_tags"}
SAID = re.compile(r".*\s.*|.*[.!?]", re.DOTALL)


def sentences(script: str) -> list[str]:
    literals = (next((group for group in found.groups() if group), "") for found in LITERAL.finditer(script))
    return [text for text in literals if SENTENCE.fullmatch(text) and text not in NAMES]


def bare_messages(module: str) -> Iterator[tuple[int, str]]:
    """Literals handed straight to what a person will read."""
    if not MAY_SAY.search(module):
        return
    for node in ast.walk(ast.parse(module)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        of_messages = (
            isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "messages"
        )
        if name not in SAYS and not (of_messages and name in MESSAGES):
            continue
        said = node.args[1:] if name == "add_error" else node.args  # its first names the field
        handed = [*said, *(word.value for word in node.keywords if word.arg not in NAMED)]
        yield from ((node.lineno, text) for argument in handed for text in unmarked(argument))


def unmarked(argument: ast.expr) -> Iterator[str]:
    """Sentences written out in an argument; what stands inside a call, as of gettext, is marked."""
    match argument:
        case ast.JoinedStr():
            yield ast.unparse(argument)
        case ast.Constant(value=str(text)) if SAID.fullmatch(text):
            yield text
        case ast.BinOp():
            yield from unmarked(argument.left)
        case ast.IfExp():
            yield from (text for branch in (argument.body, argument.orelse) for text in unmarked(branch))
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            yield from (text for part in parts for text in unmarked(part))


def test_there_is_something_to_read() -> None:
    assert len(SCRIPTS) > 10
    assert len(MODULES) > 100


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(servers.ROOT)))
def test_no_script_speaks_a_language_of_its_own(script: Path) -> None:
    assert sentences(script.read_text()) == []


@pytest.mark.page
def test_no_message_is_said_without_being_marked() -> None:
    found = {str(f.relative_to(servers.ROOT)): list(bare_messages(f.read_text())) for f in MODULES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_an_unmarked_sentence_of_a_script_would_be_noticed() -> None:
    assert sentences("button.textContent = 'Send it'; key === 'Enter'; // A comment\n") == ["Send it"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("messages.error(request, 'Not saved yet')", ["Not saved yet"]),
        ("raise NotAllowed('No %(x)s here' % {'x': 1})", ["No %(x)s here"]),
        ("raise NotAllowed(f'No {x}')", ["f'No {x}'"]),
        ("form.add_error('x', 'Bare.')", ["Bare."]),
        ("form.add_error(f'x-{n}', 'Bare.')", ["Bare."]),
        ("form.add_error(field='x', error='Bare.')", ["Bare."]),
        ("raise ValidationError(message='Not this', code='a b')", ["Not this"]),
        ("raise ValidationError({'x': ['Not this', _('but that')]})", ["Not this"]),
        ("raise BadRequest('Not so')", ["Not so"]),
        ("return Message('Step %(n)s', {'n': 1})", ["Step %(n)s"]),
        ("raise JobFailed('Too many' if many else gettext_noop('Too few'))", ["Too many"]),
        ("raise InputError('x', mark_for_translation('Not this'))", ["Not this"]),
        ("raise NotAllowed(_('Not now'))", []),
        ("form.add_error('x', _('Bare.'))", []),
        ("return Message(gettext_noop('Step %(n)s'), {'n': 1})", []),
    ],
)
def test_an_unmarked_message_would_be_noticed(said: str, found: list[str]) -> None:
    assert list(bare_messages(said)) == [(1, text) for text in found]
