from django.urls import path, re_path

from ui import views
from ui.cookie_and_log_paths import APP

PAGES = f"{APP.removeprefix('/')}/"
app_name = "ui"
urlpatterns = [
    path("", views.visitors_home, name="home"),
    path(APP.removeprefix("/"), views.redirect_to_signed_in_home),
    path(PAGES, views.redirect_to_signed_in_home),
    path(f"{PAGES}account/home", views.signed_in_home, name="signed-in-home"),
    path(f"{PAGES}method", views.method_page, name="method"),
    path(f"{PAGES}limits", views.limits_page, name="limits"),
    path(f"{PAGES}styleguide/", views.styleguide, name="styleguide"),
    # Without `/app`, as people type and quote them.
    re_path(
        r"^(account|admin|documents|jobs|limits|method|releases|reports|runs|styleguide|surveys)(/|$)",
        views.redirect_short_address,
    ),
]
