"""The answers to choose from: a question's choices, or the options of a question of several of many.

A row counts them from 0. "Prefer not to say" stands last and is nobody's own answer.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from privacy.grammar.question import DRAWN, YES_NO
from privacy.grammar.reading import RESERVED_CHOICES
from surveys.draft import PREFER_NOT, Draft, speaking
from surveys.questionnaire import normal_values
from surveys.questionnaire.blocks import (
    Block,
    all_blocks,
    find_with_choices,
    in_battery,
    is_group,
    names,
    with_block,
)
from surveys.questionnaire.choice_draft import as_drawn
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.rules import without_broken_rule
from surveys.questionnaire.section_kind import is_editable
from surveys.refused import Refused

MOST = 60
Label = dict[str, str]


def in_ours(words: Callable[[], str], spoken: Sequence[str]) -> Label:
    """Candor's own words in those of the survey's languages that it is translated into."""
    said = {}
    for code in spoken:
        with speaking(code) as known:
            if known:
                said[code] = words()
    return said


def prefer_not_label(spoken: Sequence[str]) -> Label:
    return in_ours(lambda: _("Prefer not to say"), spoken)


def prefer_not_choice(spoken: Sequence[str]) -> Node:
    return {"name": PREFER_NOT, "label": prefer_not_label(spoken)}


def option(label: Label) -> list[Node]:
    """The choices of one option of a group: its words are the label of yes."""
    return [{"name": "no", "label": {}}, {"name": "yes", "label": label}]


def rows(block: Block) -> list[Node]:
    """The rows with a name: the choices of a question, or the questions of a group; none of a question without."""
    found: list[Node] = block if is_group(block) else block[0].get("choices", [])
    return found


def is_prefer_not(block: Block, row: int) -> bool:
    name: str = rows(block)[row]["name"]
    if is_group(block):
        return name.endswith(f"-{PREFER_NOT}") and row == len(block) - 1
    return name == PREFER_NOT


def prefers_not(block: Block) -> bool:
    return any(is_prefer_not(block, row) for row in range(len(rows(block))))


def own(block: Block) -> int:
    """How many answers there are without "prefer not to say"."""
    return len(rows(block)) - prefers_not(block)


def is_yes_no(block: Block) -> bool:
    if is_group(block) or block[0]["form"] in ("scale", DRAWN):
        return False
    return tuple(each["name"] for each in rows(block) if each["name"] != PREFER_NOT) == YES_NO


def label_at(block: Block, row: int) -> Label:
    choice = block[row]["choices"][1] if is_group(block) else block[0]["choices"][row]
    label: Label = choice["label"]
    return label


def labels(block: Block) -> list[Label]:
    return [label_at(block, row) for row in range(len(rows(block))) if not is_prefer_not(block, row)]


def with_label(block: Block, row: int, label: Label) -> Block:
    if is_group(block):
        return [{**each, "choices": option(label)} if at == row else each for at, each in enumerate(block)]
    choices = [{**each, "label": label} if at == row else each for at, each in enumerate(block[0]["choices"])]
    return [{**block[0], "choices": choices}]


def with_none(block: Block, none: Label) -> Block:
    """The group with an answer that excludes its options, or without one where it says nothing."""
    bare = {key: value for key, value in block[0].items() if key != "none"}
    return [{**bare, "none": none} if none else bare, *block[1:]]


def none_of(block: Block) -> Label:
    found: Label = block[0].get("none", {})
    return found


def none_label(spoken: Sequence[str]) -> Label:
    return in_ours(lambda: _("None of these"), spoken)


def with_choices(block: Block, choices: Sequence[Node]) -> Block:
    """The question with these choices; custom noise and drawn shares are dropped where their number changes."""
    same = len(choices) == len(block[0]["choices"])
    question = {key: value for key, value in block[0].items() if same or key != "noise"}
    made = {**question, "choices": list(choices)}
    return [as_drawn(made, made["shares"]) if made["form"] == DRAWN else made]


def with_member(draft: Draft, block: Block, row: int, name: str, label: Label) -> Block:
    """A group with one option more."""
    copy = {key: value for key, value in block[0].items() if key not in ("noise", "none")}
    made = {**copy, "name": normal_values.unused_name(name, names(draft)), "choices": option(label)}
    return [*block[:row], made, *block[row:]]


def add(draft: Draft, key: str, after: int | None = None) -> tuple[Draft, int]:
    """An answer without words, below another or at the end; and the row where it stands."""
    _place, block = find_with_choices(draft, key)
    if is_yes_no(block):
        raise Refused(_("A question of the kind yes or no has these answers only."))
    if len(rows(block)) >= MOST:
        raise Refused(_("A question has at most %(most)s answers.") % {"most": MOST})
    row = own(block) if after is None else max(0, min(after + 1, own(block)))
    if is_group(block):
        made = with_member(draft, block, row, f"{block[0]['of']}-1", {})
    else:
        choices = list(block[0]["choices"])
        name = normal_values.unused_name("1", [*RESERVED_CHOICES, *(each["name"] for each in choices)])
        made = with_choices(block, [*choices[:row], {"name": name, "label": {}}, *choices[row:]])
    return without_broken_rule(draft, with_block(draft, key, made)), row


def remove(draft: Draft, key: str, row: int) -> tuple[Draft, Node]:
    """The changed draft, and what surveys.builder.undo needs to restore it."""
    place, block = find_with_choices(draft, key)
    _known(block, row)
    if is_yes_no(block) and not is_prefer_not(block, row):
        raise Refused(_("A question of the kind yes or no keeps these answers."))
    if not is_prefer_not(block, row) and own(block) <= (1 if is_group(block) else 2):
        raise Refused(
            _("Fewer answers than these would be no question. Write others instead, or delete the question.")
        )
    left = [each for at, each in enumerate(rows(block)) if at != row]
    made = with_none(left, none_of(block)) if is_group(block) else with_choices(block, left)
    removed = {"what": "answer", "key": key, "row": row, "answer": rows(block)[row]}
    removed |= {"noise": block[0]["noise"]} if "noise" in block[0] and not is_group(block) else {}
    section = draft["sections"][place.section]
    removed |= {"asked": section["asked"]} if "asked" in section else {}
    return without_broken_rule(draft, with_block(draft, key, made)), removed


def move(draft: Draft, key: str, row: int, by: int) -> Draft:
    """Its own noise, where it has some, moves with it."""
    _place, block = find_with_choices(draft, key)
    _known(block, row)
    if is_yes_no(block) or row >= own(block) or not 0 <= row + by < own(block):
        raise Refused(_("It cannot go any further."))
    if is_group(block):
        return without_broken_rule(draft, with_block(draft, key, _swapped(block, row, row + by)))
    question = {**block[0], "choices": _swapped(block[0]["choices"], row, row + by)}
    if "noise" in question:
        question["noise"] = _swapped(question["noise"], row, row + by)
    return without_broken_rule(draft, with_block(draft, key, [question]))


def _swapped(things: Sequence[Any], one: int, other: int) -> list[Any]:
    made = list(things)
    made[one], made[other] = made[other], made[one]
    return made


def _known(block: Block, row: int) -> None:
    if not 0 <= row < len(rows(block)):
        raise Refused(_("This answer is not there any more."))


def renamed(draft: Draft, key: str, row: int, name: str) -> Draft:
    """Another name of a choice in the files of records; rules that look at it follow."""
    _place, block = find_with_choices(draft, key)
    _known(block, row)
    before, after = rows(block)[row]["name"], normal_values.name_of(name)
    if before == after:
        return draft
    taken = {*RESERVED_CHOICES, PREFER_NOT, *(each["name"] for each in rows(block))}
    if is_group(block) or is_yes_no(block) or is_prefer_not(block, row):
        raise Refused(_("The names of these answers are fixed."))
    if not after or after in taken:
        raise Refused(_("Another answer has this name, or it cannot be one: “%(name)s”.") % {"name": name})
    choices = [{**each, "name": after} if at == row else each for at, each in enumerate(rows(block))]
    made = with_block(draft, key, [{**block[0], "choices": choices}])
    for ruling in _names_of_battery(draft, block):
        sections = [_following(section, ruling, before, after) for section in made["sections"]]
        made = {**made, "sections": sections}
    return made


def _names_of_battery(draft: Draft, block: Block) -> list[str]:
    """The questions that share this question's choices, and itself."""
    if not in_battery(block[0]):
        return [block[0]["name"]]
    return [
        each["name"]
        for _place, other in all_blocks(draft)
        for each in other
        if in_battery(each) and each["of"] == block[0]["of"]
    ]


def _following(section: Node, ruling: str, before: str, after: str) -> Node:
    if not is_editable(section):
        return section

    def rules(question: Node) -> Node:
        found = question["show_if"].get(ruling)
        if found is None:
            return question
        allowed = [after if choice == before else choice for choice in found]
        return {**question, "show_if": {**question["show_if"], ruling: allowed}}

    return {**section, "questions": [rules(question) for question in section["questions"]]}
