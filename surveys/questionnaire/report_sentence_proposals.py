"""Proposes texts for the answers of a question in a report's sentences, from the texts of question and answers
alone.

Uses a few patterns whose grammar is certain, and proposes nothing if none matches. "Have you taken supplies
home?" becomes "have taken supplies home", and for *no* "have not taken supplies home"; "How satisfied are you with your
pay?" with the answer "Very satisfied" becomes "are very satisfied with their pay". A draft does not store proposals:
they follow the question until a person writes other words. The builder shows each in a sentence, and opening stores
them, marked as proposed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from privacy.grammar.question import DRAWN, YES_NO
from surveys.draft_json import PREFER_NOT, PROPOSED, Draft, draft_without_keys
from surveys.phrases.languages import base_language
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_texts import PEOPLE, PREDICATE, QUANTITY, sentence_text_fault

Proposals = Mapping[str, Mapping[str, str]]
"""Proposed sentence texts by the names of answers, and by their keys; those of a number have the name ""."""

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
    "accept": "accepted", "ask": "asked", "borrow": "borrowed", "bring": "brought", "buy": "bought",
    "cheat": "cheated", "download": "downloaded", "gamble": "gambled", "lend": "lent", "skip": "skipped",
    "sleep": "slept", "spend": "spent",
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
CHINESE = re.compile("(?:您|你)是否(?P<ever>曾)?(?P<rest>[^？?]+)[？?]")

# Of other kinds: the question, whose answers go into its words.
ENGLISH_FEELING = re.compile(
    r"How (?P<adjective>satisfied|happy|worried|interested|concerned|confident|comfortable) are you (?P<rest>[^?,]+)\?",
    re.IGNORECASE,
)
ENGLISH_OFTEN = re.compile(r"How often (?P<verb>do|have) you (?P<rest>[^?,]+)\?", re.IGNORECASE)
ENGLISH_OWN = re.compile(r"What is your (?P<what>[^?,]+)\?", re.IGNORECASE)
ENGLISH_STATEMENT = re.compile(r"I (?P<rest>[^?:;.]{3,70})\.?")
ENGLISH_WHICH = re.compile(
    r"Which of (?:these|the following)(?: \w+)? (?P<verb>have|do|did) you "
    r"(?P<first>(?!(?:do|done|had)\b)\w+)(?P<rest>(?: [^?, ]+)*)\?",
    re.IGNORECASE,
)
ENGLISH_COUNT = re.compile(
    r"(?:(?P<when>(?:in|over|during|within) the (?:past|last) [^,]{1,40}), )?"
    r"how many (?P<what>[^?,]{2,40}) (?P<verb>do|did|have) you (?P<rest>[^?,]+)\?",
    re.IGNORECASE,
)
HOW_OLD = re.compile(r"How old are you\?", re.IGNORECASE)
BEFORE_VERB = re.compile(
    r"never|hardly ever|almost never|rarely|seldom|sometimes|occasionally|often|very often|usually|always"
)
AFTER_VERB = re.compile(r"(?:every|once|twice|several times|daily|weekly|monthly)\b.*")
OBJECT_FOLLOWS = {"of", "about", "from", "to", "with", "for"}
"""Words behind a verb whose object may stand behind them: an option is put there only where nothing follows."""
THIRD_PERSON = {"am": "are", "my": "their", "myself": "themselves", "me": "them", "mine": "theirs"}
CHINESE_OWN = re.compile("(?:您|你)的(?P<what>[^您你，,？?是]{1,20})是(?:什么|多少|哪个)?[？?：:]?")
CHINESE_FEELING = re.compile(
    "(?:您|你)对(?P<what>[^您你？?]{1,30}?)(?:的满意程度如何|的满意度如何|是否满意|满意吗|有多满意)[？?]"
)
CHINESE_OFTEN = re.compile("(?:您|你)多久(?P<rest>[^您你？?]{1,30})一次[？?]")
CHINESE_STATEMENT = re.compile("我(?P<rest>[^我您你。？?]{2,40})。?")
CHINESE_WHICH = re.compile(
    "(?P<when>在?过去[^您你，,？?]{1,8})?[，,]?(?:您|你)曾?(?P<rest>[^您你？?]{1,20}过)(?:以下|下列)?哪些[^您你？?]{0,20}[？?]"
)
CHINESE_COUNT = re.compile(
    "(?:您|你)(?P<rest>[^您你？?]{1,30}?)(?:多少|几)个?(?P<unit>小时|分钟|天|次|人|元)[？?]"
)
CHINESE_ADVERBS = re.compile("从不|从来不|几乎不|很少|偶尔|有时|经常|总是|每[天周月]")
CHINESE_HAS = re.compile("有(?![时意所]).+")


def propose_yes_no_sentences(question: str, language: str) -> Proposals:
    """Returns the sentence texts proposed for *yes* and *no*; empty where no pattern matches."""
    propose = LANGUAGES.get(base_language(language))
    return _usable(propose(question.strip())) if propose else {}


def _in_third_person(text: str) -> str:
    """Returns the English text about "they" in place of "you"; empty if it names another person too."""
    text = OWN_SELF.sub("themselves", OWN.sub("their", ENGLISH_SUBJECT.sub(r"they \1", text)))
    return "" if ENGLISH_PERSONS.search(text) else text


def _past(rest: str) -> str:
    """Returns "took a pen" for "take a pen"; empty if not sure."""
    first, _space, more = rest.partition(" ")
    # A second verb of the question would need its past too.
    return f"{PAST[first]} {more}".strip() if first in PAST and not ENGLISH_JOINED.search(more) else ""


def _propose_in_english(question: str) -> Proposals:
    match = ENGLISH.fullmatch(question)
    rest = _in_third_person(match["rest"]) if match and "?" not in match["rest"] else ""
    if match is None or not rest:
        return {}
    verb, rest = match["verb"].lower(), rest + _when(match)
    affirmative = {"do": rest, "did": _past(rest)}
    texts = {"yes": affirmative.get(verb, f"{verb} {rest}")}
    if not NO_NEGATION.search(rest):
        texts["no"] = f"{verb} {'never' if match['ever'] else 'not'} {rest}"
    return {answer: {PREDICATE: text} for answer, text in texts.items() if text}


def _when(match: re.Match[str]) -> str:
    return f" {match['when'][0].lower()}{match['when'][1:]}" if match["when"] else ""


def _english_answer(question: str, label: str) -> str:
    """Returns the predicate of an answer with this label; empty if no pattern matches."""
    said = f"{label[:1].lower()}{label[1:]}" if label[1:2].islower() else label
    if match := ENGLISH_FEELING.fullmatch(question):
        return f"are {said} {match['rest']}" if match["adjective"].lower() in said else ""
    if match := ENGLISH_OFTEN.fullmatch(question):
        has = "have " if match["verb"].lower() == "have" else ""
        if BEFORE_VERB.fullmatch(said):
            return f"{has}{said} {match['rest']}"
        return f"{has}{match['rest']} {said}" if AFTER_VERB.fullmatch(said) else ""
    if match := ENGLISH_OWN.fullmatch(question):
        return f"said their {match['what']} is {label}"
    match = ENGLISH_STATEMENT.fullmatch(question)
    words = match["rest"].split() if match else []
    if not said.endswith("agree") or not words or {"was", "you", "your"} & {*words}:
        return ""
    return " ".join([said, "that they", *(THIRD_PERSON.get(word, word) for word in words)])


def _english_option(question: str, option: str) -> Mapping[str, str]:
    """Returns the predicates of people who ticked this option (*yes*) and who did not."""
    match = ENGLISH_WHICH.fullmatch(question)
    words = match["rest"].split() if match else []
    if match is None or (len(words) > 1 and words[0] in OBJECT_FOLLOWS):
        return {}
    verb, at_end = match["verb"].lower(), len(words) == 1 and words[0] in OBJECT_FOLLOWS
    rest = " ".join([match["first"], *(words if at_end else ()), option, *(() if at_end else words)])
    return {"yes": {"do": rest, "did": _past(rest)}.get(verb, f"{verb} {rest}"), "no": f"{verb} not {rest}"}


def _english_number(question: str) -> str:
    """Returns the words for a number in a sentence; empty if no pattern matches."""
    if HOW_OLD.fullmatch(question):
        return "their age"
    match = ENGLISH_COUNT.fullmatch(question)
    if match is None:
        return ""
    verb, rest = match["verb"].lower(), match["rest"]
    did = {"do": rest, "did": _past(rest)}.get(verb, f"have {rest}")
    return f"the number of {match['what']} they {did}{_when(match)}" if did else ""


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
    rest = match["rest"]
    if match["ever"]:
        return {"yes": {PREDICATE: f"曾{rest}"}, "no": {PREDICATE: f"从未{rest}"}}
    return {"yes": {PREDICATE: rest}, "no": {PREDICATE: f"没{rest}"} if CHINESE_HAS.fullmatch(rest) else {}}


def _chinese_answer(question: str, label: str) -> str:
    if match := CHINESE_FEELING.fullmatch(question):
        return f"对{match['what']}{label}" if "满意" in label else ""
    if match := CHINESE_OFTEN.fullmatch(question):
        return f"{label}{match['rest']}" if CHINESE_ADVERBS.fullmatch(label) else ""
    if match := CHINESE_OWN.fullmatch(question):
        return f"{match['what']}是{label}"
    match = CHINESE_STATEMENT.fullmatch(question)
    return f"{label}自己{match['rest']}" if match and label.endswith("同意") else ""


def _chinese_option(question: str, option: str) -> Mapping[str, str]:
    match = CHINESE_WHICH.fullmatch(question)
    if match is None:
        return {}
    when, did = match["when"] or "", f"{match['rest']}{option}"
    return {"yes": f"{when}{did}", "no": f"{when}没有{did}"}


def _chinese_number(question: str) -> str:
    if match := CHINESE_COUNT.fullmatch(question):
        return f"{match['rest']}的{'金额' if match['unit'] == '元' else match['unit'] + '数'}"
    match = CHINESE_OWN.fullmatch(question)
    return match["what"] if match else ""


LANGUAGES: Mapping[str, Callable[[str], Proposals]] = {
    "en": _propose_in_english,
    "de": _propose_in_german,
    "fr": _propose_in_french,
    "es": _propose_in_spanish,
    "zh": _propose_in_chinese,
}


ANSWERS: Mapping[str, Callable[[str, str], str]] = {"en": _english_answer, "zh": _chinese_answer}
OPTIONS: Mapping[str, Callable[[str, str], Mapping[str, str]]] = {
    "en": _english_option,
    "zh": _chinese_option,
}
PREFERRED_NOT = {"en": "preferred not to say whether they %s", "zh": "不愿说明是否%s"}
NUMBERS: Mapping[str, Callable[[str], str]] = {"en": _english_number, "zh": _chinese_number}


def propose_sentences_for_question(question: DraftQuestion, language: str) -> Proposals:
    """Returns the sentence texts proposed for the answers of a question, or for its number."""
    text, base = question.text.get(language, "").strip(), base_language(language)
    labels = {choice.name: choice.label.get(language, "").strip() for choice in question.choices}
    if not question.is_option and {*question.choice_names} - {PREFER_NOT} == {*YES_NO}:
        proposals = propose_yes_no_sentences(text, language)
        if PREFER_NOT in labels and base in PREFERRED_NOT and PREDICATE in proposals.get("yes", {}):
            silent = PREFERRED_NOT[base] % proposals["yes"][PREDICATE]
            return _usable({**proposals, PREFER_NOT: {PREDICATE: silent}})
        return proposals
    if base not in ANSWERS or question.takes_number:
        return {}
    given: dict[str, Mapping[str, str]] = {}
    if hasattr(question, QUANTITY):
        given = {"": {QUANTITY: NUMBERS[base](text)}}
    elif question.is_option:
        is_worded = labels["yes"] and not question.name.endswith(PREFER_NOT)
        options = OPTIONS[base](text, labels["yes"]) if is_worded else {}
        given = {answer: {PREDICATE: predicate} for answer, predicate in options.items()}
    elif question.form != DRAWN:
        given = {
            name: {PREDICATE: ANSWERS[base](text, label)}
            for name, label in labels.items()
            if label and name != PREFER_NOT
        }
    if base == "en":
        given = {
            name: {key: _in_third_person(words) for key, words in texts.items()}
            for name, texts in given.items()
        }
    return _usable(given)


def _usable(proposals: Proposals) -> Proposals:
    """Returns the proposals without empty ones and those that cannot stand inside a sentence."""
    fitting = {
        answer: {key: text for key, text in texts.items() if text and not sentence_text_fault(text)}
        for answer, texts in proposals.items()
    }
    return {answer: texts for answer, texts in fitting.items() if texts}


def add_proposed_sentences(draft: Draft, questionnaire: Questionnaire) -> Draft:
    """Returns the draft with the sentence texts proposed for its answers, where nobody wrote any; `questionnaire` is
    the parsed draft."""
    texts: dict[str, dict[str, dict[str, str]]] = {}
    for question in questionnaire.all_questions:
        choices = {choice.name: choice for choice in question.choices}
        for language in questionnaire.languages:
            for answer, proposals in propose_sentences_for_question(question, language).items():
                for key, text in proposals.items():
                    if language not in getattr(choices[answer] if answer else question, key):
                        item = f"{question.name}={answer}" if answer else question.name
                        of_answer = texts.setdefault(item, {})
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
