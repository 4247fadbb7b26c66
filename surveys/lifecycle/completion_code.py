"""The completion code of a survey: one code or web address, shown to everybody who has sent their answers.

It is stored in the survey's row and not in its design, since a respondent can read the design before
answering.

In the parameters of an address, `{panel}` stands once for the panel's identifier of a person. Its value is in
the fragment of the survey's link, and the respondent's browser fills it in (intake/static/intake/panel.js):
this site never gets it.
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys import draft_json
from surveys.draft_json import Draft
from surveys.phrases.kind_words import language_of_kind_word
from surveys.questionnaire.problems_and_refusals import Problem

LONGEST = 160
"""Highest number of characters, all ASCII. All responses to records are padded to the length of the longest
completion."""
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{3,39}", re.ASCII)
ADDRESS = re.compile(
    r"https://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?", re.ASCII
)
PANEL = "{panel}"
WITH_PANEL = re.compile(
    r"https://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]*)?"
    r"\?(?:[A-Za-z0-9._~-]+=[A-Za-z0-9._~-]*&)*[A-Za-z0-9._~-]+=\{panel\}(?:&[A-Za-z0-9._~-]+=[A-Za-z0-9._~-]*)*",
    re.ASCII,
)
"""Pattern of an address with parameters, one of which is the panel's identifier."""
PANEL_PARAMETER = re.compile(r"([?&])[^?&=]+=\{panel\}(&?)")
PLACEHOLDERS = frozenset("{}[]<>%$*|&=;")
"""Characters with which panels mark placeholders for values that differ between people."""


def completion_problems(completion: str) -> Iterator[Problem]:
    """Yields the problem of an invalid completion code or address, with what to enter instead; nothing for an empty
    text."""
    if PANEL in completion and not language_of_kind_word(completion):
        yield from _panel_address_problems(completion)
        return
    is_meant_as_address = any(sign in completion for sign in ("/", ":", "?", "@"))
    reason = _address_fault(completion) if is_meant_as_address else ""
    if completion and not is_meant_as_address and not CODE.fullmatch(completion):
        reason = _("must be 4 to 40 letters from a to z, digits, hyphens or underscores, or an https address")
        if PLACEHOLDERS & set(completion):
            reason = _(
                "must be the same for everybody: this looks like a placeholder for something personal. Give one fixed"
                " code"
            )
    if language_of_kind_word(completion):
        reason = _("must not have a word by which Candor says what kind a question is")
    if reason:
        yield Problem("completion", reason)


def completion_code_mention_problems(completion: str, draft: Draft) -> Iterator[Problem]:
    """Yields a problem if the start page promises a completion code that is not set, or does not mention a code that is
    set."""
    promised = draft_json.start_page_promises_completion_code(draft)
    if completion and not promised:
        yield Problem("panel", _("is missing: respondents should know beforehand what they get at the end"))
    # A rehearsal can show an example.
    if promised and not completion and draft.get("rehearsal") is not True:
        reason = _("is missing, and the start page promises it: set a code or an address in the settings")
        yield Problem("completion", reason)


def _panel_address_problems(address: str) -> Iterator[Problem]:
    reason = ""
    if len(address) > LONGEST:
        reason = _("must have at most %(most)s characters") % {"most": LONGEST}
    elif not WITH_PANEL.fullmatch(address):
        reason = _(
            "must have %(panel)s once, as the value of a parameter, such as"
            " https://panel.example.org/done?id=%(panel)s; its other values are letters from a to z, digits and"
            " - . _ ~, the same for everybody"
        ) % {"panel": PANEL}
    if reason:
        yield Problem("completion", reason)


def has_panel_parameter(completion: str) -> bool:
    """True if the address has the placeholder {panel}, for the id that a panel gave the participant."""
    return PANEL in completion


def address_without_panel_parameter(completion: str) -> str:
    """Returns the address without the panel's parameter, for browsers that cannot fill it in."""
    return PANEL_PARAMETER.sub(lambda match: match[1] if match[2] else "", completion)


def _address_fault(address: str) -> str:
    """Returns the first rule for web addresses that `address` breaks, with what to give instead; empty if it breaks
    none."""
    if not address.startswith("https://"):
        return _("must begin with https://, so that nobody on the way can change where people are sent")
    if "?" in address:
        return _(
            "must have no parameters: what follows the ? could tell one person from another. Give the address without"
            " it; if it holds a fixed code, give that code instead"
        )
    if "#" in address:
        return _(
            "must have no #: what follows it could tell one person from another. Give the address without it"
        )
    if "@" in address:
        return _("must have no user name: it could tell one person from another. Give the address without it")
    if PLACEHOLDERS & set(address):
        return _(
            "must be the same for everybody: this looks like a placeholder for something personal. Give the address"
            " without it, or a code"
        )
    if len(address) > LONGEST:
        return _("must have at most %(most)s characters") % {"most": LONGEST}
    if not ADDRESS.fullmatch(address):
        return _(
            "is no address that every browser understands: use letters from a to z, digits and - . _ ~ /"
        )
    return ""
