"""Makes the JSON Schema of a report from its nodes: mining/nodes/candor-report-1.schema.json."""

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from mining.nodes.report_nodes import FORMAT, Report

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}


def report_schema() -> dict[str, Any]:
    """Returns the JSON Schema of a report; a member without a default is required, and later versions may add
    members."""
    nodes: dict[str, Any] = {}
    whole = _node_schema(Report, nodes)
    return {
        "$schema": DIALECT,
        "title": FORMAT,
        **whole,
        "properties": {"format": {"const": FORMAT}, **whole["properties"]},
        "required": ["format", *whole["required"]],
        "$defs": dict(sorted(nodes.items())),
    }


def _node_schema(kind: Any, nodes: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    published = [one for one in fields(kind) if not one.metadata.get("unpublished")]
    beside = re.findall(r"^    (\w+): .*?  # (.+)$", inspect.getsource(kind), re.MULTILINE)
    comments = {name: {"description": comment} for name, comment in beside}
    return {
        "description": " ".join((inspect.getdoc(kind) or "").split()),
        "type": "object",
        "properties": {
            one.name: _type_schema(hints[one.name], nodes) | comments.get(one.name, {}) for one in published
        },
        "required": [one.name for one in published if one.default is MISSING],
    }


def _type_schema(hint: Any, nodes: dict[str, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of a field's type; adds the nodes that the type is made of to `nodes`, in place."""
    arguments, origin = get_args(hint), get_origin(hint)
    if origin in (Union, UnionType):
        return {"anyOf": [_type_schema(argument, nodes) for argument in arguments]}
    if origin is tuple:
        return {"type": "array", "items": _type_schema(arguments[0], nodes)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type_schema(arguments[1], nodes)}
    if is_dataclass(hint):
        name = str(getattr(hint, "__name__", ""))
        if name not in nodes:
            nodes[name] = {}
            nodes[name] = _node_schema(hint, nodes)
        return {"$ref": f"#/$defs/{name}"}
    return {} if hint is Any else {"type": NAMES[hint]}


def schema_text() -> str:
    return json.dumps(report_schema(), indent=1) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
