"""What a release says beside its rows is a function of these rows and of what its owner chose."""

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
from django.template.loader import render_to_string

from accounts.models import Person
from privacy.anonymity.methods import METHODS
from privacy.anonymity.published_file import measure_published_file
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.grammar.json_node import PARTS
from releases.lifecycle import download_zip, release_decisions
from releases.models import Release
from releases.specification import shown_to_source_values
from tests.mining.disclosure.random_surveys import Study, people, questionnaire
from tests.releases import made
from tests.surveys.conftest import NOW
from tests.wake_ups import broker

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]


def approved(seed: int, owner: Person, reviewer: Person) -> Release:
    """By some of the plain questions of a random survey."""
    rng = np.random.default_rng(seed)
    study = Study(owner, reviewer, questionnaire(rng))
    study.seal(*people(study.design, int(rng.integers(100, 400)), 0.1, rng))
    names = [question.name for question in study.design.sections[0].questions]
    chosen = sorted(rng.choice(names, int(rng.integers(1, len(names) + 1)), replace=False))
    release = made.made(made.drafted(study.survey, owner, *chosen, suppression="0.1000"), owner)
    release_decisions.approve(release, reviewer, "", NOW)
    release.refresh_from_db()
    return release


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.night) for seed in range(2, 24))]
)
def test_what_a_release_says_follows_from_its_rows(seed: int, owner: Person, reviewer: Person) -> None:
    release = approved(seed, owner, reviewer)
    files = {name: b"".join(pieces) for name, pieces in download_zip.zip_members(release, "csv")}
    rows, shipped = files["release.csv"], json.loads(files["report.json"])
    chosen = read_specification(json.dumps(shipped["specification"]), "specification", frozenset(METHODS))
    report = {
        "release": release.pk,
        "specification": shipped["specification"],
        **measure_published_file(io.BytesIO(rows), "release.csv", chosen),
    }
    words = render_to_string(
        "releases/README.txt",
        {
            "release": SimpleNamespace(title=release.title),
            "report": report,
            "file": "release.csv",
            "suppression": chosen.suppression / PARTS,
            "falsification": chosen.falsification / PARTS,
        },
    )
    assert download_zip.json_bytes(report) == files["report.json"]
    assert words.encode() == files["README.txt"]
    assert (
        download_zip.json_bytes(shown_to_source_values.covered_values_by_column(rows, chosen))
        == files["mapping.json"]
    )
