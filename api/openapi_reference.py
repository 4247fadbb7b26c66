"""The reference of the API, as an OpenAPI document and as a page."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from api.idempotency import HEADER, PATTERN
from api.models import Scope
from ui.errors import PROBLEM_JSON

KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": f"^{PATTERN.pattern}$"},
}


@cache
def openapi_document() -> dict[str, Any]:
    """Returns the OpenAPI 3.1 document, with what django-ninja omits: scopes, the media type of errors,
    Idempotency-Key, and schemas of bodies that ninja does not read."""
    from api.endpoints.operation_base import REF, SCOPE  # late for cost
    from api.schemas import Draft, ImportChoices  # late for cost
    from api.version_1 import api  # late for cost

    root: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=reverse("v1:api-root")))
    schemas = root["components"]["schemas"]
    for model in (Draft, ImportChoices):
        schema = model.model_json_schema(ref_template=f"{REF}{{model}}")
        schemas |= {**schema.pop("$defs", {}), model.__name__: schema}
    for method, details in (each for methods in root["paths"].values() for each in methods.items()):
        details["security"] = [{"Bearer": [details.pop(SCOPE)]}]
        for parameter in details["parameters"]:
            # Its absence has a status of its own, which ninja's check would not give.
            parameter["required"] |= parameter["name"] == "If-Match"
        if method == "post":
            details["parameters"].append(KEY)
        details["responses"] = {str(status): response for status, response in details["responses"].items()}
        for status, response in details["responses"].items():
            if int(status) >= 400:
                response["content"] = {PROBLEM_JSON: response["content"]["application/json"]}
    return root


@require_safe
def openapi_json(request: HttpRequest) -> HttpResponse:
    return JsonResponse(openapi_document())


@dataclass(frozen=True)
class ReferenceRow:
    """A row in a table of the reference page: a field of a schema or a parameter of an operation."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class OperationText:
    id: str
    method: str
    path: str
    description: str
    scope: str
    parameters: tuple[ReferenceRow, ...]
    body: str
    answers: tuple[tuple[str, str, str], ...]
    errors: str


@require_safe
def reference_page(request: HttpRequest) -> HttpResponse:
    root = openapi_document()
    groups: dict[str, list[OperationText]] = {}
    for path, methods in root["paths"].items():
        for method, details in methods.items():
            groups.setdefault(details["tags"][0], []).append(_operation_text(path, method, details))
    objects = [
        (name, schema.get("description", ""), list(_direct_field_rows(schema)))
        for name, schema in sorted(root["components"]["schemas"].items())
        if schema.get("properties")
    ]
    context = {"groups": groups, "objects": objects, "scopes": Scope.choices}
    return render(request, "api/reference.html", context)


def _operation_text(path: str, method: str, details: dict[str, Any]) -> OperationText:
    responses = details["responses"]
    content = details.get("requestBody", {}).get("content", {}).values()
    answers = tuple(
        (status, media_type, _type_name(part["schema"]))
        for status, response in responses.items()
        if int(status) < 400
        for media_type, part in response.get("content", {"": {"schema": {}}}).items()
    )
    return OperationText(
        id=details["operationId"],
        method=method.upper(),
        path=path,
        description=details.get("description", ""),
        scope=details["security"][0]["Bearer"][0],
        parameters=tuple(
            ReferenceRow(
                parameter["name"], _type_name(parameter["schema"]), parameter["required"], parameter["in"]
            )
            for parameter in details["parameters"]
        ),
        body=next((_type_name(part["schema"]) for part in content), ""),
        answers=answers,
        errors=", ".join(status for status in responses if int(status) >= 400),
    )


def _direct_field_rows(schema: dict[str, Any]) -> Iterator[ReferenceRow]:
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        yield ReferenceRow(name, _type_name(field), name in required, field.get("description", ""))


def _type_name(schema: dict[str, Any]) -> str:
    """Returns the type of a schema in a few words, such as "array of Place" or "number or null"."""
    from api.endpoints.operation_base import REF  # late for cost

    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    if "anyOf" in schema:
        return " or ".join(map(_type_name, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"“{value}”" for value in schema["enum"])
    if "const" in schema:
        return f"“{schema['const']}”"
    if schema.get("type") == "array":
        return f"array of {_type_name(schema['items'])}"
    return str(schema.get("format") or schema.get("type") or "any value")
