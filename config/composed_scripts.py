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
    """Raised with the module that cannot be composed, and why."""


@dataclass(frozen=True)
class Module:
    """A parsed JavaScript module. `imports`: for each import the names and the module that they come from."""

    imports: list[tuple[list[str], str]]
    exports: list[str]
    code: str


def composed_script(path: str, read: Callable[[str], bytes]) -> bytes:
    """Returns the script at `path` with all modules it imports; `read` gives a static file's bytes. All are in one
    folder."""
    modules: dict[str, Module] = {}

    def add(name: str, importers: tuple[str, ...]) -> None:
        """Add the module behind all that it imports."""
        if name in importers:
            raise ComposingError(f"these import each other: {', '.join((*importers, name))}")
        if name in modules or is_separate_file(name):
            return
        module = parse_module(name, read(join(dirname(path), f"{name}.js")).decode())
        for _names, imported in module.imports:
            add(imported, (*importers, name))
        modules[name] = module

    add(path.removesuffix(".js").rpartition("/")[2], ())
    used: defaultdict[str, set[str]] = defaultdict(set)
    for name, module in modules.items():
        for names, imported in module.imports:
            used[imported].update(names)
            if not is_separate_file(imported) and not set(names) <= set(modules[imported].exports):
                raise ComposingError(f"{name}.js imports what {imported}.js does not export: {names}")
    script = ""
    for name in used:
        if is_separate_file(name):
            address = name if name.startswith("..") else f"./{name}"
            script += f'import * as {module_variable(name)} from "{address}.js";\n'
    for name, module in modules.items():
        script += module_as_function(name, module, used[name])
    return script.encode()


def is_separate_file(name: str) -> bool:
    return name == DEVICE or name.startswith("..")


def module_variable(name: str) -> str:
    return f"$kind_{name.rpartition('/')[2]}" if name.startswith("..") else f"${name}"


def parse_module(name: str, text: str) -> Module:
    imports = [(names.split(", ") if names else [], imported) for names, imported in IMPORT.findall(text)]
    code = EXPORT.sub("", IMPORT.sub("", text)).strip("\n")
    if unknown := UNKNOWN.search(code):
        raise ComposingError(f"{name}.js has a line that cannot be composed: {unknown[0]}")
    return Module(imports, EXPORT.findall(text), code)


def module_as_function(name: str, module: Module, used: set[str]) -> str:
    """Returns the module as a function that is called once; `used`: the names that other modules import from it."""
    imports = [
        f"const {{ {', '.join(names)} }} = {module_variable(imported)};"
        for names, imported in module.imports
        if names
    ]
    exports = [f"return {{ {', '.join(name for name in module.exports if name in used)} }};"] if used else []
    head = f"const {module_variable(name)} = (() => {{" if used else "(() => {"
    return "\n".join(filter(None, [head, *imports, module.code, *exports, "})();"])) + "\n"
