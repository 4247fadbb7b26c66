"""The respondents' page for the preview, which `intake` registers."""

from collections.abc import Callable
from typing import Any

from privacy.designs import Design

Context = Callable[..., dict[str, Any]]
_registered: list[tuple[str, Context]] = []


def register(template: str, context: Context) -> None:
    """`context(design, "preview", language=…)` is what the template needs to show everything and send nothing."""
    _registered[:] = [(template, context)]


def respondents_page(design: Design, language: str) -> tuple[str, dict[str, Any]] | None:
    """The template and its context; None where no room registered one."""
    for template, context in _registered:
        return template, context(design, "preview", language=language)
    return None
