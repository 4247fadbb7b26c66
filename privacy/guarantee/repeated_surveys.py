"""The guarantee over repeated surveys: for people who answer all of them, the gammas multiply.

They do where each survey draws again. A crosswise question draws nothing: its coin is the respondent's secret, which is
the same for life. If it is asked with the same secret again, two different records prove that the private answer
changed, so there is no guarantee.

Where the disguise of a section lasts, all rounds of a study count once, for people whose answers stay the same.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.guarantee.amplification import Guarantee
from privacy.kinds.disguise_law_interface import Disguised

TEXTS = ("text", "help", "label", "none", "intro")


def repeated_guarantee(designs: Sequence[Design]) -> Guarantee | None:
    """Returns the guarantee for a person who answers all of these surveys; None if nothing is disguised.

    `designs`: a design, the one that it follows, and so on, to the first survey; each must follow the next one. Refuses
    a crosswise question with a secret of an earlier design, and lasting sections other than those of the first survey.
    """
    for later, earlier in pairwise(designs):
        if not later.follows:
            raise InputError("follows", _("this design follows none: leave the earlier design out"))
        if later.follows != earlier.fingerprint:
            raise InputError(
                "follows",
                _(
                    "is %(follows)s, not %(given)s, the fingerprint of the design given: give the one it follows"
                ),
                follows=later.follows,
                given=earlier.fingerprint,
            )
    if designs[-1].follows:
        raise InputError(
            "follows", _("the design %(follows)s is missing: give it too"), follows=designs[-1].follows
        )
    for index, design in enumerate(designs):
        refuse_repeated_secrets(design, designs[index + 1 :])
        check_lasting_sections(design, designs[index + 1 :])
    laws = tuple(law for design in designs for law in laws_of_round(design, is_first=design is designs[-1]))
    return Guarantee(laws) if laws else None


def person_guarantee(design: Design) -> Guarantee | None:
    """Returns the guarantee for one person who answers the design; None if nothing is disguised.

    If the disguise lasts, the guarantee is for all rounds, as long as the answers stay the same.
    """
    laws = laws_of_round(design, is_first=True)
    return Guarantee(laws) if laws else None


def laws_of_round(design: Design, *, is_first: bool) -> tuple[Disguised, ...]:
    """Returns the laws of one round whose gammas multiply to the guarantee of all rounds.

    A lasting section contributes its permanent draw to the first round, and nothing to later ones.
    """
    lasting = design.lasting_sections
    permanent = [law.permanent for section in lasting if (law := section.lasting_law)]
    once = [section.law for section in design.sections if section not in lasting]
    return (*(law for law in once if law), *(permanent if is_first else ()))


def check_lasting_sections(design: Design, earlier: Sequence[Design]) -> None:
    """Refuses a design whose lasting sections differ from those of the study's first survey, or are in another order.

    Its permanent draws would otherwise disguise different sections, and no bound covers what two such records reveal.
    Also refuses another `study` than the fingerprint of the first survey.
    """
    if not earlier:
        return
    before = earlier[-1]
    ours, theirs = (
        [_without_changeable_texts(section.as_json(), each.languages[0]) for section in each.lasting_sections]
        for each in (design, before)
    )
    if len(ours) != len(theirs):
        raise InputError(
            "sections",
            _(
                "the first survey of this study has %(theirs)s sections whose disguise lasts, and this one has "
                "%(ours)s: none may be added, and none left out"
            ),
            theirs=len(theirs),
            ours=len(ours),
        )
    for section, mine, other in zip(design.lasting_sections, ours, theirs, strict=True):
        if mine != other:
            raise InputError(
                f"sections[{design.sections.index(section)}]",
                _(
                    "its disguise lasts: questions, texts, choices, chances and order must be those of the first "
                    "survey of this study"
                ),
            )
    if ours and design.study != before.fingerprint:
        raise InputError("study", _("must be %(first)s, the first survey's"), first=before.fingerprint)


def _without_changeable_texts(written: Any, language: str) -> Any:
    """Returns a section's JSON with its texts in `language` alone; texts in other languages may change between
    surveys."""
    if isinstance(written, list):
        return [_without_changeable_texts(each, language) for each in written]
    if not isinstance(written, dict):
        return written
    return {
        key: value.get(language)
        if key in TEXTS and isinstance(value, dict)
        else _without_changeable_texts(value, language)
        for key, value in written.items()
    }


def refuse_repeated_secrets(design: Design, earlier: Sequence[Design]) -> None:
    """Refuses a crosswise question whose secret, or the opposite secret, was used in an earlier design.

    The comparison ignores case and spaces; another wording of the same secret is not recognised.
    """
    asked_before = {text for before in earlier for _name, text in normalised_crosswise_secrets(before)}
    for name, text in normalised_crosswise_secrets(design):
        if text in asked_before:
            raise InputError(
                name,
                _(
                    "an earlier survey asked this question with the same secret, which nobody draws anew: two records "
                    "of one person could prove that the answer changed. Give it another secret"
                ),
            )


def normalise_secret(text: str) -> str:
    """Returns the text of a secret without differences of case and spaces, for comparison."""
    return " ".join(text.split()).casefold()


def normalised_crosswise_secrets(design: Design) -> Iterator[tuple[str, str]]:
    """Yields the name of each crosswise question with each of its secrets, without case and spaces."""
    for question in design.questions:
        for texts in question.secrets:
            for text in texts.as_json().values():
                if normal := normalise_secret(text):
                    yield question.name, normal
