"""A client of Candor's API in one file, with the standard library alone (docs/api.md).

CANDOR_TOKEN=candor_... python candor_client.py https://survey.example.org create draft.json
CANDOR_TOKEN=candor_... python candor_client.py https://survey.example.org report 7 > report.json
"""

import json
import os
import sys
import time
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

TRIES = 3


class ProblemError(Exception):
    """An error as the API tells it (RFC 9457)."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status, self.problem = status, problem
        places = [f"{error['path']}: {error['reason']}" for error in problem.get("errors") or []]
        super().__init__("\n".join([f"{status} {problem.get('detail', '')}", *places]))


class NoRedirects(HTTPRedirectHandler):
    """A token goes to the address that it was given for, and nowhere else."""

    def redirect_request(self, *args: Any) -> None:
        return None


class Candor:
    def __init__(self, site: str, token: str) -> None:
        self.base, self.token = f"{site.rstrip('/')}/api/1", token
        self.opener = build_opener(NoRedirects)

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[Any, str]:
        """The answer and its ETag. Waits where the token has asked too often or the site is busy."""
        data = None if body is None else json.dumps(body).encode()
        sent = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            **(headers or {}),
        }
        for left in reversed(range(TRIES)):
            try:
                request = Request(f"{self.base}{path}", data, sent, method=method)  # noqa: S310
                with self.opener.open(request, timeout=60) as answer:
                    content = answer.read()
                    is_json = answer.headers.get_content_type() == "application/json"
                    return json.loads(content) if is_json else content, answer.headers.get("ETag", "")
            except HTTPError as error:
                if error.code in (429, 503) and left:
                    time.sleep(int(error.headers.get("Retry-After", "5")))
                    continue
                is_problem = error.headers.get_content_type() == "application/problem+json"
                raise ProblemError(error.code, json.load(error) if is_problem else {}) from None
        raise AssertionError

    def create_survey(self, draft: dict[str, Any]) -> int:
        """The id of a new survey."""
        return int(self.ask("POST", "/surveys", draft)[0]["id"])

    def change_draft(self, survey: int, **values: Any) -> str:
        """Set keys of a draft; `ProblemError` with 412 if somebody changes it at the same moment."""
        path = f"/surveys/{survey}/draft"
        draft, version = self.ask("GET", path)
        return str(self.ask("PUT", path, {**draft, **values}, {"If-Match": version})[0]["version"])

    def checks(self, survey: int) -> dict[str, Any]:
        checks: dict[str, Any] = self.ask("GET", f"/surveys/{survey}/checks")[0]
        return checks

    def open_survey(self, survey: int) -> str:
        """The address for respondents."""
        return str(self.ask("POST", f"/surveys/{survey}/open")[0]["address"])

    def report(self, report: int) -> dict[str, Any]:
        document: dict[str, Any] = self.ask("GET", f"/reports/{report}")[0]
        return document


def main() -> None:
    site, what, argument = sys.argv[1:]
    candor = Candor(site, os.environ["CANDOR_TOKEN"])
    if what == "create":
        with open(argument, encoding="utf-8") as file:  # noqa: PTH123
            survey = candor.create_survey(json.load(file))
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
    except ProblemError as problem:
        sys.exit(str(problem))
