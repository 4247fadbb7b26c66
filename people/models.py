from django.contrib.auth.models import AbstractUser


class Person(AbstractUser):
    pass
