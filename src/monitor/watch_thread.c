/*
 * Threads by name.  A thread is called by its start routine, by the name that the program has given
 * it so far, or as the trace calls it ("T2").
 *
 * The start routine: the pass notes at a call that makes a thread which function it names; where
 * it is not a function by name, it is the one that the thread's first event comes from, furthest
 * out on the stack.
 */

#include "capture/hooks.h"
#include "monitor/watch_priv.h"
#include "trace/event.h"

static struct watch_thread *thread_of(struct watch *w, uint32_t tid)
{
	VEC_REACH(&w->threads, tid);
	return &w->threads.at[tid];
}

const char *watch_routine(struct trace *t, const struct event *e)
{
	struct trace_site p;

	if (!trace_site(t, e->site, &p) || !(p.flags & FORESEE_SITE_ROUTINE))
		return NULL;
	return p.said;
}

/* The function around a site, through all it was inlined into. */
static const char *function_around(struct trace *t, uint32_t site)
{
	struct trace_site p;
	const char *name = NULL;

	for (unsigned i = 0; i < 64 && site != 0 && trace_site(t, site, &p); i++) {
		name = p.function;
		site = p.inlined;
	}
	return name;
}

static const char *routine_of_event(struct trace *t, const struct event *e)
{
	const uint32_t *sites;
	uint32_t n = trace_stack(t, e->stack, &sites);

	while (n > 0 && sites[n - 1] == 0)
		n--;
	return function_around(t, n > 0 ? sites[n - 1] : e->site);
}

/* Notes which declared ones it is, for the sake of those that nobody is. */
static void declared_find(struct watch *w, struct trace *t, uint32_t tid)
{
	for (uint32_t i = 0; i < w->spec->nthreads; i++)
		watch_thread_is(w, t, i, tid);
}

void watch_thread_learn(struct watch *w, struct trace *t, const struct event *e)
{
	uint32_t tid = e->op == EVENT_FORK ? e->peer : e->tid;
	struct watch_thread *of = thread_of(w, tid);
	const char *name = NULL;

	if (of->looked && e->op != EVENT_THREAD_END && e->op != EVENT_JOIN)
		return;
	if (w->text || of->looked) {
		of->looked = true;
		declared_find(w, t, e->op == EVENT_JOIN ? e->peer : tid);
		return;
	}
	if (e->op == EVENT_FORK)
		name = watch_routine(t, e);
	else if (e->op != EVENT_THREAD_BEGIN && e->site != 0)
		name = routine_of_event(t, e);
	of->routine = name ? bind_keep(w, name) : NULL;
	of->looked = name != NULL;
	if (name)
		declared_find(w, t, tid);
}

/* Text has the names that somebody chose: T3 is the third, whoever comes first. */
uint32_t watch_thread_number(const struct watch *w, struct trace *t, uint32_t tid)
{
	const char *name = w->text ? trace_thread_name(t, tid) : NULL;
	char *end;
	unsigned long n;

	if (!name)
		return tid;
	name += *name == 'T';
	n = strtoul(name, &end, 10);
	return *name >= '0' && *name <= '9' && *end == '\0' && n <= UINT32_MAX ? (uint32_t)n : tid;
}

/* Text has no start routines: worker_1 and worker_2 are two that run `worker'. */
static bool is_one_of(const char *name, const char *class)
{
	size_t n = strlen(class);

	return strncmp(name, class, n) == 0 && name[n] == '_' && name[n + 1] != '\0' &&
	       name[n + 1 + strspn(name + n + 1, "0123456789")] == '\0';
}

static bool has_name(struct watch *w, struct trace *t, const char *name, uint32_t tid)
{
	const char *routine = thread_of(w, tid)->routine;
	const char *label = trace_thread_label(t, tid);

	return (routine && strcmp(routine, name) == 0) || (label && strcmp(label, name) == 0) ||
	       strcmp(trace_thread_name(t, tid), name) == 0 ||
	       (w->text && is_one_of(trace_thread_name(t, tid), name));
}

bool watch_thread_is(struct watch *w, struct trace *t, uint32_t declared, uint32_t tid)
{
	const struct spec_thread *d = &w->spec->threads[declared];
	bool is = d->is_number ? watch_thread_number(w, t, tid) == d->number
			       : has_name(w, t, d->routine, tid);

	if (is)
		w->threads_seen |= 1ull << declared;
	return is;
}

const char *watch_thread_block(struct watch *w, const struct event *e)
{
	struct watch_thread *of = thread_of(w, e->tid);
	const char *name = e->name ? bind_keep(w, e->name) : NULL;

	if (e->op == EVENT_BEGIN)
		*VEC_PUSH(&of->blocks) = name;
	else if (of->blocks.n > 0)
		name = of->blocks.at[--of->blocks.n];
	return name;
}
