import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from accounts.models import Person
from accounts.page_language_and_theme import LanguageAndTheme
from ui.context_processors import languages

SIGN_IN = "/app/account/sign-in"


def language_of(client: Client, accept: str = "", path: str = SIGN_IN) -> str:
    return client.get(path, headers={"accept-language": accept}).headers["Content-Language"]


@pytest.mark.django_db
def test_page_language_follows_account_then_cookie_then_browser_then_english(
    client: Client, stranger: Person
) -> None:
    for accept, spoken in {
        "": "en",
        "de": "en",
        "zh-CN,zh;q=0.9": "zh-hans",
        "de,zh;q=0.5,en;q=0.3": "zh-hans",
        "nonsense;;;": "en",
    }.items():
        assert language_of(client, accept) == spoken, accept
    for cookie, spoken in {"en": "en", "../../etc": "zh-hans"}.items():
        client.cookies["candor-language"] = cookie
        assert language_of(client, "zh-CN") == spoken, cookie
    client.cookies["candor-language"] = "en"
    Person.objects.filter(pk=stranger.pk).update(language="zh-hans")
    client.force_login(stranger)
    assert language_of(client, path="/app/account/") == "zh-hans"


@pytest.mark.django_db
def test_page_text_matches_its_language_header_and_vary_is_set(client: Client) -> None:
    answer = client.get(SIGN_IN, headers={"accept-language": "zh-hans"})
    for words in ('<html lang="zh-hans"', "密码"):
        assert words in answer.content.decode()
    assert {"Accept-Language", "Cookie"} <= {word.strip() for word in answer.headers["Vary"].split(",")}


@pytest.mark.django_db
def test_theme_follows_the_account_then_a_valid_cookie(client: Client, stranger: Person) -> None:
    for cookie, theme in {'"><script>': "system", "dark": "dark"}.items():
        client.cookies["candor-theme"] = cookie
        assert f'data-theme="{theme}"' in client.get(SIGN_IN).content.decode()
    client.force_login(stranger)
    assert 'data-theme="system"' in client.get("/app/account/").content.decode()


class Untouchable:
    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"a respondent's {name} was asked for")

    def __bool__(self) -> bool:
        raise AssertionError("a respondent's cookies were asked for")


@pytest.mark.parametrize("path", ["/a/xyz", "/a/xyz/record", "/a/receipt", "/a"])
def test_respondent_page_touches_no_cookie_or_session(path: str) -> None:
    request = RequestFactory().get(path, headers={"accept-language": "zh-CN", "cookie": "language=en"})
    request.COOKIES = Untouchable()  # type: ignore[assignment]
    request.session = Untouchable()  # type: ignore[assignment]
    request.user = Untouchable()  # type: ignore[assignment]
    response = LanguageAndTheme(lambda request: HttpResponse(translation.get_language()))(request)
    assert response.content == b"zh-hans"
    assert (response.headers["Content-Language"], response.headers["Vary"]) == ("zh-hans", "Accept-Language")
    assert not response.cookies
    assert request.theme == "system"  # type: ignore[attr-defined]


def test_respondent_page_does_not_keep_the_language_of_the_last_visitor() -> None:
    translation.activate("zh-hans")
    response = LanguageAndTheme(lambda request: HttpResponse())(RequestFactory().get("/a/xyz"))
    assert response.headers["Content-Language"] == "en"


def test_survey_language_overrides_the_browser() -> None:
    def survey(request: HttpRequest) -> HttpResponse:
        translation.activate("zh-hans")
        return HttpResponse()

    response = LanguageAndTheme(survey)(RequestFactory().get("/a/xyz", headers={"accept-language": "en"}))
    assert response.headers["Content-Language"] == "zh-hans"


def test_each_language_is_named_in_itself() -> None:
    assert languages() == [("en", "English"), ("zh-hans", "简体中文")]
