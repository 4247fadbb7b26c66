"""The page of a survey that another host serves, as `prove --page` names it: by its address, or as a folder."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from intake.hosted.check_page import SUMS, Difference, page_differences, parse_sums, split_address
from intake.hosted.frozen_page import compare_with_host, files_of, note_as_seen
from privacy.designs import parse_design
from proof.site_client import FolderSite, HttpSite, Site
from surveys.models import PageFolder


def open_page(page: str, ca: Path | None = None) -> tuple[HttpSite | FolderSite, str]:
    """Returns the site of a page and its path there; raises ValueError for what is neither an address nor a folder."""
    if "://" in page:
        origin, folder, name = split_address(page)
        return HttpSite(origin, ca), folder + name
    if not (Path(page) / SUMS).is_file():
        raise ValueError(f"{page} is no address and no folder with {SUMS}")
    paths = [path for path in Path(page).rglob("*") if path.is_file()]
    return FolderSite({path.relative_to(page).as_posix(): path.read_bytes() for path in paths}), "/"


def compare_frozen_page(folder: PageFolder, page: str, now: datetime) -> list[Difference]:
    """Compares a page or a folder with the frozen one; notes it if the host was seen to serve every file.

    A host is asked through the guard of webhooks: NotAllowed is raised if it may not be asked or does not answer.
    """
    if "://" not in page:
        site, path = open_page(page)
        return frozen_page_differences(site, path, files_of(folder), parse_design(folder.design).host)
    differences = compare_with_host(folder, page)
    if not differences:
        note_as_seen(folder, page, None, now)
    return differences


def frozen_page_differences(
    site: Site, path: str, frozen: Mapping[str, bytes], host: str
) -> list[Difference]:
    """Compares the page on a site with its frozen files; `host`: the origin that the design names.

    Files beside those of the page are seen in a folder alone: no site says what else it has.
    """
    folder, slash, page = path.rpartition("/")
    is_folder = isinstance(site, FolderSite)
    sums, origin = frozen[SUMS], host if is_folder else site.address
    differences = list(page_differences(lambda name: site.get(f"{folder}{slash}{name}"), page, sums, origin))
    more = site.files.keys() - parse_sums(sums).keys() - {SUMS} if isinstance(site, FolderSite) else ()
    return differences + [Difference(name, f"{name} is no file of the frozen page") for name in sorted(more)]
