"""The commands of the buttons in the form of a number."""

from django.utils.translation import gettext as _

from surveys.kinds.number import editing as numbers
from surveys.kinds.number.draft import SHAPE
from surveys.questionnaire.commands import Command, CommandResult, Sent, key_in, number_in
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import block_id, replaced_draft


def wanted(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    return _proposed(draft, numbers.with_wanted(draft, key, sent.get("wanted", "")), key, "wanted")


def window(draft: Questionnaire, sent: Sent) -> CommandResult:
    """A shape to look at."""
    return wanted(draft, {**sent, "wanted": SHAPE})


def ranged(draft: Questionnaire, sent: Sent) -> CommandResult:
    """The range was changed with the form; the page shows the limits that followed."""
    return CommandResult(draft, _("The limits follow the range."), key_in(sent), True)


def propose(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    return _proposed(draft, numbers.with_proposal(draft, key), key, "propose")


def _proposed(draft: Questionnaire, after: Questionnaire, key: str, focus: str) -> CommandResult:
    focus, words = f"{block_id(key)}-{focus}", _("What shows it best is proposed.")
    if after == draft:
        return CommandResult(after, words, key, True, focus)
    return CommandResult(after, words, key, True, focus, replaced_draft(draft, after))


def limit_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    after, row = numbers.add_limit(draft, key, number_in(sent, "row") if sent.get("row") else None)
    return CommandResult(after, _("A new limit."), key, True, f"{block_id(key)}-limit-{row}")


def limit_remove(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, row = key_in(sent), number_in(sent, "row")
    after = numbers.remove_limit(draft, key, row)
    removed = replaced_draft(draft, after)
    return CommandResult(after, _("The limit is deleted."), key, True, "undo", removed)


OF_NUMBER: dict[str, Command] = {
    "wanted": wanted,
    "range": ranged,
    "window": window,
    "propose": propose,
    "limit-add": limit_add,
    "limit-remove": limit_remove,
}
