#include "trace/atomic.h"

#include "trace/trace.h"

/* Whether the function that a site lies in is one of them. */
enum { SITE_NEW, SITE_UNKNOWN, SITE_OTHER, SITE_ATOMIC };

#define INLINED_MOST 64 /* calls that are inlined into one another; more is damage */

void atomic_release(struct atomic *a)
{
	VEC_RELEASE_ALL(&a->threads, &a->sites);
}

static bool is_name(const struct atomic *a, const char *name)
{
	for (size_t i = 0; i < a->names->n; i++)
		if (strcmp(a->names->at[i], name) == 0)
			return true;
	return false;
}

/* The function of the frame that the site lies in, inlined ones aside; NULL: not known. */
static const char *site_function(const struct trace *t, uint32_t site)
{
	struct trace_site s = { .inlined = site };

	for (int i = 0; i < INLINED_MOST && s.inlined != 0; i++)
		if (!trace_site(t, s.inlined, &s))
			return NULL;
	return s.function;
}

static int site_look(struct atomic *a, const struct trace *t, uint32_t site)
{
	const char *function = site_function(t, site);

	return !function ? SITE_UNKNOWN : is_name(a, function) ? SITE_ATOMIC : SITE_OTHER;
}

static int site_kind(struct atomic *a, const struct trace *t, uint32_t site)
{
	if (site == 0 || site >= trace_site_count(t))
		return SITE_UNKNOWN;
	VEC_REACH(&a->sites, site);
	if (a->sites.at[site] == SITE_NEW)
		a->sites.at[site] = (uint8_t)site_look(a, t, site);
	return a->sites.at[site];
}

/* What frame number d, from 1, of the event's stack is a call of: the next frame was called there, or the
 * event is there itself. */
static int frame_kind(struct atomic *a, const struct trace *t, const struct event *e, uint32_t d)
{
	const uint32_t *sites;
	uint32_t n;

	if (e->op == EVENT_ENTER)
		return e->name && is_name(a, e->name) ? SITE_ATOMIC : SITE_OTHER;
	n = trace_stack(t, e->stack, &sites);
	if (d == e->depth)
		return site_kind(a, t, e->site);
	return d < n ? site_kind(a, t, sites[n - 1 - d]) : SITE_UNKNOWN;
}

void atomic_mark(struct atomic *a, const struct trace *t, struct event *e)
{
	struct atomic_thread *h;

	if (e->tseq == 0)
		return; /* not of the run */
	VEC_REACH(&a->threads, e->tid);
	h = &a->threads.at[e->tid];
	if (h->checked > e->stayed)
		h->checked = e->stayed;
	if (h->depth > e->stayed) {
		h->depth = 0;
		e->flags |= EVENT_LEFT;
	}
	/* A frame of which nothing is known yet may be so later: the call begins there, for us. */
	while (h->checked < e->depth) {
		int kind = frame_kind(a, t, e, h->checked + 1);

		if (kind == SITE_UNKNOWN)
			break;
		h->checked++;
		if (kind == SITE_ATOMIC && h->depth == 0) {
			h->depth = h->checked;
			e->flags |= EVENT_ENTERED;
		}
	}
}

const char *atomic_at(const struct atomic *a, const struct trace *t, uint32_t site, uint32_t stack)
{
	const uint32_t *sites;
	uint32_t n = trace_stack(t, stack, &sites);

	/* sites[n - 1] called the outermost frame, and lies in none. */
	for (uint32_t d = 1; d <= n; d++) {
		const char *f = site_function(t, d < n ? sites[n - 1 - d] : site);

		if (f && is_name(a, f))
			return f;
	}
	return NULL;
}
