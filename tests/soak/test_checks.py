"""What the checks after a soak call wrong: something lost, something done twice, a file that is not whole."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from tests.intake import asked
from tests.soak.actors import Actor, Disguising, Exchanging, Reply, actor_checks, sets
from tests.soak.staff import Building, Publishing, Receiver, Releasing, Telling, is_whole
from tests.soak.system import Console, Run, Stored

SECRET = "00" * 32


class Answers:
    """A console that gives these answers by the name of the function."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {"sign_in": "s", **answers}

    def call(self, function: Any, *_arguments: Any) -> Any:
        answer = self.answers[function.__name__]
        return next(answer) if isinstance(answer, Iterator) else answer

    def stored_records_of(self, _survey: int) -> Stored:
        return cast("Stored", self.answers["stored"])

    def wait_for_runs(self) -> dict[int, Run]:
        return {key: Run(key, "done", "", digest) for key, digest in self.answers["runs"].items()}


def console(**answers: Any) -> Console:
    return cast("Console", Answers(**answers))


def failed_checks(actor: Actor, asking: Console) -> set[str]:
    return {check.what for check in actor.checks(asking) if not check.holds}


def test_soak_counts_errors_except_503_in_words() -> None:
    later, words = {"retry-after": "5"}, b"The database does not answer: try again in a moment."
    for right in (Reply(200), Reply(404), Reply(503, later, words)):
        assert not right.is_wrong, right
    for bad in (
        Reply(500, later, b"Something went wrong here, and not with you."),
        Reply(502, later, b"Bad gateway, says somebody else than this site."),
        Reply(503, {}, words),
        Reply(503, later),
        Reply(503, later, b"Traceback (most recent call last): and so on"),
    ):
        assert bad.is_wrong, bad


def test_a_draft_has_the_questions_that_were_added() -> None:
    building = Building(1, console(new_draft=1, questions="ab"), 1)
    for stored, expected in (
        ("ab", set()),
        ("a", {"questions lost that were added to a draft"}),
        ("abc", {"questions added twice, or there after they were deleted"}),
    ):
        assert failed_checks(building, console(questions=list(stored))) == expected, stored


NOT_AS_DECIDED = "reports that are not as they were published or withdrawn"
UNDECIDED = "decisions of a reviewer that are not stored, or not published"
RUN_TWICE = "runs of a researcher that were started twice, or lost"


def test_reports_are_as_they_were_published_or_withdrawn() -> None:
    publishing = Publishing(1, console(closed_survey=1), 1)
    publishing.started, publishing.published, publishing.withdrawn = [5, 6], {5: {}, 6: {}}, [6]
    first, second = [5, 0.05, "published", 1, True], [6, 0.06, "withdrawn", 1, True]
    for rows, expected in (
        ([first, second], set()),
        ([[5, 0.05, "published", 1, False], second], {UNDECIDED}),
        ([[5, 0.05, "waiting", 0, True], second], {NOT_AS_DECIDED}),
        ([[5, 0.05, "published", 2, True], second], {NOT_AS_DECIDED}),
        ([first, [6, 0.06, "published", 1, True]], {NOT_AS_DECIDED}),
        ([first, second, [7, 0.06, "", 0, True]], {RUN_TWICE}),
        ([first], {NOT_AS_DECIDED, RUN_TWICE, UNDECIDED}),
    ):
        assert failed_checks(publishing, console(publication_rows=rows)) == expected, rows


NOT_APPROVED = "approved releases that are not, or have not one table"
HALF = "releases with half a table, or none though made"
TWICE, OTHER = "releases begun twice", "releases whose table has another digit than the others"


def test_soak_checks_that_all_releases_are_equal() -> None:
    releasing = Releasing(1, console(closed_surveys=[8]), 1, 0)
    releasing.approved = {1: 8}
    for rows, tables, expected in (
        ([[1, 8, "approved", 1]], {"a": [1, 1]}, set()),
        ([[1, 8, "checked", 1]], {"a": [1]}, {NOT_APPROVED}),
        ([[1, 8, "approved", 0]], {"a": [1]}, {NOT_APPROVED, HALF}),
        ([[1, 8, "approved", 1], [2, 8, "draft", 0]], {"a": [1]}, {TWICE}),
        ([[1, 8, "approved", 1]], {"a": [1, 1], "b": [1]}, {OTHER}),
    ):
        releasing.tables = tables
        assert failed_checks(releasing, console(release_rows=rows)) == expected, rows


MISSED, BELIEVED = "events that never reached their receiver", "deliveries taken for done that were not"


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ("ab", set()),
        ("abb", set()),
        ("ba", set()),
        ("a", {MISSED, BELIEVED}),
        ("abx", {"deliveries of no event"}),
    ],
)
def test_soak_checks_that_each_event_reaches_its_receiver(taken: str, expected: set[str]) -> None:
    receiver = Receiver(1)
    receiver.server.server_close()
    receiver.taken = list(taken)
    telling = Telling(receiver, [], 1, console(add_webhook="whsec_", make_token="t"), 1)
    telling.closed = {"Told 0.": 3}
    rows = [[place, "survey.closed", 3 + place, message, "delivered"] for place, message in enumerate("ab")]
    answers = {"pass_time": 0, "delivery_rows": rows, "survey_state_rows": [[3, "Told 0.", "closed"]]}
    assert failed_checks(telling, console(**answers)) == expected
    twice = [[3, "Told 0.", "open"], [4, "Told 0.", "draft"]]
    more = {"surveys that the API made twice", "surveys closed by the API that are not"}
    assert failed_checks(telling, console(**answers | {"survey_state_rows": twice})) == expected | more
    telling.closed = {"Told 0.": 5}
    more = {"surveys closed by the API that are not", "acknowledged acts without one event of theirs"}
    assert failed_checks(telling, console(**answers)) == expected | more


def stored_records(*answers: str, keys: tuple[str, ...] = (), unspent: tuple[str, ...] = ()) -> Stored:
    return Stored([list(answers)], [], list(keys), list(unspent), SECRET)


def test_an_exchanged_invitation_is_one_record() -> None:
    asks = asked.design(invitation_key="", digits=7)
    opened = {"pk": 1, "slug": "s", "design": asks.canonical, "invitations": ["i", "j"]}
    exchanging = Exchanging(1, console(open_survey=opened), 1, 0)
    exchanging.left, exchanging.exchanged, exchanging.acknowledged = ["j"], {"i": "b"}, [9]
    secret = bytes.fromhex(SECRET)
    known = hash_with_secret(secret, HashedTextKind.EXCHANGE, "i b").hex()
    unspent = hash_with_secret(secret, HashedTextKind.LINK, "j").hex()
    well = stored_records("0000011", keys=(known,), unspent=(unspent,))
    assert failed_checks(exchanging, console(stored=well)) == set()
    assert failed_checks(exchanging, console(stored=stored_records("0000012"))) == {
        "records by exchanged invitations that are not stored",
        "records by exchanged invitations stored twice, or never acknowledged",
        "exchanges that the database does not know",
        "invitations spent without being exchanged, or the reverse",
    }


def test_disguised_records_are_kept_and_mined() -> None:
    disguising = Disguising("sets", sets(), 1, console(open_surveys=[[1, "s"]]), 1)
    disguising.acknowledged = [["1", "2"]]
    for answers, digest, expected in (
        ("12", "a", set()),
        ("1", "a", {"sets: acknowledged records that are not stored as they were sent"}),
        ("122", "a", {"sets: records stored more than once, or never acknowledged"}),
        ("12", "b", {"sets: runs with other digits than of the same records at rest"}),
    ):
        asking = console(mine=1, mine_anew=2, stored=stored_records(*answers), runs={1: "a", 2: digest})
        assert failed_checks(disguising, asking) == expected, (answers, digest)


def test_a_file_that_breaks_off_is_not_whole() -> None:
    assert is_whole(b'{"shares": []}')
    assert not is_whole(b'{"shares": [')
    assert not is_whole(b"PK\x03\x04 and nothing else")


def test_soak_names_what_was_seen_and_who_could_not_continue() -> None:
    building = Building(1, console(new_draft=1, questions="ab"), 1)
    building.turns, building.ended_early = 1, ["KeyError: 'x'"]
    building.visitor.wrong.append("500 to GET /")
    found = [one.what for one in actor_checks([building], console(questions=["a", "b"])) if not one.holds]
    assert found == [
        "errors that staff, programs and these respondents saw, other than 503 in words",
        "actors that could not go on",
    ]
