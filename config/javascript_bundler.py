"""Joins a script and all modules that it imports to one file: fewer requests, better compression.

Each module becomes a function that is called once and returns what others take of it:

    const $kinds = (() => {
    const { told } = $elements;
    ...
    return { add, kindOf };
    })();

So it keeps its names to itself, and it runs once, after all that it imports: as ECMAScript has it. The program that
disguises stays a file of its own, `device.js`, which is the same for every page and composed in the same way. Of import
and export only the forms below are understood, one a line; everything else is refused. (An await outside functions
would not parse in them; a test parses the script of every page.)
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from posixpath import dirname, join, normpath

DEVICE = "device"
IMPORT = re.compile(
    r"^(?:import (?:\{ (\w+(?:, \w+)*) \} from )?|(?:import \* as (\w+)|(export) \*) from )"
    r'"(?:\./)?(\w+|\.\./privacy/(?:kinds/)?\w+)\.js";$',
    re.MULTILINE,
)
EXPORT = re.compile(r"^export (?=(?:const|function|async function)\*? (\w+))", re.MULTILINE)
UNKNOWN = re.compile(r"^.*(?:\b(?:import|export)\b|\$[A-Za-z_]).*$", re.MULTILINE)


class ComposingError(ValueError):
    """Error for a module that cannot be joined with others to one file, with the reason."""


@dataclass(frozen=True)
class Import:
    """An import line of a JavaScript module, from the module `source`.

    It imports `names`, or all as one `namespace`, or all to export it again.
    """

    line: str
    source: str
    names: list[str]
    namespace: str
    is_exported: bool


@dataclass(frozen=True)
class Module:
    """A JavaScript module: its imports, the names that it exports, and its other code."""

    imports: Sequence[Import]
    exports: Sequence[str]
    code: str


def composed_script(path: str, read: Callable[[str], bytes]) -> bytes:
    """Returns one file with the script at `path` and all modules that it imports. `read` reads a file."""
    modules: dict[str, Module] = {}
    root = path.removesuffix(".js").rpartition("/")[2]

    def is_separate_file(name: str) -> bool:
        return name == DEVICE != root

    def add(name: str, importers: tuple[str, ...]) -> None:
        """Adds a module after all modules that it imports."""
        if name in importers:
            raise ComposingError(f"these import each other: {', '.join((*importers, name))}")
        if name in modules or is_separate_file(name):
            return
        module = parse_module(name, read(normpath(join(dirname(path), f"{name}.js"))).decode())
        for imported in module.imports:
            if (imported.namespace or imported.is_exported) and name != DEVICE:
                raise ComposingError(f"{name}.js has a line that cannot be composed: {imported.line}")
            add(imported.source, (*importers, name))
        modules[name] = module

    add(root, ())
    used: defaultdict[str, set[str]] = defaultdict(set)
    if root == DEVICE:
        used[root].update(modules[root].exports)
    for name, module in modules.items():
        for line in module.imports:
            source = modules.get(line.source)
            if source and not set(line.names) <= set(source.exports):
                raise ComposingError(f"{name}.js imports what {line.source}.js does not export: {line.names}")
            takes_all = line.namespace or line.is_exported
            used[line.source].update(source.exports if source and takes_all else line.names)
    script = ""
    if any(is_separate_file(name) for name in used):
        script = f'import * as {module_variable(DEVICE)} from "./{DEVICE}.js";\n'
    for name, module in modules.items():
        script += module_as_function(name, module, used[name])
    if root == DEVICE:
        exported = [line.source for line in modules[root].imports if line.is_exported]
        for name in (*exported, root):
            script += f"export const {{ {', '.join(modules[name].exports)} }} = {module_variable(name)};\n"
    return script.encode()


def module_variable(name: str) -> str:
    return f"${name.rpartition('/')[2]}"


@cache
def parse_module(name: str, text: str) -> Module:
    imports = [
        Import(match[0], match[4], match[1].split(", ") if match[1] else [], match[2] or "", bool(match[3]))
        for match in IMPORT.finditer(text)
    ]
    code = EXPORT.sub("", IMPORT.sub("", text)).strip("\n")
    if unknown := UNKNOWN.search(code):
        raise ComposingError(f"{name}.js has a line that cannot be composed: {unknown[0]}")
    return Module(imports, EXPORT.findall(text), code)


def module_as_function(name: str, module: Module, used: set[str]) -> str:
    """Returns the code of a module as a function called once, which returns its exports.

    `used`: the names that other modules import from it.
    """
    imports = []
    for line in module.imports:
        if line.names:
            imports.append(f"const {{ {', '.join(line.names)} }} = {module_variable(line.source)};")
        elif line.namespace:
            imports.append(f"const {line.namespace} = {module_variable(line.source)};")
    exports = [f"return {{ {', '.join(name for name in module.exports if name in used)} }};"] if used else []
    head = f"const {module_variable(name)} = (() => {{" if used else "(() => {"
    return "\n".join(filter(None, [head, *imports, module.code, *exports, "})();"])) + "\n"
