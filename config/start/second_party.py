"""A second party for ./run demo: a web server of files on another port, which plays the host of a survey's page."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from accounts.models import Person
from intake.hosted import frozen_page
from intake.hosted.folder import Folder
from surveys.draft_json import Draft
from surveys.lifecycle import asked_at, opening, survey_creation
from surveys.models import Survey
from surveys.questionnaire.hypotheses import KEY as PLAN

TITLE = {"en": "Working here (page from a second party)", "zh-hans": "在这里工作（页面来自第二方）"}


class HostRequestHandler(SimpleHTTPRequestHandler):
    """Serves files with the headers that their README.txt names, and keeps no log."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        super().end_headers()

    def log_request(self, *_code_and_size: object) -> None:
        pass


def draft_of_second_party(demo: Draft) -> Draft:
    """Returns the demo's draft for a second party: nobody's answers are simulated, and nothing waits for a reviewer."""
    return {key: value for key, value in demo.items() if key not in (PLAN, "rehearsal", "direct")}


def start_second_party(
    owner: Person, draft: Draft, port: int, folder: Path, now: datetime
) -> tuple[Survey, Callable[[], None]]:
    """Serves the page of a survey from `folder` at this port of localhost; creates and opens the survey if it does not
    exist. Returns it, and the function that stops the server."""
    folder.mkdir(mode=0o700, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(HostRequestHandler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    host = f"http://localhost:{port}"
    survey = Survey.objects.filter(owner=owner, draft__title=TITLE, draft__asked_at__host=host).first()
    if survey is None:
        given = {**draft, "title": TITLE, "asked_at": {"host": host}}
        survey = survey_creation.create_survey_from_draft(owner, given, "surveys.created", now)
    if survey.state == Survey.State.DRAFT:
        row = frozen_page.freeze_page(survey, owner, now)
        write_files(frozen_page.files_of(row), folder)
        frozen_page.look_at_host(row, f"{host}/", owner, now)
        opening.open_survey_now(survey, owner, now)
    elif frozen := asked_at.current_folder(survey):
        write_files(frozen_page.files_of(frozen), folder)

    def stop() -> None:
        server.shutdown()
        server.server_close()

    return survey, stop


def write_files(files: Folder, folder: Path) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
