/*
 * What a user of a spec should know: what the recording does not have, what the spec names and the
 * run does not.
 */
#include "monitor/watch_priv.h"

/* ---- at the start ---- */

/* The reads that properties ask about must all be there. */
static void note_reads(struct watch *w, const struct trace_info *info)
{
	const struct spec *s = w->spec;
	uint64_t asked = s->relevant_variables;

	if (info->full)
		return;
	for (uint32_t i = 0; i < s->nevents; i++) {
		if (s->events[i].op != SPEC_READ)
			continue;
		if (s->events[i].variable >= 0)
			asked |= 1ull << s->events[i].variable;
		else
			texts_add(&w->notes,
				  "repeated reads are not all recorded, and event '%s' may be "
				  "missed: record with --full",
				  s->events[i].name);
	}
	for (; asked; asked &= asked - 1)
		texts_add(&w->notes,
			  "repeated reads of '%s' are not all recorded: record with --full",
			  s->variables[__builtin_ctzll(asked)].name);
}

static void note_recording(struct watch *w, const struct trace_info *info)
{
	if (w->spec->nvariables == 0)
		return;
	if (info->locks_only)
		texts_add(&w->notes,
			  "the recording has locks only: nothing is known of what variables hold");
	else if (info->partial)
		texts_add(&w->notes,
			  "recorded with --only or --ignore: writes of variables may be missing");
	if (info->late)
		texts_add(&w->notes,
			  "the recording begins in the middle of the run: what variables held "
			  "there is not known until they are written");
}

static void note_initial(struct watch *w)
{
	for (uint32_t i = 0; i < w->spec->nvariables; i++) {
		const struct spec_variable *v = &w->spec->variables[i];

		if (w->initial[i].known == 0)
			texts_add(&w->notes,
				  "the initial value of '%s' is not known; say it in the spec: "
				  "shared %s %s = ...",
				  v->name, v->type.text, v->name);
	}
}

void bind_notes(struct watch *w, const struct trace_info *info)
{
	note_recording(w, info);
	note_reads(w, info);
	if (!info->late) /* else the spec cannot say it either */
		note_initial(w);
	w->nbound = w->notes.n;
}

/* ---- at the end ---- */

static bool is_used(const struct spec *s, uint32_t thread)
{
	for (uint32_t i = 0; i < s->nevents; i++) {
		const struct spec_event *e = &s->events[i];

		if (e->by == (int32_t)thread ||
		    (e->nargs > 0 && e->args[0].thread == (int32_t)thread))
			return true;
	}
	return false;
}

/* A name that nothing checks but the run itself: of text all are. */
static bool is_only_heard(const struct watch *w, const struct spec_event *e)
{
	return e->nargs > 0 && e->variable < 0 &&
	       (w->text || e->op == SPEC_USER || e->op == SPEC_BEGIN || e->op == SPEC_FINISH);
}

static void note_unseen(struct watch *w)
{
	const struct spec *s = w->spec;

	for (uint32_t i = 0; i < s->nevents; i++)
		if (is_only_heard(w, &s->events[i]) && !(w->events_seen >> i & 1))
			texts_add(&w->notes, "nothing in the trace is event '%s'",
				  s->events[i].name);
	for (uint32_t i = 0; i < s->nvariables; i++)
		if (!w->bound[i].seen && (w->text || !w->bound[i].found))
			texts_add(&w->notes, "nothing in the trace is about '%s'",
				  s->variables[i].name);
	for (uint32_t i = 0; i < s->nthreads; i++)
		if (!s->threads[i].is_number && is_used(s, i) && !(w->threads_seen >> i & 1))
			texts_add(
				&w->notes,
				"no thread of the run is '%s': none has that start routine or name",
				s->threads[i].routine);
}

/* Asking makes them, anew each time; one cannot tell from outside. */
size_t watch_notes(const struct watch *w, const char *const **out)
{
	struct watch *mine = (struct watch *)w;

	while (mine->notes.n > mine->nbound)
		mem_free(mine->notes.at[--mine->notes.n]);
	if (mine->begun)
		note_unseen(mine);
	*out = (const char *const *)mine->notes.at;
	return mine->notes.n;
}
