"""The normal form of a draft, which the builder edits, whatever file the draft came from.

surveys.problems names what can still be wrong after it, and the builder can fix all of that: missing texts, too few
choices, empty sections, rules on the wrong question.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from privacy.designs.design import FORMAT
from privacy.grammar.reading import RESERVED_NAME
from privacy.grammar.texts import LANGUAGE
from privacy.guarantee.presets import PRESETS
from privacy.kinds.presentation import INTRO, ORDER, RANDOM
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.phrases.of_design import own_words
from surveys.questionnaire.answer_order import settled_orders
from surveys.questionnaire.normal_values import Node, UniqueNames, name_of, texts, words
from surveys.questionnaire.section_kind import is_editable, section_kind
from surveys.questionnaire.study_draft import study_keys

TEXTS = ("title", "asker", "why", "intro", "consent", "thanks", "panel")
OTHERS = (
    "contact",
    "leave_to",
    "minutes",
    "least",
    "retention",
    "open_answers",
    "rehearsal",
    *drafts.BUILDER_KEYS,
)


def normalized(draft: Draft) -> Draft:
    """Every key in its place and every name once. Idempotent."""
    spoken = _languages(draft)
    names, groups = UniqueNames([RESERVED_NAME]), UniqueNames()
    found = draft.get("sections")
    sections = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
    others = {key: draft[key] for key in OTHERS if key in draft}
    for key in others.keys() & {"contact", "leave_to"}:
        others[key] = words(others[key])
    if phrases := own_words(draft.get("phrases"), spoken):
        others["phrases"] = {key: texts(said, spoken) for key, said in phrases.items()}
    return {
        "format": FORMAT,
        "languages": spoken,
        **{key: texts(draft.get(key), spoken) for key in TEXTS},
        **others,
        **study_keys(draft),
        "sections": [made for each in sections for made in _sections(each, spoken, names, groups)],
    }


def _languages(draft: Draft) -> list[str]:
    given = (code for code in drafts.languages(draft) if LANGUAGE.fullmatch(code))
    return list(dict.fromkeys(given)) or ["en"]


def _sections(
    section: Mapping[str, Any], spoken: Sequence[str], names: UniqueNames, groups: UniqueNames
) -> list[Node]:
    """More than one where a section that holds one question was given several, none where it was given none."""
    if not is_editable(section):
        return [dict(section)]
    questions = [_question(each, section, spoken, names) for each in drafts.questions(section)]
    intro = texts(section.get(INTRO), spoken)
    if section_kind(section).holds_one:
        alone = enumerate(questions)
        return [
            settled({**section, INTRO: {} if number else intro, "questions": [each]})
            for number, each in alone
        ]
    return [settled({**section, INTRO: intro, "questions": _said_once(grouped(questions, groups))})]


def _said_once(questions: Sequence[Node]) -> list[Node]:
    """The answer that excludes the options of a group stands on the first of them only."""
    made: list[Node] = []
    for question in questions:
        is_first = not made or made[-1].get("of") != question.get("of")
        made.append({key: value for key, value in question.items() if key != "none" or is_first})
    return made


def settled(section: Node) -> Node:
    """The section with the settings that its questions allow."""
    if not is_editable(section):
        return section
    kind = section_kind(section)
    settings = kind.normal_settings(section, section["questions"])
    if kind.has_settings and section.get(drafts.PRESET) in PRESETS:
        settings |= {drafts.PRESET: section[drafts.PRESET]}
    if section.get(INTRO):
        settings |= {INTRO: section[INTRO]}
    if section.get(ORDER) == RANDOM and not kind.holds_one:
        settings |= {ORDER: RANDOM}
    return {"kind": section["kind"], **settings, "questions": settled_orders(section["questions"])}


def grouped(
    questions: Sequence[Node], groups: UniqueNames, is_member: Callable[[Node], bool] = lambda question: True
) -> list[Node]:
    """Members that follow one another are one group; further away, the same name stands for another one.

    Those that are no member keep what they have. Lines of a battery belong together only while their scale is the same.
    """
    made: list[Node] = []
    wanted: tuple[Any, ...] = ()
    actual = None
    for question in questions:
        of = question.get("of") if is_member(question) else None
        found = (
            of,
            question.get("form"),
            None if question.get("form") == "many" else question.get("choices"),
        )
        if found != wanted or not of:
            wanted, actual = found, groups.give(of) if of else None
        made.append({**question, "of": actual} if actual else question)
    return made


def _question(
    question: Mapping[str, Any], section: Mapping[str, Any], spoken: Sequence[str], names: UniqueNames
) -> Node:
    kind = section_kind(section)
    common = {
        "name": names.give(name_of(question.get("name")) or "q1"),
        **{key: texts(question.get(key), spoken) for key in kind.texts},
        "show_if": _rules(question.get("show_if")),
    }
    if not common["label"]:
        del common["label"]
    return kind.normal_question(question, common, spoken)


def _rules(given: object) -> Node:
    rules = given.items() if isinstance(given, Mapping) else ()
    named = {name_of(name): allowed for name, allowed in rules if isinstance(allowed, list)}
    return {
        name: list(dict.fromkeys(name_of(choice) for choice in allowed))
        for name, allowed in named.items()
        if name
    }
