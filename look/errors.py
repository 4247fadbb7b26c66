from django.http import HttpRequest, HttpResponse


def _plain(status: int) -> HttpResponse:
    return HttpResponse(str(status), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _plain(400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _plain(403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _plain(404)


def server_error(request: HttpRequest) -> HttpResponse:
    return _plain(500)


def csrf(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _plain(403)
