"""The API, version 1: its operations, which call what the pages call."""

from ninja import NinjaAPI

from api import problems
from api.endpoints import drafts, releases, reports, runs, surveys

api = NinjaAPI(
    title="Candor",
    version="1",
    description="Surveys on sensitive questions, for programs. It gives what the pages give to the person of the token,"
    " and never records.",
    urls_namespace="v1",
    openapi_url=None,
    docs_url=None,
)
problems.register(api)
for module in (surveys, drafts, runs, reports, releases):
    api.add_router("", module.router)
urlpatterns, _app_name, _namespace = api.urls
