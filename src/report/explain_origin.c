/*
 * Where things come from that have no name of their own: who allocated a block, where a local
 * variable is declared.
 *
 *	heap#1, heap#2 were allocated by T1 at bank.c:8 in open_account
 *	                                       bank.c:30 in main
 */

#include "report/explain_priv.h"

/* Events whose objects come from the same place, as a reader sees it. */
struct origin {
	struct evidence_object object; /* the first */
	struct strbuf names, stack;
	size_t count;
};

struct origins {
	VEC(struct origin) at;
};

static struct evidence_event made_by(const struct evidence_object *o)
{
	return (struct evidence_event){ .op = EVENT_ALLOC,
					.site = o->alloc.site,
					.stack = o->alloc.stack };
}

static bool is_alike(const struct origin *a, const struct evidence_object *o, const char *stack)
{
	return a->object.heap && o->heap && a->object.alloc.tid == o->alloc.tid &&
	       strcmp(strbuf_str(&a->stack), stack) == 0;
}

/* The whole block goes by one name, whatever part of it an event is about. */
static void origin_add(const struct explain *x, struct origins *all, uint64_t pos)
{
	struct origin fresh = { 0 }, *same = NULL;
	struct evidence_event made;

	if (!evidence_object(x->ev, pos, &fresh.object) || !fresh.object.alloc.tid)
		return;
	for (size_t i = 0; i < all->at.n; i++)
		if (all->at.at[i].object.alloc.pos == fresh.object.alloc.pos)
			return;
	made = made_by(&fresh.object);
	explain_stack(x, &made, 0, &fresh.stack);
	for (size_t i = 0; i < all->at.n && !same; i++)
		if (is_alike(&all->at.at[i], &fresh.object, strbuf_str(&fresh.stack)))
			same = &all->at.at[i];
	if (same) {
		strbuf_release(&fresh.stack);
		strbuf_adds(&same->names, ", ");
	} else {
		same = VEC_PUSH(&all->at);
		*same = fresh;
	}
	strbuf_add(&same->names, fresh.object.name, trace_object_whole(fresh.object.name));
	same->count++;
}

static const char *local_name(const struct explain *x, const struct origin *o)
{
	struct trace_site p;

	return trace_site(x->t, o->object.alloc.site, &p) && p.variable ? p.variable : "it";
}

void explain_origins(struct explain *x, const uint64_t *events, size_t n)
{
	struct origins all = { 0 };

	for (size_t i = 0; i < n; i++)
		origin_add(x, &all, events[i]);
	for (size_t i = 0; i < all.at.n; i++) {
		struct origin *o = &all.at.at[i];
		struct evidence_event made = made_by(&o->object);
		size_t start = x->out.n;

		strbuf_adds(&x->out, "   ");
		if (o->object.heap)
			strbuf_addf(&x->out, "%s %s allocated by ", strbuf_str(&o->names),
				    o->count == 1 ? "was" : "were");
		else
			strbuf_addf(&x->out, "%s is a local variable of ", local_name(x, o));
		words_thread(x->t, o->object.alloc.tid, &x->out);
		strbuf_adds(&x->out, o->object.heap ? " at " : ": ");
		explain_stack(x, &made, x->out.n - start, &x->out);
		strbuf_release(&o->names);
		strbuf_release(&o->stack);
	}
	VEC_RELEASE(&all.at);
}
