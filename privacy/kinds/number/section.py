"""The kind `number`: one number, disguised by one of two laws, `classes` or `window`."""

from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node
from privacy.grammar.question_reading import ParsedSoFar
from privacy.kinds.number.classes import section as classes
from privacy.kinds.number.classes.section import CLASSES, ClassesQuestion, ClassesSection
from privacy.kinds.number.window import section as window
from privacy.kinds.number.window.section import WINDOW, WindowQuestion, WindowSection
from privacy.kinds.section import read_single_question
from privacy.kinds.section_intro_and_random_order import INTRO


def read_section(node: Node, sofar: ParsedSoFar) -> WindowSection | ClassesSection:
    members = node.members(frozenset({"kind", "questions"}), frozenset({"keep", "keep_rest", INTRO}))
    several = _("a section of numbers has one question")
    (question,), presentation = read_single_question(members, sofar, _read_question, several)
    if isinstance(question, WindowQuestion):
        return window.read_section(members, question, presentation)
    return classes.read_section(node, members, question, presentation)


def _read_question(node: Node, sofar: ParsedSoFar) -> WindowQuestion | ClassesQuestion:
    law = node.object_members().get("law")
    if law is None:
        raise node.refuse(_("%(key)s is missing"), key=quote_value("law"))
    if law.text() == WINDOW:
        return window.read_question(node, sofar)
    if law.text() == CLASSES:
        return classes.read_question(node, sofar)
    raise law.refuse(
        _("%(law)s is not a law of numbers (%(laws)s)"),
        law=quote_value(law.text()),
        laws=f"{CLASSES}, {WINDOW}",
    )
