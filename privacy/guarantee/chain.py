"""The guarantee over surveys that repeat each other: for people who answer all of them, the gammas multiply.

They do where each survey draws again. A crosswise question draws nothing: its coin is the respondent's secret, which is
the same for life. Asked with the same secret again, two records that differ prove that the private answer changed,
whatever the share of the secret: the ratio is infinite, so there is no guarantee to state.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from privacy.designs import Design, InputError
from privacy.grammar.input_error import marked as _
from privacy.guarantee.amplification import Guarantee


def chain(designs: Sequence[Design]) -> Guarantee | None:
    """Of a design, the one that it follows, the one that this follows, and so on; None if nothing is disguised.

    A design that does not follow the next one is refused, and so are a chain that does not reach its first survey and a
    crosswise question with a secret of an earlier design.
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
        check_secrets(design, designs[index + 1 :])
    laws = tuple(law for design in designs for section in design.sections if (law := section.law))
    return Guarantee(laws) if laws else None


def check_secrets(design: Design, earlier: Sequence[Design]) -> None:
    """Refuse a crosswise question whose secret, or its opposite, was one in an earlier design.

    Texts are compared but for case and spaces. Another wording of the same secret is not recognised.
    """
    asked_before = {text for before in earlier for _name, text in secrets(before)}
    for name, text in secrets(design):
        if text in asked_before:
            raise InputError(
                name,
                _(
                    "an earlier survey asked this question with the same secret, which nobody draws anew: two records "
                    "of one person could prove that the answer changed. Give it another secret"
                ),
            )


def normal_secret(text: str) -> str:
    return " ".join(text.split()).casefold()


def secrets(design: Design) -> Iterator[tuple[str, str]]:
    """Each crosswise question with each text of its secrets."""
    for question in design.questions:
        for texts in question.secrets:
            for text in texts.as_json().values():
                if normal := normal_secret(text):
                    yield question.name, normal
