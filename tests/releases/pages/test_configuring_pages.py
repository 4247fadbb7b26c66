"""The pages of a draft release: roles of columns, orders and groups of values, criteria, comparison."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from jobs import job_state_changes
from releases import uploads
from releases.models import Release
from tests.cast import kept_row
from tests.jobs.conftest import broker
from tests.releases.conftest import (
    USUAL_CRITERIA,
    draft_of_patients,
    draft_of_upload,
    finish_job,
    made_release,
    role_fields,
    url,
    without_search,
)
from tests.runs import sealed

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]


def stored_specification(release: Release) -> dict[str, Any]:
    """The specification as it is stored."""
    release.refresh_from_db()
    found: dict[str, Any] = json.loads(release.specification)
    return found


def refusal_page(answer: Any) -> str:
    """The page that says why."""
    assert answer.status_code == 422
    page: str = answer.text
    return page


def test_k_of_a_survey_is_at_least_ten(owner: Person, reading: Client) -> None:
    survey, client = sealed.survey(owner, sealed.small_design(), [300]), reading
    client.post(reverse("releases:of_survey", args=[survey.pk]), {"which": "plain"})
    release = Release.objects.get()
    assert client.post(url("criteria", release), USUAL_CRITERIA | {"k": "9"}).status_code == 422
    assert (
        client.post(url("criteria", release), USUAL_CRITERIA | {"k": "10", "joined": "on"}).status_code == 302
    )
    release.refresh_from_db()
    assert release.joined
    client.post(url("columns", release), {"role-0": "category"})
    release.refresh_from_db()
    assert release.joined


def test_roles_are_saved_and_bring_what_they_need(owner: Person, reading: Client) -> None:
    release = draft_of_patients(owner)
    page = refusal_page(reading.post(url("columns", release), role_fields(illness="sensitive")))
    assert "Choose at least one column that others may know." in page
    more = {"education": "ordered", "town": "category", "illness": "sensitive"}
    wanted = role_fields(name="identifier", age="number", **more)
    answer = reading.post(url("columns", release), {**wanted, "on": "yes"})
    assert answer["Location"] == url("criteria", release)
    said = stored_specification(release)
    assert [column["name"] for column in said["quasi_identifiers"]] == ["age", "education", "town"]
    assert said["quasi_identifiers"][1]["order"] == ["degree", "school"]
    assert (said["sensitive"], said["identifiers"]) == (["illness"], ["name"])
    assert said["l"] == {"kind": "distinct", "value": 2}


def release_with_order(owner: Person, client: Client) -> Release:
    def make() -> Release:
        release = draft_of_patients(owner)
        roles = role_fields(education="ordered", town="category", illness="sensitive")
        client.post(url("columns", release), roles)
        release.refresh_from_db()
        return release

    return kept_row(("ordered",), make)


def test_an_order_is_changed_by_moving_and_as_a_list(owner: Person, reading: Client) -> None:
    release = release_with_order(owner, reading)
    assert reading.get(url("column", release, 2)).status_code == 200

    def order() -> list[str]:
        found: list[str] = stored_specification(release)["quasi_identifiers"][0]["order"]
        return found

    assert order() == ["degree", "school"]
    reading.post(url("move", release, 2), {"up": "school"})
    assert order() == ["school", "degree"]
    reading.post(url("move", release, 2), {"down": "school"})
    assert order() == ["degree", "school"]
    reading.post(url("column", release, 2), {"order": "school\ndegree\ndoctorate\n"})
    assert order() == ["school", "degree", "doctorate"]


def test_a_wrong_order_is_said_at_its_field(owner: Person, reading: Client) -> None:
    release = release_with_order(owner, reading)
    for order, words in (
        ("school\nschool", "is there twice"),
        ("school", "at least two values"),
        ("school\nnone", "These values of the column are missing: degree."),
        ("school\ndegree\na..b", "A value with “..”"),
    ):
        assert words in refusal_page(reading.post(url("column", release, 2), {"order": order}))


def test_groups_are_written_as_indented_text(owner: Person, reading: Client) -> None:
    release = release_with_order(owner, reading)
    groups = "North\n  Kiel\n  Rostock\nSouth\n  Munich\n  Augsburg\n"
    answer = reading.post(url("column", release, 3), {"hierarchy": "given", "groups": groups})
    assert answer["Location"] == url("columns", release)
    town = stored_specification(release)["quasi_identifiers"][1]
    assert town["hierarchy"] == {"North": ["Kiel", "Rostock"], "South": ["Munich", "Augsburg"]}
    assert "  Kiel" in reading.get(url("column", release, 3)).text
    missing = "These values of the column are missing: Augsburg, Munich, Rostock."
    for groups, words in (("North\n   Kiel\n Rostock", "Line 3"), ("North\n  Kiel", missing)):
        sent = {"hierarchy": "given", "groups": groups}
        assert words in refusal_page(reading.post(url("column", release, 3), sent))


def test_the_ends_of_a_number_are_rounded_to_a_grid(owner: Person, reading: Client) -> None:
    release = draft_of_patients(owner)
    # Only columns whose values can be changed have a page of values.
    for column in (0, 99):
        assert reading.get(url("column", release, column)).status_code == 404
    address, empty = url("column", release, 1), {"grid": "", "under": "", "upward": ""}
    assert "Round the ends outwards" in reading.get(address).text
    answer = reading.post(address, empty | {"grid": "5", "upward": "60"})
    assert answer["Location"] == url("columns", release)
    assert stored_specification(release)["quasi_identifiers"][0]["ends"] == {"grid": "5", "from": "60"}
    assert "Open ends need a number" in refusal_page(reading.post(address, empty | {"under": "20"}))
    assert "no multiple of 5" in refusal_page(reading.post(address, empty | {"grid": "5", "under": "21"}))
    reading.post(address, empty)
    assert "ends" not in stored_specification(release)["quasi_identifiers"][0]


REAL = "age;born\n" + "30;1.2.1950\n" * 40 + ";\nabout 7;31.12.2001\n"


def test_missing_values_and_dates_are_described_by_column(owner: Person, reading: Client) -> None:
    client, release = reading, uploads.store_upload(owner, "t.csv", REAL.encode(), timezone.now())
    page = client.get(url("columns", release)).text
    assert "1 cell is no number:" in page
    assert 'line 43 “<span translate="no">about 7</span>”' in page
    assert "about 7" in client.get(url("column", release, 0)).text
    client.post(url("column", release, 0), {"empty": "on", "codes": "about 7\n-99\n\nabout 7"})
    dates = {"dates": "dmy", "level": "quarter", "codes": "?", "under": "1950-Q1", "upward": ""}
    assert client.post(url("column", release, 1), dates)["Location"] == url("columns", release)
    born = {"name": "born", "kind": "date", "missing": ["?"], "dates": "dmy", "level": "quarter"}
    assert stored_specification(release)["quasi_identifiers"] == [
        {"name": "age", "kind": "number", "missing": ["", "about 7", "-99"]},
        born | {"ends": {"under": "1950-Q1"}},
    ]
    assert 'value="quarter" selected' in client.get(url("column", release, 1)).text
    # A column that becomes a number again is read as it was proposed.
    for role in ("category", "number"):
        client.post(url("columns", release), {"role-0": role, "role-1": "date"})
    assert stored_specification(release)["quasi_identifiers"][0]["missing"] == [""]


def test_criteria_are_saved_as_the_specification_says_them(owner: Person, reading: Client) -> None:
    release = release_with_order(owner, reading)
    more = {"l_kind": "recursive", "l_value": "3", "l_c": "2.5", "t": "30", "rho1": "5", "rho2": "50"}
    more |= {"cell_suppression": "5"}
    answer = reading.post(url("criteria", release), {**USUAL_CRITERIA, **more, "k": "7", "weights": "data"})
    assert answer["Location"] == url("release", release)
    said = stored_specification(release)
    assert said["k"] == 7
    assert said["l"] == {"kind": "recursive", "value": 3, "c": "2.5"}
    assert (said["t"], said["rho"], said["max_frequency"]) == ("0.3000", ["0.0500", "0.5000"], "0.5000")
    assert (said["weights"], said["cell_suppression"]) == ("data", "0.0500")
    page = reading.get(url("release", release)).text
    assert "Nobody can be told from at least 6 others" in page
    assert "No class gives a sensitive value away with more than 50 %." in page
    assert "At most 5 % of the cells may be suppressed." in page
    # No limit on the most frequent value is said as none.
    reading.post(url("criteria", release), USUAL_CRITERIA | {"max_frequency": ""})
    assert stored_specification(release)["max_frequency"] is None


def test_a_wrong_criterion_is_said_at_its_field(owner: Person, reading: Client) -> None:
    release = release_with_order(owner, reading)
    tries: list[tuple[dict[str, str], str]] = [
        ({"k": "1"}, "k"),
        ({"l_kind": "distinct"}, "Give the number of values"),
        ({"l_kind": "recursive", "l_value": "3"}, "Give c"),
        ({"rho1": "5"}, "Give both shares"),
        ({"rho1": "50", "rho2": "5"}, "It must be larger"),
        ({"max_frequency": "150"}, "max_frequency"),
        ({"max_frequency": "50.125"}, "no more than 2 decimal places"),
    ]
    for wrong, words in tries:
        assert words in refusal_page(reading.post(url("criteria", release), USUAL_CRITERIA | wrong)), wrong


def test_the_set_of_columns_that_separates_the_rows_is_named(owner: Person, reading: Client) -> None:
    rows = "\n".join(["age,town,sex", *(f"{at % 31},t{at // 31},{'mf'[at % 2]}" for at in range(310))])
    release = uploads.store_upload(owner, "accounts.csv", rows.encode(), timezone.now())
    page = reading.get(url("columns", release)).text
    assert '<bdi translate="no">age and town</bdi> together single out 100.0 % of the rows.' in page
    alone = uploads.store_upload(owner, "one.csv", b"age,town\n1,a\n2,a\n2,a\n", timezone.now())
    assert "together single out" not in reading.get(url("columns", alone)).text


PEOPLE = [f"{20 + n % 40},{'abc'[n % 3]},{'fc'[n % 2]},3" for n in range(120)]
WEIGHED = "\n".join(["age,town,ill,weight", *PEOPLE])


def test_a_column_of_weights_is_chosen_among_the_left_out_numbers(owner: Person, reading: Client) -> None:
    release = draft_of_upload(owner, WEIGHED.encode(), identifiers=[])
    page = reading.get(url("criteria", release)).text
    options = re.search(r'<select name="weight".*?</select>', page, re.DOTALL)
    assert options
    assert re.findall(r'value="(\w*)"', options[0]) == ["", "weight"]
    both = {"weight": "weight", "fraction": "5"}
    assert "not both" in reading.post(url("criteria", release), USUAL_CRITERIA | both).text
    weighed = USUAL_CRITERIA | {"weight": "weight"}
    assert reading.post(url("criteria", release), weighed).status_code == 302
    assert stored_specification(release)["sample"] == {"weight": "weight"}
    # Each of 120 people stands for three.
    risks = made_release(without_search(release, owner), owner).report["risks"]["after"]
    assert risks["journalist"]["population"] == 360


def test_choices_are_compared_as_a_picture_and_as_a_table(owner: Person, reading: Client) -> None:
    release, client = without_search(draft_of_patients(owner), owner), reading
    assert "Compare choices" in client.get(url("compare", release)).text
    client.post(url("compare", release))
    comparison = release.comparisons.get()
    assert client.get(url("compared", release)).status_code == 204
    finish_job(comparison)
    page = client.get(url("compared", release)).text
    assert "<svg" in page
    assert "Tree" in page


def test_comparison_proposes_a_missing_limit(owner: Person, reading: Client) -> None:
    release = draft_of_upload(owner, max_frequency=None)
    assert "Nothing limits what a class tells of ill" in reading.get(url("compare", release)).text
    assert reading.post(url("compare", release), {"limit": "yes"}).status_code == 302
    assert stored_specification(release)["l"] == {"kind": "distinct", "value": 2}
    assert release.comparisons.get().live
    assert "Nothing limits" not in reading.get(url("compare", release)).text


def test_chosen_row_with_nearly_uniform_classes_warns(owner: Person, reading: Client) -> None:
    release = draft_of_upload(owner)
    reading.post(url("compare", release))
    tried = {"method": "tree", "smallest": 10, "ncp": 0.1}
    rows = [{**tried, "k": 10, "max_frequency": 0.9}, {**tried, "k": 20, "max_frequency": 0.89}]
    release.comparisons.update(rows=rows)
    job_state_changes.cancel(release.comparisons.get(), timezone.now())
    page = reading.get(url("compared", release)).text
    assert "Tree with <var>k</var> = 10: in one class 90.0 % of the people have the same" in page
    assert page.count("have the same sensitive value") == 1


def test_a_weight_and_what_is_too_much_is_left_out_with_its_reason(owner: Person, reading: Client) -> None:
    names = ["sample_weight", *(f"c{n}" for n in range(13)), "remark"]
    rows = [f"{n},{','.join([str(n % 7)] * 12)},1,text {n // 2}" for n in range(2200)]
    content = "\n".join([",".join(names), *rows]).encode()
    release = uploads.store_upload(owner, "t.csv", content, timezone.now())
    said = json.loads(release.specification)
    assert [column["name"] for column in said["quasi_identifiers"]] == [f"c{n}" for n in range(12)]
    page = reading.get(url("columns", release)).text
    assert page.count("Left out: its name is that of a weight") == 1
    assert page.count("Left out: at most 12 quasi-identifiers are proposed") == 1
    assert page.count("Left out: classes cannot be made of more than 1,000 different texts.") == 1


def test_configuring_page_starts_with_the_proposal(owner: Person, reading: Client) -> None:
    release = draft_of_patients(owner)
    criteria = reading.get(url("criteria", release)).text
    assert criteria.index('value="tree"') < criteria.index('value="bottom-up"')  # the default one first
    page = reading.get(url("columns", release)).text
    for reason in (
        "Proposed as sensitive because of its name.",
        "Proposed as an identifier: every value stands once.",
        "of the pairs of rows apart",
    ):
        assert reason in page
    assert page.index("How to choose") < page.index("Save and go on to the criteria")
    assert page.index("What is each column?") < page.index("are proposed from the table")
    assert page.index("are proposed from the table") < page.index("Think of someone")
    folded = page[page.index("<summary>How to choose") : page.index("</details>")]
    assert "Others may know it from elsewhere" in folded
