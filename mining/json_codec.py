"""Writes report nodes as JSON and reads them back, by the types of their fields.

A node is a frozen dataclass of strings, numbers, booleans, enumerated words, other nodes, tuples, arrays of
integers (nested lists in JSON) and mappings of plain values; a field of type `X | None` may be None. Unknown
members are ignored, missing members take the field's default. An `OPTIONAL` field is left out of the JSON
while it has its default. The output of commands, `dump_brief`, also leaves out fields made by
`omit_if_default` at their default; a NaN that was computed is no default.

The process that reads uploads imports this module, so it does not import numpy.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Json = Any
Reader = Callable[[Any], Any]
T = TypeVar("T")


OPTIONAL = MappingProxyType({"optional": True})
"""Metadata of a field that the JSON leaves out while it has its default."""
UNPUBLISHED = MappingProxyType({"optional": True, "unpublished": True})
"""Metadata of an optional field that a run stores and no publication contains."""


def required_names(kind: Any) -> tuple[str, ...]:
    """Returns the names of the fields that the JSON of this type of node always has."""
    return tuple(name for name in _required_names(kind) if name not in _optional_defaults(kind))


def node_to_json(node: Any) -> dict[str, Any]:
    """Converts a node to JSON; NaN and infinities, which JSON does not have, become None."""
    members: dict[str, Any] = _value_to_json(node)
    return members


BRIEF_WITHOUT = "brief without"


def omit_if_default(default: Any) -> Any:
    """Returns a dataclass field that `dump_brief` leaves out if it has this default."""
    return field(default=default, metadata={BRIEF_WITHOUT: True})


def dump_brief(node: Any) -> Json:
    """Converts a node to the JSON that commands print, without the fields made by `omit_if_default` at their
    default."""
    if isinstance(node, tuple):
        return [dump_brief(member) for member in node]
    if not is_dataclass(node):
        return _value_to_json(node)
    members = ((one, getattr(node, one.name)) for one in fields(node))
    return {
        one.name: dump_brief(member)
        for one, member in members
        if BRIEF_WITHOUT not in one.metadata or member != one.default
    }


def node_from_json(kind: type[T], data: Mapping[str, Any]) -> T:
    """Reads a node of the type `kind` from its JSON."""
    read: Any = _make_reader
    node: T = read(kind)(data)
    return node


def _value_to_json(value: Any) -> Json:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        return {name: _value_to_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_value_to_json(member) for member in value]
    if is_dataclass(value):
        kind: Any = type(value)
        default = _optional_defaults(kind)
        pairs = ((name, getattr(value, name)) for name in _required_names(kind))
        return {
            name: _value_to_json(member)
            for name, member in pairs
            if name not in default or member != default[name]
        }
    return value.tolist() if hasattr(value, "tolist") else value


@cache
def _required_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _optional_defaults(kind: Any) -> Mapping[str, Any]:
    """Defaults of the fields that JSON may leave out, by name."""
    return {field.name: _field_default(field) for field in fields(kind) if field.metadata.get("optional")}


def _field_default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _keep_value(value: Json) -> Json:
    return value


def _read_integer_array(value: Json) -> Any:
    import numpy as np  # late for cost

    return np.array(value, np.int64)


def _is_array(kind: Any) -> bool:
    """True for the type of numpy's arrays, and any alias of it."""
    numpy = sys.modules.get("numpy")  # a type of arrays exists only after numpy was imported
    aliased = getattr(kind, "__value__", kind)  # NDArray is declared by the statement `type` since numpy 2.5
    return numpy is not None and numpy.ndarray in (aliased, get_origin(aliased))


@cache
def _make_reader(kind: Any) -> Reader:
    arguments = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        (known,) = (argument for argument in arguments if argument is not NoneType)
        read = _make_reader(known)
        return read if read is _keep_value else lambda data: None if data is None else read(data)
    if get_origin(kind) is tuple:
        parts = [_make_reader(argument) for argument in arguments if argument is not ...]
        if ... not in arguments:
            return lambda data: tuple(read(part) for read, part in zip(parts, data, strict=True))
        (read,) = parts
        return tuple if read is _keep_value else lambda data: tuple(map(read, data))
    if _is_array(kind):
        return _read_integer_array
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if isinstance(kind, type) and is_dataclass(kind):
        readers = {name: _make_reader(hint) for name, hint in get_type_hints(kind).items()}
        return lambda data: kind(**{name: readers[name](data[name]) for name in readers if name in data})
    return _keep_value
