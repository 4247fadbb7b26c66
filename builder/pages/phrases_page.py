"""The fixed sentences in a language that Candor does not ship: a list to translate, saved one by one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from builder.parts.parts import base_of
from builder.parts.phrase_words import PhraseForm, PhrasePart, keys_in_order, original_html
from surveys.phrases.every import PHRASES
from surveys.phrases.phrase import ENGLISH
from surveys.phrases.shipped import SHIPPED, shipped_for
from surveys.questionnaire.problems import Problem, language_name
from surveys.questionnaire.questionnaire import Questionnaire


@dataclass(frozen=True)
class PhraseView:
    part: PhrasePart
    original: SafeString
    base: str
    form: PhraseForm

    @property
    def marks(self) -> list[str]:
        return [f"{{{name}}}" for name in sorted(PHRASES[self.part.key].placeholders)]

    @property
    def missing(self) -> bool:
        return not self.form["words"].value()


@dataclass(frozen=True)
class PhraseGroup:
    """`done` counts what is stored."""

    dom_id: str
    title: str
    about: str
    phrases: list[PhraseView]

    @property
    def done(self) -> int:
        return sum(not phrase.missing for phrase in self.phrases)


@dataclass(frozen=True)
class PhrasesPage:
    """`original` is the shipped language that stands beside; `sent` are forms that were not saved."""

    draft: Questionnaire
    language: str
    original: str
    sent: Mapping[str, PhraseForm]

    @property
    def dom_id(self) -> str:
        return Problem(f"phrases.{self.language}", "").anchor

    @property
    def otherwise(self) -> str:
        """The language in which a page says what is not translated."""
        return language_name(shipped_for(self.language) or ENGLISH)

    @property
    def originals(self) -> list[tuple[str, str]]:
        return [(code, language_name(code)) for code in SHIPPED]

    @cached_property
    def groups(self) -> list[PhraseGroup]:
        protecting, others = keys_in_order(self.draft)
        must = "" if shipped_for(self.language) else _("The survey opens only with all of these.")
        return [
            PhraseGroup("phrases-protecting", _("They state the protection"), must, self._views(protecting)),
            PhraseGroup("phrases-others", _("The other sentences"), "", self._views(others)),
        ]

    def _views(self, keys: list[str]) -> list[PhraseView]:
        return [self._view(PhrasePart(key, self.language)) for key in keys]

    def _view(self, part: PhrasePart) -> PhraseView:
        form = self.sent.get(part.dom_id) or part.form(self.draft)
        return PhraseView(part, original_html(part.key, self.original), base_of(part, self.draft), form)

    @property
    def done(self) -> int:
        return sum(group.done for group in self.groups)

    @property
    def all(self) -> int:
        return sum(len(group.phrases) for group in self.groups)
