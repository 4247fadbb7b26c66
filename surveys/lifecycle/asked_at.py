"""Where a draft is asked if another host serves its page or a tool shows it: the address of its records, and what one
survey or this site refuses."""

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.site_address import site_url
from privacy.designs import Design
from privacy.designs.asked_at_refusals import asked_at_refusal
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import reason_text


def record_address(survey: Survey) -> str:
    """Returns the address of this survey's records, as a page on another host needs it."""
    return site_url(f"{survey.address}/record")


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
