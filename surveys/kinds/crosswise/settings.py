"""The settings of a crosswise question on the protection page: none, since only another secret has another share."""

from collections.abc import Iterator, Mapping
from typing import Any

from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_settings import SectionSettings, Setting


class CrosswiseSettings(SectionSettings):
    def settings(self, section: Node) -> Iterator[Setting]:
        return iter(())

    def value(self, section: Node) -> Any:
        question = section["questions"][0]
        return [question["name"], question["share"]]

    def faults(self, section: Node, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        return iter(())

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        return section
