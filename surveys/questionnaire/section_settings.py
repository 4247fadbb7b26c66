"""What the protection page sets of a section; each kind has its own."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from surveys.questionnaire.normal_values import Node


@dataclass(frozen=True)
class Setting:
    """A number with its field; a slider goes from `low` to `most`, by `step`."""

    name: str
    field: forms.Field
    initial: Any
    most: int
    low: int = 1
    step: int = 1


class SectionSettings(ABC):
    def settings(self, section: Node) -> Iterator[Setting]:
        return iter(())

    @abstractmethod
    def value(self, section: Node) -> Any:
        """What a save of these settings can change."""

    def faults(self, section: Node, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The name of a setting and what is wrong with it, where each field alone is right."""
        return iter(())

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        return section

    def share_fields(self, section: Node) -> Iterator[tuple[str, forms.Field, str]]:
        """The name, the field and the initial value of each share that is expected."""
        return iter(())

    def shares(self, section: Node) -> list[str]:
        """The same as they are stored."""
        return []
