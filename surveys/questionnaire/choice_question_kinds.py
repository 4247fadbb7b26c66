"""Kinds of questions with choices: yes or no, one, many, scale, bands, drawn by the device. Creates questions and
changes their kind.

Also sets whether people may prefer not to say. Kinds of sections are registered in `surveys.kinds.registry`.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.question import DRAWN, YES_NO
from surveys import default_draft_texts
from surveys.draft_json import PREFER_NOT
from surveys.questionnaire import answer_choice_editing, value_normalization
from surveys.questionnaire.answer_scales import SCALES
from surveys.questionnaire.draft_question import (
    KNOWN_OF_NEW,
    OPTION,
    Choice,
    DraftQuestion,
    Words,
    with_device_draw,
)
from surveys.questionnaire.plain_number_bands import (
    FIRST_YEAR,
    DraftBands,
    question_with_bands,
    takes_number,
    year_bands_since_1900,
)
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    Block,
    find_block_with_choices,
    group_names,
    is_group_of_options,
    question_names,
    replace_block,
    unused_question_name,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.show_if_rules import check_rules

BANDS, YEAR, MONTH = "bands", "year", "month"
QUESTION_KINDS: dict[str, str | Promise] = {
    "yes-no": gettext_lazy("Yes or no"),
    "one": gettext_lazy("One of several"),
    "many": gettext_lazy("Several of many"),
    "scale": gettext_lazy("Scale of your own"),
    BANDS: gettext_lazy("Number, in bands"),
    YEAR: gettext_lazy("Year, in bands"),
    MONTH: gettext_lazy("Month"),
    DRAWN: gettext_lazy("Version drawn by the device"),
}
FEWEST = {"one": 2, "many": 2, "scale": 5, DRAWN: 2}
"""Number of empty answers that a new question of each kind begins with."""


LISTS, ONE_OF = ("one", "scale"), ("yes-no", "one", MONTH)
MONTH_NAMES = tuple(str(month) for month in range(1, 13))


def question_kind(block: Block) -> str:
    """Returns the kind of a question, a key of `QUESTION_KINDS`."""
    if is_group_of_options(block):
        return "many"
    if block[0].form in ("scale", DRAWN):
        return block[0].form
    if takes_number(block[0]):
        return YEAR if block[0].number.low == FIRST_YEAR else BANDS
    if block[0].choice_names == MONTH_NAMES:
        return MONTH
    return "yes-no" if answer_choice_editing.is_yes_no(block) else "one"


def new_block(draft: Questionnaire, kind: str, sensitive: bool) -> Block:
    """Returns a new question without texts; a sensitive one offers "prefer not to say"."""
    question = DraftQuestion(name=unused_question_name(draft), role="" if sensitive else "other")
    return _question_of_kind(draft, question, kind, [], with_prefer_not=sensitive)


def new_control_item(draft: Questionnaire) -> Block:
    """Returns a new control item for a plain section: a yes/no question whose share of yes is known."""
    [question] = new_block(draft, "yes-no", False)
    return [replace(question, known=KNOWN_OF_NEW)]


def change_question_kind(draft: Questionnaire, key: str, kind: str) -> Questionnaire:
    """Changes the kind of a question; keeps its texts, and the answers that fit the new kind."""
    position, block = find_block_with_choices(draft, key, bands_too=True)
    if kind == question_kind(block):
        return draft
    if draft.sections[position.section].holds_one:
        raise NotAllowed(_("This question is sent as sets. Send one choice, then change its kind."))
    first, name, battery = block[0], block[0].name, ""
    if is_group_of_options(block):
        name = value_normalization.unused_name(
            first.of, question_names(draft) - {option.name for option in block}
        )
    elif first.is_line_of_battery and kind not in ("yes-no", "many"):
        battery = first.of
    bare = DraftQuestion(
        name=name,
        text=first.text,
        label=first.label,
        help=first.help,
        show_if=first.show_if,
        role=first.role,
        of=battery,
    )
    fitting = first.choices if kind in LISTS and question_kind(block) in (*LISTS, BANDS, YEAR, MONTH) else ()
    labels, with_prefer_not = (
        answer_choice_editing.answer_labels_but_prefer_not(block),
        answer_choice_editing.offers_prefer_not_to_say(block),
    )
    changed = _question_of_kind(draft, bare, kind, labels, with_prefer_not, fitting)
    return check_rules(draft, replace_block(draft, key, changed))


def _question_of_kind(
    draft: Questionnaire,
    bare: DraftQuestion,
    kind: str,
    labels: Sequence[Words],
    with_prefer_not: bool,
    fitting: Sequence[Choice] = (),
) -> Block:
    """Returns the question `bare` with the form and choices of this kind.

    `labels` are kept as texts of answers; `fitting` are choices to keep unchanged.
    """
    spoken = draft.languages
    own_labels = [label for label in labels if label]
    own_labels += [{}] * max(0, FEWEST.get(kind, 0) - len(own_labels))
    if kind == "many":
        return _group_of_options(draft, bare, own_labels, with_prefer_not)
    if kind == "yes-no":
        choices = yes_no_choices(spoken, with_prefer_not)
    elif kind in SCALES:
        points = SCALES[kind].points
        choices = [
            Choice(str(row + 1), {code: points[code][row] for code in spoken if code in points})
            for row in range(len(points["en"]))
        ]
    elif kind == MONTH:
        words = zip(MONTH_NAMES, default_draft_texts.MONTHS, strict=True)
        choices = [
            Choice(name, default_draft_texts.shipped_words_by_language(month, spoken))
            for name, month in words
        ]
    elif kind in (BANDS, YEAR):
        if not bare.role:
            raise NotAllowed(_("Add a number in bands in a section that is not disguised."))
        return [question_with_bands(bare, year_bands_since_1900() if kind == YEAR else DraftBands(), spoken)]
    elif kind in QUESTION_KINDS:
        own = [choice for choice in fitting if choice.name != PREFER_NOT]
        choices = own or [Choice(str(number), label) for number, label in enumerate(own_labels, 1)]
    else:
        raise NotAllowed(_("There is no such kind of question."))
    if kind == DRAWN:
        if not bare.role:
            raise NotAllowed(_("Add a drawn version in a section that is not disguised."))
        return [with_device_draw(replace(bare, choices=tuple(choices)), None)]
    if with_prefer_not:
        choices = [*choices, answer_choice_editing.prefer_not_to_say_choice(spoken)]
    form = "yes-no" if kind == "yes-no" and not with_prefer_not else "one" if kind in ONE_OF else "scale"
    return [replace(bare, form=form, choices=tuple(choices))]


def _group_of_options(
    draft: Questionnaire, bare: DraftQuestion, labels: Sequence[Words], with_prefer_not: bool
) -> Block:
    """Returns the options of a question where several answers can be ticked, each a question with its own name."""
    group = value_normalization.unused_name(bare.name, group_names(draft))
    unique = value_normalization.UniqueNames(question_names(draft) - {bare.name})
    options = [(str(number), label) for number, label in enumerate(labels, 1)]
    if with_prefer_not:
        options.append(
            (
                PREFER_NOT,
                default_draft_texts.shipped_words_by_language(
                    default_draft_texts.PREFER_NOT, draft.languages
                ),
            )
        )
    bare = replace(bare, form=OPTION, of=group)
    return [
        replace(
            bare,
            name=unique.make_unique(f"{bare.name}-{ending}"),
            choices=answer_choice_editing.no_and_yes_choices(label),
        )
        for ending, label in options
    ]


def yes_no_choices(spoken: Sequence[str], with_prefer_not: bool) -> list[Choice]:
    """Returns the choices no and yes; with labels only if *prefer not to say*, which has a label, is offered beside
    them."""
    words = {"no": default_draft_texts.NO, "yes": default_draft_texts.YES}
    return [
        Choice(
            name,
            default_draft_texts.shipped_words_by_language(words[name], spoken) if with_prefer_not else {},
        )
        for name in YES_NO
    ]


def add_something_else(draft: Questionnaire, key: str) -> tuple[Questionnaire, int]:
    """Adds the answer "Something else" below the other answers; also returns its row."""
    after, row = answer_choice_editing.add_choice(draft, key)
    _position, block = find_block_with_choices(after, key)
    words = default_draft_texts.shipped_words_by_language(default_draft_texts.SOMETHING_ELSE, draft.languages)
    return replace_block(after, key, answer_choice_editing.block_with_answer_label(block, row, words)), row


def set_prefer_not_to_say(draft: Questionnaire, key: str, is_offered: bool) -> Questionnaire:
    _position, block = find_block_with_choices(draft, key)
    if answer_choice_editing.offers_prefer_not_to_say(block) == is_offered:
        return draft
    spoken, kind = draft.languages, question_kind(block)
    if kind == DRAWN:
        raise NotAllowed(_("The device draws this answer, so nobody can prefer not to say."))
    prefer_not = answer_choice_editing.prefer_not_to_say_choice(spoken)
    if kind == "many":
        changed = block[:-1]
        if is_offered:
            name = f"{block[0].of}-{PREFER_NOT}"
            changed = answer_choice_editing.group_with_new_option(
                draft, block, len(block), name, prefer_not.label
            )
    else:
        own = [choice for choice in block[0].choices if choice.name != PREFER_NOT]
        if kind == "yes-no":
            own = [
                choice.with_sentence_texts_from(before)
                for choice, before in zip(yes_no_choices(spoken, is_offered), own, strict=True)
            ]
        changed = answer_choice_editing.block_with_choices(block, [*own, prefer_not] if is_offered else own)
        if kind == "yes-no":
            changed = [replace(changed[0], known="", form="one" if is_offered else "yes-no")]
    return check_rules(draft, replace_block(draft, key, changed))
