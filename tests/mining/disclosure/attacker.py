"""A reader who takes everything published of a survey as linear equations over its records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.designs import Design
from privacy.kinds.place.law import ELSEWHERE, PlaceItems
from privacy.kinds.scored_items import ScoredItems
from privacy.records import OPEN

Rows = NDArray[np.float64]
Records = NDArray[np.bool_]
Items = tuple[tuple[int, int], ...]
Selection = Callable[[Items], Records]


ALL = {"mean": -1, "distribution": -2}
"""In the place of a code: what is a sum over all that a number may be."""


@dataclass(frozen=True)
class Survey:
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

    def chosen(self, rows: NDArray[np.intp], *more: NDArray[np.int64]) -> "Survey":
        """These rows; `more`: their classes in further releases."""
        return replace(
            self,
            group=self.group[rows],
            codes=self.codes[:, rows],
            stage=self.stage[rows],
            weight=self.weight[rows],
            used=self.used[rows],
            classes=[*(classes[rows] for classes in self.classes), *more],
        )

    def item(self, name: str) -> tuple[int, int]:
        (found,) = [
            (place, code)
            for place, question in enumerate(self.design.questions)
            for code, choice in enumerate(question.choices)
            if name == f"{question.name}={choice.name}"
        ]
        return found

    def places(self, name: str) -> list[int]:
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
    def shown(self) -> Selection:
        def shown(place: int, _code: int) -> Records:
            question = self.design.questions[place]
            return ~np.isin(self.codes[place], (question.not_asked, question.not_applicable))

        return self._of_all(shown)

    @cached_property
    def has(self) -> Selection:
        return self._of_all(lambda place, code: self.codes[place] == code)

    def _of_all(self, of_item: Callable[[int, int], Records]) -> Selection:
        """The records that are so for all of some items."""

        @cache
        def of(items: Items) -> Records:
            if not items:
                return np.ones(len(self.group), np.bool_)
            *others, (place, code) = items
            last = of_item(place, code)
            return of(tuple(others)) & last if others else last

        return of


@dataclass(frozen=True)
class Published:
    """A downloaded report, and the last stage of the records that it is about."""

    content: dict[str, Any]
    stage: int


@dataclass
class Attacker:
    """`sensitive[S]` are sums over records of what they say of S; `plain` are sums of one a record. `ends`: the last
    stages of what was published."""

    survey: Survey
    ends: Sequence[int]
    sensitive: dict[Items, list[Records]] = field(default_factory=dict)
    plain: list[Records] = field(default_factory=list)

    @classmethod
    def reading(cls, survey: Survey, published: Sequence[Published]) -> "Attacker":
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
            self._base(share["n_asked"], records & survey.asked(items))
            self._base(share["n_open"], records & survey.asked(items) & (survey.group == OPEN))
            self._base(share.get("shown"), records & survey.shown(items))
            if share["support"] is not None or share["observed"] is not None:
                self._sum(items, records & survey.asked(items))
        for pair in content["pairs"]:
            if pair["lift"] is not None:
                self._rule(self._items(pair["items"]), through, disguised)
        for rule in content["rules"]:
            items = self._items((*rule["antecedent"], *rule["consequent"]))
            self._rule(items, through, disguised)
            self._base(rule["n_asked"], self._records(items, through, disguised) & survey.asked(items))
        for table in content["groups"]:
            self._groups(table, disguised)
        for number in content.get("numbers", []):
            self._number(number, through, disguised)

    def _records(self, items: Items, through: Records, disguised: Records) -> Records:
        survey = self.survey
        sensitive = [survey.is_sensitive(place) and not survey.is_place(place) for place, _code in items]
        return through if all(sensitive) else disguised

    def _rule(self, items: Items, through: Records, disguised: Records) -> None:
        """The supports of all parts of S among those shown all of S, and how many they are."""
        records = self._records(items, through, disguised) & self.survey.shown(items)
        self._base(1, records)
        for size in range(1, len(items) + 1):
            for part in combinations(items, size):
                self._sum(part, records)

    def _groups(self, table: dict[str, Any], disguised: Records) -> None:
        for row in table["rows"]:
            (asked,) = self._items([row["item"]])
            for name, cell in zip(table["classes"], row["cells"], strict=True):
                (of,) = self._items([name])
                records = disguised & self.survey.has((of,)) & self.survey.asked((asked,))
                self._base(cell["n_asked"], records)
                self._base(cell.get("shown"), records & self.survey.shown((asked,)))
                if cell["share"] is not None:
                    self._sum((of, asked), disguised & self.survey.asked((asked,)))

    def _number(self, number: dict[str, Any], everybody: Records, disguised: Records) -> None:
        self._estimates(number["question"], number["all_records"], everybody)
        for group in number["groups"]:
            (place,) = self.survey.places(group["question"])
            for code, found in enumerate(group["classes"]):
                self._estimates(number["question"], found, disguised & self.survey.has(((place, code),)))

    def _estimates(self, question: str, found: dict[str, Any], records: Records) -> None:
        """Of those shown the number: how many they are, how many of them open, and sums of what they say of it."""
        places = self.survey.places(question)
        shown = records & np.any([self.survey.shown(((place, 0),)) for place in places], axis=0)
        self._base(found["n_asked"], shown)
        self._base(found["n_open"], shown & (self.survey.group == OPEN))
        if found["distribution"] is not None:
            self.sensitive.setdefault(((places[0], ALL["distribution"]),), []).append(shown)
        for place in places:
            asked = shown & self.survey.asked(((place, 0),))
            for code, share in self._shares(place, found):
                self._base(share["n_asked"], asked)
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

    def _base(self, number: float | None, records: Records) -> None:
        if number:
            self.plain.append(records)

    def _sum(self, items: Items, records: Records) -> None:
        survey = self.survey
        if all(survey.is_place(place) or not survey.is_sensitive(place) for place, _code in items):
            # Counts of all regions leave that of elsewhere.
            self.plain.append(records & survey.has(items))
        plain = tuple(item for item in items if survey.is_elsewhere(item) or not survey.is_sensitive(item[0]))
        sensitive = tuple(item for item in items if item not in plain)
        row = records & survey.has(plain)
        if sensitive:
            self.sensitive.setdefault(sensitive, []).append(row & self.survey.shown(sensitive))
        else:
            self.plain.append(row)

    def with_file(self) -> "Attacker":
        """The same reader, who also holds a record file of the finished survey: all of the disguised, and of the open
        records that are used what was asked, what was shown and the sensitive answers."""
        survey = self.survey
        opened = survey.group == OPEN
        holder = Attacker(
            survey,
            self.ends,
            {items: [row & opened for row in rows] for items, rows in self.sensitive.items()},
            [row & opened for row in self.plain],
        )
        kept = survey.used & opened
        sensitive = [place for place in range(len(survey.design.questions)) if survey.is_sensitive(place)]
        forms = np.array([[survey.asked(((place, 0),)), survey.shown(((place, 0),))] for place in sensitive])
        _first, of = distinct(forms.reshape(-1, len(kept)).T)
        for form in np.unique(of[kept]):
            rows = kept & (of == form)
            holder.plain.append(rows)
            for place in sensitive:
                if survey.shown(((place, 0),))[rows].all():
                    holder.sensitive.setdefault(((place, 1),), []).append(rows)
        return holder

    # --- what follows ----------------------------------------------------------------------------------

    def open_answers(self) -> Iterator[tuple[Items, int]]:
        """Sensitive answers S, and of how few open people a sum can be found that is of no other record: of all whose
        plain answers fit, since which of them were asked is chance that nobody saw."""
        opened = self.survey.group == OPEN
        for items, rows in self.sensitive.items():
            columns, of = self._columns(rows)
            known = self._known(columns)
            for column in range(columns.shape[1]):
                records = of == column
                if not columns[:, column].any() or not opened[records].all():
                    continue
                count = self._people_like(records) if self.survey.weight[records].any() else 0
                if count and self._spanned(known, np.eye(columns.shape[1])[column]):
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
        for items, universe, records in self._following(range(1, most), answers):
            yield items, universe, int(self.survey.weight[records].sum())

    def knowing_nobody(self, answers: int = 2) -> "Attacker":
        """The same reader, who knows of each cell whose number follows and is 0 that no record is in it."""
        reader = self
        while True:
            cells = [records for _items, _universe, records in reader._following(range(1), answers)]
            empty = np.logical_or.reduce([np.zeros_like(reader.survey.used), *cells])
            if not empty.any():
                return reader
            reader = reader.without(empty)

    def without(self, empty: Records) -> "Attacker":
        there = np.flatnonzero(~empty)
        return Attacker(
            self.survey.chosen(there),
            self.ends,
            {items: [row[there] for row in rows] for items, rows in self.sensitive.items()},
            [row[there] for row in self.plain],
        )

    def _following(self, counts: range, answers: int) -> Iterator[tuple[Items, str, Records]]:
        """The cells with so many records whose number follows."""
        columns, of = self._columns(self.plain)
        known = self._known(columns)
        sizes = np.bincount(of, minlength=columns.shape[1])
        for items, universe, records in self._cells(answers):
            if not records.any() or int(self.survey.weight[records].sum()) not in counts:
                continue
            share = np.bincount(of, weights=records, minlength=columns.shape[1]) / np.maximum(sizes, 1)
            # A sum over records that the equations never tell apart follows only if it has all of them or none.
            if np.isin(share, (0.0, 1.0)).all() and self._spanned(known, share):
                yield items, universe, records

    def _cells(self, answers: int) -> Iterator[tuple[Items, str, Records]]:
        survey = self.survey
        plain = [
            (place, code)
            for place, question in enumerate(survey.design.questions)
            for code in range(len(question.choices))
            if not survey.is_sensitive(place) or survey.is_elsewhere((place, code))
        ]
        everybody = np.ones(len(survey.group), np.bool_)
        universes = {"disguised": survey.group != OPEN, "everybody": everybody, "open": survey.group == OPEN}
        cells = [
            (items, survey.has(items))
            for items in chain.from_iterable(combinations(plain, size) for size in range(answers + 1))
            if len({place for place, _code in items}) == len(items)
        ]
        for items, cell in (*cells, *self._patterns()):
            for name, records in universes.items():
                for low, high in combinations(self.ends, 2):
                    inside = (survey.stage > low) & (survey.stage <= high)
                    yield items, f"{name} after {low} to {high}", records & inside & cell

    def _patterns(self) -> Iterator[tuple[Items, Records]]:
        """Who meets the same of all rules of sensitive questions, by the answers that meet one."""
        survey = self.survey
        rules = {
            rule
            for place, question in enumerate(survey.design.questions)
            for rule in (question.show_if if survey.is_sensitive(place) else ())
        }
        met = {rule: np.isin(survey.codes[rule.place], sorted(rule.codes)) for rule in rules}
        for chosen in product((False, True), repeat=len(met)):
            of = zip(met.items(), chosen, strict=True)
            alike = [meets == wanted for (_rule, meets), wanted in of]
            items = tuple(
                (rule.place, code)
                for rule, wanted in zip(met, chosen, strict=True)
                if wanted
                for code in rule.codes
            )
            yield items, np.logical_and.reduce([np.ones(len(survey.group), np.bool_), *alike])

    def _columns(self, rows: Sequence[Records]) -> tuple[Rows, NDArray[np.intp]]:
        """The equations, each once, with records that they never tell apart as one, and of every record which one."""
        equations = np.array(rows)
        equations = equations[distinct(equations)[0]]
        first, of = distinct(equations.T)
        return equations[:, first].astype(float), of

    def _known(self, columns: Rows) -> Rows:
        """An orthonormal basis of what follows."""
        _u, values, basis = np.linalg.svd(columns, full_matrices=False)
        return np.asarray(basis[values > 1e-9 * max(values.max(), 1)])

    def _spanned(self, basis: Rows, target: Rows) -> bool:
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
