"""The navigation in the page's head; each room registers its entries."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise

Words = str | Promise
Hint = Words | Callable[[HttpRequest], Words]
MaySee = Callable[[HttpRequest], bool]
Count = Callable[[Any], int]
"""From the person who is signed in to a number."""


def nothing(person: object) -> int:
    return 0


@dataclass(frozen=True)
class NavigationEntry:
    """`may_see` decides for one request; `hint` is the sentence of the home page about it.

    A hint can be a function of the request. Pages whose addresses begin with `also` belong to the entry too.
    `waiting` counts what waits for this person; only the home page asks it.
    """

    label: Words
    url_name: str
    may_see: MaySee
    hint: Hint = ""
    rank: int = 50
    also: str = ""
    waiting: Count = nothing

    def hint_for(self, request: HttpRequest) -> str:
        return str(self.hint(request) if callable(self.hint) else self.hint)

    def reach(self, path: str, url: str) -> int:
        """How much of the path this entry shares: the longest reach of all is where one is."""
        return max(len(start) if start and path.startswith(start) else 0 for start in (url, self.also))


@dataclass(frozen=True)
class NavigationLink:
    label: str
    url: str
    hint: str
    here: bool
    exactly_here: bool
    waiting: Callable[[], int]


_entries: dict[str, NavigationEntry] = {}


def register(
    label: Words,
    url_name: str,
    may_see: MaySee,
    *,
    hint: Hint = "",
    rank: int = 50,
    also: str = "",
    waiting: Count = nothing,
) -> None:
    """Add an entry, lower ranks first; the same address again replaces it."""
    _entries[url_name] = NavigationEntry(label, url_name, may_see, hint, rank, also, waiting)


def signed_in(request: HttpRequest) -> bool:
    return request.user.is_authenticated


def visitors(request: HttpRequest) -> bool:
    return not request.user.is_authenticated


def staff(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_staff


def navigation_links(request: HttpRequest) -> list[NavigationLink]:
    """The entries that this person may see, in order."""
    visible: list[tuple[NavigationEntry, str, int]] = []
    for entry in sorted(_entries.values(), key=lambda entry: entry.rank):
        if not entry.may_see(request):
            continue
        try:
            url = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        visible.append((entry, url, entry.reach(request.path, url)))
    longest = max((reach for _place, _url, reach in visible), default=0)
    return [
        NavigationLink(
            label=str(entry.label),
            url=url,
            hint=entry.hint_for(request),
            here=0 < reach == longest,
            exactly_here=request.path == url,
            waiting=partial(entry.waiting, request.user),
        )
        for entry, url, reach in visible
    ]
