"""Paths of the nodes of an ODK form, such as ../age, which XForms and XLSForms write in expressions."""

import re
from collections.abc import Mapping

from importing.condition_tokens import LONGEST, with_straight_quotes

LONGEST_PATH = 500
PATH = re.compile(r"'[^']*'|\"[^\"]*\"|(?:current\(\)/)?(?:\.\.?/)+[\w.:/-]+|(?<![\w)\]])/[\w.:/-]+")
"""Pattern of a quoted text, which is kept, or of the path of a node."""


def _path_without_prefixes(path: str) -> str:
    return "/".join(step.rpartition(":")[2] for step in path[:LONGEST_PATH].split("/"))


def absolute_path(path: str, context: str) -> str:
    """Returns the absolute path of a node, given relative to the node `context`."""
    path = _path_without_prefixes(path.strip().removeprefix("current()/"))
    if path.startswith("/"):
        return path.rstrip("/")
    steps = context.split("/")
    for step in path.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps)


def with_references(written: str, names: Mapping[str, str], context: str) -> str:
    """Returns an expression with straight quotes, and with `${name}` instead of paths (`names`: names by path).

    An unknown path is kept, and refused later.
    """
    if len(written) > LONGEST:
        return written

    def name_reference(match: re.Match[str]) -> str:
        name = names.get(absolute_path(match[0], context)) if match[0][0] not in "'\"" else None
        return f"${{{name}}}" if name else match[0]

    return PATH.sub(name_reference, with_straight_quotes(written.strip()))
