"""Every address of the product, with the things of a small world in the places of its arguments."""

import re
from collections.abc import Iterator, Sequence
from itertools import product

from django.contrib.auth.tokens import default_token_generator
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts import passwords
from tests.world import World

PICTURES = ("shares", "network")
RECORDS = ("csv", "json", "excel", "parquet")
QUESTIONNAIRES = ("json", "xlsx")
# What whoever sends a request may call the site: a port and a name that are not its own.
FORGED = {"HTTP_HOST": "evil.testserver:4711", "HTTP_X_FORWARDED_HOST": "evil.testserver:4711"}
FOREIGN = re.compile(r"evil|4711|//testserver")


def routes() -> Iterator[tuple[str, list[str]]]:
    """Name, with its namespace, and the names of the arguments of each."""
    return _routes(get_resolver().url_patterns, "", [])


def _routes(
    patterns: Sequence[URLPattern | URLResolver], space: str, before: list[str]
) -> Iterator[tuple[str, list[str]]]:
    for pattern in patterns:
        arguments = [
            *before,
            *(getattr(pattern.pattern, "converters", None) or pattern.pattern.regex.groupindex),
        ]
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from _routes(pattern.url_patterns, inner, arguments)
        elif pattern.name:
            yield f"{space}{pattern.name}", arguments


def everywhere(world: World) -> dict[str, list[str]]:
    """Route -> its addresses in this world. A route without any is a mistake of this file."""
    found: dict[str, list[str]] = {}
    for name, names in routes():
        values = [_values(world, name, argument) for argument in names]
        addresses = [_address(name, dict(zip(names, each, strict=True))) for each in product(*values)]
        found.setdefault(name, []).extend(address for address in addresses if address)
    return found


def _address(name: str, arguments: dict[str, object]) -> str:
    try:
        return reverse(name, kwargs=arguments)
    except NoReverseMatch:
        return reverse(name, args=list(arguments.values()))


def _values(world: World, route: str, argument: str) -> list[object]:
    owner = world.people["owner"]
    space = route.partition(":")[0]
    if argument == "pk":
        return _keys(world, route, space)
    if argument in ("object_id", "id"):
        model = "accounts_person" if argument == "id" else route.partition(":")[2].rpartition("_")[0]
        return list(world.objects().get(model, [str(owner.pk)]))
    if space == "public":
        return [report.public_token for report in world.reports.values() if report.public_token]
    tokens = passwords.invitations if route == "accounts:invitation" else default_token_generator
    values: dict[str, list[object]] = {
        "person": [world.people["viewer"].pk],
        "slug": [survey.slug for survey in world.surveys.values()],
        "number": [2 if space == "releases" else 1],
        "name": list(PICTURES),
        "kind": list(QUESTIONNAIRES if space == "surveys" else RECORDS),
        "label": ["jobs.trial"],
        "sha256": ["0" * 64],
        "uidb64": [urlsafe_base64_encode(force_bytes(owner.pk))],
        "token": [tokens.make_token(owner), "set-password"],
        "content_type_id": [1],
        "app_label": ["accounts", "jobs", "surveys", "reports"],
        "url": ["nowhere"],
    }
    return values[argument]


def _keys(world: World, route: str, space: str) -> list[object]:
    if route in ("runs:runs", "runs:forecast", "releases:of_survey") or space in (
        "surveys",
        "importing",
        "invitations",
        "recordfiles",
        "rehearsal",
        "study-sheet",
    ):
        return [survey.pk for survey in world.surveys.values()]
    if space == "v1":
        keys: dict[str, list[object]] = {
            "v1:run": [world.run.pk],
            "v1:report": [report.pk for report in world.reports.values()],
            "v1:release-table": [release.pk for release in world.releases.values()],
        }
        return keys.get(route, [survey.pk for survey in world.surveys.values()])
    if space == "releases":
        return [release.pk for release in world.releases.values()]
    if space == "runs":
        return [world.run.pk]
    if space == "jobs":
        return [str(world.trial.pk)]
    return [report.pk for report in world.reports.values()]
