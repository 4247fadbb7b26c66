"""A survey that is frozen and not yet open: its folder exists, is served by the host and read by a board, and the
survey opens once every file was seen there. A change of the draft ends this state."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from accounts.models import Person
from intake.hosted.folder import (
    INDEX,
    SUMS,
    Folder,
    folder_digest,
    hosted_folder,
    read_sums,
    unzip_folder,
    zip_folder,
)
from intake.pages.respondent_views import load_survey_page
from privacy.designs import parse_design
from surveys.lifecycle import asked_at, completion_code, opening
from surveys.models import PageFolder, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

BETWEEN_TRIES = timedelta(minutes=1)
LONGEST = 1_000_000
"""Bytes of a file that are read from a host at most."""

Fetch = Callable[[str, int], bytes | None]
"""Function that returns the content at an address, as anybody gets it; None if there is none of so many bytes."""
_fetch: list[Fetch] = []


def register_fetch(fetch: Fetch) -> None:
    """Registers the function that fetches from a host, past the guard that webhooks have (`api`)."""
    _fetch[:] = [fetch]


class Difference(NamedTuple):
    """A file that the host does not serve as it was frozen; `is_missing`: no such file came."""

    name: str
    is_missing: bool


def compare_folder(digests: Mapping[str, str], fetch: Callable[[str], bytes | None]) -> list[Difference]:
    """Compares the SHA-256 of each file by name with what `fetch` returns for the name; None: no such file."""
    differences = []
    for name, digest in sorted(digests.items()):
        content = fetch(name)
        if content is None or sha256(content).hexdigest() != digest:
            differences.append(Difference(name, content is None))
    return differences


def digests_of_folder(files: Folder) -> dict[str, str]:
    """Returns the SHA-256 of each file, the list of files included."""
    return {**read_sums(files[SUMS].decode()), SUMS: folder_digest(files)}


def files_of(folder: PageFolder) -> Folder:
    return unzip_folder(bytes(folder.content))


def freeze_page(survey: Survey, person: Person, now: datetime) -> PageFolder:
    """Makes and stores the folder of a complete draft; raises InputRefused or NotAllowed if it cannot open as it is."""
    if settings.DEBUG:
        raise NotAllowed(_("Set DEBUG to no first: the folder needs files whose names say their content."))
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        design = opening.check_and_freeze(locked, now)
        if not design.asked_at or not design.host:
            raise NotAllowed(_("This survey is asked on this site: there is no page for another host."))
        page = load_survey_page(
            design,
            "answer",
            record_url=design.asked_at.record,
            invited=locked.invited,
            passes_panel=completion_code.has_panel_parameter(locked.completion or ""),
        )
        files = hosted_folder(page)
        values = {
            "basis": asked_at.basis_of_page(locked),
            "design": design.canonical,
            "content": zip_folder(files),
            "sums_sha256": folder_digest(files),
            "frozen": now,
            "tried": None,
            "seen": None,
            "address": "",
        }
        folder, _made = PageFolder.objects.update_or_create(survey=locked, defaults=values)
        log_activity(person, "surveys.page-frozen", locked, note=folder.sums_sha256, when=now)
    return folder


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
    files, base = files_of(folder), address.removesuffix(INDEX).rstrip("/")
    # The page is what people get at the address itself, not only under its name.
    differences = compare_folder(
        {**digests_of_folder(files), "": sha256(files[INDEX]).hexdigest()},
        lambda name: _fetch[0](f"{base}/{name}", LONGEST),
    )
    if not differences:
        with transaction.atomic():
            PageFolder.objects.filter(pk=folder.pk, sums_sha256=folder.sums_sha256).update(
                seen=now, address=f"{base}/"
            )
            log_activity(person, "surveys.page-seen", folder.survey, note=folder.sums_sha256, when=now)
    return differences
