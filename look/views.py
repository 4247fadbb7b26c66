from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from look import navigation


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if request.user.is_authenticated:
        return render(request, "look/next.html", {"steps": navigation.links(request)})
    return render(request, "look/home.html")


@require_safe
def method(request: HttpRequest) -> HttpResponse:
    return render(request, "look/method.html")


@require_safe
def limits(request: HttpRequest) -> HttpResponse:
    return render(request, "look/limits.html")


@require_safe
@login_required
def styleguide(request: HttpRequest) -> HttpResponse:
    if not navigation.staff(request):
        raise PermissionDenied
    return render(request, "look/styleguide.html")
