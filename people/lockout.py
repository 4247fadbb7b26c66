from django.http import HttpRequest, HttpResponse


def locked_out(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    return HttpResponse(status=429)
