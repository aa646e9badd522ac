/*
 * retry.c: which workers make the jobs of a dead worker again.
 *
 * One of the jobs may have killed it, or several, or none: an operator or a lack of memory ends
 * workers, too.  All of them are suspects, and a suspect shares a worker only with suspects of the
 * same death, so that it cannot interrupt other jobs again:
 *
 *   first death    the jobs are distributed in groups, two or as many as there are idle workers
 *   second to      the jobs of the group that were on the worker are halved into two groups;
 *   fourth death   those that had not found a seat there remain a group
 *   fifth death    each job is a group of its own
 *
 * Each group claims a worker that has no other work (fleet_claim), which is started if need be.
 * A job that had credit is a likelier culprit than one that was waiting, because a worker does
 * nothing for those that wait: where it is possible the two kinds are kept apart.
 *
 * A job leaves its group when it ends, and also when it is cleared of suspicion: more samples of it
 * have been received than had been made when the worker died, so the place in its text that might
 * have killed the worker has been passed.  It keeps its seat and its count of deaths.  The worker
 * takes any work again when no member of the group is left.
 *
 * A job that is the only one of its group is alone on its worker, which was started after the last
 * death: whatever ended the old worker may have ended others at the same moment.  If the new one
 * dies, too, before the job is cleared, the job is the cause and fails.  If a group has more members,
 * none of them is blamed.
 *
 * Where workers have one seat, every group is a single job, and none is cleared.
 *
 * Runs on the loop's thread.  A group exists as long as it has members.
 */
#include "base/log.h"
#include "base/mem.h"
#include "speech/pool_private.h"

/* After this many halvings each job gets a worker of its own.  64 jobs are in groups of four by then,
 * and starting four workers takes no longer than two more rounds of deaths. */
#define RETRY_HALVINGS_MAX 3

unsigned retry_group_count(unsigned jobs, unsigned deaths, unsigned idle)
{
	unsigned groups = 2;

	if (deaths == 1 && idle > groups)
		groups = idle;
	if (deaths > 1 + RETRY_HALVINGS_MAX)
		groups = jobs;
	return groups < jobs ? groups : jobs;
}

unsigned retry_group_size(unsigned index, unsigned groups, unsigned jobs, unsigned running)
{
	unsigned first = (jobs + groups - 1) / groups;
	unsigned rest;

	if (running > 0 && running < first && groups > 1)
		first = running;
	if (index == 0)
		return first;
	rest = jobs - first;
	return rest / (groups - 1) + (index - 1 < rest % (groups - 1));
}

static struct retry_group *retry_group_of(struct link *link)
{
	return link ? LIST_OBJECT(link, struct retry_group, link) : NULL;
}

static struct retry_group *retry_group_first(const struct synthesizer *synthesizer)
{
	return retry_group_of(list_first(&synthesizer->groups));
}

static struct retry_group *retry_group_next(const struct retry_group *group)
{
	return retry_group_of(list_next(&group->synthesizer->groups, &group->link));
}

static bool retry_group_waits(const struct retry_group *group)
{
	return group->worker == 0 && group->queued.jobs.count > 0;
}

/* Groups claim workers in the order of the list.  The new group is inserted before `next`; NULL: it is
 * the last. */
static struct retry_group *retry_group_alloc(struct synthesizer *synthesizer,
					     struct retry_group *next)
{
	struct retry_group *group = mem_zalloc(sizeof(*group), NULL);

	if (!group)
		return NULL;
	group->synthesizer = synthesizer;
	list_init(&group->members);
	job_queue_init(&group->queued);
	if (next)
		list_insert_before(&synthesizer->groups, &next->link, &group->link);
	else
		list_append(&synthesizer->groups, &group->link);
	return group;
}

static void retry_group_give_up_worker(struct retry_group *group)
{
	uint64_t worker = group->worker;

	group->worker = 0;
	if (worker)
		fleet_release(group->synthesizer->fleet, worker);
}

void retry_leave(struct speech_job *job)
{
	struct retry_group *group = job->group;

	if (!group)
		return;
	job->group = NULL;
	list_remove(&group->members, &job->member);
	if (group->members.count > 0)
		return;
	list_remove(&group->synthesizer->groups, &group->link);
	retry_group_give_up_worker(group);
	mem_deref(group);
}

/* A job that is alone because of its number of deaths stays a suspect until it ends, so that it is not
 * retried without end. */
void retry_check_progress(struct speech_job *job)
{
	const struct retry_group *group = job->group;

	if (!group || job->received <= job->made_at_death)
		return;
	if (!group->is_alone || (job->deaths <= 1 + RETRY_HALVINGS_MAX &&
				 !fleet_has_single_seats(job->synthesizer->fleet)))
		retry_leave(job);
}

/* The group of the jobs that this death has interrupted.  Jobs that have been through different
 * numbers of deaths are in different groups, because those with fewer are less suspicious. */
static struct retry_group *retry_group_of_death(struct synthesizer *synthesizer, uint64_t serial,
						unsigned deaths)
{
	struct retry_group *group = retry_group_first(synthesizer);

	while (group && (group->died != serial || group->deaths != deaths))
		group = retry_group_next(group);
	if (group)
		return group;
	group = retry_group_alloc(synthesizer, NULL);
	if (group) {
		group->died = serial;
		group->deaths = deaths;
		group->newer_than = fleet_last_serial(synthesizer->fleet);
	}
	return group;
}

void retry_worker_died(struct speech_job *job, uint64_t serial)
{
	bool had_credit = job->state == JOB_RUNNING;
	struct retry_group *group;

	if (job->group && job->group->is_alone) {
		job_end(job, SPEECH_FAILED);
		return;
	}
	retry_leave(job);
	++job->deaths;
	group = retry_group_of_death(job->synthesizer, serial, job->deaths);
	if (!group) {
		log_error("speech", "no memory for a retry");
		job_end(job, SPEECH_FAILED);
		return;
	}
	job->group = group;
	job->had_credit = had_credit;
	job->made_at_death = job->received + job->stock;
	if (had_credit)
		list_prepend(&group->members, &job->member);
	else
		list_append(&group->members, &job->member);
	++job->pool->retries;
	job_requeue(job);
}

/* Divides the jobs of a death into groups.  The likeliest culprits are first in the list and remain in
 * this group, which is the last to get a worker.  Without memory there are fewer groups. */
static void retry_split(struct retry_group *group)
{
	struct synthesizer *synthesizer = group->synthesizer;
	unsigned jobs = (unsigned)group->members.count;
	unsigned groups =
		retry_group_count(jobs, group->deaths, fleet_idle_count(synthesizer->fleet));
	unsigned running = 0;

	for (struct link *l = list_first(&group->members); l; l = list_next(&group->members, l))
		running += LIST_OBJECT(l, struct speech_job, member)->had_credit;
	for (unsigned i = groups - 1; i > 0; --i) {
		unsigned size = retry_group_size(i, groups, jobs, running);
		struct retry_group *part = retry_group_alloc(synthesizer, group);

		if (!part)
			break;
		part->deaths = group->deaths;
		part->newer_than = group->newer_than;
		part->is_alone = size == 1;
		for (struct link *last;
		     part->members.count < size && (last = list_last(&group->members));) {
			struct speech_job *job = LIST_OBJECT(last, struct speech_job, member);

			list_remove(&group->members, last);
			list_prepend(&part->members, last);
			job->group = part;
			if (job->state == JOB_QUEUED)
				job_move(job, JOB_QUEUED); /* to the queue of the new group */
		}
	}
	group->died = 0;
	group->is_alone = group->members.count == 1;
}

void retry_assign_workers(struct synthesizer *synthesizer)
{
	struct fleet *fleet = synthesizer->fleet;

	for (struct retry_group *g = retry_group_first(synthesizer); g; g = retry_group_next(g)) {
		if (g->died)
			retry_split(g);
	}
	for (struct retry_group *g = retry_group_first(synthesizer); g; g = retry_group_next(g)) {
		const struct worker *worker = fleet_find(fleet, g->worker);

		/* A worker is not kept for members that are all held and have no seat. */
		if (!worker || (g->queued.jobs.count == 0 && fleet_is_idle(worker)))
			retry_group_give_up_worker(g);
		if (retry_group_waits(g))
			g->worker = fleet_claim(fleet, g->is_alone ? g->newer_than : 0);
	}
}

struct worker *retry_worker(const struct speech_job *job)
{
	return fleet_find(job->synthesizer->fleet, job->group->worker);
}

struct speech_job *retry_first(const struct synthesizer *synthesizer)
{
	struct speech_job *first = NULL;

	for (struct retry_group *g = retry_group_first(synthesizer); g; g = retry_group_next(g)) {
		struct speech_job *job = job_queue_first(&g->queued);
		const struct worker *worker = job ? retry_worker(job) : NULL;

		if (worker && fleet_has_seat(worker) && (!first || job->rank < first->rank))
			first = job;
	}
	return first;
}

size_t retry_waiting(const struct synthesizer *synthesizer, uint64_t *newer_than)
{
	size_t waiting = 0;

	*newer_than = 0;
	for (struct retry_group *g = retry_group_first(synthesizer); g; g = retry_group_next(g)) {
		if (!retry_group_waits(g))
			continue;
		if (waiting++ == 0)
			*newer_than = g->newer_than;
	}
	return waiting;
}

size_t retry_queued(const struct synthesizer *synthesizer)
{
	size_t queued = 0;

	for (struct retry_group *g = retry_group_first(synthesizer); g; g = retry_group_next(g))
		queued += g->queued.jobs.count;
	return queued;
}
