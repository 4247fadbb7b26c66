"""Compares a file of translations with the draft: lists the changes that it would make, and every row that
does not fit."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from importing.import_result import shorten
from importing.translations.draft_texts import (
    DraftText,
    draft_with_translations,
    texts_in_translation_file,
    texts_of_draft,
)
from importing.translations.reading import FileUnit, TranslationFile
from surveys.phrases.languages import SHIPPED, shipped_language_for, text_direction
from surveys.questionnaire.problems_and_refusals import language_name
from surveys.questionnaire.question_block_editing import json_digest
from surveys.questionnaire.questionnaire import Questionnaire

LANGUAGE, FAULTY, SOURCE, EXTRA = "language", "faulty", "source", "extra"
REPEATED, MISSING, OURS, UNTRANSLATED = "repeated", "missing", "ours", "untranslated"
LABELS: dict[str, tuple[str, str | Promise]] = {
    LANGUAGE: ("wrong", gettext_lazy("language not in the survey")),
    FAULTY: ("wrong", gettext_lazy("does not fit")),
    SOURCE: ("waiting", gettext_lazy("original changed")),
    EXTRA: ("stopped", gettext_lazy("unknown id")),
    REPEATED: ("stopped", gettext_lazy("id repeated")),
    MISSING: ("waiting", gettext_lazy("not in the file")),
    OURS: ("stopped", gettext_lazy("sentence of Candor")),
    UNTRANSLATED: ("waiting", gettext_lazy("no translation")),
}
"""Badge and label of each kind of row that is not simply imported, in the order of display."""


@dataclass(frozen=True)
class Change:
    """A changed translation in the file: `before` is the text in the draft, `after` the text in the file.

    `file_source`: the original in the file if the draft's original is different now; then a person decides.
    """

    text: DraftText
    language: str
    location: str
    before: str
    after: str
    source: str
    file_source: str = ""

    @property
    def key(self) -> str:
        return f"{self.language}/{self.text.id}"

    @property
    def direction(self) -> str:
        """Writing direction of the translation's language."""
        return text_direction(self.language)


@dataclass(frozen=True)
class UnimportedText:
    """A row of the comparison: a text of the file, or of the draft, that is not imported, with the reason.

    A row of the kind SOURCE is imported if a person ticks it.
    """

    kind: str
    id: str
    name: str
    reason: str
    language: str = ""
    location: str = ""
    change: Change | None = None

    @property
    def badge(self) -> str:
        return LABELS[self.kind][0]

    @property
    def label(self) -> str:
        return str(LABELS[self.kind][1])


class Comparison:
    """The differences between a file of translations and a draft.

    `changes` are imported; changes in `doubtful`, whose original has changed since the export, only if a person ticks
    them. `rows`: every text that is not imported without a person's decision.
    """

    def __init__(self, draft: Questionnaire, file: TranslationFile) -> None:
        self.draft, self.file = draft, file
        self.source = file.source_language or draft.first_language
        self.changes = list[Change]()
        self.doubtful = list[Change]()
        rows = [*self._unknown_language_rows()]
        if self._has_originals and self.source in (*draft.languages, *SHIPPED):
            rows += self._compare_units()
        order = list(LABELS)
        self.rows = sorted(rows, key=lambda row: order.index(row.kind))

    @cached_property
    def digest(self) -> str:
        """Digest of all changes, by which a later comparison detects that they are different."""
        return json_digest(
            [
                [change.key, change.before, change.after, change.source, change.file_source]
                for change in (*self.changes, *self.doubtful)
            ]
        )

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Number of changes by name of the language, in the draft's order of languages."""
        numbers = Counter(change.language for change in self.changes)
        spoken = (code for code in self.draft.languages if code in self.file.languages)
        return [(language_name(code), numbers[code]) for code in spoken if self._accepts_language(code)]

    def draft_with_accepted_changes(self, ticked: Collection[str]) -> tuple[Questionnaire, int]:
        """Returns the draft with all certain changes and the ticked doubtful ones, and the number of changes."""
        taken = [*self.changes, *(change for change in self.doubtful if change.key in ticked)]
        draft = self.draft
        for code in dict.fromkeys(change.language for change in taken):
            words = [(change.text, change.after) for change in taken if change.language == code]
            draft = draft_with_translations(draft, code, words)
        return draft, len(taken)

    def _accepts_language(self, code: str) -> bool:
        """True if translations into this language are imported: any language but the language of the originals.

        That language is accepted too, if Candor has no fixed sentences of its own in it.
        """
        return code != self.source or not shipped_language_for(code)

    @property
    def _has_originals(self) -> bool:
        """True if the file contains the originals; False for a table whose column of originals was deleted."""
        return bool(self.file.source_language) or self.source in self.file.languages

    def _unknown_language_rows(self) -> Iterator[UnimportedText]:
        if not self._has_originals:
            name = language_name(self.source)
            words = _(
                "The file has no column of %(language)s, so nobody can see what was translated. Put it back."
            )
            yield UnimportedText(LANGUAGE, self.source, name, words % {"language": name})
            return
        words = _(
            "The survey is not in %(language)s. Add the language on the page Languages, then import again."
        )
        for code in dict.fromkeys((*self.file.languages, self.source)):
            known = (*self.draft.languages, *SHIPPED) if code == self.source else self.draft.languages
            if code not in known:
                name = shorten(language_name(code))
                yield UnimportedText(LANGUAGE, shorten(code), name, words % {"language": name})

    def _compare_units(self) -> Iterator[UnimportedText]:
        texts = {text.id: text for text in texts_of_draft(self.draft)}
        seen = set[str]()
        for unit in self.file.units:
            text = texts.get(unit.id)
            if text is None:
                reason = _(
                    "The draft has no such text. It was deleted or renamed, or the file is of another survey."
                )
                words = unit.texts.get(self.source) or next(iter(unit.texts.values()), "")
                yield UnimportedText(EXTRA, shorten(unit.id), shorten(words), reason, "", unit.location)
            elif unit.id in seen:
                reason = _("The file has this id more than once. The first is used.")
                yield UnimportedText(REPEATED, unit.id, text.name, reason, "", unit.location)
            else:
                for code in self.file.languages:
                    if code in self.draft.languages:
                        yield from self._compare_translation(text, unit, code)
            seen.add(unit.id)
        expected = {
            text.id: text
            for code in self.file.languages
            if code in self.draft.languages
            for text in texts_in_translation_file(texts.values(), self.source, code)
        }
        for key, text in expected.items():
            if key not in seen:
                reason = _("The file does not have this text. What is stored stays.")
                yield UnimportedText(MISSING, key, text.name, reason)

    def _compare_translation(self, text: DraftText, unit: FileUnit, code: str) -> Iterator[UnimportedText]:
        """Yields a row for a translation that cannot be imported; adds a valid translation to the changes.

        A translation equal to the exported one is no change, even if the draft's text was edited since.
        """
        before, after = text.texts.get(code, ""), unit.texts.get(code, "")
        row = (text.id, text.name)
        if not text.needs_translation_into(code):
            if after and after != before and code != self.source:
                reason = _(
                    "Candor says this sentence itself in %(language)s. Its words cannot be changed here."
                )
                yield UnimportedText(
                    OURS, *row, reason % {"language": language_name(code)}, code, unit.location
                )
            return
        if code == self.source and not text.phrase:
            return
        if text.is_sentence:
            after = after.strip()
        source = text.source_text(self.source)
        if not after:
            stays = _("The file has no translation of it. The stored one stays.")
            reason = stays if before else _("The file has no translation of it.")
            if before or code in unit.unread or (not text.is_sentence and source.strip()):
                yield UnimportedText(UNTRANSLATED, *row, unit.unread.get(code, reason), code, unit.location)
            return
        if after == before or unit.is_as_exported(code):
            return
        if faults := list(text.faults(self.draft, after)):
            yield UnimportedText(FAULTY, *row, " ".join(faults), code, unit.location)
            return
        file_source = unit.texts.get(self.source, "")
        is_comparable = not text.phrase or shipped_language_for(self.source)
        if is_comparable and source.strip() != file_source.strip():
            change = Change(text, code, unit.location, before, after, source, file_source)
            self.doubtful.append(change)
            reason = _(
                "The original is another one now than in the file. Tick it if the translation still fits."
            )
            yield UnimportedText(SOURCE, *row, reason, code, unit.location, change)
        else:
            self.changes.append(Change(text, code, unit.location, before, after, source))
