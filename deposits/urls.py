from django.urls import path

from deposits import views

app_name = "deposits"
urlpatterns = [path("<int:pk>/deposit", views.deposit_page, name="deposit")]
