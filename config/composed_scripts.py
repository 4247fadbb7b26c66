"""A script with all modules that it imports, as one file: small files compress badly, and each costs a request.

Each module becomes a function that is called once and returns what others take of it:

    const $kinds = (() => {
    const { told } = $elements;
    ...
    return { add, kindOf };
    })();

So it keeps its names to itself, and it runs once, after all that it imports: as ECMAScript has it. The modules that
disguise stay files of their own, which are served as published. Of import and export only the forms below are
understood, one a line; everything else is refused. (An await outside functions would not
parse in them; a test parses the script of every page.)
"""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import dirname, join

DEVICE = "device"
"""Composes the modules that disguise, and stays a file of its own like them."""
IMPORT = re.compile(
    r'^import (?:\{ (\w+(?:, \w+)*) \} from )?"(?:\./)?(\w+|\.\./privacy/kinds/\w+)\.js";$', re.MULTILINE
)
EXPORT = re.compile(r"^export (?=(?:const|function|async function) (\w+))", re.MULTILINE)
UNKNOWN = re.compile(r"^.*(?:\b(?:import|export)\b|\$[A-Za-z_]).*$", re.MULTILINE)


class ComposingError(ValueError):
    """The module and what of it cannot be composed."""


@dataclass(frozen=True)
class Module:
    """`imports`: the names taken and the module they are taken of, line by line."""

    imports: list[tuple[list[str], str]]
    exports: list[str]
    code: str


def composed_script(name: str, read: Callable[[str], bytes]) -> bytes:
    """`name` is a path among the static files, `read` gives their bytes. All modules stand in one folder."""
    modules: dict[str, Module] = {}
    _add(name.removesuffix(".js").rpartition("/")[2], (), modules, lambda one: read(join(dirname(name), one)))
    taken: defaultdict[str, set[str]] = defaultdict(set)
    for one, module in modules.items():
        for names, other in module.imports:
            taken[other].update(names)
            if not _stays_apart(other) and not set(names) <= set(modules[other].exports):
                raise ComposingError(f"{one}.js imports what {other}.js does not export: {names}")
    apart = [other for other in taken if _stays_apart(other)]
    first = "".join(f'import * as {_variable(other)} from "{_address(other)}.js";\n' for other in apart)
    return (first + "".join(_function(one, modules[one], taken[one]) for one in modules)).encode()


def _stays_apart(module: str) -> bool:
    return module == DEVICE or module.startswith("..")


def _address(module: str) -> str:
    return module if module.startswith("..") else f"./{module}"


def _variable(module: str) -> str:
    return f"$kind_{module.rpartition('/')[2]}" if module.startswith("..") else f"${module}"


def _add(
    one: str, importers: tuple[str, ...], modules: dict[str, Module], read: Callable[[str], bytes]
) -> None:
    """Adds the module behind all that it imports."""
    if one in importers:
        raise ComposingError(f"these import each other: {', '.join((*importers, one))}")
    if one in modules or _stays_apart(one):
        return
    module = _parsed(one, read(f"{one}.js").decode())
    for _names, other in module.imports:
        _add(other, (*importers, one), modules, read)
    modules[one] = module


def _parsed(one: str, text: str) -> Module:
    imports = [(names.split(", ") if names else [], other) for names, other in IMPORT.findall(text)]
    code = EXPORT.sub("", IMPORT.sub("", text)).strip("\n")
    if unknown := UNKNOWN.search(code):
        raise ComposingError(f"{one}.js has a line that cannot be composed: {unknown[0]}")
    return Module(imports, EXPORT.findall(text), code)


def _function(one: str, module: Module, taken: set[str]) -> str:
    needs = [
        f"const {{ {', '.join(names)} }} = {_variable(other)};" for names, other in module.imports if names
    ]
    gives = [f"return {{ {', '.join(name for name in module.exports if name in taken)} }};"] if taken else []
    lines = [
        f"const {_variable(one)} = (() => {{" if taken else "(() => {",
        *needs,
        module.code,
        *gives,
        "})();",
    ]
    return "\n".join(filter(None, lines)) + "\n"
