"""Undo of a deletion. What was deleted is sent with the page, signed; each person's last is stored for a repeat."""

from django.core import signing
from django.utils.translation import gettext as _

from surveys.builder.arranging import put_section, renewed
from surveys.draft import Draft, without_plan
from surveys.hypotheses import KEY
from surveys.questionnaire import normal_values
from surveys.questionnaire.answer_choices import rows, with_choices
from surveys.questionnaire.blocks import (
    Block,
    blocks,
    copied,
    find,
    fitting,
    is_group,
    key_of,
    names,
    section_at,
    with_block,
    with_blocks,
    with_section,
)
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.replaced import digest
from surveys.questionnaire.rules import without_broken_rule
from surveys.questionnaire.section_kind import is_editable, takes_questions
from surveys.refused import Refused


def restore(draft: Draft, removed: Node) -> tuple[Draft, str]:
    """The draft with what was removed, and the key of the question to show."""
    if removed["what"] == "draft":
        if digest(without_plan(draft)) != removed["after"]:
            raise Refused(_("The draft has been changed since, so this cannot be taken back any more."))
        kept = {KEY: draft[KEY]} if KEY in draft else {}
        return {**removed["draft"], **kept}, ""
    if removed["what"] == "section":
        section = removed["section"]
        section = renewed(draft, section) if is_editable(section) else section
        return without_broken_rule(draft, put_section(draft, section, removed["number"])), ""
    after, key = BACK[removed["what"]](draft, removed)
    return without_broken_rule(draft, _asked(draft, after, key, removed)), key


def _block(draft: Draft, removed: Node) -> tuple[Draft, str]:
    number: int = removed["section"]
    section = section_at(draft, number)
    if not takes_questions(section):
        raise Refused(_("The section of this question no longer exists."))
    block = copied(draft, fitting(removed["block"], section))
    there = blocks(section)
    there.insert(removed["row"], block)
    return with_blocks(draft, number, there), key_of(block)


def _answer(draft: Draft, removed: Node) -> tuple[Draft, str]:
    key: str = removed["key"]
    _place, block = find(draft, key)
    row, answer = removed["row"], removed["answer"]
    taken = names(draft) if is_group(block) else {each["name"] for each in rows(block)}
    answer = {**answer, "name": normal_values.unused_name(answer["name"], taken)}
    made = [*rows(block)[:row], answer, *rows(block)[row:]]
    if is_group(block):
        return with_block(draft, key, made), key
    question = with_choices(block, made)[0]
    noise = removed.get("noise", [])
    if len(noise) == len(made) and "noise" not in question:
        question = {**question, "noise": noise}
    return with_block(draft, key, [question]), key


def _question(draft: Draft, removed: Node) -> tuple[Draft, str]:
    block: Block = removed["block"]
    _place, made = find(draft, removed["key"])
    others = names(draft) - {each["name"] for each in made}
    if digest(made) != removed["after"] or others & {each["name"] for each in block}:
        raise Refused(_("The draft has been changed since, so this cannot be taken back any more."))
    return with_block(draft, removed["key"], block), key_of(block)


BACK = {"block": _block, "answer": _answer, "question": _question}


def _asked(before: Draft, after: Draft, key: str, removed: Node) -> Draft:
    """Restore `asked`, which is dropped where a section has no more questions than that."""
    number = find(after, key)[0].section
    if "asked" not in removed or "asked" in before["sections"][number]:
        return after
    return with_section(after, number, {**after["sections"][number], "asked": removed["asked"]})


def packed(survey: int, removed: Node) -> str:
    return signing.dumps(removed, salt=f"surveys.builder.undo.{survey}", compress=True)


def unpacked(survey: int, text: str) -> Node:
    try:
        removed: Node = signing.loads(text, salt=f"surveys.builder.undo.{survey}")
    except signing.BadSignature:
        raise Refused(_("This cannot be taken back here.")) from None
    return removed
