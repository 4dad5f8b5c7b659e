/* Which thread of a spec the one of an event is. */

#include "capture/hooks.h"
#include "trace/event.h"
#include "witness/view_priv.h"

struct view_thread *view_thread_of(struct view_sight *s, uint32_t tid)
{
	VEC_REACH(&s->threads, tid);
	return &s->threads.at[tid];
}

const char *view_keep(struct view_sight *s, const char *text)
{
	return text ? intern_str(s->strings, intern_add(s->strings, text, strlen(text))) : NULL;
}

/* The function that is furthest out at the event, through all that it was inlined into. */
static const char *outermost(struct trace *t, const struct event *e)
{
	const uint32_t *sites;
	uint32_t n = trace_stack(t, e->stack, &sites), site = e->site;
	const char *name = NULL;
	struct trace_site p;

	for (uint32_t i = n; i > 0; i--)
		if (sites[i - 1] != 0) {
			site = sites[i - 1];
			break;
		}
	for (unsigned depth = 0; depth < 64 && site && trace_site(t, site, &p); depth++) {
		name = p.function;
		site = p.inlined;
	}
	return name;
}

void view_routine_learn(struct view_look *l)
{
	const struct event *e = l->e;
	uint32_t tid = e->op == EVENT_FORK ? e->peer : e->tid;
	struct trace_site p;

	if (!l->s->names || view_thread_of(l->s, tid)->routine)
		return;
	if (e->op == EVENT_FORK) {
		if (trace_site(l->t, e->site, &p) && (p.flags & FORESEE_SITE_ROUTINE))
			view_thread_of(l->s, tid)->routine = view_keep(l->s, p.said);
	} else if (e->op != EVENT_THREAD_BEGIN && e->site != 0) {
		view_thread_of(l->s, tid)->routine = view_keep(l->s, outermost(l->t, e));
	}
}

uint64_t view_thread_number(const struct view_look *l, uint32_t tid)
{
	const char *name = l->s->text ? trace_thread_name(l->t, tid) : "";
	char *end;
	uint64_t n;

	name += *name == 'T';
	if (*name < '0' || *name > '9')
		return tid;
	n = strtoul(name, &end, 10);
	return *end || n > UINT32_MAX ? tid : n;
}

bool view_thread_is(const struct view_look *l, const struct spec_thread *d, uint32_t tid)
{
	const char *called[] = { view_thread_of(l->s, tid)->routine, trace_thread_label(l->t, tid),
				 trace_thread_name(l->t, tid) };

	if (d->is_number)
		return view_thread_number(l, tid) == d->number;
	for (unsigned i = 0; i < 3; i++)
		if (called[i] && strcmp(called[i], d->routine) == 0)
			return true;
	return false;
}
