from django.apps import AppConfig


class LookConfig(AppConfig):
    name = "look"
