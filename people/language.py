from django.middleware.locale import LocaleMiddleware


class PersonsLanguage(LocaleMiddleware):
    pass
