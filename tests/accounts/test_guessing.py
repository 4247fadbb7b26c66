"""Guesses from many places are few, and the owner of the account gets in all the while."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.cookies import Morsel
from itertools import islice
from typing import Any

import pytest
from django.contrib.auth.backends import ModelBackend
from django.core.cache import cache
from django.core.management import call_command
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import password_guess_limits
from accounts.models import Lockout, Person
from accounts.password_guess_limits import (
    ACCOUNT_TRIES,
    FREE_TRIES,
    LONGEST,
    NETWORK_TRIES,
    WAIT,
    GuessAttempt,
    seconds_after_failures,
    subscriber_network,
)
from tests.accounts.conftest import PASSWORD, Letters
from tests.accounts.test_passwords import path_in, set_through

SIGN_IN = reverse("accounts:sign-in")
pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.usefixtures("member", "clock")]


class Clock:
    """Stands still unless it is moved; what lapses in the cache lapses with it."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def __call__(self) -> Any:
        return self.now

    def move_forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        Lockout.objects.update(expires=F("expires") - timedelta(seconds=seconds))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("accounts.lockout.timezone.now", made)
    return made


@pytest.fixture
def compared_passwords(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were compared with the account's."""
    found: list[str] = []
    real = ModelBackend.authenticate

    def authenticate(self: Any, request: Any, username: Any = None, password: Any = None, **more: Any) -> Any:
        found.append(str(password))
        return real(self, request, username, password, **more)

    monkeypatch.setattr(ModelBackend, "authenticate", authenticate)
    return found


def many_addresses() -> Iterator[str]:
    return (f"198.{18 + n // 65536}.{n // 256 % 256}.{n % 256}" for n in range(10**6))


def from_each_place(tries: int, username: str = "researcher") -> list[tuple[str, str]]:
    """One try in each of so many places."""
    return [(username, place) for place in islice(many_addresses(), tries)]


OF_ONE_PLACE = [("researcher", "192.0.2.7")] * 2 * FREE_TRIES


def attempt(
    password: str, address: str = "192.0.2.7", client: Client | None = None, username: str = "researcher"
) -> Any:
    given = {"username": username, "password": password}
    return (client or Client()).post(SIGN_IN, given, REMOTE_ADDR=address)


def use_up(tries: int = 2 * ACCOUNT_TRIES) -> None:
    """Count what so many guesses from as many addresses count."""
    use_tries(*from_each_place(tries))


def use_up_network(tries: int = NETWORK_TRIES) -> None:
    """Count what so many guesses of one network count, each under a name that nobody has."""
    use_tries(*((f"nobody-{number}", "192.0.2.7") for number in range(tries)))


def use_tries(*tries: tuple[str, str]) -> list[bool]:
    """Take a try for each name and address; whether its password would be looked at."""
    return [
        not GuessAttempt(name, "", subscriber_network(place)).use_try_or_get_wait(timezone.now().timestamp())
        for name, place in tries
    ]


def device_of(username: str = "researcher") -> Client:
    """A browser in which the owner has signed in, and out again."""
    client = Client()
    assert attempt(PASSWORD, client=client, username=username).status_code == 302
    client.post(reverse("accounts:sign-out"))
    return client


def proof_of(client: Client) -> Morsel[str]:
    """The cookie by which a device is known."""
    (name,) = [name for name in client.cookies if "device" in name]
    return client.cookies[name]


# --- many places --------------------------------------------------------------------------------------------


@pytest.mark.night
def test_only_twenty_of_many_guesses_from_many_addresses_are_checked(compared_passwords: list[str]) -> None:
    statuses = [attempt("guess", place).status_code for place in islice(many_addresses(), ACCOUNT_TRIES + 5)]
    assert statuses == [200] * (ACCOUNT_TRIES - 1) + [429] * 6
    assert len(compared_passwords) == ACCOUNT_TRIES
    use_up(3 * ACCOUNT_TRIES)
    assert attempt("guess", "203.0.113.1").status_code == 429
    assert len(compared_passwords) == ACCOUNT_TRIES


@pytest.mark.night
def test_patient_guessers_get_few_tries_a_day(clock: Clock) -> None:
    """Twenty of them, each as fast as it may. Five in each quarter of an hour would be 9,600."""
    next_try = dict.fromkeys(islice(many_addresses(), 20), 0.0)
    spent, tried = 0.0, 0
    while spent < 24 * 3600:
        for address in [one for one, when in next_try.items() if when <= spent]:
            wait = GuessAttempt("researcher", "", address).use_try_or_get_wait(clock.now.timestamp())
            tried += not wait
            next_try[address] = spent + max(wait, 1)
        step = min(next_try.values()) - spent
        clock.move_forward(step)
        spent += step
    # 17 for each address: five at once, nine until the wait is six hours long, three more; and what all share.
    assert 20 * 10 < tried <= 20 * 17 + 24 * ACCOUNT_TRIES


def test_each_wait_doubles_up_to_six_hours() -> None:
    waits = [WAIT, 2 * WAIT, 4 * WAIT]
    own = [seconds_after_failures(n, account_tries_used_up=False) for n in range(FREE_TRIES + 3)]
    assert own == [0] * FREE_TRIES + waits
    shared = [seconds_after_failures(n, account_tries_used_up=True) for n in range(2000)]
    assert (shared[:3], max(shared)) == (waits, LONGEST)


def test_unknown_account_answers_like_a_known_one() -> None:
    found = []
    for username in ("researcher", "nobody-at-all"):
        use_tries(*from_each_place(ACCOUNT_TRIES - 2, username))
        answers = [attempt("guess", f"203.0.113.{n}", username=username) for n in range(4)]
        found.append([(answer.status_code, answer.get("Retry-After")) for answer in answers])
    # The twentieth is looked at, and its place has to wait twice as long as one that tries for the first time.
    assert found[0] == found[1] == [(200, None), (429, "60"), (429, "30"), (429, "30")]


def test_ipv6_address_counts_as_its_whole_network(compared_passwords: list[str]) -> None:
    """For the tries of one account, and for those of all names."""
    for n in range(12):
        attempt(f"guess {n}", f"2001:db8:7:{n:x}::{n + 1:x}")
    assert len(compared_passwords) == FREE_TRIES
    assert subscriber_network("::ffff:192.0.2.7") == subscriber_network("192.0.2.7") == "192.0.2.7"
    one, same, other = map(subscriber_network, ("2001:db8:7:1::1", "2001:db8:7:ffff::", "2001:db8:8::"))
    assert one == same != other
    assert subscriber_network("") == ""
    tries = [(f"nobody-{n}", f"2001:db8:9:{n:x}::1") for n in range(NETWORK_TRIES + 1)]
    assert use_tries(*tries) == [True] * NETWORK_TRIES + [False]
    assert attempt("guess", "2001:db8:9:ff::1", username="one more").status_code == 429


def test_simultaneous_guesses_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them has read the counts before the others have written theirs."""
    now = 1_000_000.0
    first = GuessAttempt("researcher", "", "192.0.2.7")
    assert first.use_try_or_get_wait(now) == 0
    stale = {key: cache.get(key) for key in [first._origin_cache_key]}
    found = [GuessAttempt("researcher", "", "192.0.2.7") for _request in range(20)]
    real = cache.get
    monkeypatch.setattr(cache, "get", lambda key, *rest: stale.get(key, real(key, *rest)))
    assert sorted(guess.use_try_or_get_wait(now) for guess in found) == [0] + [1] * 19


def test_all_unknown_devices_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    guesses = [GuessAttempt("researcher", "", place) for place in islice(many_addresses(), 3 * ACCOUNT_TRIES)]
    monkeypatch.setattr(GuessAttempt, "_is_guarded", lambda self, now: False)  # as each of them saw it
    waits = [guess.use_try_or_get_wait(0.0) for guess in guesses]
    assert waits == [0] * ACCOUNT_TRIES + [WAIT] * 2 * ACCOUNT_TRIES


# --- one network, all names ----------------------------------------------------------------------------------


def test_invented_names_from_one_network_have_thirty_tries_and_delay_nobody_else(
    compared_passwords: list[str],
) -> None:
    use_up_network(NETWORK_TRIES - 2)
    statuses = [attempt("guess", username=f"one-more-{n}").status_code for n in range(4)]
    assert statuses == [200] * 2 + [429] * 2
    assert len(compared_passwords) == 2
    assert attempt(PASSWORD, "192.0.2.8").status_code == 302


def test_sign_in_page_names_the_network_limit_and_when_to_try_again(clock: Clock) -> None:
    use_up_network()
    clock.move_forward(400)
    answer = attempt("guess", username="one more")
    assert answer["Retry-After"] == "200"
    assert "Many wrong names or passwords were entered in your network." in answer.content.decode()
    assert "You can try again in 4 minutes." in answer.content.decode()
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.templates == []
    clock.move_forward(200)
    assert attempt("guess", username="one more").status_code == 200


@pytest.mark.night
def test_university_behind_one_address_can_sign_in() -> None:
    """Right passwords give their try back, however many people have one."""
    use_up_network(NETWORK_TRIES - 1)
    assert [attempt(PASSWORD).status_code for _person in range(NETWORK_TRIES)] == [302] * NETWORK_TRIES


def test_known_devices_sign_in_while_their_network_must_wait() -> None:
    known = device_of()
    use_up_network()
    assert attempt(PASSWORD).status_code == 429
    assert attempt("a typing error", client=known).status_code == 200
    assert attempt(PASSWORD, client=known).status_code == 302


def test_wait_for_an_account_uses_up_no_tries_of_its_network() -> None:
    use_tries(*[("researcher", "192.0.2.7")] * 2 * NETWORK_TRIES)
    use_up_network(NETWORK_TRIES - FREE_TRIES)
    assert attempt("guess", username="one more").status_code == 429


# --- a clock that is set back ----------------------------------------------------------------------------------


def test_setting_the_clock_back_lengthens_no_wait_and_frees_shared_tries(clock: Clock) -> None:
    """What is counted in the cache does not lapse then: its database has the same clock."""
    for _guess in range(FREE_TRIES):
        attempt("guess")
    clock.now -= timedelta(days=300)
    assert attempt(PASSWORD)["Retry-After"] == str(WAIT)
    clock.now += timedelta(seconds=WAIT)
    assert attempt(PASSWORD).status_code == 302
    cache.clear()
    use_up(ACCOUNT_TRIES)
    use_up_network()
    clock.now -= timedelta(days=300)
    assert attempt(PASSWORD).status_code == 302


# --- the owner ------------------------------------------------------------------------------------------------


def test_owner_on_a_known_device_never_waits_for_guesses_of_others() -> None:
    known = device_of()
    use_up()
    use_tries(*OF_ONE_PLACE)  # also from the owner's own network
    assert attempt(PASSWORD).status_code == 429
    assert attempt(PASSWORD, client=known).status_code == 302


def test_right_password_on_an_unknown_device_signs_in_after_half_a_minute(clock: Clock) -> None:
    """However many go on guessing elsewhere, and however often the owner tries too early."""
    elsewhere = many_addresses()
    use_up(ACCOUNT_TRIES)
    for left in (30, 25, 20, 15, 10, 5):
        early = attempt(PASSWORD)
        assert (early.status_code, early["Retry-After"]) == (429, str(left))
        clock.move_forward(5)
        use_tries(*(("researcher", next(elsewhere)) for _guess in range(5)))
    assert attempt(PASSWORD).status_code == 302


def test_wrong_password_on_an_unknown_device_costs_a_minute(clock: Clock) -> None:
    use_up(ACCOUNT_TRIES)
    attempt("a typing error")
    clock.move_forward(WAIT)
    assert attempt("a typing error")["Retry-After"] == str(2 * WAIT)
    clock.move_forward(2 * WAIT)
    assert attempt(PASSWORD).status_code == 302


def test_letter_makes_a_device_known_when_guesses_come_from_the_same_network(
    member: Person, sent_emails: Letters
) -> None:
    use_tries(*OF_ONE_PLACE)
    browser = Client()
    assert attempt(PASSWORD, client=browser).status_code == 429
    browser.post(reverse("accounts:password-reset"), {"email": member.email})
    assert set_through(browser, path_in(sent_emails()[0]), "a wholly new secret") == 302
    use_tries(*OF_ONE_PLACE)
    assert attempt("a wholly new secret", client=browser).status_code == 302


def test_account_is_unlocked_after_an_hour_or_by_an_operator(clock: Clock) -> None:
    use_up()
    clock.move_forward(3600)
    assert attempt(PASSWORD).status_code == 302
    use_tries(*OF_ONE_PLACE)
    use_up()
    assert attempt(PASSWORD).status_code == 429
    call_command("forget_lockout", "researcher")
    assert attempt(PASSWORD).status_code == 302


def test_successful_sign_in_gives_its_try_back() -> None:
    """A browser that keeps no cookies signs in more often than an hour has tries."""
    use_up(ACCOUNT_TRIES - 2)
    for _visit in range(3):
        assert attempt(PASSWORD).status_code == 302
    assert attempt("guess").status_code == 200


def test_confirming_the_password_counts_as_no_guess() -> None:
    client = Client()
    attempt(PASSWORD, client=client)
    for turn in range(FREE_TRIES + 1):
        change = {"name": "R", "language": "", "theme": "system", "email": f"r{turn}@example.org"}
        change["password"] = PASSWORD
        assert client.post(reverse("accounts:account"), change).status_code == 302


# --- devices ----------------------------------------------------------------------------------------------------


def test_device_cookie_is_for_account_pages_only_and_keeps_the_browser_name() -> None:
    client = device_of()
    cookie = proof_of(client)
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/app/account/", True, "Lax")
    assert "researcher" not in cookie.key + cookie.value
    name = cookie.value.partition("-")[0]
    attempt(PASSWORD, client=client)
    assert proof_of(client).value.partition("-")[0] == name


def test_a_known_device_has_five_tries_of_its_own(clock: Clock) -> None:
    known = device_of()
    statuses = [attempt("guess", client=known).status_code for _turn in range(FREE_TRIES)]
    assert statuses == [200] * (FREE_TRIES - 1) + [429]
    assert attempt(PASSWORD, client=known).status_code == 429
    assert attempt(PASSWORD, client=device_of()).status_code == 302
    clock.move_forward(WAIT)
    assert attempt(PASSWORD, client=known).status_code == 302


def test_forged_or_foreign_device_cookie_makes_no_known_device(stranger: Person) -> None:
    stranger.set_password(PASSWORD)
    stranger.save()
    theirs = proof_of(device_of("stranger")).value
    known = device_of()
    name, proof = proof_of(known).key, proof_of(known).value
    use_up(ACCOUNT_TRIES)
    for forgery, forged in {
        "another letter": proof[:-1] + ("a" if proof[-1] != "a" else "b"),
        "nothing": "",
        "no signature": proof.partition(":")[0],
        "rubbish": "x" * 300,
        "of another account": theirs,
    }.items():
        known.cookies[name] = forged
        assert attempt(PASSWORD, client=known).status_code == 429, forgery


def test_device_cookie_ends_with_the_password(member: Person) -> None:
    known = device_of()
    member.set_password("a wholly new secret")
    member.save()
    use_up(ACCOUNT_TRIES)
    assert attempt("a wholly new secret", client=known).status_code == 429


def test_changing_the_password_keeps_this_device_known() -> None:
    client = Client()
    attempt(PASSWORD, client=client)
    new = "a wholly new secret"
    change = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post(reverse("accounts:password-change"), change).status_code == 302
    client.post(reverse("accounts:sign-out"))
    use_up(ACCOUNT_TRIES)
    assert attempt(new, client=client).status_code == 302


def test_guess_counts_are_kept_for_a_day() -> None:
    guess = GuessAttempt("researcher", "", "192.0.2.7")
    guess.use_try_or_get_wait(0.0)
    kept = Lockout.objects.get(cache_key=f":1:{guess._origin_cache_key}").expires - datetime.now(UTC)
    assert timedelta(hours=23) < kept <= timedelta(seconds=password_guess_limits.DAY)
