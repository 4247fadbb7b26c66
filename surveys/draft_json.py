"""A stored draft: JSON with the keys of a design (candor-design/1), and a few that only the builder reads.

A draft may be unfinished or come from a file, so these functions tolerate every mistake in it. surveys.kinds.read_draft
parses it into a Questionnaire, which the builder edits.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

from privacy.designs.design import FORMAT, LEAST, UNDERSTOOD
from privacy.designs.embedding_sites import MOST_SITES, normalise_site
from privacy.grammar.input_error import InputError
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from privacy.kinds.plain.section import PlainSection
from surveys import default_draft_texts

Draft = Mapping[str, Any]

PROPOSED = "proposed_sentences"
"""Key of an opened survey's draft: the words that Candor proposed for sentences of reports, and nobody replaced."""
BUILDER_KEYS = frozenset({"expected", PROPOSED})
"""Keys of a draft that a design does not contain."""
FOLLOWS = "follows"
STUDY = "study"
ROUNDS = "rounds"
INVITATION_KEY = "invitation_key"
TOKEN_KEY, SEALING_KEY = "token_key", "sealing_key"
ASKED_AT = "asked_at"
OWN_KEYS = (INVITATION_KEY, TOKEN_KEY, SEALING_KEY)
"""Keys for public keys, whose private halves belong to one survey."""
SITES = "sites"
UNDERSTANDING = "understanding"
"""Key of a draft that switches on the check of understanding; a design has a section for it instead."""
STUDY_KEYS = frozenset({FOLLOWS, STUDY, ROUNDS})
KEYS_NOT_COPIED = STUDY_KEYS | {"plan", PROPOSED, *OWN_KEYS}
"""Keys that a copy of a draft does not get; a rehearsal keeps the keys of a study, since it shows what its
survey will show."""
PRESET = "preset"
"""Key of a disguised section with the preset of protection that its settings follow."""
TOGETHER = "together"
"""Key of a disguised section whose preset asks every person all of its questions."""
PAIRS = "pairs"
"""Key of a disguised section whose preset asks as many yes/no questions as give pairs of answers the least error."""
SHARE, DEFAULT_SHARE = "share", "0.1000"
"""Key of a question disguised with others, the share of people expected to say yes; and its default."""

MINUTES, EXPECTED = 5, 1000
KEEP = "0.5000"
PREFER_NOT = "prefer-not-to-say"


def new_draft_with_two_sections(
    title: str, language: str, today: date, *, asker: str = "", contact: str = ""
) -> Draft:
    """Returns a draft with an empty plain and an empty sensitive section, so that the first question has the kind that
    a person chooses, and default values for fields where a default cannot mislead."""
    return {
        "format": FORMAT,
        "languages": [language],
        "title": {language: title},
        "asker": {language: asker} if asker else {},
        "why": {},
        "intro": {},
        "consent": default_draft_texts.shipped_words_by_language(default_draft_texts.CONSENT, [language]),
        "thanks": {},
        "panel": {},
        "contact": contact,
        "minutes": MINUTES,
        "least": LEAST,
        "retention": date_in_365_days(today).isoformat(),
        "open_answers": False,
        "rehearsal": False,
        "expected": EXPECTED,
        "sections": [
            {"kind": PlainSection.kind, "questions": []},
            {
                "kind": UnrelatedQuestionSection.kind,
                "keep": KEEP,
                PRESET: DEFAULT.name,
                PAIRS: True,
                "questions": [],
            },
        ],
    }


def date_in_365_days(today: date) -> date:
    """Returns the day 365 days after `today`."""
    return today + timedelta(days=365)


def start_page_promises_completion_code(draft: Draft) -> bool:
    """True if the start page tells respondents that they get a completion code at the end."""
    return bool(read_text_with_fallback(draft, "panel", None).strip())


def draft_without_keys(draft: Draft, *keys: str) -> Draft:
    return {key: value for key, value in draft.items() if key not in keys}


def draft_with_values(draft: Draft, **values: Any) -> Draft:
    """Returns a copy of the draft in which the given keys have new values."""
    return {**draft, **values}


def draft_for_copy(draft: Draft, today: date, *, rehearsal: bool) -> Draft:
    """Returns the draft for a copy of a survey, without keys that belong to the original alone, such as its hypotheses
    and its cryptographic keys.

    A rehearsal keeps the keys that relate the survey to others of a study, and is asked on this site. A retention date
    that is not in the future is replaced.
    """
    is_over = read_text(draft, "retention") <= today.isoformat()
    retention_text = date_in_365_days(today).isoformat() if is_over else draft["retention"]
    left = (KEYS_NOT_COPIED - STUDY_KEYS) | {ASKED_AT} if rehearsal else KEYS_NOT_COPIED
    return draft_with_values(draft_without_keys(draft, *left), rehearsal=rehearsal, retention=retention_text)


def read_retention_date(draft: Draft) -> date | None:
    try:
        return date.fromisoformat(read_text(draft, "retention"))
    except ValueError:
        return None


def read_text(draft: Draft, key: str) -> str:
    value = draft.get(key)
    return value if isinstance(value, str) else ""


def read_number(draft: Draft, key: str, otherwise: int) -> int:
    value = draft.get(key)
    return value if type(value) is int else otherwise


def read_languages(draft: Draft) -> Sequence[str]:
    codes = draft.get("languages")
    return [code for code in codes if isinstance(code, str)] if isinstance(codes, list) else ["en"]


def read_sites(draft: Draft) -> tuple[str, ...]:
    """Returns the web sites that may show the survey in a frame, without invalid ones."""
    given = draft.get(SITES)
    sites: dict[str, None] = {}
    for site in given if isinstance(given, list) else []:
        with suppress(InputError):
            sites[normalise_site(site if isinstance(site, str) else "")] = None
    return tuple(sites)[:MOST_SITES]


def read_asked_at(draft: Draft) -> dict[str, Any]:
    """Returns which host serves the page, or in which tools it stands, as JSON that may be wrong; empty: neither."""
    given = draft.get(ASKED_AT)
    return dict(given) if isinstance(given, dict) else {}


def read_text_with_fallback(draft: Draft, key: str, language: str | None) -> str:
    """Returns the text under `key` in this language, else in the first of the draft's languages that has it, else
    empty."""
    texts = draft.get(key)
    if isinstance(texts, str):
        return texts
    if not isinstance(texts, dict):
        return ""
    given = (texts.get(code) for code in [language, *read_languages(draft)] if code)
    return next((words for words in given if isinstance(words, str) and words), "")


def read_sections_without_understanding_check(draft: Draft) -> list[Mapping[str, Any]]:
    """Returns the sections that are JSON objects.

    The check of understanding, which an opened survey has as its last section, is left out.
    """
    nodes = draft.get("sections")
    given: list[Mapping[str, Any]] = []
    if isinstance(nodes, list):
        given = [node for node in nodes if isinstance(node, dict)]
    if given and has_understanding_check(draft):
        last = [node.get("name") for node in read_questions(given[-1])]
        return given[:-1] if last == [UNDERSTOOD] else given
    return given


def has_understanding_check(draft: Draft) -> bool:
    return draft.get(UNDERSTANDING) is True


def read_questions(section: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return read_json_objects(section, "questions")


def read_json_objects(parent: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Returns the JSON objects in the list that is stored under this key; anything else is left out."""
    nodes = parent.get(key)
    return [node for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
