/*
 * memory_accounts.c: accounts, projects and top-ups in the memory store.
 */
#include <errno.h>
#include <string.h>

#include "store/memory_private.h"

struct store_account *memory_account(struct memory *memory, int64_t id)
{
	if (id < 1 || id > (int64_t)memory->account_count)
		return NULL;
	return &memory->accounts[id - 1];
}

struct store_project *memory_project(struct memory *memory, int64_t id)
{
	if (id < 1 || id > (int64_t)memory->project_count)
		return NULL;
	return &memory->projects[id - 1];
}

int memory_add_defaults(struct memory *memory)
{
	struct store_account account = {.name = "default", .limits = STORE_LIMITS_PLAN};
	struct store_project project = {.account_id = STORE_ACCOUNT_DEFAULT, .name = "default"};
	int err = memory_account_add(&memory->store, &account);

	return err ? err : memory_project_add(&memory->store, &project);
}

/* Another account has the name. */
static bool name_is_taken(const struct memory *memory, const char *name, int64_t id)
{
	for (size_t i = 0; i < memory->account_count; ++i) {
		if (memory->accounts[i].id != id && strcmp(memory->accounts[i].name, name) == 0)
			return true;
	}
	return false;
}

int memory_account_add(struct store *store, struct store_account *account)
{
	struct memory *memory = memory_of(store);
	struct store_account *accounts;

	if (name_is_taken(memory, account->name, 0))
		return EEXIST;
	accounts = memory_grow(memory->accounts, memory->account_count, sizeof(*accounts));
	if (!accounts)
		return ENOMEM;
	memory->accounts = accounts;
	account->id = (int64_t)memory->account_count + 1;
	accounts += memory->account_count++;
	*accounts = *account;
	accounts->credit_microcents = 0;
	accounts->spent_microcents = 0;
	memory_note_change(memory);
	return 0;
}

int memory_account_get(struct store *store, struct store_account *account, int64_t id)
{
	const struct store_account *found = memory_account(memory_of(store), id);

	if (!found)
		return ENOENT;
	*account = *found;
	return 0;
}

int memory_account_list(struct store *store, store_account_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->account_count; ++i) {
		if (!each(&memory->accounts[i], arg))
			break;
	}
	return 0;
}

int memory_account_change(struct store *store, int64_t id, unsigned fields,
			  const struct store_account *to)
{
	struct memory *memory = memory_of(store);
	struct store_account *account = memory_account(memory, id);

	if (!account)
		return ENOENT;
	if ((fields & STORE_ACCOUNT_NAME) && name_is_taken(memory, to->name, id))
		return EEXIST;
	if (fields & STORE_ACCOUNT_NAME)
		memcpy(account->name, to->name, sizeof(account->name));
	if (fields & STORE_ACCOUNT_PLAN)
		memcpy(account->plan, to->plan, sizeof(account->plan));
	if (fields & STORE_ACCOUNT_PREPAID)
		account->is_prepaid = to->is_prepaid;
	if (fields & STORE_ACCOUNT_LIMITS)
		account->limits = to->limits;
	if (fields & STORE_ACCOUNT_CLOSED)
		account->closed_ms = to->closed_ms;
	memory_note_change(memory);
	return 0;
}

static bool project_is_there(const struct memory *memory, const struct store_project *project)
{
	for (size_t i = 0; i < memory->project_count; ++i) {
		const struct store_project *other = &memory->projects[i];

		if (other->account_id == project->account_id &&
		    strcmp(other->name, project->name) == 0)
			return true;
	}
	return false;
}

static bool has_room(const struct memory *memory, int64_t account_id)
{
	size_t count = 0;

	for (size_t i = 0; i < memory->project_count; ++i)
		count += memory->projects[i].account_id == account_id;
	return memory->store.is_unlimited || count < STORE_PROJECTS_MAX;
}

int memory_project_add(struct store *store, struct store_project *project)
{
	struct memory *memory = memory_of(store);
	struct store_project *projects;
	struct memory_news *news;

	if (!memory_account(memory, project->account_id))
		return EINVAL;
	if (project_is_there(memory, project))
		return EEXIST;
	if (!has_room(memory, project->account_id))
		return EDQUOT;
	projects = memory_grow(memory->projects, memory->project_count, sizeof(*projects));
	if (!projects)
		return ENOMEM;
	memory->projects = projects;
	news = memory_grow(memory->news, memory->project_count, sizeof(*news));
	if (!news)
		return ENOMEM;
	memory->news = news;
	news[memory->project_count] = (struct memory_news){0};
	project->id = (int64_t)memory->project_count + 1;
	projects[memory->project_count++] = *project;
	memory_note_change(memory);
	return 0;
}

int memory_project_list(struct store *store, int64_t account_id, store_project_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->project_count; ++i) {
		const struct store_project *project = &memory->projects[i];

		if ((!account_id || project->account_id == account_id) && !each(project, arg))
			break;
	}
	return 0;
}

static bool top_up_is_there(const struct memory *memory, const char *id)
{
	for (size_t i = 0; i < memory->top_up_count; ++i) {
		if (strcmp(memory->top_ups[i].id, id) == 0)
			return true;
	}
	return false;
}

int memory_top_up_add(struct store *store, const struct store_top_up *top_up)
{
	struct memory *memory = memory_of(store);
	struct store_account *account = memory_account(memory, top_up->account_id);
	struct store_top_up *top_ups;
	int64_t credit;

	if (top_up_is_there(memory, top_up->id))
		return 0;
	if (!account)
		return EINVAL;
	if (__builtin_add_overflow(account->credit_microcents, top_up->amount_microcents, &credit))
		return EOVERFLOW;
	top_ups = memory_grow(memory->top_ups, memory->top_up_count, sizeof(*top_ups));
	if (!top_ups)
		return ENOMEM;
	memory->top_ups = top_ups;
	top_ups[memory->top_up_count++] = *top_up;
	account->credit_microcents = credit;
	return 0;
}

int memory_top_up_list(struct store *store, int64_t account_id, store_top_up_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->top_up_count; ++i) {
		const struct store_top_up *top_up = &memory->top_ups[i];

		if (top_up->account_id == account_id && !each(top_up, arg))
			break;
	}
	return 0;
}
