from django.urls import path

from accounts import password_views, passwords, views
from accounts.second_factor import views as factor_views
from accounts.second_factor.factors import Kind

app_name = "accounts"
urlpatterns = [
    path("", views.account, name="account"),
    path("sign-in", views.sign_in, name="sign-in"),
    path("sign-out", views.sign_out, name="sign-out"),
    path("preferences", views.preferences, name="preferences"),
    path("preferences/from-home", views.preferences_from_home, name="preferences-from-home"),
    path("email", views.email_waiting, name="email-waiting"),
    path("email/<str:token>", views.email_confirm, name="email-confirm"),
    path("history", views.history, name="history"),
    path("people/<int:pk>/left-behind", views.left_behind, name="left-behind"),
    path("sessions", views.sessions, name="sessions"),
    path("sessions/end", views.end_session, name="session-end"),
    path("confirm", factor_views.confirm, name="confirm"),
    path("sign-in/second-factor", factor_views.ask_factor, name="second-factor-asked"),
    path("second-factor", factor_views.index, name="second-factor"),
    path("second-factor/app", factor_views.add_app, name="app-add"),
    path("second-factor/codes", factor_views.recovery_codes, name="recovery-codes"),
    path("second-factor/app/remove", factor_views.remove, {"kind": Kind.TOTP}, name="app-remove"),
    path("second-factor/passkey", factor_views.add_passkey, name="passkey-add"),
    path("second-factor/passkey/<int:pk>/rename", factor_views.rename_passkey, name="passkey-rename"),
    path(
        "second-factor/passkey/<int:pk>/remove",
        factor_views.remove,
        {"kind": Kind.WEBAUTHN},
        name="passkey-remove",
    ),
    path("password", password_views.change, name="password-change"),
    path("password/forgotten", password_views.forgotten, name="password-reset"),
    path("password/letter-sent", password_views.letter_sent, name="password-reset-done"),
    path("password/set", password_views.password_is_set, name="password-reset-complete"),
    path("password/<uidb64>/<token>", password_views.SetPassword.as_view(), name="password-reset-confirm"),
    path(
        "invitation/<uidb64>/<token>",
        password_views.SetPassword.as_view(
            token_generator=passwords.invitations, extra_context={"invited": True}
        ),
        name="invitation",
    ),
]
