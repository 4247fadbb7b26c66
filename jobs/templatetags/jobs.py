"""`{% include "jobs/_progress.html" with job=run %}` shows any room's job; this is what it asks."""

from django.template import Context, Library

from jobs import clock, health, queue
from jobs.models import Job
from jobs.status import Standing, Surroundings, standing
from people.models import Person

register = Library()


def standing_for(job: Job, person: Person) -> Standing:
    now = clock.now()
    around = Surroundings(now)
    if job.live:
        around = Surroundings(now, worker=bool(health.heard(now)), queue=queue.hints() is not None)
    return standing(job.shown_to(person), around, job.may(person, "cancel"))


@register.simple_tag(name="standing", takes_context=True)
def standing_tag(context: Context, job: Job) -> Standing:
    return standing_for(job, context["request"].user)
