"""What a design cannot have if its page is served by another host, or stands inside another tool: one table, by which
files, the API and the builder refuse alike."""

from collections.abc import Callable
from typing import NamedTuple

from privacy.designs.asked_at import MOST_ANSWERS
from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _


class Feature(NamedTuple):
    """A feature, whether a design (or its survey, if `invited`) uses it, and the sentences that refuse it.

    `host`: with a page that another host serves; `inside`: with one inside another tool; empty: allowed.
    """

    is_used: Callable[[Design, bool], bool]
    host: str
    inside: str


FEATURES = {
    "lasting": Feature(
        lambda design, _invited: bool(design.lasting_sections),
        _(
            "a lasting disguise needs a code, for which people trust one site: switch it off on the page Study"
        ),
        _("a lasting disguise needs a code, which a tool could read: switch it off on the page Study"),
    ),
    "exchanged": Feature(
        lambda design, _invited: bool(design.invitation_key),
        _("invitations are exchanged on this site’s own pages only: switch the exchange off on Invitations"),
        _("the tool invites: switch the exchange of invitations off on the page Invitations"),
    ),
    "invited": Feature(
        lambda _design, is_invited: is_invited,
        "",
        _("the tool invites: let everybody with the link answer, on the page Invitations"),
    ),
    "field": Feature(
        lambda design, _invited: design.has_field_devices,
        _("field devices load their page from this site: withdraw them on the page Invitations"),
        _("field devices load their page from this site: withdraw them on the page Invitations"),
    ),
    "quotas": Feature(
        lambda design, _invited: bool(design.quotas),
        _("a page that stays as it is cannot know which quotas are full: remove the quotas"),
        _("the tool gets the records, so nobody counts quotas here: remove them, and set them in the tool"),
    ),
    "sites": Feature(
        lambda design, _invited: bool(design.sites),
        _("which sites may show the page in a frame is said by the host’s own headers: remove the sites"),
        _("the tool is the only site around the page: remove the sites on the page Invitations"),
    ),
    "rehearsal": Feature(
        lambda design, _invited: design.rehearsal,
        _("a rehearsal is asked on this site: let it be asked here"),
        _("a rehearsal is asked on this site: let it be asked here"),
    ),
    "follows": Feature(
        lambda design, _invited: bool(design.follows or design.rounds),
        "",
        _("rounds inside a tool are told apart by the tool: stop comparing on the page Study"),
    ),
    "open": Feature(
        lambda design, _invited: design.open_answers,
        "",
        _("an open record would hold the truth beside a name: let nobody answer without disguise"),
    ),
    "direct": Feature(
        lambda design, _invited: design.has_arms,
        "",
        _("a record of the direct arm would hold the truth beside a name: switch it off on the page Study"),
    ),
    "completion": Feature(
        lambda design, _invited: bool(design.panel),
        "",
        _(
            "no answer comes back that could carry a completion code: remove its text, and let the tool give it"
        ),
    ),
    "crosswise questions": Feature(
        lambda design, _invited: design.has_crosswise,
        "",
        _(
            "whoever knows the secret of a crosswise question knows the answer, and a tool has birth dates beside "
            "names: ask it as a question that the device disguises"
        ),
    ),
    "outside": Feature(
        lambda design, _invited: any(section.sends_some_as_they_are for section in design.mined.sections),
        "",
        _("people outside all regions send their true place: draw regions that cover the whole map"),
    ),
    "drawn": Feature(
        lambda design, _invited: bool(design.drawn) or any(section.rotates for section in design.sections),
        "",
        _(
            "each reload would draw the questions anew, so that a person could choose: ask everybody all "
            "questions, in one version"
        ),
    ),
    "long": Feature(
        lambda design, _invited: design.width > MOST_ANSWERS,
        "",
        _(
            "a record of so many answers does not fit a field of the tool: ask fewer questions, or in two surveys"
        ),
    ),
}
"""The features that at least one of the two refuses, by name. All others are allowed in both."""


def asked_at_refusal(design: Design, is_invited: bool = False) -> InputError | None:
    """Returns the refusal of the first feature that the design cannot have where it is asked; None if there is none.

    `is_invited`: only invited people may answer.
    """
    if design.asked_at is None:
        return None
    for feature in FEATURES.values():
        reason = feature.host if design.asked_at.host else feature.inside
        if reason and feature.is_used(design, is_invited):
            return InputError("asked_at", reason)
    return None
