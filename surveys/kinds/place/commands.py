"""The commands of the buttons in the form of a place. `row` is that of a region."""

from django.utils.translation import gettext as _

from privacy.guarantee.place_search import Wanted
from surveys.kinds.place import editing as places
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.blocks import find
from surveys.questionnaire.commands import Command, CommandResult, Sent, key_in, number_in
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import block_id, replaced_question

LEARN: dict[str, Wanted] = {"regions": "regions", "map": "map"}


def region_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    after, row = places.add_region(draft, key)
    words = _("A new region. Name it, then choose its cells.")
    return CommandResult(after, words, key, True, f"{block_id(key)}-region-{row}")


def region_remove(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    after = places.remove_region(draft, key, number_in(sent, "row"))
    return CommandResult(after, _("The region is deleted."), key, True, "undo", replaced(draft, after, key))


def region_more(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, row = key_in(sent), number_in(sent, "row")
    after = places.protect_more(draft, key, row)
    words = _("The region is protected more.")
    return CommandResult(after, words, key, True, f"{block_id(key)}-region-{row}-less")


def region_less(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, row = key_in(sent), number_in(sent, "row")
    after = places.protect_as_usual(draft, key, row)
    words = _("The region is protected like the others.")
    return CommandResult(after, words, key, True, f"{block_id(key)}-region-{row}-more")


def best_level(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, learn = key_in(sent), LEARN.get(sent.get("learn", ""))
    if learn is None:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    after = places.with_best_level(draft, key, learn)
    words, focus = _("What shows it best is proposed."), f"{block_id(key)}-best"
    if after == draft:
        return CommandResult(after, words, key, True, focus)
    return CommandResult(after, words, key, True, focus, replaced(draft, after, key))


def replaced(before: Questionnaire, after: Questionnaire, key: str) -> Node:
    """What undo needs, of this question alone: a place can be large."""
    return replaced_question(before, find(before, key)[0], find(after, key)[1])


OF_PLACE: dict[str, Command] = {
    "region-add": region_add,
    "region-remove": region_remove,
    "region-more": region_more,
    "region-less": region_less,
    "best-level": best_level,
}
