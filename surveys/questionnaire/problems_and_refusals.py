"""Problems at a position in a design or draft, and refusals of a person's request, as messages for that
person."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import get_language_info, gettext as _, gettext_lazy

from privacy.designs import InputError
from surveys import draft_json


class Problem(NamedTuple):
    """A problem at one position in a draft: `path` as in a design (`sections[0].questions[1].text.en`),
    `reason` in the reader's language."""

    path: str
    reason: str

    @property
    def sentence(self) -> str:
        return self.reason[0].upper() + self.reason[1:] + "."

    @property
    def anchor(self) -> str:
        """HTML id of the builder's field that can fix the problem."""
        return re.sub(r"[^a-z0-9]+", "-", self.path.lower()).strip("-")


def reason_text(refusal: InputError) -> str:
    """Returns the reason of a refusal in the reader's language; `privacy` gives reasons in English only."""
    return _(refusal.template) % refusal.values if refusal.values else _(refusal.template)


def path_and_reason_text(refusal: InputError) -> str:
    """Returns path and reason of a refusal as one line of text."""
    return _("%(place)s: %(reason)s") % {"place": refusal.path, "reason": reason_text(refusal)}


def language_name(code: str) -> str:
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


NAMES = {
    "title": gettext_lazy("title"),
    "asker": gettext_lazy("who asks"),
    "why": gettext_lazy("why it is asked"),
    "intro": gettext_lazy("introduction"),
    "consent": gettext_lazy("what people agree to"),
    "thanks": gettext_lazy("thanks"),
    "panel": gettext_lazy("about the completion code"),
    "ethics": gettext_lazy("the ethics approval"),
    "officer": gettext_lazy("the data protection officer"),
    "privacy": gettext_lazy("the privacy notice"),
    "imprint": gettext_lazy("the imprint"),
    "logo": gettext_lazy("logo"),
    "logo_alt": gettext_lazy("the logo’s alternative text"),
    "accent": gettext_lazy("colour"),
    "completion": gettext_lazy("completion code or address"),
    "contact": gettext_lazy("contact"),
    "minutes": gettext_lazy("minutes it takes"),
    "least": gettext_lazy("minimum batch size"),
    "retention": gettext_lazy("deletion date"),
    "languages": gettext_lazy("languages"),
    "sections": gettext_lazy("sections"),
    "questions": gettext_lazy("questions"),
    "choices": gettext_lazy("choices"),
    "text": gettext_lazy("question text"),
    "help": gettext_lazy("help text"),
    "label": gettext_lazy("label"),
    "name": gettext_lazy("name"),
    "form": gettext_lazy("form"),
    "of": gettext_lazy("group"),
    "none": gettext_lazy("answer that excludes the others"),
    "order": gettext_lazy("random order"),
    "shuffled": gettext_lazy("random order of answers"),
    "role": gettext_lazy("role"),
    "keep": gettext_lazy("keep"),
    "noise": gettext_lazy("noise"),
    "lasting": gettext_lazy("true answers kept for all rounds"),
    "asked": gettext_lazy("asked"),
    "show_if": gettext_lazy("show-if"),
    "unit": gettext_lazy("unit"),
    "secret": gettext_lazy("secret question"),
    "turned": gettext_lazy("opposite secret question"),
    "turned_by": gettext_lazy("drawn question that turns the secret"),
    "share": gettext_lazy("share of the secret"),
    "source": gettext_lazy("source of the share"),
    "known": gettext_lazy("known share of a control item"),
    "shares": gettext_lazy("shares of a drawn question"),
    "step": gettext_lazy("step"),
    "low": gettext_lazy("lowest number"),
    "values": gettext_lazy("numbers"),
    "window": gettext_lazy("window"),
    "uniform": gettext_lazy("uniform"),
    "high": gettext_lazy("highest number"),
    "limits": gettext_lazy("limits"),
    "cuts": gettext_lazy("limits drawn"),
    "rest": gettext_lazy("rest"),
    "keep_rest": gettext_lazy("keep probability of the rest"),
    "regions": gettext_lazy("regions"),
    "cells": gettext_lazy("cells"),
    "near": gettext_lazy("near cells"),
    "odds": gettext_lazy("odds"),
    "outline": gettext_lazy("outline"),
    "phrases": gettext_lazy("fixed sentences"),
    "sites": gettext_lazy("sites that may show the survey"),
    "asked_at": gettext_lazy("where the survey is asked"),
    "host": gettext_lazy("host"),
    "record": gettext_lazy("address of the records"),
    "inside": gettext_lazy("tools that show it"),
    "direct": gettext_lazy("share asked directly"),
    "follows": gettext_lazy("survey asked again"),
    "study": gettext_lazy("first survey of the study"),
    "rounds": gettext_lazy("rounds at random"),
    "understanding": gettext_lazy("check of understanding"),
    "hypotheses": gettext_lazy("hypotheses"),
    "invitation_key": gettext_lazy("key for invitations"),
    "token_key": gettext_lazy("key of field devices"),
    "sealing_key": gettext_lazy("key of field devices"),
    "field_devices": gettext_lazy("field devices"),
    "quotas": gettext_lazy("quotas"),
    "answers": gettext_lazy("answers"),
    "limit": gettext_lazy("people wanted"),
    "opens": gettext_lazy("opening time"),
    "closes": gettext_lazy("closing time"),
    "cap": gettext_lazy("cap"),
    "at_once": gettext_lazy("answers expected at once"),
}
"""Names of the members of a design, for messages."""


QuestionNumbers = dict[tuple[int, int], tuple[int, int | None]]
IN_QUESTION = re.compile(r"sections\[(\d+)\]\.questions\[(\d+)\]", re.ASCII)
IN_CHOICE = re.compile(r"\.choices\[(\d+)\]", re.ASCII)
NUMBERED = {
    "sections": gettext_lazy("section %(number)s"),
    "questions": gettext_lazy("question %(number)s"),
    "choices": gettext_lazy("answer %(number)s"),
    "regions": gettext_lazy("region %(number)s"),
    "cells": gettext_lazy("cell %(number)s"),
    "hypotheses": gettext_lazy("hypothesis %(number)s"),
    "quotas": gettext_lazy("quota %(number)s"),
}


def path_in_words(path: str, draft: draft_json.Draft | None = None) -> str:
    """Converts a path to words: "Section 2, question 1, answer 3, label".

    With `draft`, questions are numbered as in the builder: "Question 4, answer 3".
    """
    return next(paths_in_words([path], draft))


def paths_in_words(paths: Iterable[str], draft: draft_json.Draft | None = None) -> Iterator[str]:
    """Yields each path in words; the draft is read once for all."""
    numbers = _question_numbers_in_builder(draft) if draft is not None else {}
    return (_path_in_words(path, numbers) for path in paths)


def _path_in_words(path: str, numbers: QuestionNumbers) -> str:
    pieces: list[str] = []
    match = IN_QUESTION.match(path)
    if match and (place := numbers.get((int(match[1]), int(match[2])))):
        number, option = place
        pieces.append(NUMBERED["questions"] % {"number": number})
        path = path[match.end() :]
        if choice := IN_CHOICE.match(path):
            pieces.append(NUMBERED["choices"] % {"number": option or int(choice[1]) + 1})
            path = ""
    keys = re.findall(r"[^.\[\]]+", path)
    for key, following in zip(keys, [*keys[1:], ""], strict=False):
        if key in NUMBERED and following.isdecimal():
            pieces.append(NUMBERED[key] % {"number": int(following) + 1})
        elif key in NAMES:
            pieces.append(str(NAMES[key]))
    text = _(", ").join(pieces) or path
    return text[0].upper() + text[1:]


def _question_numbers_in_builder(draft: draft_json.Draft) -> QuestionNumbers:
    """Maps the indices of section and question to the question's number in the builder, and an option's number in its
    group.

    The builder counts all options of a group as one question.
    """
    numbers: QuestionNumbers = {}
    number, group, option = 0, "", 0
    for at, section in enumerate(draft_json.read_sections_without_understanding_check(draft)):
        for place, question in enumerate(draft_json.read_questions(section)):
            of = draft_json.read_text(question, "of") if question.get("form") == "many" else ""
            option = option + 1 if of and of == group else 1
            number += option == 1
            group = of
            numbers[at, place] = number, option if of else None
        group = ""
    return numbers


# --- refusals: exceptions whose text a person reads


class NotAllowed(Exception):
    """Raised if an action is refused; its text tells the person the reason, and what to do instead."""


class DecidedMeanwhile(NotAllowed):
    """Raised if a reviewer would overrule a decision that another reviewer made after the page was opened;
    nothing was written."""

    def __init__(self, person: object, decision: str) -> None:
        words = _(
            "%(person)s has decided since you opened this page: %(decision)s. Nothing was changed. Reload the page, "
            "look at that decision, then decide."
        )
        super().__init__(words % {"person": person, "decision": decision})


class InputRefused(NotAllowed):
    """Raised if values are refused; `problems` has the position and the reason of each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{problem.path} {problem.reason}" for problem in problems))
