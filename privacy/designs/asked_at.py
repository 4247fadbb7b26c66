"""Where a survey is asked if not on this site's own pages: at a host that serves the page, or inside another tool.

`host`: the page comes from that origin, and its records go to the address `record`. `inside`: the page stands in a
frame of one of these tools, which gets the record. Both are part of the design, and so frozen when the survey opens.
"""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from privacy.designs.embedding_sites import LOCAL_HOSTS, MOST_SITES, SITE, normalise_site
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import Node

RECORD = re.compile(r"(https?://[^/?#@]+)/a/[-\w]{1,64}/record", re.ASCII)

MOST_ANSWERS = 1_300
"""Most digits of answers that a tool's field can hold (privacy.records.handed_record)."""


@dataclass(frozen=True, slots=True)
class AskedAt:
    """Either `host`, the origin that serves the page, with `record`, the address of its records; or `inside`, the
    origins of the tools that show it."""

    host: str = ""
    record: str = ""
    inside: tuple[str, ...] = ()

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins whose pages people see."""
        return (self.host,) if self.host else self.inside

    @property
    def host_name(self) -> str:
        """Name of the host that serves the page, as people read it."""
        return urlsplit(self.host).netloc

    @property
    def record_site(self) -> str:
        """Name of the site that gets the records, as people read it."""
        return urlsplit(self.record).netloc

    @property
    def is_for_trying(self) -> bool:
        """True if an origin is of the reader's own machine, which only an instance for trying allows."""
        addresses = (*self.origins, *([self.record] if self.record else []))
        return any(urlsplit(address).hostname in LOCAL_HOSTS for address in addresses)

    @property
    def tool_names(self) -> str:
        """The addresses of the tools, as people read them."""
        return ", ".join(urlsplit(origin).netloc for origin in self.inside)

    def as_json(self) -> dict[str, Any]:
        return {"host": self.host, "record": self.record} if self.host else {"inside": list(self.inside)}


def read_asked_at(node: Node | None) -> AskedAt | None:
    """Reads where a design is asked; None: on the pages of the site that gets its records."""
    if node is None:
        return None
    members = node.members(frozenset(), frozenset({"host", "record", "inside"}))
    if set(members) == {"inside"}:
        return AskedAt(inside=_read_tools(members["inside"]))
    if set(members) != {"host", "record"}:
        raise node.refuse(_("must have either host and record, or inside"))
    host, record = _read_origin(members["host"]), members["record"].text()
    match = RECORD.fullmatch(record)
    if match is None or _origin_or_empty(match[1]) != match[1]:
        raise members["record"].refuse(
            _("must be the address of a survey’s records, such as https://www.example.org/a/survey/record")
        )
    at = urlsplit(host).hostname
    if host == match[1] or (at == urlsplit(record).hostname and at not in LOCAL_HOSTS):
        raise members["host"].refuse(
            _("is the site that gets the records: name a host of somebody else, or have the page asked here")
        )
    return AskedAt(host, record)


def _read_tools(node: Node) -> tuple[str, ...]:
    nodes = list(node.items())
    if not 0 < len(nodes) <= MOST_SITES:
        raise node.refuse(_("must name 1 to %(most)s tools"), most=MOST_SITES)
    origins = [_read_origin(item) for item in nodes]
    for index, origin in enumerate(origins):
        if origin in origins[:index]:
            raise nodes[index].refuse(_("is there twice"))
    return tuple(origins)


def _read_origin(node: Node) -> str:
    """Reads one exact origin in its normal form."""
    written = node.text()
    if "*" in written:
        # Whoever gets a name below it could serve the page, or get its records.
        raise node.refuse(_("must be one site without *: name it in full"))
    if not SITE.fullmatch(written.strip()):
        raise node.refuse(_("must be a site alone, such as https://www.example.org, without a path"))
    origin = normalise_site(written, node.path)
    if origin != written:
        raise node.refuse(_("must be written as %(site)s"), site=origin)
    return origin


def _origin_or_empty(written: str) -> str:
    try:
        return normalise_site(written)
    except InputError:
        return ""
