"""Frozen, not yet open: the folder is made once, the host is asked for each file, and only then the survey opens."""

import io
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from accounts.models import Person
from intake.hosted import frozen_page
from intake.hosted.check_page import TYPES, Answer, Difference
from intake.hosted.frozen_page import files_of, look_at_host
from intake.invitations.researcher_views import invitation_link_builder
from surveys.lifecycle import asked_at, opening, state_changes, survey_creation
from surveys.models import PageFolder, Survey
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW, acts

pytestmark = pytest.mark.page
HOST = "https://ethics.example.edu"
LATER = NOW + timedelta(minutes=2)


@pytest.fixture
def hosted(owner: Person, settings: Settings) -> Survey:
    settings.SITE_URL = "https://research.example.org"
    draft = drafts.complete(open_answers=False, asked_at={"host": HOST})
    return survey_creation.create_survey_from_draft(owner, draft, "surveys.created", NOW)


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Callable[[PageFolder], dict[str, bytes | None]]:
    """What the host serves, by address, from then on."""

    def serve(folder: PageFolder) -> dict[str, bytes | None]:
        content: dict[str, bytes | None] = {f"{HOST}/{name}": data for name, data in files_of(folder).items()}
        content[f"{HOST}/"] = content[f"{HOST}/index.html"]
        monkeypatch.setattr(frozen_page, "_fetch", [lambda address: answer(address, content.get(address))])
        return content

    return serve


def answer(address: str, content: bytes | None) -> Answer:
    """As a server of files answers."""
    kind = TYPES.get(address.rpartition(".")[2], TYPES["html"])[0]
    return Answer(404, {}, b"") if content is None else Answer(200, {"content-type": kind}, content)


Serve = Callable[[PageFolder], dict[str, bytes | None]]


def test_a_survey_opens_only_after_its_frozen_page_was_seen_at_the_host(
    hosted: Survey, owner: Person, publish: Serve
) -> None:
    with pytest.raises(NotAllowed, match="Freeze the page for the host first"):
        opening.open_survey_now(hosted, owner, NOW)
    folder = frozen_page.freeze_page(hosted, owner, NOW)
    with pytest.raises(NotAllowed, match="does not serve the page yet"):
        opening.open_survey_now(hosted, owner, NOW)
    publish(folder)
    assert look_at_host(folder, HOST, owner, NOW) == []
    opening.open_survey_now(hosted, owner, NOW)
    assert acts(hosted)[-3:] == ["surveys.page-frozen", "surveys.page-seen", "surveys.opened"]
    assert hosted.design is not None
    assert files_of(folder)["design.json"].decode() == hosted.design.json
    assert sha256(files_of(folder)["SHA256SUMS"]).hexdigest() == folder.sums_sha256


def test_a_change_of_the_draft_ends_the_frozen_state(hosted: Survey, owner: Person, publish: Serve) -> None:
    publish(folder := frozen_page.freeze_page(hosted, owner, NOW))
    look_at_host(folder, HOST, owner, NOW)
    Survey.objects.filter(pk=hosted.pk).update(draft={**hosted.draft, "minutes": 9})
    hosted.refresh_from_db()
    assert asked_at.current_folder(hosted) is None
    with pytest.raises(NotAllowed, match="Freeze the page for the host first"):
        opening.open_survey_now(hosted, owner, NOW)
    again = frozen_page.freeze_page(hosted, owner, NOW)
    assert (again.seen, again.sums_sha256 != folder.sums_sha256) == (None, True)


def test_the_survey_opens_with_the_design_that_people_have_read(
    hosted: Survey, owner: Person, publish: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade since then words a sentence otherwise."""
    publish(folder := frozen_page.freeze_page(hosted, owner, NOW))
    look_at_host(folder, HOST, owner, NOW)
    other = opening.check_and_freeze(hosted, NOW)
    monkeypatch.setattr(opening, "check_and_freeze", lambda *_given: other)
    object.__setattr__(other, "fingerprint", "0" * 64)
    opening.open_survey_now(hosted, owner, NOW)
    assert hosted.design_id == sha256(folder.design.encode()).hexdigest()


@pytest.mark.parametrize("change", ["changed", "missing", "older", "index"])
def test_a_host_that_serves_something_else_is_named_with_the_file(
    change: str, hosted: Survey, owner: Person, publish: Serve
) -> None:
    content = publish(folder := frozen_page.freeze_page(hosted, owner, NOW))
    name = {"index": "", "older": "SHA256SUMS"}.get(change, "design.json")
    content[f"{HOST}/{name}"] = None if change == "missing" else b"something else"
    said = "is answered with 404" if change == "missing" else "has other bytes than the frozen one"
    difference = f"{name or 'the address of the page'} {said}"
    assert look_at_host(folder, HOST, owner, NOW) == [Difference(name, difference)]
    folder.refresh_from_db()
    assert folder.seen is None


def test_the_host_is_asked_once_a_minute_and_only_at_its_own_origin(
    hosted: Survey, owner: Person, publish: Serve
) -> None:
    publish(folder := frozen_page.freeze_page(hosted, owner, NOW))
    for other in (
        "https://ethics.example.edu.evil.example",
        "https://evil.example/",
        "http://ethics.example.edu",
    ):
        with pytest.raises(NotAllowed, match="which the design names"):
            look_at_host(folder, other, owner, NOW)
    look_at_host(folder, f"{HOST}/index.html", owner, NOW)
    with pytest.raises(NotAllowed, match="less than a minute ago"):
        look_at_host(folder, HOST, owner, NOW + timedelta(seconds=59))
    assert look_at_host(folder, HOST, owner, LATER) == []


def test_a_host_that_takes_long_for_each_file_is_given_up(
    hosted: Survey, owner: Person, publish: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = frozen_page.freeze_page(hosted, owner, NOW)
    publish(folder)
    passing = iter(range(0, 1_000, 9))
    monkeypatch.setattr(frozen_page, "monotonic", lambda: next(passing))
    with pytest.raises(NotAllowed, match="not all files came in 30 seconds"):
        look_at_host(folder, f"{HOST}/", owner, LATER)


def test_only_a_complete_draft_with_a_host_is_frozen_and_not_in_development(
    hosted: Survey, owner: Person, settings: Settings
) -> None:
    Survey.objects.filter(pk=hosted.pk).update(draft={**hosted.draft, "title": {}})
    with pytest.raises(InputRefused):
        frozen_page.freeze_page(hosted, owner, NOW)
    here = survey_creation.create_survey_from_draft(owner, drafts.complete(), "surveys.created", NOW)
    with pytest.raises(NotAllowed, match="asked on this site"):
        frozen_page.freeze_page(here, owner, NOW)
    settings.DEBUG = True
    with pytest.raises(NotAllowed, match="DEBUG"):
        frozen_page.freeze_page(hosted, owner, NOW)
    assert not PageFolder.objects.exists()


def test_the_pages_freeze_look_and_hand_out_the_folder(
    hosted: Survey, owner: Person, stranger: Person, signed_in_as: As, publish: Serve
) -> None:
    own, address = signed_in_as(owner), f"/app/surveys/{hosted.pk}/page"
    assert f'href="{address}">Page for the host</a>' in own.get(hosted.get_absolute_url()).text
    invitations = own.get(f"/app/surveys/{hosted.pk}/invitations").text
    assert "Field devices" not in invitations
    assert "Inside another site" not in invitations
    assert "Freeze the page" in own.get(address).text
    assert own.get(f"{address}.zip").status_code == 404
    assert own.post(f"{address}/freeze").status_code == 302
    folder = PageFolder.objects.get()
    publish(folder)
    assert folder.sums_sha256 in own.get(address).text
    assert own.post(f"{address}/look", {"address": f"{HOST}/"}).status_code == 302
    assert "Every file was there" in own.get(address).text
    archive = ZipFile(io.BytesIO(own.get(f"{address}.zip").content))
    assert "index.html" in archive.namelist()
    other = signed_in_as(stranger)
    assert [other.get(address).status_code, other.get(f"{address}.zip").status_code] == [404, 404]
    assert [other.post(f"{address}/{do}").status_code for do in ("freeze", "look")] == [404, 404]
    assert [own.get(f"{address}/{do}").status_code for do in ("freeze", "look")] == [405, 405]


def test_the_command_writes_the_folder(
    hosted: Survey, owner: Person, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with pytest.raises(CommandError, match="no survey"):
        call_command("page", hosted.slug)
    folder = frozen_page.freeze_page(hosted, owner, NOW)
    call_command("page", hosted.slug)
    assert capfdbinary.readouterr().out == bytes(folder.content)


def test_the_page_inside_a_tool_is_stored_when_its_survey_opens(owner: Person, signed_in_as: As) -> None:
    draft = drafts.complete(open_answers=False, asked_at={"inside": ["https://tool.example.com"]})
    survey = survey_creation.create_survey_from_draft(owner, draft, "surveys.created", NOW)
    opening.open_survey_now(survey, owner, NOW)
    folder = asked_at.current_folder(survey)
    assert folder
    assert "tool.example.com" in files_of(folder)["README.txt"].decode()
    client = signed_in_as(owner)
    assert f"/app/surveys/{survey.pk}/page.zip" in client.get(f"/app/surveys/{survey.pk}/invitations").text
    assert client.get(f"/app/surveys/{survey.pk}/page.zip").content == bytes(folder.content)


def test_a_deleted_draft_leaves_no_folder_behind(hosted: Survey, owner: Person) -> None:
    frozen_page.freeze_page(hosted, owner, NOW)
    state_changes.destroy_survey(hosted, owner, NOW)
    assert not PageFolder.objects.exists()


def test_the_sites_own_page_asks_nothing_and_leads_to_the_host(
    hosted: Survey, owner: Person, publish: Serve
) -> None:
    publish(folder := frozen_page.freeze_page(hosted, owner, NOW))
    look_at_host(folder, HOST, owner, NOW)
    opening.open_survey_now(hosted, owner, NOW)
    page = Client().get(hosted.address)
    assert f'href="{HOST}"' in page.text
    assert folder.sums_sha256 in page.text
    assert "<script" not in page.text.replace('<script type="application/json"', "")
    assert Client().get(f"{hosted.address}/form").headers["Location"] == hosted.address


def test_the_study_sheet_names_the_host_and_the_digest_of_its_files(
    hosted: Survey, owner: Person, signed_in_as: As
) -> None:
    address = f"/app/surveys/{hosted.pk}/study-sheet"
    assert "ethics.example.edu serves the page" in signed_in_as(owner).get(address).text
    folder = frozen_page.freeze_page(hosted, owner, NOW)
    assert folder.sums_sha256 in signed_in_as(owner).get(address).text


def test_invitations_lead_to_the_page_where_the_host_was_seen_to_serve_it(
    hosted: Survey, owner: Person, publish: Serve
) -> None:
    """This site's own page asks nothing, and would lose the invitation of the fragment."""
    content = publish(folder := frozen_page.freeze_page(hosted, owner, NOW))
    assert invitation_link_builder(hosted)("0f") == f"{HOST}/#0f"
    content |= {address.replace(HOST, f"{HOST}/survey"): data for address, data in content.items()}
    assert look_at_host(folder, f"{HOST}/survey/index.html", owner, NOW) == []
    assert invitation_link_builder(hosted)("0f") == f"{HOST}/survey/#0f"
    here = survey_creation.create_survey_from_draft(owner, drafts.complete(), "surveys.created", NOW)
    assert invitation_link_builder(here)("0f") == f"https://research.example.org{here.address}#0f"
