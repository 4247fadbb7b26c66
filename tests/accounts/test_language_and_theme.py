from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from accounts.models import Person
from accounts.page_language_and_theme import LanguageAndTheme
from ui.context_processors import languages

SIGN_IN = "/app/account/sign-in"


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    with translation.override("en"):
        yield


def language_of(client: Client, accept: str = "", path: str = SIGN_IN) -> str:
    return client.get(path, headers={"accept-language": accept}).headers["Content-Language"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accept", "spoken"),
    [
        ("", "en"),
        ("de", "en"),
        ("zh-CN,zh;q=0.9", "zh-hans"),
        ("de,zh;q=0.5,en;q=0.3", "zh-hans"),
        ("nonsense;;;", "en"),
    ],
)
def test_a_newcomer_is_spoken_to_as_the_browser_asks_or_else_in_english(
    client: Client, accept: str, spoken: str
) -> None:
    assert language_of(client, accept) == spoken


@pytest.mark.django_db
def test_a_page_is_really_in_the_language_it_claims(client: Client) -> None:
    page = client.get(SIGN_IN, headers={"accept-language": "zh-hans"}).content.decode()
    assert '<html lang="zh-hans"' in page
    assert "密码" in page


@pytest.mark.django_db
def test_a_visitors_cookie_comes_before_the_browser(client: Client) -> None:
    client.cookies["candor-language"] = "en"
    assert language_of(client, "zh-CN") == "en"


@pytest.mark.django_db
def test_the_account_comes_before_the_cookie(client: Client, stranger: Person) -> None:
    Person.objects.filter(pk=stranger.pk).update(language="zh-hans")
    client.force_login(stranger)
    client.cookies["candor-language"] = "en"
    assert language_of(client, path="/app/account/") == "zh-hans"


@pytest.mark.django_db
def test_a_cookie_with_nonsense_in_it_is_passed_over(client: Client) -> None:
    client.cookies["candor-language"] = "../../etc"
    assert language_of(client, "zh-CN") == "zh-hans"


@pytest.mark.django_db
def test_caches_are_told_what_a_page_depends_on(client: Client) -> None:
    vary = client.get(SIGN_IN).headers["Vary"]
    assert {"Accept-Language", "Cookie"} <= {word.strip() for word in vary.split(",")}


@pytest.mark.django_db
def test_the_theme_is_the_accounts_or_else_the_cookies(client: Client, stranger: Person) -> None:
    client.cookies["candor-theme"] = "dark"
    assert 'data-theme="dark"' in client.get(SIGN_IN).content.decode()
    client.force_login(stranger)
    assert 'data-theme="system"' in client.get("/app/account/").content.decode()


@pytest.mark.django_db
def test_a_theme_that_does_not_exist_is_the_devices(client: Client) -> None:
    client.cookies["candor-theme"] = '"><script>'
    assert 'data-theme="system"' in client.get(SIGN_IN).content.decode()


class Untouchable:
    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"a respondent's {name} was asked for")

    def __bool__(self) -> bool:
        raise AssertionError("a respondent's cookies were asked for")


@pytest.mark.parametrize("path", ["/a/xyz", "/a/xyz/record", "/a/receipt", "/a"])
def test_a_respondents_cookies_and_session_are_never_touched(path: str) -> None:
    request = RequestFactory().get(path, headers={"accept-language": "zh-CN", "cookie": "language=en"})
    request.COOKIES = Untouchable()  # type: ignore[assignment]
    request.session = Untouchable()  # type: ignore[assignment]
    request.user = Untouchable()  # type: ignore[assignment]
    response = LanguageAndTheme(lambda request: HttpResponse(translation.get_language()))(request)
    assert response.content == b"zh-hans"
    assert (response.headers["Content-Language"], response.headers["Vary"]) == ("zh-hans", "Accept-Language")
    assert not response.cookies
    assert request.theme == "system"  # type: ignore[attr-defined]


def test_a_respondents_page_does_not_speak_the_language_of_whoever_came_before() -> None:
    translation.activate("zh-hans")
    response = LanguageAndTheme(lambda request: HttpResponse())(RequestFactory().get("/a/xyz"))
    assert response.headers["Content-Language"] == "en"


def test_a_survey_decides_over_the_browser() -> None:
    def survey(request: HttpRequest) -> HttpResponse:
        translation.activate("zh-hans")
        return HttpResponse()

    response = LanguageAndTheme(survey)(RequestFactory().get("/a/xyz", headers={"accept-language": "en"}))
    assert response.headers["Content-Language"] == "zh-hans"


def test_each_language_is_named_in_itself() -> None:
    assert languages() == [("en", "English"), ("zh-hans", "简体中文")]
