"""Changes which sites may show a draft's pages in a frame; once the survey is open, the list is part of its
design."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from accounts.activity_log import log_activity
from privacy.designs.embedding_sites import MOST_SITES, normalise_site
from surveys import draft_json
from surveys.lifecycle import save_draft
from surveys.models import Survey

if TYPE_CHECKING:
    from accounts.models import Person


def parse_sites(lines: str) -> tuple[str, ...]:
    """Parses a list of sites, one a line, into normal form without duplicates; raises `InputError` naming an
    invalid line."""
    written = [line for line in map(str.strip, lines.splitlines()) if line]
    return tuple(dict.fromkeys(normalise_site(line, line[:80]) for line in written))


def save_sites_and_unschedule_opening(
    survey: Survey, person: "Person", sites: Sequence[str], now: datetime
) -> bool:
    """Saves which sites (at most MOST_SITES) may show the draft's pages in a frame; returns True if that removed a
    scheduled opening time."""
    assert len(sites) <= MOST_SITES
    before, opens = draft_json.read_sites(survey.draft), survey.opens
    if tuple(sites) == before:
        return False
    with transaction.atomic():
        save_draft.edit_stored_draft(
            survey,
            lambda draft: draft_json.draft_with_values(
                draft_json.draft_without_keys(draft, draft_json.SITES),
                **({draft_json.SITES: list(sites)} if sites else {}),
            ),
            opens=None,
        )
        log_activity(person, "surveys.sites-changed", survey, note=" ".join(sites), when=now)
        if opens is not None:
            log_activity(person, "surveys.unscheduled", survey, when=now)
    return opens is not None
