"""The kind of a question, and whether people may prefer not to say."""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.question import DRAWN, YES_NO
from privacy.grammar.reading import RESERVED_NAME
from surveys.draft import PREFER_NOT, Draft
from surveys.questionnaire import answer_choices, normal_values
from surveys.questionnaire.answer_choices import Label
from surveys.questionnaire.blocks import (
    Block,
    find_with_choices,
    groups,
    in_battery,
    is_group,
    names,
    new_name,
    with_block,
)
from surveys.questionnaire.choice_draft import as_drawn
from surveys.questionnaire.control_items import KNOWN, KNOWN_OF_NEW
from surveys.questionnaire.known_field import with_known
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.rules import without_broken_rule
from surveys.questionnaire.scales import SCALES
from surveys.questionnaire.section_kind import is_editable, section_kind
from surveys.refused import Refused

KINDS: dict[str, str | Promise] = {
    "yes-no": gettext_lazy("Yes or no"),
    "one": gettext_lazy("One of several"),
    "many": gettext_lazy("Several of many"),
    "scale": gettext_lazy("Scale of your own"),
    DRAWN: gettext_lazy("Version drawn by the device"),
}
FEWEST = {"one": 2, "many": 2, "scale": 5, DRAWN: 2}
"""Answers without words that a new question begins with."""


def kind_of(block: Block) -> str:
    if is_group(block):
        return "many"
    if block[0]["form"] in ("scale", DRAWN):
        return str(block[0]["form"])
    return "yes-no" if answer_choices.is_yes_no(block) else "one"


def new_block(draft: Draft, kind: str, sensitive: bool) -> Block:
    """A question without words of its own; a sensitive one lets people prefer not to say."""
    question: Node = {"name": new_name(draft), "text": {}, "help": {}, "show_if": {}}
    return _made(draft, question if sensitive else {**question, "role": "other"}, kind, [], prefers=sensitive)


def new_control(draft: Draft) -> Block:
    """A control item without words, for a section that is not disguised."""
    [question] = new_block(draft, "yes-no", False)
    return [{**question, KNOWN: KNOWN_OF_NEW}]


def with_kind(draft: Draft, key: str, kind: str) -> Draft:
    """The same words asked in another way; answers that fit stay."""
    place, block = find_with_choices(draft, key)
    if kind == kind_of(block):
        return draft
    if section_kind(draft["sections"][place.section]).holds_one:
        raise Refused(_("This question is sent as sets. Send one choice, then change its kind."))
    carried = ("name", "text", "label", "help", "show_if", "role")
    common: Node = {each: block[0][each] for each in carried if each in block[0]}
    if is_group(block):
        common["name"] = normal_values.unused_name(
            block[0]["of"], names(draft) - {each["name"] for each in block}
        )
    elif in_battery(block[0]) and kind not in ("yes-no", "many"):
        common["of"] = block[0]["of"]
    fitting = block[0]["choices"] if kind_of(block) in ("one", "scale") and kind in ("one", "scale") else []
    made = _made(
        draft, common, kind, answer_choices.labels(block), answer_choices.prefers_not(block), fitting
    )
    return without_broken_rule(draft, with_block(draft, key, made))


def _made(
    draft: Draft,
    common: Node,
    kind: str,
    labels: Sequence[Label],
    prefers: bool,
    fitting: Sequence[Node] = (),
) -> Block:
    spoken = draft["languages"]
    written = [label for label in labels if label]
    empty: list[Label] = [{}] * max(0, FEWEST.get(kind, 0) - len(written))
    if kind == "many":
        return _group(draft, common, [*written, *empty], prefers)
    if kind == "yes-no":
        choices = yes_no(spoken, prefers)
    elif kind in SCALES:
        choices = _points(kind, spoken)
    elif kind in KINDS:
        own = [each for each in fitting if each["name"] != PREFER_NOT]
        choices = own or [
            {"name": str(number), "label": label} for number, label in enumerate([*written, *empty], 1)
        ]
    else:
        raise Refused(_("There is no such kind of question."))
    if kind == DRAWN:
        return [_drawn({**common, "choices": choices})]
    if prefers:
        choices = [*choices, answer_choices.prefer_not_choice(spoken)]
    form = "yes-no" if kind == "yes-no" and not prefers else "one" if kind in ("yes-no", "one") else "scale"
    return [{**common, "form": form, "choices": choices}]


def _drawn(question: Node) -> Node:
    if "role" not in question:
        raise Refused(_("Add a drawn version in a section that is not disguised."))
    return as_drawn(question, None)


def yes_no(spoken: Sequence[str], prefers: bool) -> list[Node]:
    """By themselves they need no words; beside "prefer not to say" they are choices like others."""
    words = {"no": lambda: _("No"), "yes": lambda: _("Yes")}
    return [
        {"name": name, "label": answer_choices.in_ours(words[name], spoken) if prefers else {}}
        for name in YES_NO
    ]


def _points(kind: str, spoken: Sequence[str]) -> list[Node]:
    points = SCALES[kind].points
    return [
        {"name": str(number + 1), "label": {code: points[code][number] for code in spoken if code in points}}
        for number in range(len(points["en"]))
    ]


def _group(draft: Draft, common: Node, labels: Sequence[Label], prefers: bool) -> Block:
    group = normal_values.unused_name(common["name"], groups(draft))
    taken = names(draft) - {common["name"]}
    block: Block = []
    wanted = [(str(number), label) for number, label in enumerate(labels, 1)]
    if prefers:
        wanted.append((PREFER_NOT, answer_choices.prefer_not_label(draft["languages"])))
    for ending, label in wanted:
        name = normal_values.unused_name(f"{common['name']}-{ending}", taken)
        taken.add(name)
        choices = answer_choices.option(label)
        block.append({**common, "name": name, "form": "many", "of": group, "choices": choices})
    return block


def with_prefer_not(draft: Draft, key: str, wanted: bool) -> Draft:
    _place, block = find_with_choices(draft, key)
    if answer_choices.prefers_not(block) == wanted:
        return draft
    spoken = draft["languages"]
    if kind_of(block) == DRAWN:
        raise Refused(_("The device draws this answer, so nobody can prefer not to say."))
    if is_group(block):
        label, name = answer_choices.prefer_not_label(spoken), f"{block[0]['of']}-{PREFER_NOT}"
        made = answer_choices.with_member(draft, block, len(block), name, label) if wanted else block[:-1]
    else:
        own = [each for each in block[0]["choices"] if each["name"] != PREFER_NOT]
        if kind_of(block) == "yes-no":
            own = yes_no(spoken, wanted)
        made = answer_choices.with_choices(
            block, [*own, answer_choices.prefer_not_choice(spoken)] if wanted else own
        )
        if kind_of(block) == "yes-no":
            made = [{**with_known(made[0], None), "form": "one" if wanted else "yes-no"}]
    return without_broken_rule(draft, with_block(draft, key, made))


def renamed(draft: Draft, before: str, name: str) -> Draft:
    """Another name in the files of records; rules that look at the question follow it."""
    after = normal_values.name_of(name)
    if after == before:
        return draft
    if not after or after == RESERVED_NAME or after in names(draft):
        raise Refused(_("Another question has this name, or it cannot be one: “%(name)s”.") % {"name": name})
    sections = [
        {**section, "questions": [_renamed(each, before, after) for each in section["questions"]]}
        if is_editable(section)
        else section
        for section in draft["sections"]
    ]
    return {**draft, "sections": sections}


def _renamed(question: Node, before: str, after: str) -> Node:
    rules = {after if name == before else name: allowed for name, allowed in question["show_if"].items()}
    made = {**question, "name": after if question["name"] == before else question["name"], "show_if": rules}
    return {**made, "turned_by": after} if question.get("turned_by") == before else made
