from django.apps import AppConfig


class IntakeConfig(AppConfig):
    name = "surveys.intake"
    label = "intake"
