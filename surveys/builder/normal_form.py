"""The normal form of a draft, which the builder edits, whatever file the draft came from.

surveys.problems names what can still be wrong after it, and the builder can fix all of that: missing texts, too few
choices, empty sections, rules on the wrong question.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from privacy.designs.design import FORMAT
from privacy.grammar.node import LINE_BREAKS, MAX_NAME, PARTS, PROBABILITY, allowed_in_names
from privacy.grammar.question import FORMS, YES_NO
from privacy.grammar.reading import RESERVED_CHOICES, RESERVED_NAME
from privacy.grammar.texts import LANGUAGE
from privacy.kinds.grouped.form import UnrelatedQuestionSection
from privacy.kinds.plain.form import ROLES, PlainSection
from surveys import draft as drafts
from surveys.draft import Draft

Node = dict[str, Any]
PLAIN, GROUPED = PlainSection.kind, UnrelatedQuestionSection.kind
EDITABLE_KINDS = (PLAIN, GROUPED)
TEXTS = ("title", "asker", "why", "intro", "consent", "thanks")
OTHERS = ("contact", "minutes", "least", "retention", "open_answers", "rehearsal", *drafts.BUILDER_KEYS)


def normalized(draft: Draft) -> Draft:
    """Every key in its place and every name once. Idempotent."""
    spoken = _languages(draft)
    names, groups = UniqueNames([RESERVED_NAME]), UniqueNames()
    found = draft.get("sections")
    sections = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
    others = {key: draft[key] for key in OTHERS if key in draft}
    if "contact" in others:
        others["contact"] = words(others["contact"])
    return {
        "format": FORMAT,
        "languages": spoken,
        **{key: texts(draft.get(key), spoken) for key in TEXTS},
        **others,
        "sections": [_section(each, spoken, names, groups) for each in sections],
    }


def words(value: object) -> str:
    """The text as a design allows it: NFC, lines ended by line feeds, without other control characters."""
    text = value.replace("\r\n", "\n") if isinstance(value, str) else ""
    allowed = (c for c in text if c in LINE_BREAKS or unicodedata.category(c) not in ("Cc", "Cs"))
    return unicodedata.normalize("NFC", "".join(allowed))


def name_of(value: object) -> str:
    """The nearest to `value` that can be a name, or nothing."""
    text = "".join(filter(allowed_in_names, words(value)))
    return text.replace("=", "").strip()[:MAX_NAME].strip()


def texts(value: object, spoken: Sequence[str]) -> dict[str, str]:
    given = value if isinstance(value, Mapping) else {spoken[0]: value}
    said = {code: words(given.get(code)) for code in spoken}
    return {code: text for code, text in said.items() if text}


class UniqueNames:
    """Gives each name once. It remembers the last number tried, since a file may use one name twenty thousand times."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[tuple[str, int], int] = {}

    def give(self, stem: str) -> str:
        """`stem`, or where that is taken, with the next number that makes it another name."""
        name = stem if stem not in self._taken else self._numbered(stem)
        self._taken.add(name)
        return name

    def _numbered(self, stem: str) -> str:
        counted = re.fullmatch(r"(.*?)([0-9]{1,6})", stem, re.DOTALL)
        base, number = (counted[1], int(counted[2])) if counted else (f"{stem[: MAX_NAME - 8]}-", 2)
        passed = []
        while f"{base}{number}" in self._taken:
            passed.append(number)
            number = self._next.get((base, number), number + 1)
        self._next |= {(base, each): number for each in passed}
        return f"{base}{number}"


def unused_name(stem: str, names: Iterable[str]) -> str:
    return UniqueNames(names).give(stem)


def probability(value: object) -> str | None:
    """With four places, or None for what is no probability between 0 and 1."""
    found = PROBABILITY.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    parts = int(found[1]) * PARTS + int((found[2] or "").ljust(4, "0"))
    return f"{parts // PARTS}.{parts % PARTS:04d}" if 0 < parts < PARTS else None


def settled(section: Node) -> Node:
    """A section that asks all of its questions does not say how many."""
    asked, questions = section.get("asked"), len(section.get("questions", ()))
    if "asked" in section and not (type(asked) is int and 1 <= asked < questions):
        return {key: value for key, value in section.items() if key != "asked"}
    return section


def is_editable(section: Mapping[str, Any]) -> bool:
    """Whether the builder edits its questions; sections of other kinds are only moved and deleted."""
    return section.get("kind") in EDITABLE_KINDS


def _languages(draft: Draft) -> list[str]:
    given = (code for code in drafts.languages(draft) if LANGUAGE.fullmatch(code))
    return list(dict.fromkeys(given)) or ["en"]


def _section(
    section: Mapping[str, Any], spoken: Sequence[str], names: UniqueNames, groups: UniqueNames
) -> Node:
    if not is_editable(section):
        return dict(section)
    kind = section["kind"]
    questions = _grouped(
        [_question(each, spoken, kind == GROUPED, names) for each in drafts.questions(section)], groups
    )
    if kind == PLAIN:
        return {"kind": kind, "questions": questions}
    made = {"kind": kind, "keep": probability(section.get("keep")) or drafts.KEEP, "questions": questions}
    return settled({**made, "asked": section["asked"]} if "asked" in section else made)


def _grouped(questions: Sequence[Node], groups: UniqueNames) -> list[Node]:
    """Members that follow one another are one group; further away, the same name stands for another one."""
    made: list[Node] = []
    wanted = actual = None
    for question in questions:
        if question.get("of") != wanted:
            wanted = question.get("of")
            actual = groups.give(wanted) if wanted else None
        made.append({**question, "of": actual} if actual else question)
    return made


def _question(
    question: Mapping[str, Any], spoken: Sequence[str], sensitive: bool, names: UniqueNames
) -> Node:
    name = names.give(name_of(question.get("name")) or "q1")
    choices = _choices(question.get("choices"), spoken)
    is_yes_no = tuple(choice["name"] for choice in choices) == YES_NO
    form = question.get("form", "yes-no" if is_yes_no else "one")
    if form not in FORMS or (form in ("yes-no", "many") and not is_yes_no):
        form = "one"
    made = {
        "name": name,
        "form": form,
        "text": texts(question.get("text"), spoken),
        "help": texts(question.get("help"), spoken),
        "choices": choices,
        "show_if": _rules(question.get("show_if")),
    }
    if form == "many":
        made["of"] = name_of(question.get("of")) or name
    if not sensitive:
        role = question.get("role")
        made["role"] = role if role in ROLES else "other"
    elif (noise := _noise(question.get("noise"), len(choices))) is not None:
        made["noise"] = noise
    return made


def _choices(given: object, spoken: Sequence[str]) -> list[Node]:
    made: list[Node] = []
    names = UniqueNames(RESERVED_CHOICES)
    for each in given if isinstance(given, list) else []:
        choice = each if isinstance(each, Mapping) else {"name": each}
        name = names.give(name_of(choice.get("name")) or "1")
        made.append({"name": name, "label": texts(choice.get("label"), spoken)})
    return made


def _rules(given: object) -> Node:
    rules = given.items() if isinstance(given, Mapping) else ()
    named = {name_of(name): allowed for name, allowed in rules if isinstance(allowed, list)}
    return {
        name: list(dict.fromkeys(name_of(choice) for choice in allowed))
        for name, allowed in named.items()
        if name
    }


def _noise(given: object, choices: int) -> list[str] | None:
    if not isinstance(given, list) or len(given) != choices:
        return None
    noise = [probability(each) for each in given]
    valid = [each for each in noise if each is not None]
    total = sum(int(each[2:]) for each in valid)
    return valid if len(valid) == choices and total == PARTS else None
