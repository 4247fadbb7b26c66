"""What a draft holds of a kind of sections: read into normal form, and its law. surveys.kinds.kind adds the pages."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple

from django.utils.module_loading import import_string

from privacy.kinds.mined_law import Disguised
from surveys.phrases.phrase import Phrases
from surveys.questionnaire import unfinished

Node = dict[str, Any]


class QuestionText(NamedTuple):
    """A text of a question beside those of all kinds. `texts` are by language; `most` characters, 0: as others have."""

    field: str
    path: str
    label: str
    texts: Mapping[str, str]
    required: bool
    most: int = 0


class SectionKind(ABC):
    """Reading an upload needs this half alone, so it takes neither forms nor numpy.

    `texts` are the texts of a question, besides those of its choices. `own_keys`: keys of a question that a design does
    not get. A section that `holds_one` question takes no other: it is moved, copied and deleted with it. That question
    has answers to choose from only where it `lists_answers`. `has_settings`: the protection can be set, so it can
    follow a preset. `throws`: a device throws coins for it.

    `phrases` are all that respondents can meet because of such a section, `script_phrases` those that scripts say.
    """

    kind: ClassVar[str]
    sensitive: ClassVar[bool] = True
    texts: ClassVar[tuple[str, ...]] = ("text", "label", "help")
    own_keys: ClassVar[frozenset[str]] = frozenset()
    holds_one: ClassVar[bool] = True
    lists_answers: ClassVar[bool] = False
    has_settings: ClassVar[bool] = True
    throws: ClassVar[bool] = True
    phrases: ClassVar[Phrases] = {}
    script_phrases: ClassVar[Phrases] = {}

    @abstractmethod
    def normal_question(self, question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
        """In normal form: what it has beside `common`, its name, texts and rules."""

    @abstractmethod
    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        """In normal form: what a section has beside its questions."""

    @abstractmethod
    def law(self, section: Node) -> Disguised | None:
        """None where nothing is disguised, or while its values do not fit."""

    def finished(self, question: Mapping[str, Any]) -> Node:
        """The question with whatever it may still lack, so that a design with it can be checked."""
        return unfinished.finished(question)

    def fitted(self, question: Node) -> Node:
        """A question of another kind that moves into such a section."""
        return dict(question)

    def more_texts(self, question: Node, path: str) -> Iterator[QuestionText]:
        """Texts beside `texts` and those of its choices."""
        return iter(())

    def with_more_texts(self, question: Node, language: str, said: Mapping[str, str]) -> Node:
        """Fields that are not given stay."""
        return question

    def text_faults(self, question: Node, said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The field of such a text and what is wrong with it."""
        return iter(())


@cache
def _kinds() -> Mapping[str, SectionKind]:
    # By name: kinds use this folder. It ends once a section of a draft is an object of its kind.
    found: Mapping[str, SectionKind] = import_string("surveys.kinds.drafts.DRAFTS")
    return found


def known_kinds(names: Iterable[str]) -> list[SectionKind]:
    """Each once, in their order; a name that this version does not know is left out."""
    return [_kinds()[name] for name in dict.fromkeys(names) if name in _kinds()]


def section_kind(section: Mapping[str, Any]) -> SectionKind:
    """Of a section that is edited here."""
    return _kinds()[section["kind"]]


def is_editable(section: Mapping[str, Any]) -> bool:
    """Whether the builder edits its questions; sections of other kinds are only moved and deleted."""
    kind = section.get("kind")
    return isinstance(kind, str) and kind in _kinds()


def takes_questions(section: Mapping[str, Any]) -> bool:
    """Whether other questions can stand in it, too."""
    return is_editable(section) and not section_kind(section).holds_one


def has_settings(section: Mapping[str, Any]) -> bool:
    """Whether its protection can be set; that of a crosswise question follows from the secret."""
    return is_editable(section) and section_kind(section).has_settings
