"""A text in all languages of its design."""

import re
from dataclasses import dataclass

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node

LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.ASCII)
MOST_LANGUAGES = 100


@dataclass(frozen=True, slots=True)
class Texts:
    """One text in several languages, in the order of the design's languages; a language may be missing."""

    entries: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    def in_language_or_first(self, language: str) -> str:
        """Returns the text in this language, else in the first language that has one, else an empty text."""
        return dict(self.entries).get(language, self.entries[0][1] if self.entries else "")

    def as_json(self) -> dict[str, str]:
        return dict(self.entries)


def read_texts(node: Node | None, languages: tuple[str, ...]) -> Texts:
    """Reads a map from language to text, or a bare text in the first language. Empty texts are left out."""
    if node is None:
        return Texts()
    if isinstance(node.value, str):
        text = node.text()
        return Texts(((languages[0], text),)) if text else Texts()
    members = node.object_members()
    for language in members:
        if language not in languages:
            raise node.refuse(_("%(language)s is not one of the languages"), language=quote_value(language))
    texts = ((language, members[language].text()) for language in languages if language in members)
    return Texts(tuple((language, text) for language, text in texts if text))


def read_languages_or_english(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ("en",)
    languages: dict[str, None] = {}
    for item in node.items():
        language = item.text()
        if LANGUAGE.fullmatch(language) is None:
            raise item.refuse(
                _('%(value)s is not a language code such as "en" or "zh-hans"'), value=quote_value(language)
            )
        if language in languages:
            raise item.refuse(_("%(language)s appears twice"), language=quote_value(language))
        if len(languages) == MOST_LANGUAGES:
            raise node.refuse(_("at most %(most)s languages"), most=MOST_LANGUAGES)
        languages[language] = None
    if not languages:
        raise node.refuse(_("at least one language"))
    return tuple(languages)
