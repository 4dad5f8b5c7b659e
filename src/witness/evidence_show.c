/*
 * What reports ask of the evidence, full or brief: an event, what it is of, which locks are held.  And
 * what the checker takes for granted of it, for tests.
 */

#include "trace/format.h"
#include "witness/evidence_priv.h"

struct evidence_event evidence_get(const struct evidence *ev, uint64_t pos)
{
	const struct evidence_item *it;
	struct evidence_event e;
	bool thread;

	if (ev->brief)
		return evidence_brief_get(ev, pos);
	assert(pos >= 1 && pos <= evidence_count(ev));
	it = evidence_item(ev, pos);
	thread = event_op_family(it->op) == 'T';
	e = (struct evidence_event){
		.pos = pos,
		.tid = it->tid,
		.index = it->index,
		.op = it->op,
		.flags = it->flags,
		.addr = it->addr,
		.len = it->len,
		.site = it->site,
		.stack = it->stack,
		.peer = thread ? it->object : 0,
	};
	if (!thread && it->object != 0) {
		evidence_called_get(ev, &ev->objects.at[it->object].called, &e);
		e.object = it->object;
	}
	if ((it->op == EVENT_BEGIN || it->op == EVENT_ENTER) && it->name != 0)
		e.name = intern_str(ev->names, it->name);
	return e;
}

const uint8_t *evidence_bytes(const struct evidence *ev, uint64_t pos)
{
	const struct evidence_item *it;
	uint64_t index;

	if (ev->brief || !ev->values)
		return NULL;
	it = evidence_item(ev, pos);
	index = ev->value_at.at[pos];
	if (index == 0)
		return NULL;
	return &ev->bytes.at[index - 1 + (it->op == EVENT_RMW ? it->len : 0)];
}

uint64_t evidence_from(const struct evidence *ev, uint64_t pos)
{
	const struct evidence_item *it;
	struct evidence_mixed m;

	if (ev->brief)
		return 0;
	it = evidence_item(ev, pos);
	if ((it->op != EVENT_READ && it->op != EVENT_RMW) || it->nwords == 0)
		return 0;
	evidence_spread(ev, it, 0, &m);
	return m.seen[it->addr & 7];
}

uint64_t evidence_park(const struct evidence *ev, uint64_t pos)
{
	const struct evidence_item *it;
	uint64_t next;

	if (ev->brief)
		return evidence_brief_park(ev, pos);
	it = evidence_item(ev, pos);
	if (it->op != EVENT_REL || !(it->flags & EVENT_IN_WAIT))
		return 0;
	next = evidence_find(ev, it->tid, it->index + 1);
	return next != 0 && evidence_item(ev, next)->op == EVENT_PARK ? next : 0;
}

static uint32_t name_keep(struct evidence *ev, const char *name)
{
	return intern_add(ev->names, name, strlen(name));
}

/* What the program calls what lies there; 0 nothing. */
static uint32_t given_name(struct evidence *ev, uint64_t addr)
{
	const char *name = trace_object_given(ev->trace, addr);

	return name ? name_keep(ev, name) : 0;
}

void evidence_told(struct evidence *ev, uint64_t addr, struct evidence_told *out)
{
	const char *benign = trace_object_benign(ev->trace, addr);

	out->benign = benign ? name_keep(ev, benign) : 0;
	out->name = name_keep(ev, trace_object_own(ev->trace, addr));
	out->given = given_name(ev, addr);
}

static const char *name_of(const struct evidence *ev, uint32_t name)
{
	return name ? intern_str(ev->names, name) : NULL;
}

/* What lies there is a block, a local variable, or a variable of a library that came where another lay: a
 * global like others, whose site says nothing. */
void evidence_tell(const struct evidence *ev, const struct evidence_told *told,
		   const struct evidence_event *alloc, uint32_t kind, struct evidence_object *out)
{
	bool local = kind == FORMAT_ALLOC_FRAME;
	struct trace_site p;

	*out = (struct evidence_object){ .name = intern_str(ev->names, told->name),
					 .given = name_of(ev, told->given),
					 .benign = name_of(ev, told->benign) };
	if (!alloc || (local && !trace_site(ev->trace, alloc->site, &p)))
		return;
	out->heap = !local;
	out->local = local;
	out->alloc = *alloc;
}

void evidence_name(struct evidence *ev, uint64_t addr, uint32_t site, uint64_t start,
		   struct evidence_called *out)
{
	STRBUF_SCOPED b = { 0 };
	struct trace_site p;

	*out = (struct evidence_called){ .name = given_name(ev, addr), .named = ev->named };
	if (out->name != 0)
		return;
	if (site != 0 && trace_site(ev->trace, site, &p) && p.variable) {
		strbuf_adds(&b, p.variable);
		if (addr != start)
			strbuf_addf(&b, "+%llu", (unsigned long long)(addr - start));
	} else {
		strbuf_adds(&b, trace_object_name(ev->trace, addr));
	}
	out->name = intern_add(ev->names, strbuf_str(&b), b.n);
}

void evidence_rename(struct evidence *ev, uint64_t addr, struct evidence_called *c)
{
	uint32_t given = c->named != ev->named ? given_name(ev, addr) : 0;

	c->named = ev->named;
	if (given == 0 || given == c->name)
		return;
	c->name = given;
	c->path = 0;
	c->tries = EVIDENCE_TRIES;
}

void evidence_called_get(const struct evidence *ev, const struct evidence_called *c,
			 struct evidence_event *out)
{
	out->name = intern_str(ev->names, c->name);
	out->path = name_of(ev, c->path);
}

/* The path of a local variable's member begins as the variable does. */
static bool is_member(const char *path, const char *name)
{
	size_t n = trace_object_whole(name);

	return strncmp(path, name, n) == 0 && path[n] == '.';
}

/* The release and acquire inside a wait have its site, and that is about the condition. */
static bool is_told(const struct evidence_event *e)
{
	return !(e->flags & EVENT_IN_WAIT) && e->op != EVENT_GIVE && e->op != EVENT_TAKE;
}

void evidence_call(struct evidence *ev, const struct evidence_event *e, struct evidence_called *c)
{
	STRBUF_SCOPED b = { 0 };
	const char *path, *own;

	if (!ev->path || c->path != 0 || c->tries == EVIDENCE_TRIES || !is_told(e))
		return;
	c->tries++;
	if (!trace_object_is_anonymous(trace_object_name(ev->trace, e->addr))) {
		c->tries = EVIDENCE_TRIES;
		return;
	}
	path = ev->path(ev->trace, e->site, e->stack);
	if (!path)
		return;
	own = intern_str(ev->names, c->name);
	c->path = name_keep(ev, path);
	strbuf_adds(&b, path);
	if (strcmp(path, own) != 0 && !is_member(path, own))
		strbuf_addf(&b, " (%s)", own);
	c->name = intern_add(ev->names, strbuf_str(&b), b.n);
}

bool evidence_object(const struct evidence *ev, uint64_t pos, struct evidence_object *out)
{
	const struct evidence_wanted *w;
	struct evidence_event alloc = { 0 };
	size_t found;

	if (ev->brief)
		return evidence_brief_object(ev, pos, out);
	found = SEARCH_PAST(i, 0, ev->wanted.n, ev->wanted.at[i].pos < pos);
	if (found == ev->wanted.n || ev->wanted.at[found].pos != pos)
		return false;
	w = &ev->wanted.at[found];
	if (w->alloc != 0)
		alloc = evidence_get(ev, w->alloc);
	evidence_tell(ev, &w->told, w->alloc != 0 && alloc.op == EVENT_ALLOC ? &alloc : NULL,
		      evidence_item(ev, w->alloc)->kind, out);
	return true;
}

size_t evidence_held(const struct evidence *ev, uint64_t pos, uint64_t *acquires, size_t max)
{
	const struct evidence_item *it;
	const struct evidence_thread *t;
	VEC(uint32_t) list = { 0 };
	size_t n = 0, past;

	if (ev->brief)
		return evidence_brief_held(ev, pos, acquires, max);
	it = evidence_item(ev, pos);
	t = &ev->threads.at[it->tid];
	past = SEARCH_PAST(i, 0, t->holds.n, t->holds.at[i].index < it->index);
	/* From the innermost that the thread holds right before it. */
	for (uint32_t h = past ? t->holds.at[past - 1].held : 0; h; h = ev->held.at[h].below)
		*VEC_PUSH(&list) = h;
	for (size_t i = list.n; i > 0; i--) {
		const struct evidence_held *h = &ev->held.at[list.at[i - 1]];
		bool inner = false; /* acquired again by its holder */

		for (size_t k = i; k < list.n; k++)
			inner |= ev->held.at[list.at[k]].object == h->object;
		if (inner)
			continue;
		if (n < max)
			acquires[n] = h->acquire;
		n++;
	}
	VEC_RELEASE(&list);
	return n;
}

/* ---- for tests ---- */

/* Words ascend, and nothing is seen that came later. */
static void words_check(const struct evidence *ev, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(ev, pos);

	assert((uint64_t)it->words + it->nwords <= ev->words.n);
	for (uint32_t i = 0; i < it->nwords; i++) {
		const struct evidence_word *w = &ev->words.at[it->words + i];

		assert(w->cell != 0 && w->cell < ev->cells.n);
		assert(i == 0 || ev->cells.at[w[-1].cell].word < ev->cells.at[w->cell].word);
		if (w->seen & EVIDENCE_MIXED)
			assert((w->seen & ~EVIDENCE_MIXED) < ev->mixed.n);
		else
			assert(w->seen < pos);
	}
}

static void item_check(const struct evidence *ev, uint32_t pos)
{
	const struct evidence_item *it = evidence_item(ev, pos);

	assert(it->tid < ev->threads.n && it->index < ev->threads.at[it->tid].events.n);
	assert(ev->threads.at[it->tid].events.at[it->index] == pos);
	if (it->op == EVENT_READ || it->op == EVENT_WRITE || it->op == EVENT_RMW ||
	    it->op == EVENT_FREE)
		words_check(ev, pos);
	if (it->op == EVENT_WRITE || it->op == EVENT_RMW)
		for (uint32_t i = 0; i < it->nfeeds; i++)
			assert(ev->feeds.at[it->feeds + i] <= pos);
}

static void thread_check(const struct evidence *ev, const struct evidence_thread *t)
{
	for (size_t i = 1; i < t->events.n; i++)
		assert(t->events.at[i - 1] < t->events.at[i]);
	for (size_t i = 0; i < t->holds.n; i++)
		assert(t->holds.at[i].held < ev->held.n &&
		       (i == 0 || t->holds.at[i - 1].index < t->holds.at[i].index));
	for (size_t i = 1; i < t->reads.n; i++)
		assert(t->reads.at[i - 1].tseq < t->reads.at[i].tseq);
}

void evidence_check(const struct evidence *ev)
{
	if (ev->brief)
		return;
	for (uint32_t pos = 1; pos < ev->items.n; pos++)
		item_check(ev, pos);
	for (size_t i = 0; i < ev->threads.n; i++)
		thread_check(ev, &ev->threads.at[i]);
	for (size_t i = 1; i < ev->held.n; i++)
		assert(ev->held.at[i].below < i && ev->held.at[i].acquire < ev->items.n);
	for (size_t i = 1; i < ev->objects.n; i++)
		assert(ev->objects.at[i].older < i && ev->objects.at[i].cell < ev->cells.n);
	for (size_t i = 1; i < ev->trailing.n; i++)
		assert(ev->trailing.at[i - 1].free <= ev->trailing.at[i].free);
	for (size_t i = 1; i < ev->reach.n; i++)
		assert(ev->reach.at[i - 1].pos <= ev->reach.at[i].pos);
	for (size_t i = 1; i < ev->unseen.n; i++)
		assert(ev->unseen.at[i - 1].pos <= ev->unseen.at[i].pos &&
		       ev->unseen.at[i - 1].tid != ev->unseen.at[i].tid);
}
