"""Proposes texts for the answers of a yes/no question in a report's sentences, from the question's text
alone.

Uses a few patterns whose grammar is certain, and proposes nothing if none matches. "Have you taken supplies
home?" becomes "have taken supplies home", and for *no* "have not taken supplies home". A draft does not store
proposals: they follow the question until a person writes other words. The builder shows each in a sentence, and
opening stores them, marked as proposed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from privacy.grammar.question import YES_NO
from surveys.draft_json import PREFER_NOT, PROPOSED, Draft, draft_without_keys
from surveys.phrases.languages import base_language
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import PEOPLE, PREDICATE, sentence_text_fault

Proposals = Mapping[str, Mapping[str, str]]
"""Proposed sentence texts for the answers *yes* and *no*, by their keys."""

ENGLISH = re.compile(
    r"(?:(?P<when>(?:in|over|during|within) the (?:past|last) [^,]{1,40}), )?"
    r"(?P<verb>have|are|were|do|did|would|could|can) you (?P<ever>ever )?(?P<rest>.+)\?",
    re.IGNORECASE,
)
ENGLISH_SUBJECT = re.compile(r"\byou (are|were|have|had|do|did|could|can|will|would|should|must)\b")
OWN, OWN_SELF = re.compile(r"\byour\b"), re.compile(r"\byourself\b")
ENGLISH_PERSONS = re.compile(r"\b(?:you|yours|i|me|my|we|our|us)\b", re.IGNORECASE)
ENGLISH_JOINED = re.compile(r"\b(?:and|or|but)\b")
NO_NEGATION = re.compile(
    r"\b(?:not|never|no|nobody|nothing|neither|rather|some[a-z]{0,5})\b|n[’']t\b", re.IGNORECASE
)
"""Words in a predicate that prevent its negation by "not": "not something", "not not"."""
PAST = {
    "accept": "accepted", "ask": "asked", "bring": "brought", "buy": "bought", "cheat": "cheated",
    "cry": "cried", "copy": "copied", "do": "did", "drink": "drank", "drive": "drove", "fail": "failed",
    "feel": "felt", "forget": "forgot", "get": "got", "give": "gave", "go": "went", "hand": "handed",
    "have": "had", "hide": "hid", "keep": "kept", "lie": "lied", "lose": "lost", "make": "made",
    "miss": "missed", "pay": "paid", "receive": "received", "report": "reported", "see": "saw",
    "sell": "sold", "send": "sent", "sign": "signed", "smoke": "smoked", "steal": "stole", "take": "took",
    "tell": "told", "use": "used", "visit": "visited", "vote": "voted", "work": "worked", "write": "wrote",
}  # fmt: skip
"""Past forms of known verbs; questions with other verbs get no proposal."""

GERMAN = re.compile(r"Haben Sie (?P<rest>.+)\?")
GERMAN_PERSONS = re.compile(r"\b(?:Sie|Ihr|Ihre[mnrs]?|Ihnen|ich|mein\w*|sich)\b")
FRENCH = re.compile(r"Avez-vous (?P<rest>[^?]+)\?")
FRENCH_PERSONS = re.compile(r"\b(?:vous|votre|vos|vôtres?|je|mon|ma|mes)\b|-(?:même|mêmes)\b")
SPANISH = re.compile(r"¿Ha (?P<rest>[^?]+)\?")
SPANISH_PERSONS = re.compile(r"\b(?:usted|tú|tus?|te|yo|mi|mis|se)\b")
CHINESE = re.compile("(?:您|你)是否曾(?P<rest>[^？?]+)[？?]")


def propose_yes_no_sentences(question: str, language: str) -> Proposals:
    """Returns the sentence texts proposed for *yes* and *no*; empty where no pattern matches."""
    propose = LANGUAGES.get(base_language(language))
    proposals = propose(question.strip()) if propose else {}
    fitting = {
        answer: {key: text for key, text in texts.items() if not sentence_text_fault(text)}
        for answer, texts in proposals.items()
    }
    return {answer: texts for answer, texts in fitting.items() if texts}


def _propose_in_english(question: str) -> Proposals:
    match = ENGLISH.fullmatch(question)
    if match is None or "?" in match["rest"]:
        return {}
    verb, rest = match["verb"].lower(), ENGLISH_SUBJECT.sub(r"they \1", match["rest"])
    rest = OWN_SELF.sub("themselves", OWN.sub("their", rest))
    if match["when"]:
        rest = f"{rest} {match['when'][0].lower()}{match['when'][1:]}"
    if ENGLISH_PERSONS.search(rest):
        return {}
    first, _space, more = rest.partition(" ")
    # A second verb of the question would need its past too.
    is_sure = first in PAST and not ENGLISH_JOINED.search(more)
    affirmative = {"do": rest, "did": f"{PAST[first]} {more}".strip() if is_sure else ""}
    texts = {"yes": affirmative.get(verb, f"{verb} {rest}")}
    if not NO_NEGATION.search(rest):
        texts["no"] = f"{verb} {'never' if match['ever'] else 'not'} {rest}"
    return {answer: {PREDICATE: text} for answer, text in texts.items() if text}


def _propose_in_german(question: str) -> Proposals:
    match = GERMAN.fullmatch(question)
    if match is None or GERMAN_PERSONS.search(match["rest"]):
        return {}
    rest = match["rest"]
    return {"yes": {PREDICATE: f"haben {rest}", PEOPLE: f"Personen, die {rest} haben"}}


def _propose_in_french(question: str) -> Proposals:
    match = FRENCH.fullmatch(question)
    if match is None or FRENCH_PERSONS.search(match["rest"]):
        return {}
    return {"yes": {PREDICATE: f"ont {match['rest'].strip()}"}}


def _propose_in_spanish(question: str) -> Proposals:
    match = SPANISH.fullmatch(question)
    if match is None or SPANISH_PERSONS.search(match["rest"]):
        return {}
    return {"yes": {PREDICATE: f"han {match['rest']}"}}


def _propose_in_chinese(question: str) -> Proposals:
    match = CHINESE.fullmatch(question)
    if match is None or "您" in match["rest"] or "你" in match["rest"]:
        return {}
    return {"yes": {PREDICATE: f"曾{match['rest']}"}, "no": {PREDICATE: f"从未{match['rest']}"}}


LANGUAGES: Mapping[str, Callable[[str], Proposals]] = {
    "en": _propose_in_english,
    "de": _propose_in_german,
    "fr": _propose_in_french,
    "es": _propose_in_spanish,
    "zh": _propose_in_chinese,
}


def propose_sentences_for_question(question: DraftQuestion, language: str) -> Proposals:
    """Returns the sentence texts proposed for the answers of a yes/no question; empty for other questions."""
    if question.is_option or {*question.choice_names} - {PREFER_NOT} != {*YES_NO}:
        return {}
    return propose_yes_no_sentences(question.text.get(language, ""), language)


def add_proposed_sentences(draft: Draft, questionnaire: Questionnaire) -> Draft:
    """Returns the draft with the sentence texts proposed for its answers, where nobody wrote any; `questionnaire` is
    the parsed draft."""
    texts: dict[str, dict[str, dict[str, str]]] = {}
    for question in questionnaire.all_questions:
        choices = {choice.name: choice for choice in question.choices}
        for language in questionnaire.languages:
            for answer, proposals in propose_sentences_for_question(question, language).items():
                for key, text in proposals.items():
                    if language not in getattr(choices[answer], key):
                        of_answer = texts.setdefault(f"{question.name}={answer}", {})
                        of_answer.setdefault(key, {})[language] = text
    return {**draft_without_keys(draft, PROPOSED), **({PROPOSED: texts} if texts else {})}


class ReportLine(NamedTuple):
    """What a report's first page can say of a question, with an invented figure; an empty `sentence` if nothing.
    `quotes`: it quotes the question."""

    sentence: str
    quotes: bool


ReportLineFunction = Callable[[Questionnaire, Sequence[DraftQuestion], str], ReportLine | None]
_report_line: list[ReportLineFunction] = []


def register_report_line(function: ReportLineFunction) -> None:
    """Registers the function of `reports` that writes the line of a question, or of its options, in a language; None
    for one that is unfinished."""
    _report_line[:] = [function]


def line_of_report(draft: Questionnaire, block: Sequence[DraftQuestion], language: str) -> ReportLine | None:
    return _report_line[0](draft, block, language) if _report_line else None
