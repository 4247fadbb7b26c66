"""`{% include "jobs/_progress.html" with job=run %}` shows any room's job; this is what it asks."""

from django.template import Context, Library

from jobs import database, health, queue
from jobs.models import Job
from jobs.status import Infrastructure, JobStatus, job_status
from people.models import Person

register = Library()


def status_for(job: Job, person: Person) -> JobStatus:
    now = database.now()
    infrastructure = Infrastructure(now)
    if job.live:
        workers = health.workers_heard(now)
        infrastructure = Infrastructure(
            now,
            worker=bool(workers),
            warm=any(worker.warm for worker in workers),
            queue=queue.hints() is not None,
        )
    return job_status(job.shown_to(person), infrastructure, job.may(person, "cancel"))


@register.simple_tag(name="standing", takes_context=True)
def status_tag(context: Context, job: Job) -> JobStatus:
    return status_for(job, context["request"].user)
