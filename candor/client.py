"""A client of Candor's HTTP API, with the standard library alone (docs/api.md).

    candor = Candor("https://survey.example.org", token)
    survey = candor.create_survey(draft)
    rehearsal = candor.start_rehearsal(survey)["survey"]
    run = candor.wait(candor.rehearsal, rehearsal)["run"]
    report = candor.report(7)

CANDOR_TOKEN=candor_... python -m candor.client https://survey.example.org create draft.json
CANDOR_TOKEN=candor_... python -m candor.client https://survey.example.org report 7 > report.json
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener
from uuid import uuid4

TRIES = 3
AGAIN = (429, 503)
"""HTTP statuses after which the client repeats a request."""
PATIENCE = 600.0
"""Seconds that the client waits for a job to finish."""
Json = dict[str, Any]


class ProblemError(Exception):
    """Error response of the API (RFC 9457): `status`, and `problem`, whose `errors` name places and reasons."""

    def __init__(self, status: int, problem: Json) -> None:
        self.status, self.problem = status, problem
        places = [f"{error['path']}: {error['reason']}" for error in problem.get("errors") or []]
        super().__init__("\n".join([f"{status} {problem.get('detail', '')}", *places]))


class NoRedirects(HTTPRedirectHandler):
    """Handler that follows no redirect, so that the token is sent to no other address."""

    def redirect_request(self, *args: Any) -> None:
        return None


class Answer(NamedTuple):
    """Response of the API: `content`, parsed JSON or bytes; `etag`, the version of a draft."""

    content: Any
    etag: str


class Candor:
    """Client of a Candor site, for one person's token. Each method raises ProblemError for an error response.

    A POST has an Idempotency-Key: the client repeats it if no response came, and the site performs it once.
    """

    def __init__(self, site: str, token: str, timeout: float = 60.0) -> None:
        self.site, self.token, self.timeout = site.rstrip("/"), token, timeout
        self.opener = build_opener(NoRedirects)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        query: Json | None = None,
    ) -> Answer:
        """Sends one request and returns the response. `path`: below `/api/1`; `body`: sent as JSON, bytes unchanged."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid4())
        address = f"{self.site}/api/1{path}" + (f"?{urlencode(query)}" if query else "")
        for left in reversed(range(TRIES)):
            request = Request(address, data, {**sent, **(headers or {})}, method=method)  # noqa: S310
            try:
                with self.opener.open(request, timeout=self.timeout) as answer:
                    content = answer.read()
                    is_json = answer.headers.get_content_type() == "application/json"
                    etag = answer.headers.get("ETag", "")
                    return Answer(json.loads(content) if is_json and content else content, etag)
            except HTTPError as error:
                if error.code in AGAIN and left:
                    after = error.headers.get("Retry-After", "")
                    time.sleep(int(after) if after.isdecimal() else 5)  # it may be a date, too
                    continue
                is_problem = error.headers.get_content_type() == "application/problem+json"
                problem = json.load(error) if is_problem else {"detail": error.reason}
                raise ProblemError(error.code, problem) from None
            except (OSError, HTTPException):
                if not left:
                    raise
        raise AssertionError

    def pages(self, path: str, **filters: object) -> Iterator[Json]:
        """Yields all items of a list, page by page; `filters` are those of the API's reference."""
        page: int | None = 1
        while page:
            content = self.ask("GET", path, query={"page": page, **filters}).content
            yield from content["items"]
            page = page + 1 if content["next"] else None

    # --- surveys and drafts ---

    def surveys(self, **filters: object) -> Iterator[Json]:
        """Yields the surveys that the token's person may see; filters: state, kind, text, since."""
        return self.pages("/surveys", **filters)

    def survey(self, survey: int) -> Json:
        return self._json("GET", f"/surveys/{survey}")

    def create_survey(self, draft: Json) -> int:
        """Creates a survey from a draft and returns its id."""
        return int(self._json("POST", "/surveys", draft)["id"])

    def import_questionnaire(self, file: Path, *, draft: bool = False, **choices: object) -> Json:
        """Imports a questionnaire file of any format; returns how it was read. With `draft` it also creates a survey,
        whose id is `survey.id` in the response.

        `plain`: names of questions that are not sensitive; `ends`: {name: {"low": 0, "high": 99}}.
        """
        border = uuid4().hex
        head = f'--{border}\r\nContent-Disposition: form-data; name="'
        decided = json.dumps({"draft": draft, **choices})
        body = (
            f'{head}choices"\r\n\r\n{decided}\r\n{head}file"; filename="file"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode() + file.read_bytes()
        headers = {"Content-Type": f"multipart/form-data; boundary={border}"}
        return self._json("POST", "/imports", body + f"\r\n--{border}--\r\n".encode(), headers)

    def change_draft(self, survey: int, **values: Any) -> str:
        """Sets keys of a draft and returns its new version; raises ProblemError with 412 after a concurrent change.

        Hypotheses, the survey that it repeats and whether it is a rehearsal stay as they are, whatever is sent.
        """
        path = f"/surveys/{survey}/draft"
        draft, version = self.ask("GET", path)
        return str(self._json("PUT", path, {**draft, **values}, {"If-Match": version})["version"])

    def delete_draft(self, survey: int) -> None:
        self.ask("DELETE", f"/surveys/{survey}")

    def checks(self, survey: int) -> Json:
        """Returns what a draft still lacks before it can open, and its guarantee for each person."""
        return self._json("GET", f"/surveys/{survey}/checks")

    def open_survey(self, survey: int) -> str:
        """Opens a survey and returns the address for respondents."""
        return str(self._json("POST", f"/surveys/{survey}/open")["address"])

    def close_survey(self, survey: int) -> Json:
        return self._json("POST", f"/surveys/{survey}/close")

    # --- who answers ---

    def counts(self, survey: int) -> Json:
        return self._json("GET", f"/surveys/{survey}/counts")

    def make_invitations(self, survey: int, n: int) -> list[str] | None:
        """Creates `n` invitations and returns their single-use links, which are shown only once.

        None if the site only repeats an earlier reply that was lost.
        """
        links: list[str] | None = self._json("POST", f"/surveys/{survey}/invitations", {"n": n})["links"]
        return links

    def count_invitations(self, survey: int) -> Json:
        return self._json("GET", f"/surveys/{survey}/invitations")

    def start_rehearsal(self, survey: int) -> Json:
        """Starts a rehearsal: simulated people answer a copy of the survey; `survey` in the response is
        the copy's id."""
        return self._json("POST", f"/surveys/{survey}/rehearsals")

    def rehearsal(self, survey: int) -> Json:
        return self._json("GET", f"/surveys/{survey}/rehearsal")

    # --- results ---

    def start_run(self, survey: int, **parameters: object) -> Json:
        return self._json("POST", f"/surveys/{survey}/runs", parameters)

    def runs(self, survey: int, **filters: object) -> Iterator[Json]:
        """Yields the runs of a survey; filters: state, since."""
        return self.pages(f"/surveys/{survey}/runs", **filters)

    def run(self, run: int) -> Json:
        return self._json("GET", f"/runs/{run}")

    def wait(self, ask: Callable[[int], Json], thing: int, patience: float = PATIENCE) -> Json:
        """Polls a job every few seconds until it is finished and returns it; TimeoutError after `patience` seconds.

        `ask`: the method `run` or `rehearsal`; `thing`: its argument.
        """
        until = time.monotonic() + patience
        while (answer := ask(thing))["state"] in ("queued", "running"):
            if time.monotonic() > until:
                raise TimeoutError
            time.sleep(3)
        return answer

    def reports(self, **filters: object) -> Iterator[Json]:
        """Yields the published reports; filters: survey, text, since."""
        return self.pages("/reports", **filters)

    def report(self, report: int) -> Json:
        return self._json("GET", f"/reports/{report}")

    # --- files, zipped ---

    def releases(self, **filters: object) -> Iterator[Json]:
        """Yields the approved releases; filters: kind, text, since."""
        return self.pages("/releases", **filters)

    def release(self, release: int, kind: str = "csv") -> bytes:
        return bytes(self.ask("GET", f"/releases/{release}/table", query={"kind": kind}).content)

    def records(self, survey: int, kind: str = "csv") -> bytes:
        """Returns the record file of a survey that a reviewer has approved."""
        return bytes(self.ask("GET", f"/surveys/{survey}/records", query={"kind": kind}).content)

    def deposit(self, report: int, publisher: str, **metadata: object) -> bytes:
        """Returns the zip of a published report for a repository; missing metadata are as the page proposes."""
        body = {"publisher": publisher, **metadata}
        return bytes(self.ask("POST", f"/reports/{report}/deposits", body).content)

    def _json(self, *request: Any) -> Json:
        content: Json = self.ask(*request).content
        return content


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    site, what, argument = sys.argv[1:]
    if not (token := os.environ.get("CANDOR_TOKEN")):
        sys.exit("CANDOR_TOKEN is not set: put a token of the site in this environment variable")
    candor = Candor(site, token)
    if what == "create":
        survey = candor.create_survey(json.loads(Path(argument).read_text(encoding="utf-8")))
        checks = candor.checks(survey)
        print(f"survey {survey}", "is ready to open" if checks["ready"] else "still needs:")
        for place in checks["missing"]:
            print(f"  {place['path']}: {place['reason']}")
    elif what == "report":
        json.dump(candor.report(int(argument)), sys.stdout, ensure_ascii=False, indent=1)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except (ProblemError, OSError, HTTPException, ValueError) as problem:
        sys.exit(str(problem))
