from django.http import HttpResponse
from django.urls import path

app_name = "look"
urlpatterns = [path("", lambda request: HttpResponse("Candor"), name="home")]
