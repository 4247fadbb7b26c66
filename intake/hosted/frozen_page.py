"""A survey that is frozen and not yet open: its folder exists, is served by the host and read by a board, and the
survey opens once every file was seen there. A change of the draft ends this state."""

from collections.abc import Callable
from datetime import datetime, timedelta
from http.client import HTTPException
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from accounts.models import Person
from intake.hosted.check_page import SUMS, Answer, Difference, page_differences, split_address
from intake.hosted.folder import (
    Folder,
    folder_digest,
    hosted_folder,
    unzip_folder,
    zip_folder,
)
from intake.pages.respondent_views import load_survey_page
from privacy.designs import Design, parse_design
from surveys.lifecycle import asked_at, completion_code, opening
from surveys.models import PageFolder, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

BETWEEN_TRIES = timedelta(minutes=1)
LOOK_SECONDS = 30
"""Longest time in which a further file is asked for: a look takes a thread of the web server."""

Fetch = Callable[[str], Answer]
"""Function that gets what is at an address, as anybody does; raises NotAllowed if the address may not be asked, and
OSError, HTTPException or ValueError if no answer comes."""
_fetch: list[Fetch] = []


def register_fetch(fetch: Fetch) -> None:
    """Registers the function that fetches from a host, past the guard that webhooks have (`api`)."""
    _fetch[:] = [fetch]


def files_of(folder: PageFolder) -> Folder:
    return unzip_folder(bytes(folder.content))


def freeze_page(survey: Survey, person: Person, now: datetime) -> PageFolder:
    """Makes and stores the folder of a complete draft; raises InputRefused or NotAllowed if it cannot open as it is."""
    if settings.DEBUG:
        raise NotAllowed(_("Set DEBUG to no first: the folder needs files whose names say their content."))
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        design = opening.check_and_freeze(locked, now)
        if not design.host:
            raise NotAllowed(_("This survey is asked on this site: there is no page for another host."))
        folder = _store_folder(locked, design, now)
        log_activity(person, "surveys.page-frozen", locked, note=folder.sums_sha256, when=now)
    return folder


def store_page_for_tool(survey: Survey, design: Design, now: datetime, **_kwargs: object) -> None:
    """Stores the folder of a page inside a tool, which opens now, so that any host can serve it."""
    if design.inside and not settings.DEBUG:
        _store_folder(survey, design, now)


def _store_folder(survey: Survey, design: Design, now: datetime) -> PageFolder:
    assert design.asked_at
    page = load_survey_page(
        design,
        "answer",
        record_url=design.asked_at.record,
        invited=survey.invited,
        passes_panel=completion_code.has_panel_parameter(survey.completion or ""),
    )
    files = hosted_folder(page)
    values = {
        "basis": asked_at.basis_of_page(survey),
        "design": design.canonical,
        "content": zip_folder(files),
        "sums_sha256": folder_digest(files),
        "frozen": now,
        "tried": None,
        "seen": None,
        "address": "",
    }
    return PageFolder.objects.update_or_create(survey=survey, defaults=values)[0]


def look_at_host(folder: PageFolder, address: str, person: Person, now: datetime) -> list[Difference]:
    """Compares the folder with what the host serves now at an address; notes the time if all files are the same.

    Raises NotAllowed for an address that is not the host's, and within a minute of the last look.
    """
    host = parse_design(folder.design).host
    if address != host and not address.startswith(f"{host}/"):
        raise NotAllowed(_("The page must be at %(host)s, which the design names.") % {"host": host})
    recent = PageFolder.objects.filter(pk=folder.pk).exclude(tried__gt=now - BETWEEN_TRIES)
    if not recent.update(tried=now):
        raise NotAllowed(_("The host was asked less than a minute ago. Wait a minute, then look again."))
    differences = compare_with_host(folder, address)
    if not differences:
        note_as_seen(folder, address, person, now)
    return differences


def compare_with_host(folder: PageFolder, address: str) -> list[Difference]:
    """Compares the folder with what is served at an address; raises NotAllowed if that cannot be asked or does not
    answer."""
    try:
        origin, path, page = split_address(address)
    except ValueError:
        raise NotAllowed(
            _("Give the address of the page as people get it: it ends with / or index.html.")
        ) from None
    end = monotonic() + LOOK_SECONDS

    def fetch(name: str) -> Answer:
        if monotonic() > end:
            raise TimeoutError(f"not all files came in {LOOK_SECONDS} seconds")
        return _fetch[0](f"{origin}{path}{name}")

    try:
        return list(page_differences(fetch, page, files_of(folder)[SUMS], origin))
    except (OSError, HTTPException, ValueError) as error:
        words = _("The host does not answer: %(reason)s.")
        raise NotAllowed(words % {"reason": str(error) or type(error).__name__}) from None


def note_as_seen(folder: PageFolder, address: str, person: Person | None, now: datetime) -> None:
    """Notes that the host served every file at an address, byte for byte, so that the survey may open."""
    origin, path, _page = split_address(address)
    with transaction.atomic():
        page = PageFolder.objects.filter(pk=folder.pk, sums_sha256=folder.sums_sha256)
        page.update(seen=now, address=f"{origin}{path}")
        log_activity(person, "surveys.page-seen", folder.survey, note=folder.sums_sha256, when=now)
