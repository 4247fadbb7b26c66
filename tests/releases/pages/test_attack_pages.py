"""The tab of attacks: who sees it, what it says, what its form starts."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Person
from jobs import job_queue
from jobs.models import State
from releases.lifecycle import attack_job, download_zip
from releases.models import Attack, Register, Release
from surveys.models import Survey
from surveys.signed_in_view import ROOM
from tests.cast import As, post_length
from tests.jobs.conftest import broker
from tests.releases.conftest import (
    draft_of_patients,
    draft_of_survey,
    draft_of_upload,
    finish_job,
    made_release,
    patients_release,
    url,
    without_search,
)

__all__ = ["broker"]
pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("read_here")]
REGISTER = b"name,age,town\nAda,30,Kiel\nBob,90,Kiel\n"


@pytest.fixture
def release(owner: Person) -> Release:
    return patients_release(owner)


def post_register(client: Client, release: Release, register: bytes | None = REGISTER) -> int:
    files = {} if register is None else {"register": SimpleUploadedFile("r.csv", register)}
    return client.post(url("attacks", release), files).status_code


def test_the_owner_and_the_reviewer_of_an_upload_see_what_was_found_when_it_was_checked(
    release: Release, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    for person in (owner, reviewer):
        page = signed_in_as(person).get(url("attacks", release)).text
        assert "classes keep the criteria." in page
        assert f'href="{url("attacks", release)}" aria-current="page"' in page


def test_attack_page_tab_and_job_are_hidden_from_others(
    release: Release, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    assert signed_in_as(None).get(url("attacks", release)).status_code == 302
    for name in ("attacks", "attacked"):
        assert signed_in_as(stranger).get(url(name, release)).status_code == 404
    assert post_register(signed_in_as(stranger), release) == 404
    assert reading.put(url("attacks", release)).status_code == 405
    assert reading.post(url("attacked", release)).status_code == 405


def test_the_people_of_a_survey_see_no_attack_on_its_release(
    survey: Survey, owner: Person, reading: Client, judging: Client
) -> None:
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    assert reading.get(url("attacks", release)).status_code in (403, 404)
    assert url("attacks", release) not in reading.get(url("release", release)).text
    assert judging.get(url("attacks", release)).status_code == 200


def test_a_register_is_looked_for_and_the_page_says_whom_it_found(release: Release, reading: Client) -> None:
    assert post_register(reading, release) == 302
    assert reading.get(url("attacked", release)).status_code == 204
    finish_job(Attack.objects.get())
    for name in ("attacks", "attacked"):
        page = reading.get(url(name, release)).text
        assert "None of the 2 people in the register is found." in page
        assert "Ada" not in page


def test_draft_upload_is_attacked_with_or_without_a_register(owner: Person, reading: Client) -> None:
    release, client = without_search(draft_of_patients(owner), owner), reading
    assert "as it is?" in client.get(url("attacks", release)).text
    assert post_register(client, release, None) == 302
    finish_job(Attack.objects.get())
    page = client.get(url("attacks", release)).text
    assert "“Minimum class size (k)” is broken in" in page
    assert "in the register" not in page


def test_a_made_release_needs_a_register_that_is_a_table_and_not_too_large(
    release: Release, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    assert post_register(reading, release, None) == 422
    for field in ("register", "other", "third"):
        answer = reading.post(url("attacks", release), {field: other_file(b"who,wealth\nAda,rich\n")})
        assert answer.status_code == 422
        assert "name at least one of these columns: age, education, town." in answer.text
    monkeypatch.setattr("releases.lifecycle.attack_job.MOST_BYTES", len(REGISTER) - 1)
    answer = reading.post(url("attacks", release), {"other": other_file(REGISTER)})
    assert answer.status_code == 422
    assert "The file has more than 50 MB." in answer.text
    assert post_length(reading, url("attacks", release), attack_job.MOST_TOGETHER + ROOM + 1) == 413
    assert post_length(reading, url("attacks", release), attack_job.MOST_TOGETHER + ROOM) == 422
    assert not Attack.objects.exists()
    assert not Register.objects.exists()


def test_a_form_of_another_site_starts_nothing(release: Release, owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert post_register(client, release) == 403
    assert not Attack.objects.exists()


def test_a_second_attack_waits_for_the_first(release: Release, reading: Client) -> None:
    for _time in range(2):
        post_register(reading, release)
    assert Attack.objects.count() == 1
    assert "under way already" in reading.get(url("attacks", release)).text


def other_file(content: bytes, name: str = "second.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_register_tables_and_ruled_out_values_are_tried_at_once(release: Release, reading: Client) -> None:
    files = {"register": other_file(REGISTER), "other": other_file(REGISTER), "third": other_file(REGISTER)}
    assert reading.post(url("attacks", release), {**files, "ruled_out": "2"}).status_code == 302
    attack = Attack.objects.get()
    # Two files of one name are two files.
    assert (attack.with_register, attack.others) == (True, ["second.csv", "second.csv (2)"])
    assert (attack.ruled_out, Register.objects.count()) == (2, 3)
    finish_job(attack)
    page = reading.get(url("attacks", release)).text
    assert "None of the 2 people in the register is found." in page
    assert "Together with second.csv (2), " in page
    assert "Somebody who knows that illness is not" in page
    assert "Your files have been deleted." in page


def test_ruled_out_values_alone_are_enough_and_without_a_sensitive_column_not_asked_for(
    release: Release, owner: Person, reading: Client
) -> None:
    answer = reading.post(url("attacks", release), {"ruled_out": "1"})
    assert answer.status_code == 422
    assert "or let somebody rule out more than one value" in answer.text
    assert reading.post(url("attacks", release), {"ruled_out": "2"}).status_code == 302
    plain = draft_of_upload(owner, b"age,town\n21,b\n22,b\n", identifiers=[], sensitive=[])
    assert 'name="ruled_out"' not in reading.get(url("attacks", plain)).text


def test_rows_that_another_table_isolates_are_shown_as_published_to_whoever_sees_the_table(
    release: Release, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    header, *rows = csv.reader(io.StringIO(download_zip.published_file(release).decode()))
    assert header[0] == "age"
    inner = next(row for row in rows if row[0][0].isdigit() and ".." in row[0])
    group = [number for number, row in enumerate(rows, 1) if row[:3] == inner[:3]]
    # The other table shows the ages of these people, with three of them in turn: groups of a third of this one.
    least = int(inner[0].split("..")[0])
    for turn, number in enumerate(group):
        rows[number - 1] = [str(least + turn % 3), *inner[1:3], rows[number - 1][3]]
    other = "\n".join(map(",".join, [header[:3], *(row[:3] for row in rows)])).encode()
    assert signed_in_as(owner).post(url("attacks", release), {"other": other_file(other)}).status_code == 302
    finish_job(Attack.objects.get())
    for person in (owner, reviewer):
        page = signed_in_as(person).get(url("attacks", release)).text
        assert "Rows in small groups together with second.csv" in page
        assert page.count(f'<td translate="no">{inner[0]}</td>') == min(len(group), 20)
        assert f'<th scope="row">{group[0]}</th>' in page


def test_twenty_found_rows_are_shown_and_the_rest_counted(release: Release, reading: Client) -> None:
    joined = {"name": "second.csv", "below": {"records": 25, "rows": [*range(1, 21)]}, "alone": 0}
    attack = Attack(release=release, of_source=False, with_register=False, others=["second.csv"])
    job_queue.enqueue(attack)
    finish_job(attack)
    Attack.objects.update(answer={"k": 10, "rows": 200, "beside": [joined]}, state=State.DONE)
    page = reading.get(url("attacked", release)).text
    assert page.count('<th scope="row">') == 20
    assert "And 5 more rows." in page


def test_upload_owner_sees_the_found_rows(owner: Person, reading: Client) -> None:
    release = draft_of_upload(owner, b"name,age,town,ill\nAnn,21,b,flu\nBea,21,b,cold\nCas,59,c,gout\n")
    assert post_register(reading, release, b"who,age\nWilma,59\nZac,21\n") == 302
    finish_job(Attack.objects.get())
    page = reading.get(url("attacked", release)).text
    assert "Rows of people who are found" in page
    assert '<th scope="row">3</th><td translate="no">Cas</td><td translate="no">59</td>' in page
    assert "Bea" not in page
    assert "Wilma" not in page


def test_a_register_that_is_no_table_is_refused_with_its_line(owner: Person, reading: Client) -> None:
    release = draft_of_patients(owner)
    files = {"register": SimpleUploadedFile("people.csv", b'name,"age"x\n')}
    answer = reading.post(url("attacks", release), files)
    assert answer.status_code == 422
    words = "people.csv:1: not CSV: text follows the quotation mark that closes a cell"
    assert answer.context["form"].errors["register"] == [words]
