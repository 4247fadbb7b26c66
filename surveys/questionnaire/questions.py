"""The kind of a question, and whether people may prefer not to say."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.question import DRAWN, YES_NO
from privacy.grammar.reading import RESERVED_NAME
from surveys import own_words
from surveys.draft import PREFER_NOT
from surveys.questionnaire import answer_choices, normal_values
from surveys.questionnaire.blocks import (
    Block,
    find_with_choices,
    group_names,
    is_group,
    new_name,
    question_names,
    with_block,
)
from surveys.questionnaire.draft_question import KNOWN_OF_NEW, OPTION, Choice, DraftQuestion, Words, as_drawn
from surveys.questionnaire.problems import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.rules import without_broken_rule
from surveys.questionnaire.scales import SCALES

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
    if block[0].form in ("scale", DRAWN):
        return block[0].form
    return "yes-no" if answer_choices.is_yes_no(block) else "one"


def new_block(draft: Questionnaire, kind: str, sensitive: bool) -> Block:
    """A question without words of its own; a sensitive one lets people prefer not to say."""
    question = DraftQuestion(name=new_name(draft), role="" if sensitive else "other")
    return _made(draft, question, kind, [], prefers=sensitive)


def new_control(draft: Questionnaire) -> Block:
    """A control item without words, for a section that is not disguised."""
    [question] = new_block(draft, "yes-no", False)
    return [replace(question, known=KNOWN_OF_NEW)]


def with_kind(draft: Questionnaire, key: str, kind: str) -> Questionnaire:
    """The same words asked in another way; answers that fit stay."""
    position, block = find_with_choices(draft, key)
    if kind == kind_of(block):
        return draft
    if draft.sections[position.section].holds_one:
        raise NotAllowed(_("This question is sent as sets. Send one choice, then change its kind."))
    first, name, group = block[0], block[0].name, ""
    if is_group(block):
        name = normal_values.unused_name(first.of, question_names(draft) - {each.name for each in block})
    elif first.in_battery and kind not in ("yes-no", "many"):
        group = first.of
    bare = DraftQuestion(
        name=name,
        text=first.text,
        label=first.label,
        help=first.help,
        show_if=first.show_if,
        role=first.role,
        of=group,
    )
    fitting = first.choices if kind_of(block) in ("one", "scale") and kind in ("one", "scale") else ()
    made = _made(draft, bare, kind, answer_choices.labels(block), answer_choices.prefers_not(block), fitting)
    return without_broken_rule(draft, with_block(draft, key, made))


def _made(
    draft: Questionnaire,
    bare: DraftQuestion,
    kind: str,
    labels: Sequence[Words],
    prefers: bool,
    fitting: Sequence[Choice] = (),
) -> Block:
    """`bare` has no form and no choices yet."""
    spoken = draft.languages
    written = [label for label in labels if label]
    empty: list[Words] = [{}] * max(0, FEWEST.get(kind, 0) - len(written))
    if kind == "many":
        return _group(draft, bare, [*written, *empty], prefers)
    if kind == "yes-no":
        choices = yes_no(spoken, prefers)
    elif kind in SCALES:
        choices = _points(kind, spoken)
    elif kind in KINDS:
        own = [each for each in fitting if each.name != PREFER_NOT]
        choices = own or [Choice(str(number), label) for number, label in enumerate([*written, *empty], 1)]
    else:
        raise NotAllowed(_("There is no such kind of question."))
    if kind == DRAWN:
        return [_drawn(replace(bare, choices=tuple(choices)))]
    if prefers:
        choices = [*choices, answer_choices.prefer_not_choice(spoken)]
    form = "yes-no" if kind == "yes-no" and not prefers else "one" if kind in ("yes-no", "one") else "scale"
    return [replace(bare, form=form, choices=tuple(choices))]


def _drawn(question: DraftQuestion) -> DraftQuestion:
    if not question.role:
        raise NotAllowed(_("Add a drawn version in a section that is not disguised."))
    return as_drawn(question, None)


def yes_no(spoken: Sequence[str], prefers: bool) -> list[Choice]:
    """By themselves they need no words; beside "prefer not to say" they are choices like others."""
    words = {"no": own_words.NO, "yes": own_words.YES}
    return [Choice(name, own_words.in_languages(words[name], spoken) if prefers else {}) for name in YES_NO]


def _points(kind: str, spoken: Sequence[str]) -> list[Choice]:
    points = SCALES[kind].points
    by_point = zip(*points.values(), strict=True)
    labels = (dict(zip(points, words, strict=True)) for words in by_point)
    return [
        Choice(str(number), {code: label[code] for code in spoken if code in label})
        for number, label in enumerate(labels, 1)
    ]


def _group(draft: Questionnaire, bare: DraftQuestion, labels: Sequence[Words], prefers: bool) -> Block:
    group = normal_values.unused_name(bare.name, group_names(draft))
    fresh = normal_values.UniqueNames(question_names(draft) - {bare.name})
    wanted = [(str(number), label) for number, label in enumerate(labels, 1)]
    if prefers:
        wanted.append((PREFER_NOT, own_words.in_languages(own_words.PREFER_NOT, draft.languages)))
    return [
        replace(
            bare,
            name=fresh.give(f"{bare.name}-{ending}"),
            form=OPTION,
            of=group,
            choices=answer_choices.option(label),
        )
        for ending, label in wanted
    ]


def with_prefer_not(draft: Questionnaire, key: str, wanted: bool) -> Questionnaire:
    _place, block = find_with_choices(draft, key)
    if answer_choices.prefers_not(block) == wanted:
        return draft
    spoken = draft.languages
    if kind_of(block) == DRAWN:
        raise NotAllowed(_("The device draws this answer, so nobody can prefer not to say."))
    if is_group(block):
        label, name = own_words.in_languages(own_words.PREFER_NOT, spoken), f"{block[0].of}-{PREFER_NOT}"
        made = answer_choices.with_member(draft, block, len(block), name, label) if wanted else block[:-1]
    else:
        own = [each for each in block[0].choices if each.name != PREFER_NOT]
        if kind_of(block) == "yes-no":
            own = yes_no(spoken, wanted)
        made = answer_choices.with_choices(
            block, [*own, answer_choices.prefer_not_choice(spoken)] if wanted else own
        )
        if kind_of(block) == "yes-no":
            made = [replace(made[0], known="", form="one" if wanted else "yes-no")]
    return without_broken_rule(draft, with_block(draft, key, made))


def rename_question(draft: Questionnaire, before: str, name: str) -> Questionnaire:
    """Another name in the files of records; rules that look at the question follow it."""
    after = normal_values.as_name(name)
    if after == before:
        return draft
    if not after or after == RESERVED_NAME or after in question_names(draft):
        raise NotAllowed(
            _("Another question has this name, or it cannot be one: “%(name)s”.") % {"name": name}
        )
    return draft.with_each_question(lambda question: question.following(before, after))
