"""The forms of a page as a browser would send them, and the queries of its links."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.urls import Resolver404, resolve

Values = dict[str, list[str]]
# What somebody who fills in the rest of a form may have written.
USUAL = {
    "email": "ann@example.org",
    "date": "2099-12-31",
    "datetime-local": "2099-12-31T10:00",
    "password": "a long one 1",
}


@dataclass
class Form:
    """`buttons` send one name and value each; `files` are the names of fields for files."""

    page: str
    address: str
    method: str
    fields: Values = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    multipart: bool = False

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.fields, *(name for name, _value in self.buttons)]))

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """The same for forms that are sent to one view with the same fields."""
        return _view(self.address), self.method, tuple(sorted(set(self.names)))


def _view(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return address


class _Reader(HTMLParser):
    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.page = page
        self.forms: list[Form] = []
        self.by_id: dict[str, Form] = {}
        self.links: list[str] = []
        self._open: Form | None = None
        self._late: list[tuple[str, str, dict[str, str]]] = []
        self._select: tuple[str, str] | None = None
        self._textarea: tuple[str, str] | None = None
        self.feed(text)
        for tag, owner, given in self._late:
            if owner in self.by_id:
                self._put(self.by_id[owner], tag, given)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        match tag:
            case "form":
                self._open = Form(
                    self.page,
                    urljoin(self.page, given.get("action", "")),
                    given.get("method", "get").lower(),
                    multipart=given.get("enctype") == "multipart/form-data",
                )
                self.forms.append(self._open)
                self.by_id[given.get("id", "")] = self._open
            case "input" | "button":
                self._field(tag, given)
            case "select":
                self._select = (given.get("name", ""), given.get("form", ""))
                self._field("select", given)
            case "option" if self._select:
                name, owner = self._select
                self._field("option", {"name": name, "value": given.get("value", ""), "form": owner} | given)
            case "textarea":
                self._textarea = (given.get("name", ""), given.get("form", ""))
            case "a":
                self.links.append(given.get("href", ""))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "form":
                self._open = None
            case "select":
                self._select = None
            case "textarea" if self._textarea:
                self._field("textarea", {"name": self._textarea[0], "form": self._textarea[1]})
                self._textarea = None

    def handle_data(self, data: str) -> None:
        if self._textarea:
            name, owner = self._textarea
            self._field("textarea", {"name": name, "form": owner, "value": data})
            self._textarea = None

    def _field(self, tag: str, given: dict[str, str]) -> None:
        if not given.get("name"):
            return
        if given.get("form"):
            self._late.append((tag, given["form"], given))
        elif self._open:
            self._put(self._open, tag, given)

    def _put(self, form: Form, tag: str, given: dict[str, str]) -> None:
        name, value, kind = given["name"], given.get("value", ""), given.get("type", "")
        if tag == "button" or kind in ("submit", "image"):
            form.buttons.append((name, value))
        elif kind == "file":
            form.files.add(name)
            form.fields.setdefault(name, [])
        elif tag == "option":
            if "selected" in given or not any(form.fields.get(name, [])):
                form.fields[name] = [value]
        elif kind in ("radio", "checkbox"):
            kept = form.fields.setdefault(name, [])
            if "checked" in given or not kept:
                kept.append(value or "on")
        elif name != "csrfmiddlewaretoken":
            kept = form.fields.setdefault(name, [])
            if tag != "select":
                kept.append(value or USUAL.get(kind, given.get("min", "1")))


def forms_of(page: str, text: str) -> list[Form]:
    """Those that the page shows, and one for each of its links that has a query."""
    reader = _Reader(page, text)
    return reader.forms + [form for link in reader.links for form in _of_link(page, link)]


def _of_link(page: str, link: str) -> Iterator[Form]:
    parts = urlsplit(urljoin(page, link))
    if parts.query and not parts.netloc:
        values: Values = {}
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            values.setdefault(name, []).append(value)
        yield Form(page, parts.path, "get", values)
