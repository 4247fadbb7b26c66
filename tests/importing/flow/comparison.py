"""What a questionnaire file asks, as an independent reader finds it, compared with what an import made of it.

Conditions are written as Python expressions (each reader translates its own language into them), of which
`condition_holds` understands a small part. The readers and what they find (above `Compared`) use nothing of
`importing`.
"""

import ast
import html
import itertools
import math
import operator
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from importing.import_result import CAME, CHANGED, LEFT, ImportedRow, ImportResult

Words = dict[str, str]
"""Of each language."""
Answers = Mapping[str, Any]
"""Of each question that is asked: a code, the set of the chosen codes, or a number."""


class Unclear(Exception):
    """Raised for a condition of which the truth does not follow from answers to choices and numbers."""


@dataclass
class Item:
    """One question, or one row of a table. `parts`: what a condition calls an option, its code, and its values if
    chosen and if not, which are `unasked` where it is not asked. `shown_if`: all must hold.
    `offered`: the condition of each choice of a cascading list. A code before `#` stands twice in the file."""

    name: str
    words: Words
    choices: dict[str, Words] = field(default_factory=dict)
    many: bool = False
    number: bool = False
    head: Words = field(default_factory=dict)
    shown_if: list[str] = field(default_factory=list)
    parts: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    unasked: str = ""
    offered: dict[str, str] = field(default_factory=dict)

    @property
    def is_askable(self) -> bool:
        return self.number or bool(self.choices)


@dataclass(frozen=True)
class Fact:
    """Something else that changes who is asked what, or is told what: of a question, or of the whole file."""

    kind: str
    about: str = ""
    detail: str = ""


@dataclass
class Source:
    items: list[Item]
    languages: list[str]
    facts: list[Fact] = field(default_factory=list)
    computed: dict[str, str] = field(default_factory=dict)

    def expand_computed_values(self, text: str) -> str:
        """The condition with the expression of each computed value, also of those computed from others."""
        for _round in self.computed:
            for name, expression in self.computed.items():
                text = text.replace(f"asked({name!r})", "1").replace(f"v({name!r})", f"({expression})")
        return text

    def note_if(self, is_so: object, kind: str, about: str = "", detail: str = "") -> None:
        self.facts += [Fact(kind, about, detail)] * bool(is_so)


COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


def straighten(text: str) -> str:
    """An expression with straight quotes, and with the name `iff` for a choice between two values."""
    text = re.sub("[‘’‚`´]", "'", re.sub("[“”„«»]", '"', text))
    return re.sub(r"\bi?if ?\(", "iff(", text)


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:v|asked)\('([^']*)'\)", expression))


def condition_holds(expression: str, items: Mapping[str, Item], answers: Answers) -> bool:
    """Whether people with these answers are asked; `items` by every name that a condition has for them."""
    return _truth(_value(_parse(expression), items, answers))


@cache
def _parse(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise Unclear(expression) from error


def _value(node: ast.expr, items: Mapping[str, Item], answers: Answers) -> Any:
    def inner_value(each: ast.expr) -> Any:
        return _value(each, items, answers)

    match node:
        case ast.Constant(value):
            return value
        case ast.List(elements):
            return frozenset(str(inner_value(each)) for each in elements)
        case ast.BoolOp(ast.And(), values):
            # Each is evaluated, so that what is unclear is found.
            return False not in [_truth(inner_value(each)) for each in values]
        case ast.BoolOp(ast.Or(), values):
            return True in [_truth(inner_value(each)) for each in values]
        case ast.UnaryOp(ast.Not(), operand):
            return not _truth(inner_value(operand))
        case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
            return -value
        case ast.Compare(left, [sign], [right]):
            return _compare(sign, inner_value(left), inner_value(right))
        case ast.BinOp(left, ast.LShift(), right):  # contains
            return _codes(inner_value(right)) <= _codes(inner_value(left))
        case ast.BinOp(left, ast.RShift(), right):  # any of
            return bool(_codes(inner_value(right)) & _codes(inner_value(left)))
        case ast.Call(ast.Name(called), [*arguments]):
            return _call(called, [inner_value(each) for each in arguments], items, answers)
    raise Unclear(ast.unparse(node))


def _call(name: str, arguments: list[Any], items: Mapping[str, Item], answers: Answers) -> Any:
    match name, arguments:
        case "v", [str(question)]:
            return _answer(question, items, answers)
        case "asked", [question]:
            return question in answers
        case "selected", [chosen, wanted]:
            return _codes(wanted) <= _codes(chosen)
        case "count_selected", [chosen]:
            return len(_codes(chosen))
        case "is_empty", [chosen]:
            return not _codes(chosen)
        case "iff", [condition, chosen, otherwise]:
            return chosen if _truth(condition) else otherwise
        case "number" | "int" | "string", [value]:
            return value
    raise Unclear(name)


def _answer(name: str, items: Mapping[str, Item], answers: Answers) -> Any:
    item = items.get(name)
    if item is None or not item.is_askable:
        raise Unclear(name)
    answer = answers.get(item.name, "")
    if name not in item.parts:
        return answer.partition("#")[0] if isinstance(answer, str) else answer
    code, chosen, left = item.parts[name]
    return item.unasked if item.name not in answers else chosen if code in _codes(answer) else left


def _codes(value: Any) -> Set[str]:
    return value if isinstance(value, frozenset) else frozenset(str(value).split())


def _truth(value: Any) -> bool:
    return value not in ("", "0", 0, False, frozenset())


def _compare(sign: ast.cmpop, left: Any, right: Any) -> bool:
    if type(sign) not in COMPARISONS:
        raise Unclear(type(sign).__name__)
    test = COMPARISONS[type(sign)]
    if isinstance(sign, ast.Eq | ast.NotEq) and frozenset in (type(left), type(right)):
        return test(_codes(left), _codes(right))
    numbers = _number(left), _number(right)
    if None not in numbers:
        return test(*numbers)
    # What is empty is neither above nor below a number.
    return test(str(left), str(right)) if isinstance(sign, ast.Eq | ast.NotEq) else False


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


# --- what an import made of it

MOST_STATES = 3_000
REMARKS = {
    "condition": r"\b(its|a|the|their) condition\b|everybody is asked|skip|\brule\b",
    "random": r"random|shuffl|draws?\b|order",
    "drawn": r"draw|all\b|subset|\d of \d|version",
    "quota": r"quotas",
    "default": r"default|prefilled|preset",
    "validation": r"validat|constraint|limit|minimum|maximum|range|between|exclu|numbers|(max|min)_",
    "exclusive": r"exclu",
    "repeat": r"repeat|loop|for each|panel|twice|times",
    "filter": r"filter|carried|depends|other answers|file or sheet|choices|conditions of its rows",
    "language": r"language|translat",
    "other": r"other|comment|words|text",
    "hidden": r"hidden|invisible|never shown|not shown|disabled|read.?only",
    "end": r"\bend|finish|complet|trigger|time",
    "set": r"set|trigger|comput|calculat|default",
    "identifier": r"identif",
}
"""What a remark must say of each kind of loss."""


@dataclass
class Comparison:
    questions: Counter[str] = field(default_factory=Counter)
    conditions: Counter[str] = field(default_factory=Counter)
    losses: list[str] = field(default_factory=list)


def compare(source: Source, result: ImportResult) -> Comparison:
    return Compared(source, result).compare()


def plain(words: str) -> str:
    """The words of a draft without references and punctuation."""
    words = re.sub(r"\$?\{[^}]*\}|\[[\w:-]+\]|[^\w=+-]", " ", words.replace("_", " "))
    return " ".join(words.split()).casefold()


def first_language_text(words: Words) -> str:
    """The words of a file in its first language, in the same way and without markup."""
    return without_markup(next(iter(words.values()), ""))


def without_markup(words: str) -> str:
    words = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", words)
    return plain(html.unescape(html.unescape(words)))


class Compared:
    """`made`: the questions of the draft that each question of the file became, in order."""

    def __init__(self, source: Source, result: ImportResult) -> None:
        self.source, self.result, self.found = source, result, Comparison()
        for item in source.items:
            item.shown_if = [source.expand_computed_values(text) for text in item.shown_if]
        sections = result.draft["sections"]
        self.asked = [each for section in sections for each in section["questions"]]
        shuffled = [each["questions"] for each in sections if each.get("order")]
        self.random = {each["name"] for questions in shuffled for each in questions}
        self.main = result.draft["languages"][0]
        self.names = {each.name: each for each in source.items}
        self.names |= {name: each for each in source.items for name in each.parts}
        for each in source.items:
            if each.head:
                self.names.setdefault(re.split(r"[_./]", each.name)[0], each)
        self.made: dict[str, list[dict[str, Any]]] = {}
        self.made = self._match()

    def compare(self) -> Comparison:
        self._find_languages()
        self._find_order()
        for item in self.source.items:
            self._find_question(item)
            rules = [each for each in self.made.get(item.name, ()) if each.get("show_if")]
            if item.shown_if or item.offered or rules:
                self._find_condition(item)
        matched = [each["name"] for made in self.made.values() for each in made]
        for each in self.asked:
            if each["name"] not in matched:
                self._note_loss(each["name"], "is asked, though the file does not ask it")
        for fact in self.source.facts:
            about = fact.about if fact.about in self.names else ""
            if not self._is_fact_kept(fact.kind, about) and not self._is_said(fact.kind, about, fact.detail):
                self._note_loss(fact.about or "the file", f"{fact.kind} {fact.detail}".strip())
        return self.found

    def _note_loss(self, about: str, what: str) -> None:
        self.found.losses.append(f"{about}: {what}")

    def _match(self) -> dict[str, list[dict[str, Any]]]:
        free, made = list(self.asked), dict[str, list[dict[str, Any]]]()
        for item in self.source.items:
            of_row = [name for row in self._rows(item) for name in row.questions]
            words, heads = first_language_text(item.words), first_language_text(item.head)
            taken = list[dict[str, Any]]()
            for each in free:
                text, help_ = (plain(self._text_in_main_language(each[key])) for key in ("text", "help"))
                is_in_row = each["name"] in of_row and not item.head and words in text
                is_own = is_in_row or text in (words, f"{heads} {words}")
                is_same = not taken or (item.many and taken[0].get("of") == each.get("of"))
                is_of_table = item.many or not help_ or heads in help_
                is_of_form = item.many == (each["form"] == "many")
                if is_own and is_of_form and is_of_table and (is_same or item.offered):
                    taken.append(each)
            free = [each for each in free if each not in taken]
            if taken:
                made[item.name] = taken
        return made

    def _text_in_main_language(self, texts: Words) -> str:
        return texts.get(self.main) or next(iter(texts.values()), "")

    def _rows(self, item: Item | None) -> Iterator[ImportedRow]:
        """What is said of a question, or of the whole file."""
        rows = (row for row in self.result.lines if row.location != "In a sentence")
        if item is None:
            yield from rows
            return
        words = {without_markup(each) for each in (*item.words.values(), *item.head.values())} - {""}
        name = re.compile(rf"(?<![\w-]){re.escape(item.name)}(?![\w-])")
        made = {each["name"] for each in self.made.get(item.name, ())}
        for row in rows:
            told = row.location if row.questions else f"{row.location} {' '.join(row.remarks)}"
            begun = [each for each in words if len(each) > 5 and plain(row.words).startswith(each)]
            if made & {*row.questions} or name.search(told) or plain(row.words) in words or begun:
                yield row

    def _groups(self, item: Item) -> Iterator[ImportedRow]:
        """Rows above a question that tell of its condition: the nearest row of a group, and those that name what it
        depends on."""
        own = {id(row) for row in self._rows(item)}
        above = list(itertools.takewhile(lambda row: id(row) not in own, self.result.lines))
        yield from [row for row in above if not row.questions and row.outcome != LEFT][-1:]
        names = {name for text in item.shown_if for name in names_in(text)}
        yield from (
            row for row in above if not row.questions and any(each in str(row.remarks) for each in names)
        )

    def _is_said(self, kind: str, about: str, detail: str = "") -> bool:
        item = self.names.get(about)
        rows = [row for row in self._rows(item) if row.remarks and (item or not row.questions)]
        if item and about not in self.made and any(row.outcome == LEFT for row in rows):
            return True
        said = [f"{row.location} {' '.join(row.remarks)}" for row in rows if row.outcome != CAME]
        if item is not None and kind == "condition":
            said += [str(row.remarks) for row in self._groups(item)]
        said += [each for each in self.result.remarks if item is None or item.name in each]
        wanted = "|".join([REMARKS[kind], *map(re.escape, re.findall(r"@?[\w-]{5,}", detail))])
        return any(re.search(wanted, each, re.IGNORECASE) for each in said)

    def _is_fact_kept(self, kind: str, about: str) -> bool:
        made = self.made.get(about, [])
        if kind == "random" and about:
            return any(each.get("shuffled") or each["name"] in self.random for each in made)
        if kind == "exclusive":
            return any("none" in each for each in made)
        if kind == "filter":
            return len(made) > 1 and bool(self.names[about].offered)
        if kind == "quota":
            rows = [row for row in self.result.lines if row.location.startswith("quota")]
            named = [row for row in rows if row.outcome == LEFT]
            wanted = [fact for fact in self.source.facts if fact.kind == kind]
            return len(self.result.draft.get("quotas", ())) + len(named) >= len(wanted)
        ends = (made[0].get("number") or {}) if made else {}
        return kind == "validation" and None not in (ends.get("low"), ends.get("high"))

    def _find_languages(self) -> None:
        spoken = {each.lower().partition("-")[0] for each in self.result.draft["languages"]}
        for code in self.source.languages:
            if re.split("[-_]", code.lower())[0] not in spoken and not self._is_said("language", ""):
                self._note_loss("the file", f"language {code}")

    def _find_order(self) -> None:
        made = [self.made[each.name][0] for each in self.source.items if each.name in self.made]
        places = [self.asked.index(each) for each in made]
        for before, after in itertools.pairwise(places):
            if after < before and not self._is_said("random", ""):
                self._note_loss(self.asked[before]["name"], f"is asked after {self.asked[after]['name']}")

    def _find_question(self, item: Item) -> None:
        made = self.made.get(item.name)
        if not made:
            self.found.questions["left out"] += 1
            if not any(row.outcome == LEFT and row.remarks for row in self._rows(item)):
                self._note_loss(item.name, "is neither asked nor named")
            return
        names = {each["name"] for each in made}
        is_changed = any(row.outcome == CHANGED for row in self._rows(item) if names & {*row.questions})
        self.found.questions["changed" if is_changed else "kept"] += 1
        said = plain(" ".join(f"{row.words} {' '.join(row.remarks)}" for row in self._rows(item)))
        texts = plain(" ".join(texts_in(made)))
        count = sum(len(each.get("choices", ())) for each in made)
        if item.many:
            count = len(made) + ("none" in made[0])
        for words in (item.words, *item.choices.values()):
            for code, text in words.items():
                if without_markup(text) not in texts and without_markup(text) not in said:
                    self._note_loss(item.name, f"the words “{text}” ({code})")
        if not item.number and count < len(item.choices) and "answers" not in said and "choices" not in said:
            self._note_loss(item.name, f"{len(item.choices) - count} of its {len(item.choices)} answers")
        if not item.many and not item.number and not item.offered:
            labels = [plain(each["label"].get(self.main, "")) for each in made[0]["choices"]]
            wanted = dict.fromkeys(first_language_text(each) for each in item.choices.values())
            found = [labels.index(each) for each in wanted if each in labels]
            if found != sorted(found) and not self._is_said("random", item.name):
                self._note_loss(item.name, "the order of its answers")

    def _find_condition(self, item: Item) -> None:
        if item.name not in self.made:
            self.found.conditions["of questions left out"] += bool(item.shown_if)
            return
        try:
            difference = self._difference(item)
        except Unclear as unclear:
            difference = f"a condition that cannot be kept ({unclear})"
        if not difference:
            self.found.conditions["kept"] += 1
        elif self._is_said("condition", item.name) or (item.offered and self._is_said("filter", item.name)):
            self.found.conditions["said"] += 1
        else:
            self.found.conditions["silent"] += 1
            self._note_loss(item.name, f"condition {' and '.join(item.shown_if)}: {difference}")

    def _difference(self, item: Item) -> str:
        """Answers after which the file and the draft do not ask the same; empty if there are none."""
        for answers in self._states(item):
            in_file = all(condition_holds(each, self.names, answers) for each in item.shown_if)
            in_draft = [self._is_shown(each, answers) for each in self.made[item.name]]
            if len(in_draft) > 1 and item.offered:
                in_draft = [any(in_draft)]
                if difference := self._other_choices(item, answers):
                    return difference
            if set(in_draft) != {in_file}:
                rules = self.made[item.name][0].get("show_if")
                return f"after {dict(answers)} the file asks: {in_file}, the draft: {in_draft} by {rules}"
        return ""

    def _other_choices(self, item: Item, answers: Answers) -> str:
        """Of a cascading list that became a question for each of its parts."""
        shown = [each for each in self.made[item.name] if self._is_shown(each, answers)]
        offered = {
            first_language_text(words)
            for code, words in item.choices.items()
            if condition_holds(item.offered[code], self.names, answers)
        }
        asked = [
            {plain(choice["label"].get(self.main, "")) for choice in each["choices"][item.many :]}
            for each in shown
        ]
        asked = [set[str]().union(*asked)] if item.many and asked else asked
        is_same = not asked or asked == [offered]
        return "" if is_same else f"after {answers} the file offers {offered}, the draft {asked}"

    def _states(self, item: Item) -> Iterator[Answers]:
        """Answers that people can have given, to all questions on which this one depends."""
        needed, waiting = set[str](), [item.name]
        owners = {each["name"]: name for name, made in self.made.items() for each in made}
        while waiting:
            name = waiting.pop()
            rules = (rule for each in self.made.get(name, ()) for rule in each.get("show_if") or {})
            texts = [*self.names[name].shown_if, *self.names[name].offered.values()]
            used = {self.names[each].name for text in texts for each in names_in(text) if each in self.names}
            used |= {owners[each] for each in rules if each in owners}
            waiting += used - needed
            needed |= used
        order = [each for each in self.source.items if each.name in needed and each.is_askable]
        conditions = " ".join(text for each in self.source.items for text in each.shown_if)
        constants = {float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", conditions)}
        spaces = [self._answers(each, constants) for each in order]
        every: Iterator[tuple[Any, ...]] = itertools.product(*spaces)
        if math.prod(map(len, spaces)) > MOST_STATES:
            draw = random.Random(item.name)
            every = (tuple(map(draw.choice, spaces)) for _ in range(MOST_STATES))
        for drawn in every:
            answers = dict[str, Any]()
            for each, answer in zip(order, drawn, strict=True):
                try:
                    if all(condition_holds(text, self.names, answers) for text in each.shown_if):
                        answers[each.name] = answer
                except Unclear:
                    answers[each.name] = answer
            yield answers

    def _answers(self, item: Item, constants: set[float]) -> list[Any]:
        if item.number:
            made = self.made.get(item.name) or [{}]
            ends = made[0].get("number") or {"low": 0, "high": 100}
            near = (int(each) + step for each in constants for step in (-1, 0, 1))
            numbers = {ends["low"], ends["high"], *near}
            return sorted(each for each in numbers if ends["low"] <= each <= ends["high"])
        codes = list(item.choices)
        if not item.many:
            return codes
        sizes = range(len(codes) + 1) if len(codes) < 5 else (0, 1, 2)
        return [frozenset(each) for size in sizes for each in itertools.combinations(codes, size)]

    def _is_shown(self, question: dict[str, Any], answers: Answers) -> bool:
        rules: dict[str, list[str]] = question.get("show_if") or {}
        return all(self._answer_in_draft(name, answers) in values for name, values in rules.items())

    def _answer_in_draft(self, name: str, answers: Answers) -> str | None:
        """The choice of the draft that stands for an answer of the file; none where that was not asked."""
        owner, question = next(
            (owner, each) for owner, made in self.made.items() for each in made if each["name"] == name
        )
        item = self.names[owner]
        if owner not in answers or (item.offered and not self._is_shown(question, answers)):
            return None
        answer = answers[owner]
        if item.number:
            above = sum(limit <= answer for limit in question["number"]["limits"])
            return str(question["choices"][above]["name"])
        label = {code: first_language_text(words) for code, words in item.choices.items()}
        if item.many:
            option = plain(question["choices"][-1]["label"].get(self.main, ""))
            return "yes" if option in {label[code] for code in answer} else "no"
        same = list(item.choices)
        twins = [code for code in same if label[code] == label[answer]]
        made = [
            each["name"]
            for each in question["choices"]
            if label[answer] in (plain(each["label"].get(self.main) or each["name"]), plain(each["name"]))
        ]
        if not made:
            made, twins = [each["name"] for each in question["choices"]][same.index(answer) :][:1], [answer]
        return str(made[min(twins.index(answer), len(made) - 1)]) if made else None


def texts_in(node: Any) -> Iterator[str]:
    """All that stands in a draft, keys excepted."""
    if isinstance(node, dict | list):
        for each in node.values() if isinstance(node, dict) else node:
            yield from texts_in(each)
    else:
        yield str(node)
