"""A reader with the library: which count of a withheld table fits what reports say beside it.

Two plain questions of two answers each are told alone and withheld together, since few gave both rare answers. Their
shares leave one unknown count, which is below ten. For each such count the library computes p of their rules, and so
where these would stand among the rules that are told.
"""

import io
import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client
from numpy.typing import NDArray

from accounts.models import Person
from mining.counting import make_counter
from mining.inference.selection_correction import q_values
from mining.parameters import Parameters
from mining.rules.rules_from_frequent_itemsets import reconstruct_rules
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.grammar.json_node import PARTS
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from releases.lifecycle import download_zip, release_decisions
from releases.specification import shown_to_source_values
from tests.jobs.conftest import broker
from tests.mining.disclosure.random_surveys import Study, people, questionnaire
from tests.mining.listed import at_night, pack
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive
from tests.releases.conftest import draft_of_survey, made_release
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]

Table = NDArray[np.int64]
FEW = 10
RARE = [{"name": name, "choices": ["often", "rare"]} for name in ("p0", "p1")]
TABLE = design(plain(*RARE), least=20)


class RareSurvey:
    """`both`: how many gave both rare answers, which is what the reader wants to know."""

    def __init__(self, seed: int, owner: Person, reviewer: Person) -> None:
        rng = np.random.default_rng(seed)
        self.both, self.n = int(rng.integers(1, FEW)), int(rng.integers(200, 400))
        alone = rng.integers(15, 60, 2)
        asked = sensitive("0.8", *(question(f"s{number}", *HALF) for number in range(5)))
        title = {"en": f"Rare {seed}"}
        form = design(plain(*RARE), asked, open_answers=False, least=20, title=title)
        self.study = Study(owner, reviewer, form)
        truth = np.zeros((7, self.n), np.uint16)
        truth[0, : self.both + alone[0]] = 1
        truth[1, : self.both] = 1
        truth[1, self.both + alone[0] : self.both + alone.sum()] = 1
        truth[2:] = rng.random((5, self.n)) < rng.uniform(0.2, 0.6, (5, 1)) + 0.3 * truth[[0, 1, 0, 1, 0]]
        truth[4] ^= truth[3] & (rng.random(self.n) < 0.5)
        group = np.full(self.n, DISGUISED, np.uint8)
        self.study.seal(group, disguise(self.study.design, group, truth, rng))

    def report(self, client: Client, min_support: float, min_confidence: float = 0.01) -> dict[str, Any]:
        """Every rule is accepted; read by the owner."""
        run = self.study.mine(Parameters(min_support, min_confidence, max_size=2, absences=True))
        self.study.publish(run)
        client.force_login(self.study.owner)
        return self.study.download(client, run)


def rare_answer_counts(report: dict[str, Any]) -> list[int]:
    """How many gave the rare answer of each question."""
    shares = {share["items"][0]: share for share in report["shares"] if len(share["items"]) == 1}
    rare = [shares[f"{name}=rare"] for name in ("p0", "p1")]
    assert all(share["support"] is not None for share in rare), "a share that is withheld"
    return [round(share["support"] * share["n_asked"]) for share in rare]


def table_of(both: int, rare: Sequence[int], n: int) -> Table:
    return np.array([[n - sum(rare) + both, rare[1] - both], [rare[0] - both, both]])


def p_of(table: Table) -> list[float]:
    """p of the splits of the two questions, one for each cell that somebody is in."""
    group = np.full(table.sum(), DISGUISED, np.uint8)
    codes = np.repeat(np.indices((2, 2)).reshape(2, -1), table.ravel(), axis=1).astype(np.uint16)
    counter = make_counter(TABLE.mined, [pack(TABLE, group, codes)])
    cells = [((0, a), (1, b)) for a in range(2) for b in range(2) if table[a, b]]
    return [float(p) for p in reconstruct_rules(counter, cells, 1e-9, max_size=2).splits.p]


def from_one_report(report: dict[str, Any]) -> set[int]:
    """The counts below ten that fit the places and the q of the rules that are told; all of them where none does."""
    told = [rule for rule in report["rules"] if questions_of(rule) != {"p0", "p1"}]
    rare, n = rare_answer_counts(report), report["about"]["disguised"]
    fitting = {
        both
        for both in range(FEW)
        if is_consistent_with_places(p_of(table_of(both, rare, n)), told, report["about"])
    }
    return fitting or set(range(FEW))


def questions_of(rule: dict[str, Any]) -> set[str]:
    return {item.partition("=")[0] for item in (*rule["antecedent"], *rule["consequent"])}


def is_consistent_with_places(
    withheld: Sequence[float], told: Sequence[dict[str, Any]], about: dict[str, Any]
) -> bool:
    """Whether these p leave the places of the told rules as they are, and give their q."""
    for place, rule in enumerate(told, 1):
        below = sum(p < rule["p"] * (1 - 1e-9) for p in withheld)
        equal = sum(abs(p - rule["p"]) <= rule["p"] * 1e-9 for p in withheld)
        if not place + below <= rule.get("number", place) <= place + below + equal:
            return False
    p = np.sort([*withheld, *(rule["p"] for rule in told)])
    q = q_values(p, about.get("family", 0))
    predicted = [q[np.searchsorted(p, rule["p"] * (1 - 1e-12))] for rule in told]
    return bool(np.allclose(predicted, [rule["q"] for rule in told], rtol=1e-9))


def from_four_reports(survey: RareSurvey, client: Client) -> set[int]:
    """Bisects the count by the smallest support: of an answer that is told, few less are left for a pair with the
    other's frequent answer, and a pair that is too rare is not among those withheld."""
    report = survey.report(client, 0.02)
    (rare, _other), counts = rare_answer_counts(report), from_one_report(report)
    for _report in range(3):
        middle = sorted(counts)[len(counts) // 2]
        smallest = (rare - middle + 0.5) / survey.n
        report = survey.report(client, smallest)
        number = withheld_rules(report)
        fitting = {
            both
            for both in counts
            if reported_pair_count(both, rare_answer_counts(report), survey.n, smallest) == number
        }
        counts = (fitting & from_one_report(report)) or counts
    return counts


def reported_pair_count(both: int, rare: Sequence[int], n: int, smallest: float) -> int:
    """How many pairs of the two questions are frequent, and given by enough people to be reported."""
    cells = table_of(both, rare, n)
    is_reported = (cells >= smallest * n) & (cells >= FEW)
    return int(is_reported.sum())


def withheld_rules(report: dict[str, Any]) -> int:
    """By what the report says of all rules."""
    told = len(report["rules"])
    last = max((rule.get("number", 0) for rule in report["rules"]), default=0)
    in_all = int(max(last, report["about"].get("rules", 0), told))
    return max(len(report.get("withheld_rules", [])), in_all - told)


@pytest.mark.parametrize("seeds", [range(1), range(100, 101), *at_night([range(1, 60), range(101, 110)])])
def test_no_small_count_follows_from_one_report_or_four(
    seeds: range, owner: Person, reviewer: Person, client: Client
) -> None:
    """From four of the surveys from 100 on."""
    left: dict[int, tuple[int, set[int]]] = {}
    for seed in seeds:
        survey = RareSurvey(seed, owner, reviewer)
        of_four = seed >= 100
        counts = (
            from_four_reports(survey, client) if of_four else from_one_report(survey.report(client, 0.02))
        )
        left[seed] = survey.both, counts
    exact = [seed for seed, (both, counts) in left.items() if counts == {both}]
    assert not exact, f"{len(exact)} of {len(left)}: {left}"


@pytest.mark.parametrize("seed", [0, 1, *at_night(range(2, 24))])
def test_released_statements_follow_from_their_rows(seed: int, owner: Person, reviewer: Person) -> None:
    """Beside the rows it is a function of these, of the design and of what the owner chose: some plain questions."""
    rng = np.random.default_rng(seed)
    study = Study(owner, reviewer, questionnaire(rng))
    study.seal(*people(study.design, int(rng.integers(100, 400)), 0.1, rng))
    names = [question.name for question in study.design.sections[0].questions]
    some = sorted(rng.choice(names, int(rng.integers(1, len(names) + 1)), replace=False))
    release = made_release(draft_of_survey(study.survey, owner, *some, suppression="0.1000"), owner)
    release_decisions.approve(release, reviewer, "", NOW)
    release.refresh_from_db()
    files = {name: b"".join(pieces) for name, pieces in download_zip.zip_members(release, "csv")}
    rows, shipped = files["release.csv"], json.loads(files["report.json"])
    chosen = read_specification(json.dumps(shipped["specification"]), "specification", frozenset(METHODS))
    measured = measure_published_file(io.BytesIO(rows), "release.csv", chosen)
    report = {"release": release.pk, "specification": shipped["specification"], **measured}
    limits = {name: getattr(chosen, name) / PARTS for name in ("suppression", "falsification")}
    told = {
        "release": SimpleNamespace(title=release.title, survey=release.survey),
        "report": report,
        **limits,
    }
    told["file"] = "release.csv"
    words = render_to_string("releases/README.txt", told)
    assert download_zip.json_bytes(report) == files["report.json"]
    assert words.encode() == files["README.txt"]
    covered = shown_to_source_values.covered_values_by_column(rows, chosen)
    assert download_zip.json_bytes(covered) == files["mapping.json"]
