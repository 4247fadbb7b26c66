"""Surveys drawn at random and published piece by piece, and a reader who takes all of it as linear equations."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, combinations, compress, product
from typing import Any

import numpy as np
from django.test import Client
from django.utils import timezone
from numpy.typing import NDArray

from accounts.models import Person
from intake.disclosure.canonical_order import read_disguised, unpack_classes
from intake.disclosure.models import Disclosure, DisclosureKind
from intake.models import Batch
from mining.parameters import Parameters
from privacy.designs import Design
from privacy.kinds.number.number_question import UNMINED
from privacy.kinds.place.law import ELSEWHERE, PlaceItems
from privacy.kinds.scored_items import ScoredItems
from privacy.records import DISGUISED, OPEN
from privacy.records.batch_bit_columns import pack_batch
from privacy.simulation.disguise import disguise
from releases.lifecycle import release_decisions as release_deciding
from releases.lifecycle.release_disclosure_check import ledger_key
from releases.models import Release
from releases.permissions import UNMADE
from reports.models import Decision, Review
from reports.review import report_state_changes, rule_decisions
from runs import run_start
from runs.models import Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.mining.listed import as_mined
from tests.privacy.questionnaires import (
    YES_NO,
    classes as classes_of_number,
    design,
    place_in_row,
    plain,
    sensitive,
    subset,
    window,
)
from tests.releases.conftest import draft_of_survey, made_release
from tests.runs import sealed
from tests.surveys.conftest import NOW

Rows = NDArray[np.float64]
Records = NDArray[np.bool_]
Items = tuple[tuple[int, int], ...]
Selection = Callable[[Items], Records]

ALL = {"mean": -1, "distribution": -2}
"""In the place of a code: what is a sum over all that a number may be."""


@dataclass(frozen=True)
class SurveySeen:
    """Every kind of record that there could be, `weight` times: the attacker does not know which kinds are empty. The
    design and the codes are those that mining sees.

    `stage` numbers the publications: the first that a record is in. `used`: the records that reports after finishing
    use. `classes`: for each release the class of each record, -1 where it is in none.
    """

    design: Design
    group: NDArray[np.uint8]
    codes: NDArray[np.uint16]
    stage: NDArray[np.intp]
    weight: NDArray[np.int64]
    used: Records
    classes: Sequence[NDArray[np.int64]] = ()

    def chosen(self, rows: NDArray[np.intp], *more: NDArray[np.int64]) -> "SurveySeen":
        """These rows; `more`: their classes in further releases."""
        columns = {name: getattr(self, name)[rows] for name in ("group", "stage", "weight", "used")}
        classes = [*(classes[rows] for classes in self.classes), *more]
        return replace(self, codes=self.codes[:, rows], classes=classes, **columns)

    def item(self, name: str) -> tuple[int, int]:
        (found,) = [
            (place, code)
            for place, question in enumerate(self.design.questions)
            for code, choice in enumerate(question.choices)
            if name == f"{question.name}={choice.name}"
        ]
        return found

    def places_of_question(self, name: str) -> list[int]:
        return [place for place, question in enumerate(self.design.questions) if question.name == name]

    def is_sensitive(self, place: int) -> bool:
        return [section.sensitive for section in self.design.sections for _ in section.questions][place]

    def is_elsewhere(self, item: tuple[int, int]) -> bool:
        """Whether this is sent as it is: that a place lies outside all regions."""
        return self.design.questions[item[0]].choices[item[1]].name == ELSEWHERE if item[1] >= 0 else False

    def is_place(self, place: int) -> bool:
        return isinstance(self.design.questions[place], PlaceItems)

    # What is published asks the same of the records again and again.

    @cached_property
    def asked(self) -> Selection:
        return self._of_all(lambda place, _code: self.codes[place] != self.design.questions[place].not_asked)

    @cached_property
    def shown_records(self) -> Selection:
        hidden = [(question.not_asked, question.not_applicable) for question in self.design.questions]
        return self._of_all(lambda place, _code: ~np.isin(self.codes[place], hidden[place]))

    @cached_property
    def records_with_item(self) -> Selection:
        return self._of_all(lambda place, code: self.codes[place] == code)

    def _of_all(self, of_item: Callable[[int, int], Records]) -> Selection:
        """The records that are so for all of some items."""

        @cache
        def records_with_items(items: Items) -> Records:
            if not items:
                return np.ones(len(self.group), np.bool_)
            *others, (place, code) = items
            last = of_item(place, code)
            return records_with_items(tuple(others)) & last if others else last

        return records_with_items


@dataclass(frozen=True)
class Published:
    """A downloaded report, and the last stage of the records that it is about."""

    content: dict[str, Any]
    stage: int


@dataclass
class Attacker:
    """`sensitive[S]` are sums over records of what they say of S; `plain` are sums of one a record. `ends`: the last
    stages of what was published."""

    survey: SurveySeen
    ends: Sequence[int]
    sensitive: dict[Items, list[Records]] = field(default_factory=dict)
    plain: list[Records] = field(default_factory=list)

    @classmethod
    def reading(cls, survey: SurveySeen, published: Sequence[Published]) -> "Attacker":
        """A reader of these reports and of all releases."""
        made = [int(survey.stage[classes >= 0].max()) for classes in survey.classes]
        reader = cls(survey, sorted({-1, *made, *(one.stage for one in published)}))
        for one in published:
            reader._read(one)
        for classes in survey.classes:
            reader.plain += [classes == label for label in np.unique(classes[classes >= 0])]
        return reader

    # --- what is read --------------------------------------------------------------------------------

    def _read(self, one: Published) -> None:
        content, survey = one.content, self.survey
        disguised = (survey.stage <= one.stage) & (survey.group != OPEN)
        through = disguised
        self.plain.append(disguised)
        if content["about"]["n_open"]:
            through = survey.used
            self.plain += [through, np.ones(len(survey.group), np.bool_)]
        kept = through & (survey.group == OPEN)
        for row in content["compared"]:
            (item,) = self._items([row["item"]])
            if row["opened"] is not None:
                self._sum((item,), kept & survey.asked((item,)))
        for share in (*content["shares"], *content["itemsets"]):
            items = self._items(share["items"])
            records = self._records(items, through, disguised)
            self._add_base(share["n_asked"], records & survey.asked(items))
            self._add_base(share["n_open"], records & survey.asked(items) & (survey.group == OPEN))
            self._add_base(share.get("shown"), records & survey.shown_records(items))
            if share["support"] is not None or share["observed"] is not None:
                self._sum(items, records & survey.asked(items))
        for pair in (pair for pair in content["pairs"] if pair["lift"] is not None):
            self._rule(self._items(pair["items"]), through, disguised)
        for rule in content["rules"]:
            items = self._items((*rule["antecedent"], *rule["consequent"]))
            self._rule(items, through, disguised)
            self._add_base(rule["n_asked"], self._records(items, through, disguised) & survey.asked(items))
        for table in content["groups"]:
            self._groups(table, disguised)
        for number in content.get("numbers", []):
            self._number(number, through, disguised)

    def _records(self, items: Items, through: Records, disguised: Records) -> Records:
        survey = self.survey
        sensitive = (survey.is_sensitive(place) and not survey.is_place(place) for place, _code in items)
        return through if all(sensitive) else disguised

    def _rule(self, items: Items, through: Records, disguised: Records) -> None:
        """The supports of all parts of S among those shown all of S, and how many they are."""
        records = self._records(items, through, disguised) & self.survey.shown_records(items)
        self._add_base(1, records)
        for size in range(1, len(items) + 1):
            for part in combinations(items, size):
                self._sum(part, records)

    def _groups(self, table: dict[str, Any], disguised: Records) -> None:
        for row in table["rows"]:
            (asked,) = self._items([row["item"]])
            for name, cell in zip(table["classes"], row["cells"], strict=True):
                (of,) = self._items([name])
                records = disguised & self.survey.records_with_item((of,)) & self.survey.asked((asked,))
                self._add_base(cell["n_asked"], records)
                self._add_base(cell.get("shown"), records & self.survey.shown_records((asked,)))
                if cell["share"] is not None:
                    self._sum((of, asked), disguised & self.survey.asked((asked,)))

    def _number(self, number: dict[str, Any], everybody: Records, disguised: Records) -> None:
        self._estimates(number["question"], number["all_records"], everybody)
        for group in number["groups"]:
            (place,) = self.survey.places_of_question(group["question"])
            for code, found in enumerate(group["classes"]):
                self._estimates(
                    number["question"], found, disguised & self.survey.records_with_item(((place, code),))
                )

    def _estimates(self, question: str, found: dict[str, Any], records: Records) -> None:
        """Of those shown the number: how many they are, how many of them open, and sums of what they say of it."""
        places = self.survey.places_of_question(question)
        shown = records & np.any([self.survey.shown_records(((place, 0),)) for place in places], axis=0)
        self._add_base(found["n_asked"], shown)
        self._add_base(found["n_open"], shown & (self.survey.group == OPEN))
        if found["distribution"] is not None:
            self.sensitive.setdefault(((places[0], ALL["distribution"]),), []).append(shown)
        for place in places:
            asked = shown & self.survey.asked(((place, 0),))
            for code, share in self._shares(place, found):
                self._add_base(share["n_asked"], asked)
                if share["share"] is not None:
                    self._sum(((place, code),), asked)
            if found["mean"] is not None:
                # Less the shares of the classes, a sum over the records with the place inside their class.
                self._sum(((place, ALL["mean"]),), shown & ~asked)

    def _shares(self, place: int, found: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each with the code of its item: above the limits in their order, then the classes in theirs."""
        yield from enumerate(found["shares"])
        question = self.survey.design.questions[place]
        if isinstance(question, ScoredItems) and found["classes"]:
            yield from zip(question.class_items, found["classes"], strict=True)

    def _items(self, names: Sequence[str]) -> Items:
        return tuple(sorted(map(self.survey.item, names)))

    def _add_base(self, number: float | None, records: Records) -> None:
        if number:
            self.plain.append(records)

    def _sum(self, items: Items, records: Records) -> None:
        survey = self.survey
        if all(survey.is_place(place) or not survey.is_sensitive(place) for place, _code in items):
            # Counts of all regions leave that of elsewhere.
            self.plain.append(records & survey.records_with_item(items))
        plain = tuple(item for item in items if survey.is_elsewhere(item) or not survey.is_sensitive(item[0]))
        sensitive = tuple(item for item in items if item not in plain)
        row = records & survey.records_with_item(plain)
        if sensitive:
            self.sensitive.setdefault(sensitive, []).append(row & self.survey.shown_records(sensitive))
        else:
            self.plain.append(row)

    def with_file(self) -> "Attacker":
        """The same reader, who also holds a record file of the finished survey: all of the disguised, and of the open
        records that are used what was asked, what was shown and the sensitive answers."""
        survey = self.survey
        opened = survey.group == OPEN
        sums = {items: [row & opened for row in rows] for items, rows in self.sensitive.items()}
        holder = Attacker(survey, self.ends, sums, [row & opened for row in self.plain])
        kept = survey.used & opened
        sensitive = [place for place in range(len(survey.design.questions)) if survey.is_sensitive(place)]
        forms = np.array(
            [[survey.asked(((place, 0),)), survey.shown_records(((place, 0),))] for place in sensitive]
        )
        _first, of = distinct(forms.reshape(-1, len(kept)).T)
        for form in np.unique(of[kept]):
            rows = kept & (of == form)
            holder.plain.append(rows)
            for place in sensitive:
                if survey.shown_records(((place, 0),))[rows].all():
                    holder.sensitive.setdefault(((place, 1),), []).append(rows)
        return holder

    # --- what follows ----------------------------------------------------------------------------------

    def open_answers(self) -> Iterator[tuple[Items, int]]:
        """Sensitive answers S, and of how few open people a sum can be found that is of no other record: of all whose
        plain answers fit, since which of them were asked is chance that nobody saw."""
        opened = self.survey.group == OPEN
        for items, rows in self.sensitive.items():
            columns, of = self._distinct_columns(rows)
            known = self._row_space(columns)
            for column in range(columns.shape[1]):
                records = of == column
                if not columns[:, column].any() or not opened[records].all():
                    continue
                count = self._people_like(records) if self.survey.weight[records].any() else 0
                if count and self._is_spanned(known, np.eye(columns.shape[1])[column]):
                    yield items, count

    def _people_like(self, records: Records) -> int:
        """The open people whose plain answers one of these records has."""
        survey = self.survey
        plain = [place for place in range(len(survey.design.questions)) if not survey.is_sensitive(place)]
        _first, of = distinct_rows(survey.codes[plain].T)
        like = np.isin(of, of[records]) & (survey.group == OPEN)
        return int(survey.weight[like].sum())

    def small_cells(self, most: int, answers: int = 2) -> Iterator[tuple[Items, str, int]]:
        """Combinations of some plain answers whose number follows and is above 0 and below `most`."""
        for items, universe, records in self._cells_that_follow(range(1, most), answers):
            yield items, universe, int(self.survey.weight[records].sum())

    def knowing_nobody(self, answers: int = 2) -> "Attacker":
        """The same reader, who knows of each cell whose number follows and is 0 that no record is in it."""
        reader = self
        while True:
            cells = [records for _items, _universe, records in reader._cells_that_follow(range(1), answers)]
            empty = np.logical_or.reduce([np.zeros_like(reader.survey.used), *cells])
            if not empty.any():
                return reader
            reader = reader.without_records(empty)

    def without_records(self, empty: Records) -> "Attacker":
        there = np.flatnonzero(~empty)
        sums = {items: [row[there] for row in rows] for items, rows in self.sensitive.items()}
        return Attacker(self.survey.chosen(there), self.ends, sums, [row[there] for row in self.plain])

    def _cells_that_follow(self, counts: range, answers: int) -> Iterator[tuple[Items, str, Records]]:
        """The cells with so many records whose number follows."""
        columns, of = self._distinct_columns(self.plain)
        known = self._row_space(columns)
        sizes = np.bincount(of, minlength=columns.shape[1])
        for items, universe, records in self._cells(answers):
            if not records.any() or int(self.survey.weight[records].sum()) not in counts:
                continue
            share = np.bincount(of, weights=records, minlength=columns.shape[1]) / np.maximum(sizes, 1)
            # A sum over records that the equations never tell apart follows only if it has all of them or none.
            if np.isin(share, (0.0, 1.0)).all() and self._is_spanned(known, share):
                yield items, universe, records

    def _cells(self, answers: int) -> Iterator[tuple[Items, str, Records]]:
        survey = self.survey
        questions = enumerate(survey.design.questions)
        every = [(place, code) for place, question in questions for code in range(len(question.choices))]
        plain = [item for item in every if not survey.is_sensitive(item[0]) or survey.is_elsewhere(item)]
        everybody = np.ones(len(survey.group), np.bool_)
        universes = {"disguised": survey.group != OPEN, "everybody": everybody, "open": survey.group == OPEN}
        itemsets = chain.from_iterable(combinations(plain, size) for size in range(answers + 1))
        cells = [
            (items, survey.records_with_item(items)) for items in itemsets if len(dict(items)) == len(items)
        ]
        for items, cell in (*cells, *self._patterns()):
            for name, records in universes.items():
                for low, high in combinations(self.ends, 2):
                    inside = (survey.stage > low) & (survey.stage <= high)
                    yield items, f"{name} after {low} to {high}", records & inside & cell

    def _patterns(self) -> Iterator[tuple[Items, Records]]:
        """Who meets the same of all rules of sensitive questions, by the answers that meet one."""
        survey = self.survey
        places = filter(survey.is_sensitive, range(len(survey.design.questions)))
        rules = {rule for place in places for rule in survey.design.questions[place].show_if}
        met = {rule: np.isin(survey.codes[rule.place], sorted(rule.codes)) for rule in rules}
        for chosen in product((False, True), repeat=len(met)):
            alike = [meets == wanted for meets, wanted in zip(met.values(), chosen, strict=True)]
            items = tuple((rule.place, code) for rule in compress(met, chosen) for code in rule.codes)
            yield items, np.logical_and.reduce([np.ones(len(survey.group), np.bool_), *alike])

    def _distinct_columns(self, rows: Sequence[Records]) -> tuple[Rows, NDArray[np.intp]]:
        """The equations, each once, with records that they never tell apart as one, and of every record which one."""
        equations = np.array(rows)
        equations = equations[distinct(equations)[0]]
        first, of = distinct(equations.T)
        return equations[:, first].astype(float), of

    def _row_space(self, columns: Rows) -> Rows:
        """An orthonormal basis of what follows."""
        _u, values, basis = np.linalg.svd(columns, full_matrices=False)
        return np.asarray(basis[values > 1e-9 * max(values.max(), 1)])

    def _is_spanned(self, basis: Rows, target: Rows) -> bool:
        left = target - basis.T @ (basis @ target)
        return bool(np.abs(left).max() < 1e-7)


def distinct(truths: Records) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each different row stands first, and of every row which one it is."""
    return distinct_rows(np.packbits(truths, axis=1))


def distinct_rows(rows: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    # To sort strings of bytes is quick.
    rows = np.ascontiguousarray(rows)
    wide = rows.shape[1] * rows.itemsize
    _bytes, first, of = np.unique(rows.view(f"V{wide}").ravel(), return_index=True, return_inverse=True)
    return first, of


# A survey that is sealed, mined and published piece by piece, and read by somebody who may only view it.


class Study:
    """`stage` numbers, of every record, what was sealed before it."""

    def __init__(self, owner: Person, reviewer: Person, design: Design) -> None:
        self.owner, self.reviewer, self.design = owner, reviewer, design
        self.survey: Survey = sealed.survey(owner, design, [])
        self.group = np.zeros(0, np.uint8)
        self.codes = np.zeros((len(design.questions), 0), np.uint16)
        self.stage = np.zeros(0, np.intp)
        self.stages = 0

    def add_viewer(self, viewer: Person) -> None:
        Collaborator.objects.create(survey=self.survey, person=viewer, may_edit=False)

    def seal(self, group: NDArray[np.uint8], codes: NDArray[np.uint16]) -> None:
        n = len(group)
        number = Batch.objects.filter(survey=self.survey).count() + 1
        columns = pack_batch(self.design, group, codes)
        Batch.objects.create(survey=self.survey, first=number, last=number, n=n, columns=columns)
        self.group = np.concatenate([self.group, group])
        self.codes = np.concatenate([self.codes, codes], axis=1)
        self.stage = np.concatenate([self.stage, np.full(n, self.stages)])
        self.stages += 1

    def finish(self) -> None:
        lifecycle.finish_survey(self.survey, self.owner, NOW)

    def mine(self, wanted: Parameters) -> Run:
        run = run_start.start_mining_run(self.survey, self.owner, wanted, NOW, mlxtend="never")
        store = run.perform(lambda *_, **_more: None)
        store()
        Run.objects.filter(pk=run.pk).update(state="done", started=NOW, finished=NOW)
        run.refresh_from_db()
        report_state_changes.create_reviews_of_finished_runs(NOW)
        return run

    def publish(self, run: Run) -> None:
        """With every rule and the shares within the classes of every plain question."""
        review = Review.objects.get(run=run)
        rules = rule_decisions.rules_with_verdicts(run)
        if rules.exists():
            rule_decisions.decide_rules(review, self.reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)
        groups = [question.name for question in self.design.sections[0].questions]
        report_state_changes.publish(review, self.reviewer, groups, "", timezone.now())

    def download(self, client: Client, run: Run) -> dict[str, Any]:
        answer = client.get(f"/app/reports/{run.pk}/files/json")
        assert answer.status_code == 200, answer.status_code
        report: dict[str, Any] = json.loads(answer.content)["report"]
        return report


LEAST = 10


def questionnaire(
    rng: np.random.Generator,
    *,
    numbers: bool = False,
    places: bool = False,
    sets: bool = False,
    ruled: float = 0.4,
) -> Design:
    """Plain questions with rare classes, one perhaps behind another; sensitive ones, rotating or behind a rule; or a
    number, a place or a set of choices, perhaps behind a rule, instead of the first of these sections."""
    asked: list[dict[str, Any]] = []
    for place in range(int(rng.integers(1, 4))):
        choices = [f"c{code}" for code in range(int(rng.integers(2, 5)))]
        behind = {"show_if": {"p0": [asked[0]["choices"][0]]}} if place and rng.random() < 0.3 else {}
        asked.append({"name": f"p{place}", "choices": choices, **behind})
    first = asked[0]["choices"]
    sections = [plain(*asked)]
    for section in range(int(rng.integers(1, 3))):
        names = [f"s{section}{place}" for place in range(int(rng.integers(1, 4)))]
        questions: list[dict[str, Any]] = [{"name": name, "choices": YES_NO} for name in names]
        questions[-1] |= {"show_if": some_of(first, rng)} if rng.random() < ruled else {}
        rotating = {"asked": len(names) - 1} if len(names) > 1 and rng.random() < 0.4 else {}
        sections.append(sensitive("0.7", *questions, **rotating))
    if numbers:
        rule, limits = some_of(first, rng), [2, 4, 6][: int(rng.integers(2, 4))]
        shown = {"show_if": rule if rng.random() < 0.8 else {}}
        rest = int(rng.random() < 0.5)
        by_classes = classes_of_number("n", "0.7", 0, *limits, rest=rest, keep_rest="0.7", high=7, **shown)
        sections[1] = window("n", 7, 1, "0.4", **shown) if rng.random() < 0.3 else by_classes
    if sets:
        rule = some_of(first, rng)
        sections[1] = subset(5, 2, "0.7", show_if=rule if rng.random() < 0.8 else {})
    if places:
        sections[1] = any_place(rng, first)
    return design(*sections, least=20, title={"en": "Attacked"})


def some_of(choices: list[str], rng: np.random.Generator) -> dict[str, list[str]]:
    """A rule that asks for some of these choices of p0."""
    return {"p0": choices[: int(rng.integers(1, len(choices)))]}


def any_place(rng: np.random.Generator, choices: list[str]) -> dict[str, Any]:
    """Two or three regions, and one to three cells outside."""
    regions = {f"r{number}": [2 * number, 2 * number + 1] for number in range(int(rng.integers(2, 4)))}
    outside = int(rng.integers(1, 3))
    rule = some_of(choices, rng) if rng.random() < 0.4 else {}
    return place_in_row("h", regions, 2 * len(regions) + outside, 1, "9", show_if=rule)


def people(design: Design, n: int, opened: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Some of many kinds; a class may have one person, who may be the only open one in it."""
    group = np.where(rng.random(n) < opened, OPEN, DISGUISED).astype(np.uint8)
    truth = np.zeros((len(design.questions), n), np.uint16)
    for place, question in enumerate(design.questions):
        weights = rng.dirichlet(np.full(question.true_codes, 0.7)) * 0.98 + 0.02 / question.true_codes
        truth[place] = rng.choice(question.true_codes, n, p=weights / weights.sum())
        for rule in question.show_if:
            truth[place, ~np.isin(truth[rule.place], list(rule.codes))] = question.true_hidden_code
    return group, disguise(design, group, truth, rng)


def patterns(of: Design, codes: Any) -> list[tuple[bool, ...]]:
    """Which conditions of the rules of sensitive questions each record meets."""
    asked = (question for section in of.sections if section.sensitive for question in section.questions)
    rules = sorted({(rule.place, tuple(sorted(rule.codes))) for one in asked for rule in one.show_if})
    return [tuple(bool(record[place] in allowed) for place, allowed in rules) for record in codes.T.tolist()]


def is_disguised(group: Any, _codes: Any) -> Any:
    return group != OPEN


class Random:
    """A random survey that is sealed, mined and published piece by piece."""

    def __init__(self, owner: Person, reviewer: Person, rng: np.random.Generator, **of: Any) -> None:
        self.rng = rng
        self.study = Study(owner, reviewer, questionnaire(rng, **of))
        self.opened = float(rng.choice([0.02, 0.1, 0.5]))
        self.published: list[Published] = []

    def seal(self, n: int) -> None:
        self.study.seal(*people(self.study.design, n, self.opened, self.rng))

    def publish(self, client: Client) -> None:
        rng = self.rng
        wanted = Parameters(float(rng.choice([0.05, 0.2])), 0.2, absences=bool(rng.random() < 0.5))
        run = self.study.mine(wanted)
        with suppress(NotAllowed):
            self.study.publish(run)
            self.published.append(Published(self.study.download(client, run), self.study.stages - 1))

    def used_records(self, group: Any, codes: Any) -> Any:
        """The disguised, and the open ones whose pattern ten or more share, counted by hand."""
        came, met = self.study, patterns(self.study.design.mined, codes)
        sizes = Counter(of for of, one in zip(met, came.group, strict=False) if one == OPEN)
        order = sorted(sizes, key=lambda of: sizes[of])
        out = [of for of in order if sizes[of] < LEAST]
        while out and sum(sizes[of] for of in out) < LEAST and len(out) < len(order):
            out = order[: len(out) + 1]
        kept = {of for of in sizes if of not in out}
        return np.array([one != OPEN or of in kept for one, of in zip(group, met, strict=True)])

    def attacked(self) -> Attacker:
        return Attacker.reading(possible_records(self.study, self.used_records), self.published)


def possible_records(came: Study, used: Callable[[Any, Any], Any] = is_disguised) -> SurveySeen:
    """Beside the records that came, one of every kind that could have come and did not."""
    design = came.design.mined
    group, codes, stage = every_kind(design, came.stages)
    weight = np.repeat([1, 0], [len(came.group), len(group)])
    mined = as_mined(came.design, came.codes).astype(np.uint16)
    group, codes = np.concatenate([came.group, group]), np.concatenate([mined, codes], axis=1)
    return SurveySeen(design, group, codes, np.concatenate([came.stage, stage]), weight, used(group, codes))


class Doors(Random):
    """A random survey of which reports and releases leave in any order."""

    def __init__(self, owner: Person, reviewer: Person, rng: np.random.Generator) -> None:
        super().__init__(owner, reviewer, rng, ruled=float(rng.choice([0.2, 0.9])))
        self.owner, self.reviewer = owner, reviewer
        self.released: list[Release] = []

    def run_to_finish(self, client: Client) -> None:
        """Sealed three times and finished, with up to two disclosures at each time."""
        for least, most in ((60, 400), (20, 150), (20, 60)):
            self.seal(int(self.rng.integers(least, most)))
            self._publish_or_release(client)
        self.study.finish()
        self._publish_or_release(client)

    def _publish_or_release(self, client: Client) -> None:
        doors = [lambda: self.publish(client), self.release]
        for door in self.rng.permutation(len(doors))[: int(self.rng.integers(1, 3))]:
            doors[door]()

    def release(self) -> None:
        names = [question.name for question in self.study.design.sections[0].questions]
        chosen = sorted(self.rng.choice(names, int(self.rng.integers(1, len(names) + 1)), replace=False))
        joined = bool(self.released and self.rng.random() < 0.5)
        release = made_release(
            draft_of_survey(self.study.survey, self.owner, *chosen, joined=joined), self.owner
        )
        if release.state == Release.State.CHECKED:
            release_deciding.approve(release, self.reviewer, "", timezone.now())
            self.released.append(release)
        elif release.stage == UNMADE:
            release_deciding.refuse(release, self.reviewer, "Fewer columns.", timezone.now())

    def used_records(self, group: Any, codes: Any) -> Any:
        """Whom the product itself chose when it finished the survey, rightly or not."""
        chosen = Disclosure.objects.get(survey=self.study.survey, door=DisclosureKind.FINISHING)
        bits = np.array(patterns(self.study.design.mined, codes), np.bool_)
        packed = np.packbits(bits, axis=1, bitorder="little")
        names = [row.tobytes().rstrip(b"\0").hex() for row in packed]
        return (group != OPEN) | np.isin(names, chosen.kept["patterns"])

    def attacked(self) -> Attacker:
        """A kind that nobody has may be in each class that shows its answers, and in none where somebody is in none."""
        survey = possible_records(self.study, self.used_records)
        for release in self.released:
            survey = self._with_classes(survey, release)
        return Attacker.reading(survey, self.published)

    def _with_classes(self, survey: SurveySeen, release: Release) -> SurveySeen:
        told = Disclosure.objects.filter(survey=release.source.survey, door=DisclosureKind.RELEASE)
        row = told.get(key=ledger_key(release))
        came = self.study.group != OPEN
        disguised = read_disguised(self.study.survey, self.study.stages)
        real = np.full(len(came), -1, np.int64)
        real[came] = disguised.classes_in_stored_order(row.last_batch, unpack_classes(row.classes))
        inside = (survey.group != OPEN) & (survey.stage < row.last_batch)
        # The columns whose values it shows.
        names = {column["name"] for column in json.loads(release.specification)["quasi_identifiers"]}
        quasi = [place for place, question in enumerate(survey.design.questions) if question.name in names]
        own = survey.codes[:, : len(came)]
        everywhere = np.arange(len(inside))
        rows, classes = [everywhere[: len(came)], everywhere[~inside & (survey.weight == 0)]], [real]
        classes.append(np.full(len(rows[1]), -1, np.int64))
        nobody = inside & (survey.weight == 0)
        for label in np.unique(real[inside[: len(came)]]).tolist():
            of = own[:, (real == label) & inside[: len(came)]]
            fits = [np.isin(survey.codes[place], of[place]) for place in (quasi if label >= 0 else [])]
            rows.append(np.flatnonzero(np.logical_and.reduce([nobody, *fits])))
            classes.append(np.full(len(rows[-1]), label, np.int64))
        return survey.chosen(np.concatenate(rows), np.concatenate(classes))


def every_kind(of: Design, stages: int) -> tuple[Any, Any, Any]:
    """Plain answers, what was drawn, places, group and stage; other sensitive answers are all the first choice."""
    kinds: list[tuple[int, int, list[int]]] = []
    plain_ones = of.sections[0].questions
    options = []
    for section in of.sections[1:]:
        many = len(section.questions)
        options.append([*combinations(range(many), getattr(section, "asked", many))])
    for answers in product(*([*range(len(of.choices)), of.not_applicable] for of in plain_ones)):
        codes = list(answers)
        told = zip(plain_ones, codes, strict=True)
        if any(asked.applies(codes) == (code == asked.not_applicable) for asked, code in told):
            continue
        for drawn in product(*options):
            sent = []
            for section, chosen in zip(of.sections[1:], drawn, strict=True):
                for place, question in enumerate(section.questions):
                    answered = [0 if question.codes else UNMINED]
                    if isinstance(question, PlaceItems):
                        answered = list(range(question.codes))
                    # No place that is hidden is asked.
                    hidden = question.not_asked if question.asked_if_shown else question.not_applicable
                    shown = answered if question.applies(codes) else [hidden]
                    sent.append(shown if place in chosen else [question.not_asked])
            every = product(product(*sent), (OPEN, DISGUISED), range(stages))
            kinds += [(group, stage, [*codes, *rest]) for rest, group, stage in every]
    group, stage, rows = zip(*kinds, strict=True)
    return np.array(group, np.uint8), np.array(rows, np.uint16).T, np.array(stage, np.intp)
