"""Adding a crosswise question, and what is said once its secret is turned."""

from django.utils.translation import gettext as _

from surveys.draft import Draft
from surveys.kinds.crosswise.draft import CROSSWISE, crosswise_question
from surveys.questionnaire.blocks import find, new_name
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.replaced import block_id


def new_crosswise(draft: Draft) -> Node:
    """A section with a crosswise question without words."""
    common: Node = {"name": new_name(draft), "text": {}, "help": {}, "secret": {}, "show_if": {}}
    return {"kind": CROSSWISE, "questions": [crosswise_question({}, common, draft["languages"])]}


def turned_words(draft: Draft, key: str) -> str:
    """What turning has done, in words."""
    _place, block = find(draft, key)
    if "turned_by" in block[0]:
        return _("Write the opposite secret.")
    return _("The secret is the same for everybody.")


def turn(draft: Draft, sent: Sent) -> CommandResult:
    """After the form is saved with the drawn question that turns the secret."""
    key = sent.get("key", "")
    words = turned_words(draft, key)
    return CommandResult(draft, words, key, True, f"{block_id(key)}-turned_by")


OF_CROSSWISE: dict[str, Command] = {"turn": turn}
