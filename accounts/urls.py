from django.urls import path

from accounts import password_links, password_views, views
from accounts.second_factor import views as factor_views
from accounts.second_factor.factors import Kind

app_name = "accounts"
urlpatterns = [
    path("", views.account_page, name="account"),
    path("sign-in", views.sign_in, name="sign-in"),
    path("sign-out", views.sign_out, name="sign-out"),
    path("preferences", views.store_preferences, name="preferences"),
    path("preferences/from-home", views.store_preferences_from_home, name="preferences-from-home"),
    path("email", views.resend_or_cancel_email, name="email-waiting"),
    path("email/<str:token>", views.confirm_email, name="email-confirm"),
    path("history", views.history_page, name="history"),
    path("people/<int:pk>/left-behind", views.continuing_activities_page, name="left-behind"),
    path("sessions", views.sessions_page, name="sessions"),
    path("sessions/end", views.end_session, name="session-end"),
    path("confirm", factor_views.confirm_identity, name="confirm"),
    path("sign-in/second-factor", factor_views.ask_factor, name="second-factor-asked"),
    path("second-factor", factor_views.show_factors, name="second-factor"),
    path("second-factor/app", factor_views.add_app, name="app-add"),
    path("second-factor/codes", factor_views.renew_recovery_codes, name="recovery-codes"),
    path("second-factor/app/remove", factor_views.remove_factor, {"kind": Kind.TOTP}, name="app-remove"),
    path("second-factor/passkey", factor_views.add_passkey, name="passkey-add"),
    path("second-factor/passkey/<int:pk>/rename", factor_views.rename_passkey, name="passkey-rename"),
    path(
        "second-factor/passkey/<int:pk>/remove",
        factor_views.remove_factor,
        {"kind": Kind.WEBAUTHN},
        name="passkey-remove",
    ),
    path("password", password_views.change_password, name="password-change"),
    path("password/forgotten", password_views.request_password_reset, name="password-reset"),
    path("password/letter-sent", password_views.letter_sent, name="password-reset-done"),
    path("password/set", password_views.password_is_set, name="password-reset-complete"),
    path("password/<uidb64>/<token>", password_views.SetPassword.as_view(), name="password-reset-confirm"),
    path(
        "invitation/<uidb64>/<token>",
        password_views.SetPassword.as_view(
            token_generator=password_links.invitations, extra_context={"invited": True}
        ),
        name="invitation",
    ),
]
