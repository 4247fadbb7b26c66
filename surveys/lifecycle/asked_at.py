"""Where a draft is asked if another host serves its page or a tool shows it: the address of its records, and what one
survey or this site refuses."""

import json
from hashlib import sha256

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.site_address import site_url
from privacy.designs import Design, parse_design
from privacy.designs.asked_at_refusals import asked_at_refusal
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.models import PageFolder, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed, reason_text


def record_address(survey: Survey) -> str:
    """Returns the address of this survey's records, as a page on another host needs it."""
    return site_url(f"{survey.address}/record")


def respondents_address(survey: Survey) -> str:
    """Returns the address at which people answer: of the page at its host, where it was seen there, or on this site."""
    if not (host := survey.host):
        return site_url(survey.address)
    folder = current_folder(survey)
    return (folder.address if folder else "") or f"{host}/"


def with_own_record_address(survey: Survey, draft: Draft) -> Draft:
    """Returns the draft with the address of this survey's records, where another host serves its page."""
    given = draft_json.read_asked_at(draft)
    if "host" not in given:
        return draft
    return draft_json.draft_with_values(draft, asked_at={**given, "record": record_address(survey)})


def problem_of_survey(survey: Survey, design: Design) -> str:
    """Returns why this survey cannot be asked where its design says, in the reader's language; empty if it can."""
    if design.asked_at is None:
        return ""
    if refusal := asked_at_refusal(design, survey.invited):
        return reason_text(refusal)
    if design.asked_at.is_for_trying and settings.PRODUCTION:
        return _("is a place on one machine, which nobody else can reach: name its public address")
    if design.host and design.asked_at.record != record_address(survey):
        return _("has another address of records than this survey: choose the host again on the page Study")
    return ""


# --- frozen, not yet open


def basis_of_page(survey: Survey) -> str:
    """Returns the SHA-256 of everything that the page of another host is made of."""
    made_of = [survey.draft, survey.invited, survey.completion or ""]
    return sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def current_folder(survey: Survey) -> PageFolder | None:
    """Returns the folder that the survey's host serves, or is to serve; None if there is none of this draft."""
    folder = PageFolder.objects.filter(survey=survey.pk).first()
    is_current = folder is not None and (survey.design_id or folder.basis == basis_of_page(survey))
    return folder if is_current else None


def frozen_design(survey: Survey) -> Design:
    """Returns the design of the page that was seen at the host; raises NotAllowed if it was not seen.

    An upgrade of Candor since then changes nothing of what people and boards have read.
    """
    folder = current_folder(survey)
    if folder is None:
        raise NotAllowed(_("Freeze the page for the host first: people answer on a page that never changes."))
    if folder.seen is None:
        raise NotAllowed(_("The host does not serve the page yet. Look at the host, then open the survey."))
    return parse_design(folder.design)
