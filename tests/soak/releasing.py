"""Releases that are made, approved and downloaded: all of the same records, so that all must be alike."""

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from releases.models import Release, ReleasedTable
from tests.releases import page_uploads, surveyed
from tests.soak.actors import Actor, Reply
from tests.soak.load import Check, none
from tests.soak.staff import DONE, browser
from tests.soak.system import Console

CRITERIA = page_uploads.USUAL | {"max_frequency": ""}
EVERY = 15
"""Seconds for which there is one survey: two releases of one would be held beside each other."""


def closed_surveys(count: int) -> list[int]:
    owner, design = Person.objects.get(username="owner"), surveyed.design()
    return [surveyed.survey_anew(owner, design, [surveyed.everybody(40)]).pk for _ in range(count)]


def released() -> list[list[Any]]:
    """Release, survey, state, and how many tables it has."""
    return [
        [
            each.pk,
            each.source.survey_id,
            each.state,
            ReleasedTable.objects.filter(making__release=each).count(),
        ]
        for each in Release.objects.select_related("source").order_by("pk")
    ]


class Releasing(Actor):
    what = "releases"

    def __init__(self, port: int, asking: Console, seed: int, seconds: float) -> None:
        self.left = asking.call(closed_surveys, max(6, round(seconds / EVERY)))
        self.owner, self.reviewer = (browser(port, asking, name) for name in ("owner", "rita"))
        super().__init__(seed, self.owner, self.reviewer)
        self.approved: dict[int, int] = {}
        """Release -> its survey."""
        self.tables: dict[str, list[int]] = {}
        """Digest of the downloaded table -> the releases that had it."""
        self.half: list[str] = []
        self.downloads = 0

    def turn(self) -> None:
        if not self.left:
            self.download(self.random.choice(list(self.approved)))
            return
        survey = self.left.pop()
        release = self.begin(survey)
        at = f"/app/releases/{release}"
        self.insist("criteria", lambda: self.owner.post(f"{at}/criteria", CRITERIA))
        self.owner.insist(lambda: self.owner.post(f"{at}/start", {}))

        def is_made() -> bool:
            """A job that failed for good makes it a draft again, which is started again."""
            if f"{at}/criteria" in self.owner.get(f"{at}/").text:
                self.owner.post(f"{at}/start", {})
            return f"{at}/approve" in self.reviewer.get(f"{at}/").text

        self.wait_until(is_made, f"release {release}", 0.5)
        self.insist("approve", lambda: self.approve(at))
        self.approved[release] = survey
        for _time in range(2):
            self.download(release)
        self.download(self.random.choice(list(self.approved)))

    def begin(self, survey: int) -> int:
        address = f"/app/surveys/{survey}/releases"

        def ask() -> Reply:
            found = re.findall(r"/app/releases/(\d+)/", self.owner.get(address).text)
            return (
                Reply(302, {"location": f"/app/releases/{found[0]}/"})
                if found
                else self.owner.post(address, {"which": "plain"})
            )

        reply = self.insist("begin", ask)
        return int(re.findall(r"/app/releases/(\d+)/", reply.place)[0])

    def approve(self, at: str) -> Reply:
        """Not again where the reply to the first time was lost."""
        page = self.reviewer.get(f"{at}/").text
        return self.reviewer.post(f"{at}/approve", {"note": ""}) if f"{at}/approve" in page else Reply(200)

    def insist(self, what: str, ask: Any) -> Reply:
        reply = self.owner.insist(ask)
        if reply.status not in DONE:
            raise AssertionError(f"{what} was refused: {reply.status} {reply.text[-1500:]}")
        return reply

    def download(self, release: int) -> None:
        reply = self.owner.insist(lambda: self.owner.post(f"/app/releases/{release}/files", {"kind": "csv"}))
        self.downloads += 1
        try:
            with zipfile.ZipFile(io.BytesIO(reply.body)) as packed:
                assert packed.testzip() is None
                table = packed.read("release.csv")
        except (zipfile.BadZipFile, AssertionError, KeyError) as error:
            self.half.append(f"release {release}: {reply.status} {error}")
            return
        self.tables.setdefault(hashlib.sha256(table).hexdigest(), []).append(release)

    def events(self) -> list[tuple[str, int]]:
        return [("release.approved", release) for release in self.approved]

    def checks(self, asking: Console) -> Iterator[Check]:
        rows = {release: (survey, state, tables) for release, survey, state, tables in asking.call(released)}
        lost = [
            f"{release}: {rows.get(release)}"
            for release, survey in self.approved.items()
            if rows.get(release) != (survey, "approved", 1)
        ]
        yield none("approved releases that are not, or have not one table", lost, f" of {len(self.approved)}")
        surveys = [survey for survey, _state, _tables in rows.values()]
        yield none("releases begun twice", sorted({each for each in surveys if surveys.count(each) > 1}))
        unmade = [
            release
            for release, (_survey, state, tables) in rows.items()
            if (tables > 0) != (state in ("checked", "approved"))
        ]
        yield none("releases with half a table, or none though made", unmade)
        yield none("downloads that are not whole", self.half, f" of {self.downloads:,}")
        others = sorted(self.tables.values(), key=len)[:-1]
        yield none("releases whose table has another digit than the others", others)
