"""Reads the fields of a question that all kinds of sections share: names, choices, forms, groups and rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS, Node, parts_to_decimal
from privacy.grammar.question import (
    DRAWN,
    FORMS,
    SHUFFLED,
    SHUFFLED_FORMS,
    TABLE_FORMS,
    YES_NO,
    Choice,
    Question,
    ShowIfRule,
)
from privacy.grammar.translated_texts import Texts, read_texts

REQUIRED = frozenset({"name", "choices"})
ANSWER_SENTENCES, NUMBER_SENTENCES = (
    frozenset({"predicate", "people"}),
    frozenset({"quantity", "sentence_unit"}),
)
"""Keys of a draft for the wording of an answer in the sentences of reports. A design is read without them, so
its fingerprint does not depend on them."""
OPTIONAL = frozenset({"form", "of", "none", "known", "text", "help", "show_if", "label", SHUFFLED})
MOST_QUESTIONS = 25_000
"""Most questions of a design: as many as can be audited within seconds."""
LEAST_KNOWN_GAP = 2_000
"""Least distance of the known share of a control item from one half, in ten-thousandths."""
MOST_LABEL = 40
"""Most characters of a question's short label, in each language."""
RESERVED_NAME = "group"
RESERVED_CHOICES = ("-", "?")

Q = TypeVar("Q", bound=Question)


@dataclass(slots=True)
class ParsedSoFar:
    """State of reading a design: the questions read so far, to which the next question may refer.

    `may_rule`: for each plain question, by index, its codes that a show-if rule may name. `drawn`: shares of the
    choices of each drawn question, by name. `secrets`: the texts that ask crosswise respondents for secrets.
    """

    languages: tuple[str, ...]
    places: dict[str, int] = field(default_factory=dict)
    may_rule: dict[int, dict[str, int]] = field(default_factory=dict)
    groups: set[str] = field(default_factory=set)
    drawn: dict[str, tuple[int, ...]] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)

    def add(self, question: Question, may_rule: bool) -> None:
        """Adds a question to the state; `may_rule`: show-if rules of later questions may name it."""
        index = len(self.places)
        self.places[question.name] = index
        if may_rule:
            self.may_rule[index] = {choice.name: code for code, choice in enumerate(question.choices)}
        if question.share_parts:
            self.drawn[question.name] = question.share_parts


def read_questions(
    node: Node, sofar: ParsedSoFar, read: Callable[[Node, ParsedSoFar], Q], may_rule: bool
) -> tuple[Q, ...]:
    """Reads the questions of a section of a design; refuses a group whose members are not neighbours.

    `read`: reads one question. Adds the questions to the state `sofar`, in place.
    """
    questions: list[Q] = []
    for item in node.items():
        if len(sofar.places) == MOST_QUESTIONS:
            raise item.refuse(_("a design has at most %(most)s questions"), most=MOST_QUESTIONS)
        question = read(item, sofar)
        if question.of:
            _check_group(question, questions[-1] if questions else None, item, sofar)
            sofar.groups.add(question.of)
        sofar.add(question, may_rule)
        questions.append(question)
    if not questions:
        raise node.refuse(_("at least one question"))
    _check_shuffled_groups(questions, node)
    return tuple(questions)


def _check_shuffled_groups(questions: Sequence[Question], node: Node) -> None:
    """Refuses a random order of more options than a group has, or of options with rules about each other."""
    for index, first in enumerate(questions):
        if not (first.shuffled and first.form == "many"):
            continue
        group = [member for member in questions[index:] if member.of == first.of]
        path = f"{node.path}[{index}].{SHUFFLED}"
        if first.shuffled > len(group):
            raise InputError(path, _("at most %(most)s"), most=len(group))
        names = {member.name for member in group}
        if any(rule.question in names for member in group for rule in member.show_if):
            raise InputError(path, _("an option's rule looks at another option of this question"))


def _check_group(question: Question, before: Question | None, item: Node, sofar: ParsedSoFar) -> None:
    """Refuses a question of a group or table (questions on one screen) that does not fit the one before."""
    if before is None or before.of != question.of:
        if question.of in sofar.groups:
            raise InputError(
                f"{item.path}.of",
                _("the questions of %(group)s are not next to each other"),
                group=quote_value(question.of),
            )
        return
    for key in ("none", SHUFFLED):
        if getattr(question, key):
            raise InputError(f"{item.path}.{key}", _("only the first question of a group says it"))
    if question.form != before.form:
        raise InputError(
            f"{item.path}.form",
            _("the questions of %(group)s have two forms"),
            group=quote_value(question.of),
        )
    if question.form in TABLE_FORMS and question.choices != before.choices:
        raise InputError(
            f"{item.path}.choices",
            _("the questions of the table %(group)s have different choices: give all the same"),
            group=quote_value(question.of),
        )


def read_question_fields(
    members: dict[str, Node], sofar: ParsedSoFar, forms: tuple[str, ...] = FORMS
) -> dict[str, Any]:
    """Reads the fields of `Question` from a JSON object whose keys have been checked."""
    name = _read_question_name(members["name"], sofar)
    choices = _read_choices(members["choices"], sofar.languages)
    form = _read_form(members.get("form"), choices, forms)
    group = _read_group_name(members.get("of"), form, members["name"])
    none = _read_none_option(members.get("none"), form, sofar.languages)
    known_parts = _read_known_share(members.get("known"), form)
    own = {
        "name": name,
        "choices": choices,
        "form": form,
        "of": group,
        "none": none,
        "known_parts": known_parts,
    }
    own[SHUFFLED] = _read_shuffled_count(members.get(SHUFFLED), form, group, len(choices))
    return own | _read_common_fields(members, sofar)


def read_choice_probabilities(node: Node, choices: int) -> tuple[int, ...]:
    """Reads a probability for each choice; returns ten-thousandths, which sum to 10,000."""
    parts = tuple(item.probability() for item in node.items())
    if len(parts) != choices:
        raise node.refuse(
            _("%(given)s probabilities for %(choices)s choices"), given=len(parts), choices=choices
        )
    if sum(parts) != PARTS:
        raise node.refuse(_("the probabilities sum to %(sum)s, not 1"), sum=parts_to_decimal(sum(parts)))
    return parts


def read_choiceless_fields(members: dict[str, Node], sofar: ParsedSoFar) -> dict[str, Any]:
    """Reads the fields of `Question` for a question without choices."""
    return {
        "name": _read_question_name(members["name"], sofar),
        "choices": (),
        **_read_common_fields(members, sofar),
    }


def _read_common_fields(members: dict[str, Node], sofar: ParsedSoFar) -> dict[str, Any]:
    """Reads the fields that questions with and without choices share."""
    return {
        "text": read_texts(members.get("text"), sofar.languages),
        "help": read_texts(members.get("help"), sofar.languages),
        "show_if": _read_rules(members["show_if"], sofar) if "show_if" in members else (),
        "label": _read_label(members.get("label"), sofar),
    }


def _read_label(node: Node | None, sofar: ParsedSoFar) -> Texts:
    texts = read_texts(node, sofar.languages)
    for _language, label in texts.entries:
        if node and len(label) > MOST_LABEL:
            raise node.refuse(_("a short label has at most %(most)s characters"), most=MOST_LABEL)
    return texts


def _read_question_name(node: Node, sofar: ParsedSoFar) -> str:
    name = node.name()
    if "=" in name:
        raise node.refuse(_("a question's name holds no ="))
    if name == RESERVED_NAME:
        raise node.refuse(_("%(name)s is the name of a column of record files"), name=quote_value(name))
    if name in sofar.places:
        raise node.refuse(_("two questions are called %(name)s"), name=quote_value(name))
    return name


def _read_choices(node: Node, languages: tuple[str, ...]) -> tuple[Choice, ...]:
    choices: dict[str, Choice] = {}
    for item in node.items():
        if isinstance(item.value, str):
            name_node, label = item, Texts()
        else:
            members = item.members(frozenset({"name"}), ANSWER_SENTENCES | {"label"})
            name_node, label = members["name"], read_texts(members.get("label"), languages)
        name = name_node.name()
        if name in RESERVED_CHOICES:
            raise name_node.refuse(
                _("%(name)s has a meaning of its own in record files"), name=quote_value(name)
            )
        if name in choices:
            raise name_node.refuse(_("two choices are called %(name)s"), name=quote_value(name))
        choices[name] = Choice(name, label)
    if len(choices) < 2:
        raise node.refuse(_("at least two choices"))
    return tuple(choices.values())


def _read_form(node: Node | None, choices: tuple[Choice, ...], forms: tuple[str, ...]) -> str:
    """Reads the form of a question, such as yes-no, one or many; by default it follows from the choices."""
    is_yes_no = tuple(choice.name for choice in choices) == YES_NO
    if node is None:
        return "yes-no" if is_yes_no else "one"
    form = node.text()
    if form == DRAWN and form not in forms:
        raise node.refuse(_("a drawn question must be in a sensitive section"))
    if form not in forms:
        raise node.refuse(
            _("%(form)s is not a form (%(forms)s)"), form=quote_value(form), forms=", ".join(forms)
        )
    if form in ("yes-no", "many") and not is_yes_no:
        raise node.refuse(_("%(form)s needs the choices no, yes in this order"), form=form)
    return form


def _read_group_name(node: Node | None, form: str, name: Node) -> str:
    """Reads the name of the group or table to which a question belongs; an empty text if it has none."""
    if node is None:
        if form == "many":
            raise InputError(
                name.path.removesuffix(".name"), _("a question of the form many says of which group")
            )
        return ""
    if form not in ("many", *TABLE_FORMS):
        raise node.refuse(
            _("only questions of the form many share a group, and of the forms %(forms)s a table"),
            forms=", ".join(TABLE_FORMS),
        )
    return node.name()


def _read_known_share(node: Node | None, form: str) -> int | None:
    """Reads the known share of *yes* of a control item; returns ten-thousandths."""
    if node is None:
        return None
    if form != "yes-no":
        raise node.refuse(_("only a yes/no question is a control item"))
    parts = node.probability_including_ends()
    if abs(parts - PARTS // 2) < LEAST_KNOWN_GAP:
        raise node.refuse(
            _(
                "%(value)s is too near to one half: choose a question with at most %(low)s or at least %(high)s"
            ),
            value=parts_to_decimal(parts),
            low=parts_to_decimal(PARTS // 2 - LEAST_KNOWN_GAP),
            high=parts_to_decimal(PARTS // 2 + LEAST_KNOWN_GAP),
        )
    return parts


def _read_shuffled_count(node: Node | None, form: str, group: str, choices: int) -> int:
    """Reads how many choices, or options of a group, are shown in random order; 0 if none."""
    if node is None:
        return 0
    if form not in SHUFFLED_FORMS:
        raise node.refuse(
            _("the answers of a question of the form %(form)s keep their order: leave this out"), form=form
        )
    if form in TABLE_FORMS and group:
        raise node.refuse(_("the rows of a table share their answers, which keep their order"))
    return node.integer(2, MOST_QUESTIONS if form == "many" else choices)


def _read_none_option(node: Node | None, form: str, languages: tuple[str, ...]) -> Texts:
    """Reads the text of the option that excludes all others of a question of several answers."""
    if node is not None and form != "many":
        raise node.refuse(_("only a question of the form many can have an option for none of them"))
    return read_texts(node, languages)


def _read_rules(node: Node, sofar: ParsedSoFar) -> tuple[ShowIfRule, ...]:
    members = node.object_members()
    return tuple(_read_rule(name, members[name], sofar) for name in sorted(members))


def _read_rule(name: str, node: Node, sofar: ParsedSoFar) -> ShowIfRule:
    index = sofar.places.get(name)
    if index is None:
        raise node.refuse(_("no earlier question is called %(name)s"), name=quote_value(name))
    if index not in sofar.may_rule:
        raise node.refuse(
            _("%(name)s is sensitive: what is shown after it would tell its answer"), name=quote_value(name)
        )
    codes = sofar.may_rule[index]
    allowed: dict[str, int] = {}
    for item in node.items():
        choice = item.text()
        if choice not in codes:
            raise item.refuse(
                _("%(choice)s is not a choice of %(name)s"),
                choice=quote_value(choice),
                name=quote_value(name),
            )
        if choice in allowed:
            raise item.refuse(_("%(choice)s appears twice"), choice=quote_value(choice))
        allowed[choice] = codes[choice]
    if not allowed:
        raise node.refuse(_("at least one choice"))
    return ShowIfRule(name, tuple(allowed), index, frozenset(allowed.values()))
