"""The pages of a study: the plan, the arms and the control items, for reviewers and, once published, for readers."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client

from mining.models import Run
from mining.parameters import Parameters
from mining.reports import publishing
from mining.reports.models import Review
from mining.runs import starting
from people.models import Person
from surveys.models import Survey
from tests.cast import As
from tests.mining.reports import made
from tests.mining.reports.paged import desk, reader, shown
from tests.mining.runs import studied, working
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.slow

Start = Callable[[Survey], Run]


@pytest.fixture
def start(owner: Person) -> Start:
    """A run that a worker has done, which waits for its reviewer."""

    def run(survey: Survey) -> Run:
        wanted = Parameters(min_support=0.3, min_confidence=0.5, max_size=2)
        done = working.work(starting.start(survey, owner, wanted, NOW))
        publishing.add_finished_runs(NOW)
        return done

    return run


@pytest.fixture
def survey(owner: Person) -> Survey:
    return studied.survey(owner, studied.design(plan=studied.PLAN), [500, 300])


@pytest.fixture
def run(survey: Survey, start: Start) -> Run:
    return start(survey)


@pytest.fixture
def desked(run: Run, reviewer: Person, signed_in_as: As) -> Client:
    return signed_in_as(reviewer)


def said(client: Client, address: str) -> str:
    return unescape(shown(client, address))


def cells(page: str, heading: str) -> list[list[str]]:
    """The cells of the table with this label, row by row."""
    start = page.index(f'aria-label="{heading}"')
    table = page[start : page.index("</table>", start)]
    rows = table.split("<tbody>")[1].split("</tr>")[:-1]
    return [
        [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_the_plan_stands_before_everything_explored(desked: Client) -> None:
    page = said(desked, desk("report"))
    assert page.index("The plan") < page.index("What was found")
    assert "Everything else in this report was explored" in page
    assert "Everything else in this report was explored" in said(desked, desk("rules"))


def test_each_hypothesis_stands_with_p_holm_and_whether_it_is_met(desked: Client, run: Run) -> None:
    rows = cells(desked.get(desk("study")).content.decode(), "The plan")
    found = run.findings["plan"]["hypotheses"]
    assert rows[0][0].startswith("many steal The share of")
    assert len(rows) == len(found) == 6
    for row, one in zip(rows, found, strict=True):
        assert row[-1] == ("met" if one["met"] else "not met")
        assert row[-2] == (f"{one['holm']:.3f}" if one["holm"] >= 0.001 else "< 0.001")
    assert rows[-1][1:] == [
        "cannot be computed, counts as p = 1 by: 'age' is not drawn from two choices",
        "1.000",
        "not met",
    ]


def test_the_plan_shows_its_hash_and_its_salt(desked: Client) -> None:
    page = said(desked, desk("study"))
    assert studied.PLAN.fingerprint in page
    assert studied.PLAN.salt in page


def test_who_left_stands_above_the_arms_with_every_number_of_them(desked: Client, run: Run) -> None:
    page = desked.get(desk("study")).content.decode()
    arms = run.findings["arms"]
    assert page.index("Who left") < page.index('aria-label="By arm"')
    for n in (arms["direct"], arms["disguised"]):
        assert str(n) in page
    assert f"{arms['left']['completion']:.2f}" in page
    rows = cells(page, "By arm")
    assert len(rows) == len(arms["items"]) == 4
    for row, one in zip(rows, arms["items"], strict=True):
        _answer, direct, disguised, compared, chances, smallest = row
        around, bounds = compared.split(" if people left: ")
        difference, interval = around.split(" ", 1)
        p, holm = chances.split(" Holm: ")
        assert float(direct.rstrip(" %")) == round(100 * one["direct"], 1)
        assert number(disguised.split("%")[0]) == round(100 * one["disguised"], 1)
        assert number(difference) == round(100 * one["difference"], 1)
        assert list(map(number, interval.split(" to "))) == [
            round(100 * one[end], 1) for end in ("low", "high")
        ]
        assert (p, holm) == tuple(
            f"{one[name]:.3f}" if one[name] >= 0.001 else "< 0.001" for name in ("p", "holm")
        )
        assert number(smallest) == round(100 * one["smallest"], 1)
        assert list(map(number, bounds.split(" to "))) == [round(100 * end, 1) for end in one["bounds"]]


def number(text: str) -> float:
    return float(text.strip().replace("−", "-"))


def test_corrected_shares_stand_beside_the_others(desked: Client, run: Run) -> None:
    rows = cells(desked.get(desk("study")).content.decode(), "Corrected shares")
    found = run.findings["controls"]["items"]
    assert len(rows) == len(found) == 4
    for row, one in zip(rows, found, strict=True):
        _answer, n, share, _interval, corrected, around = row
        assert n == str(round(one["n"]))
        assert number(share.split("%")[0]) == round(100 * one["share"], 1)
        assert number(corrected.split("%")[0]) == round(100 * one["corrected"], 1)
        assert number(around.split("%")[0]) == round(100 * one["corrected_low"], 1)


@pytest.mark.parametrize(
    "assumption",
    [
        "This assumes that more is truer",
        "This assumes that careless people answer at random",
        "This assumes that the versions differ in nothing but the secret.",
        "This assumes that each device drew as the questionnaire says.",
        "This assumes that people who answer at random do so alike in both arms.",
    ],
)
def test_under_each_table_stands_what_it_assumes(desked: Client, assumption: str) -> None:
    assert assumption in said(desked, desk("study"))


def test_direct_records_are_told_apart_in_the_facts(desked: Client, run: Run) -> None:
    page = said(desked, desk("report"))
    assert (
        f"Asked directly {run.findings['arms']['direct']} more, used in the comparison of the arms alone"
        in page
    )
    assert "Of these open" not in page


def test_researchers_see_nothing_before_it_is_published(
    run: Run, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert client.get(reader("study")).status_code == 403
    publishing.publish(Review.objects.get(), reviewer, [], "", NOW)
    page = said(client, reader("study"))
    assert studied.PLAN.salt in page
    assert len(cells(client.get(reader("study")).content.decode(), "By arm")) == 4


def test_a_report_without_a_study_has_no_such_page(owner: Person, reviewer: Person, signed_in_as: As) -> None:
    made.run(made.survey(owner))
    publishing.add_finished_runs(NOW)
    client = signed_in_as(reviewer)
    assert client.get(desk("study")).status_code == 404
    page = said(client, desk("report"))
    assert "explored" not in page
    assert " Study " not in page


def test_too_few_records_say_so(owner: Person, start: Start, reviewer: Person, signed_in_as: As) -> None:
    few = studied.survey(owner, studied.design(), [])
    studied.seal(few, 100, direct=95)
    start(few)
    page = signed_in_as(reviewer).get(desk("study")).content.decode()
    assert {tuple(row[1:]) for row in cells(page, "By arm")} == {("too few asked",)}
    assert "Nothing is estimated from fewer than 50 records" in page
