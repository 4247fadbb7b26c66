"""What a report publishes of disguise is true of its design: of devices, of respondents' secrets, and of nothing."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import Person
from intake.rehearsal.simulated_people import default_population
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from reports.models import Review
from reports.pages.public.public_page_texts import guarantee_text
from reports.review import public_page_switch, report_state_changes
from reports.texts.design_sentences import say
from surveys.lifecycle import reviewer_approvals
from surveys.phrases.languages import SHIPPED
from tests.cast import As
from tests.deposits.conftest import FORM, files_of
from tests.privacy import questionnaires as q
from tests.reports.conftest import desk_page, reader, words
from tests.reports.made_nodes import page_about
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.page, pytest.mark.django_db]
AGE = q.plain({"name": "age", "choices": ["young", "old"]})
SECRET = {"secret": {"en": "Were you born in January, February or March?"}}
DEVICE, SECRETS = q.sensitive("0.6", q.question("theft", *q.HALF)), q.crosswise("drugs", "0.2500", **SECRET)
OPEN, ARMS = {"open_answers": True}, {"open_answers": False, "direct": "0.5"}
CLOSED = {"open_answers": False}


def design(*sections: dict[str, Any], **more: Any) -> Design:
    said = {"format": "candor-design/1", "title": {"en": "Work"}, "least": 100, **more}
    return parse_design(json.dumps({**said, "sections": [AGE, *sections]}))


DESIGNS = {
    "plain": design(**CLOSED),
    "plain, though open answers are allowed": design(**OPEN),
    "crosswise": design(SECRETS, **CLOSED),
    "crosswise, with a choice": design(SECRETS, **OPEN),
    "crosswise, with a direct arm": design(SECRETS, **ARMS),
    "devices": design(DEVICE, **CLOSED),
    "devices, with a choice": design(DEVICE, **OPEN),
    "devices, with a direct arm": design(DEVICE, **ARMS),
    "both": design(DEVICE, SECRETS, **CLOSED),
    "both, with a choice": design(DEVICE, SECRETS, **OPEN),
}
"""The first words of a name say who disguises, and the last who does not."""
BY_DEVICES = (
    *("at random on the device", "devices disguise", "random disguise", "andomised response"),
    *("how often a device sends", "What a device disguised", "true or random"),
)
BY_SECRETS = ("secret", "rosswise")
CHOICE = ("chose disguise", "choose disguise", "chose no disguise", "chose to answer", "choose to answer")
DIRECT = ("asked directly", "direct arm", "disguised arm")
NO_DISGUISE = re.compile(
    r"No answer of this survey was disguised|[Nn]o answer is disguised|[Nn]o answer of this survey is disguised"
    r"|not disguised|says disguised in every row, though nothing is|<catValu>disguised</catValu>"
)


def untrue_phrases(name: str, text: str) -> list[str]:
    """The phrases of a text that cannot be true of the design of this name."""
    never = [
        *(() if name.startswith(("devices", "both")) else BY_DEVICES),
        *(() if name.startswith(("crosswise", "both")) else BY_SECRETS),
        *(() if name.endswith("a choice") else CHOICE),
        *(() if name.endswith("a direct arm") else DIRECT),
    ]
    said = [phrase for phrase in never if phrase in text]
    if name.startswith("plain"):
        said += re.findall(r"[^.\n]*isguis[^.\n]*", NO_DISGUISE.sub("", text))
    return said


@pytest.fixture
def publish_deposit(owner: Person, reviewer: Person) -> Callable[[str], Review]:
    """A report of 600 people, its public page open, whose records may be deposited."""

    def publish(name: str) -> Review:
        def people(of: Design, rng: np.random.Generator) -> sealed.People:
            return default_population(of).draw(of, 600, rng)

        survey = sealed.survey(owner, DESIGNS[name], [])
        sealed.seal_people(survey, people)
        if DESIGNS[name].has_group_open:
            sealed.finish_survey(survey)
        run = sealed.mine_sealed(survey, owner, Parameters(0.1, 0.5, max_size=1))
        report_state_changes.create_reviews_of_finished_runs(NOW)
        review = Review.objects.with_surveys().get(run=run)
        report_state_changes.publish(review, reviewer, ["age"], "https://x", NOW)
        public_page_switch.open_page(review, owner, NOW)
        for matter in ("records", "deposit"):
            reviewer_approvals.decide_approval(
                survey, reviewer, matter, survey.design_id or "", allow=True, reason="", now=NOW
            )
        return Review.objects.with_surveys().get(pk=review.pk)

    return publish


@pytest.mark.parametrize("name", DESIGNS)
def test_published_texts_match_the_design(
    name: str, publish_deposit: Callable[[str], Review], signed_in_as: As, owner: Person, reviewer: Person
) -> None:
    review = publish_deposit(name)
    of_owner, address = signed_in_as(owner), f"/app/reports/{review.pk}/deposit"
    files = files_of(of_owner.post(address, FORM | {"records": "on"}))
    without = files_of(of_owner.post(address, FORM))
    said = {"public page": words(Client().get(reverse("public:page", args=[review.public_token])))}
    for page in ("", "print", "itemsets"):
        said[f"page {page}"] = words(of_owner.get(reader(page, review)))
    said["publish"] = words(signed_in_as(reviewer).get(desk_page("publish", review)))
    for file in ("README.md", "CITATION.cff", "datacite.json", "codebook.xml", "codebook.md"):
        said[file] = files[file].decode()
        said[f"{file} without records"] = without[file].decode()
    assert {where: found for where, text in said.items() if (found := untrue_phrases(name, text))} == {}
    sheet = words(of_owner.get(reverse("study-sheet:page", args=[review.survey.pk])))
    assert "files of the disguised records" not in sheet
    assert ("answer without disguise" in sheet) is name.endswith("a choice")
    # The report counts the records that the deposit holds.
    assert "The report counts other records" not in files["README.md"].decode()
    formulas = json.loads(files["report.json"])["formulas"]
    assert ("chose disguise" in formulas.get("among", "")) is name.endswith("a choice")


EXPECTED = {
    "plain": "No answer of this survey was disguised. Whoever holds its records can read every answer.",
    "crosswise": "Each sensitive question was asked together with a secret of the respondent",
    "devices": "Sensitive answers were disguised at random on the device before they were sent.",
    "both": "Some sensitive answers were disguised at random on the device before they were sent. Each other",
}


@pytest.mark.parametrize("name", DESIGNS)
def test_lead_states_who_disguised_and_every_exception(name: str) -> None:
    lead, kind = say("lead", page_about(DESIGNS[name])), name.partition(",")[0]
    assert lead.startswith(EXPECTED[kind])
    exceptions = {
        "people who chose to answer without disguise": name.endswith("a choice"),
        "people whom a draw chose to be asked directly": name.endswith("a direct arm"),
        "anybody who knows the secret of an answer can read it": kind in ("crosswise", "both"),
    }
    assert {words: f"An exception: {words}" in lead for words in exceptions} == exceptions
    guarantee = guarantee_text(page_about(DESIGNS[name]))
    assert ("anybody who knows the secret" in guarantee) is (kind in ("crosswise", "both"))
    assert bool(guarantee) is (kind != "plain")


@pytest.mark.parametrize("language", [language for language in SHIPPED if language != "en"])
def test_lead_is_in_the_readers_language(language: str) -> None:
    for name, of in DESIGNS.items():
        with translation.override(language):
            text = say("lead", page_about(of))
        english = say("lead", page_about(of)).split(". ")
        assert not [sentence for sentence in english if sentence in text], name
