"""./run demo --second-party: another server serves a survey's page, byte for byte, and the survey is open."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from pytest_django.fixtures import Settings

from accounts.models import Person
from config.start import demo_content, second_party
from intake.hosted import check_page
from surveys.lifecycle import asked_at
from surveys.models import Survey
from tests.servers import free_port
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.mark.django_db
def test_the_second_party_serves_the_frozen_page_and_again_after_a_restart(
    owner: Person, settings: Settings, tmp_path: Path
) -> None:
    port, folder = free_port(), tmp_path / "second-party"
    settings.SITE_URL = f"http://127.0.0.1:{port + 1}"
    draft = second_party.draft_of_second_party(demo_content.demo_questionnaire_draft(NOW.date()))
    for start in range(2):
        survey, stop = second_party.start_second_party(
            owner, draft, port, folder, NOW + timedelta(hours=start)
        )
        assert survey.state == Survey.State.OPEN
        frozen = asked_at.current_folder(survey)
        assert frozen
        assert frozen.address == f"http://localhost:{port}/"
        assert check_page.main([frozen.address, frozen.sums_sha256]) == 0
        with closing(urlopen(frozen.address)) as page:
            assert page.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        stop()
        with pytest.raises(URLError):
            urlopen(frozen.address)
    assert Survey.objects.count() == 1
