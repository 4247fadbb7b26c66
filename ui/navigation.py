"""The navigation in the page's head; `config.wiring` registers its entries."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise

Words = str | Promise
MaySee = Callable[[HttpRequest], bool]


@dataclass(frozen=True)
class NavigationEntry:
    """An entry of the navigation.

    `may_see` decides for one request; pages whose addresses begin with `also` belong to the entry too.
    """

    label: Words
    url_name: str
    may_see: MaySee
    also: str = ""

    def matched_length(self, path: str, url: str) -> int:
        """Returns the number of characters of the path that match this entry; the entry with most is the current
        one."""
        return max(len(start) if start and path.startswith(start) else 0 for start in (url, self.also))


@dataclass(frozen=True)
class NavigationLink:
    label: str
    url: str
    here: bool
    exactly_here: bool


_entries: dict[str, NavigationEntry] = {}


def register_entry(label: Words, url_name: str, may_see: MaySee, *, also: str = "") -> None:
    """Adds an entry to the navigation, behind those that were added before."""
    _entries[url_name] = NavigationEntry(label, url_name, may_see, also)


def is_signed_in(request: HttpRequest) -> bool:
    return request.user.is_authenticated


def is_visitor(request: HttpRequest) -> bool:
    return not request.user.is_authenticated


def is_reviewer(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.is_reviewer


def is_staff(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff


def navigation_links(request: HttpRequest) -> list[NavigationLink]:
    """Returns the entries that this person may see, in order."""
    visible: list[tuple[NavigationEntry, str, int]] = []
    for entry in _entries.values():
        if not entry.may_see(request):
            continue
        try:
            url = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        visible.append((entry, url, entry.matched_length(request.path, url)))
    longest = max((reach for _place, _url, reach in visible), default=0)
    return [
        NavigationLink(
            label=str(entry.label),
            url=url,
            here=0 < reach == longest,
            exactly_here=request.path == url,
        )
        for entry, url, reach in visible
    ]
