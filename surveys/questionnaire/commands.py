"""What a command of the builder is: it makes another draft and says what it did.

`sent` are the fields of the button's form; values that make no sense are refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from surveys.not_allowed import NotAllowed
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.questionnaire import Questionnaire

Sent = Mapping[str, str]


@dataclass(frozen=True)
class CommandResult:
    """`key` is the question to show, with its form where `shows_form`; `focus` is an id in the page.

    `removed` is what undo restores.
    """

    draft: Questionnaire
    said: str
    key: str = ""
    shows_form: bool = False
    focus: str = ""
    removed: Node | None = None


Command = Callable[[Questionnaire, Sent], CommandResult]


def key_in(sent: Sent) -> str:
    """Of the question that a button belongs to."""
    return sent.get("key", "")


def number_in(sent: Sent, name: str) -> int:
    return parsed_number(sent.get(name, ""))


def parsed_number(text: str) -> int:
    """A number of at most nine digits, and no sign of another kind that looks like one."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return int(text)
