/*
 * The reference model: a list of (from, to, name), where a new block throws
 * out those it overlaps, and the answer is the one around the address.
 */
#include "names/objects.h"

#include "capture/hooks.h"
#include "names/program.h"
#include "trace/format.h"
#include "names/images.h"
#include "names/layout_text.h"

#define NO_UNIT UINT32_MAX

/* ---- life ---- */

static int global_order(const void *x, const void *y)
{
	const struct program_global *a = x, *b = y;

	return SORT_ORDER(a->addr, b->addr) ?: SORT_ORDER(a->size, b->size) ?:
	       SORT_ORDER(a->unit, b->unit);
}

/* reach[i] is the highest end among globals 0 to i.  A search for one that covers an address goes back
 * while reach is beyond that address; globals of one moment do not overlap, so mostly one step. */
static void reach_make(struct objects *o)
{
	uint64_t reach = 0;

	mem_free(o->reach);
	o->reach = mem_alloc((o->nglobals + 1) * sizeof(*o->reach));
	map_clear(&o->units);
	for (size_t i = 0; i < o->nglobals; i++) {
		uint64_t end = o->globals[i].addr + o->globals[i].size;

		reach = end > reach ? end : reach;
		o->reach[i] = reach;
		*map_put(&o->units, o->globals[i].unit, NULL) = 1;
	}
}

void objects_globals(struct objects *o, const struct program *p)
{
	size_t bytes = p->globals.n * sizeof(*p->globals.at);

	o->images = p->images;
	o->nglobals = p->globals.n;
	mem_free(o->globals);
	o->globals = mem_alloc(bytes + 1);
	if (bytes) {
		memcpy(o->globals, p->globals.at, bytes);
		qsort(o->globals, o->nglobals, sizeof(*o->globals), global_order);
	}
	reach_make(o);
	if (o->next_id <= o->nglobals)
		o->next_id = o->nglobals + 1;
}

void objects_init(struct objects *o, const struct program *p, bool locks, bool late)
{
	memset(o, 0, sizeof(*o));
	o->late = late;
	o->locks = locks;
	spans_init(&o->blocks);
	spans_init(&o->named);
	spans_init(&o->benign);
	spans_init(&o->owners);
	o->words = intern_new();
	objects_globals(o, p);
}

void objects_release(struct objects *o)
{
	spans_release(&o->blocks);
	spans_release(&o->named);
	spans_release(&o->benign);
	spans_release(&o->owners);
	intern_free(o->words);
	MAP_RELEASE_ALL(&o->stacks, &o->numbers, &o->units);
	MEM_FREE_ALL(o->globals, o->reach);
	strbuf_release(&o->text);
}

/* ---- globals ---- */

/* How many begin before addr. */
static size_t globals_before(const struct objects *o, uint64_t addr)
{
	return SEARCH_PAST(i, 0, o->nglobals, o->globals[i].addr < addr);
}

/* As libraries come and go, several variables may have the same address.  It belongs to the unit that
 * the last ALLOC there names, or before any ALLOC to the first unit.  In a trace that begins in the
 * middle that ALLOC may be missing: then it is not known. */
static const struct program_global *global_find(const struct objects *o, uint64_t addr)
{
	const struct span *owner = spans_find(&o->owners, addr);
	const struct program_global *found = NULL;
	bool several = false;

	for (size_t i = globals_before(o, addr + 1); i-- > 0 && o->reach[i] > addr;) {
		const struct program_global *g = &o->globals[i];

		if (addr - g->addr >= g->size || (owner && owner->number != g->unit))
			continue;
		several = several || (found && (g->addr != found->addr || !g->name ||
						!found->name || strcmp(g->name, found->name) != 0));
		if (!found || g->unit <= found->unit)
			found = g;
	}
	return several && !owner && o->late ? NULL : found;
}

/* Those in [addr, addr + len) are of this unit from now on; NO_UNIT: something else lies there. */
static void globals_own(struct objects *o, uint64_t addr, uint64_t len, uint32_t unit)
{
	size_t n = globals_before(o, addr + len);

	if (n != 0 && o->reach[n - 1] > addr)
		spans_lay(&o->owners,
			  (struct span){ .addr = addr, .len = len, .base = addr, .number = unit });
}

/* ---- numbers ---- */

/* Of what has nothing else for a name; NULL: it gets none. */
static const char *const number_words[EVENT_OBJECTS] = {
	[EVENT_OBJECT_LOCK] = "lock",	  [EVENT_OBJECT_CONDITION] = "cond",
	[EVENT_OBJECT_SEMAPHORE] = "sem", [EVENT_OBJECT_BARRIER] = "barrier",
	[EVENT_OBJECT_ONCE] = "once",
};

/* By first use, and again when something new is made at the address. */
static void number_give(struct objects *o, const struct event *e)
{
	enum event_object kind = event_op_object(e->op);
	unsigned life = event_op_life(e->op);
	uint64_t *number;
	bool fresh;

	if (kind >= EVENT_OBJECTS || !number_words[kind] || (life & EVENT_LIFE_ENDS))
		return;
	number = map_put(&o->numbers, e->addr, &fresh);
	if ((fresh || (life & EVENT_LIFE_MAKES)) && !images_find(o->images, e->addr))
		*number = (uint64_t)kind << 32 | ++o->nnumbers[kind];
}

/* ---- events ---- */

static void block_add(struct objects *o, struct span block)
{
	block.id = o->next_id++;
	spans_put(&o->blocks, block);
}

static void block_end(struct objects *o, const struct event *e)
{
	const struct span *b = spans_find(&o->blocks, e->addr + (e->len ? e->len - 1 : 0));

	/* A ranged FREE may come in pieces: the block ends with the last. */
	if (b && b->kind != OBJECTS_STACK && span_end(b) <= e->addr + (e->len ? e->len : 1))
		spans_remove(&o->blocks, b->addr);
}

/* What the program has said of memory ends with it. */
static void words_end(struct objects *o, uint64_t addr, uint64_t len)
{
	spans_clear(&o->named, addr, len);
	spans_clear(&o->benign, addr, len);
}

/* Names must not look like those made up for memory (trace_object_is_anonymous) and are printed on
 * terminals: no blanks, nothing unprintable. */
static void words_add(struct objects *o, const struct event *e)
{
	struct span span = { .addr = e->addr, .len = e->len, .base = e->addr };

	if (e->len == 0 || !e->name)
		return;
	strbuf_clear(&o->text);
	strbuf_adds(&o->text, *e->name ? e->name : "?");
	for (char *at = o->text.at; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
		if (*at == ' ' && e->lock_kind == FORMAT_USER_NAMES)
			*at = '_';
	}
	span.number = intern_add(o->words, o->text.at, o->text.n);
	spans_lay(e->lock_kind == FORMAT_USER_NAMES ? &o->named : &o->benign, span);
}

void objects_event(struct objects *o, const struct event *e)
{
	struct span n = { .addr = e->addr, .len = e->len };
	const struct span *b;
	uint64_t *stack;

	if (o->locks)
		number_give(o, e);
	if (e->len >= UINT64_MAX - e->addr)
		return;
	switch (e->op) {
	case EVENT_ALLOC:
		words_end(o, e->addr, e->len);
		if (e->arg == FORMAT_ALLOC_FRAME) {
			/* Others are part of their thread's stack. */
			if (map_get(&o->units, e->site))
				globals_own(o, e->addr, e->len, e->site);
			break;
		}
		globals_own(o, e->addr, e->len, NO_UNIT);
		n.kind = e->arg == FORMAT_ALLOC_MAP ? OBJECTS_MAP : OBJECTS_HEAP;
		n.number = n.kind == OBJECTS_MAP ? ++o->nmap : ++o->nheap;
		block_add(o, n);
		break;
	case EVENT_FREE:
		words_end(o, e->addr, e->len);
		spans_clear(&o->owners, e->addr, e->len);
		block_end(o, e);
		break;
	case EVENT_THREAD_BEGIN:
		if (e->len == 0)
			break;
		n.kind = OBJECTS_STACK;
		n.number = e->tid;
		words_end(o, e->addr, e->len);
		globals_own(o, e->addr, e->len, NO_UNIT);
		block_add(o, n);
		*map_put(&o->stacks, e->tid, NULL) = e->addr;
		break;
	case EVENT_THREAD_END:
		stack = map_get(&o->stacks, e->tid);
		b = stack ? spans_find(&o->blocks, *stack) : NULL;
		if (b && b->kind == OBJECTS_STACK && b->number == e->tid) {
			spans_clear(&o->owners, b->addr, b->len);
			spans_remove(&o->blocks, b->addr);
		}
		map_remove(&o->stacks, e->tid);
		break;
	case EVENT_USER:
		if (e->lock_kind == FORMAT_USER_NAMES || e->lock_kind == FORMAT_USER_BENIGN)
			words_add(o, e);
		break;
	default:
		break;
	}
}

/* ---- questions ---- */

static void number_name(struct objects *o, uint64_t addr)
{
	const uint64_t *number = map_get(&o->numbers, addr);

	if (number && *number)
		strbuf_addf(&o->text, "%s#%u", number_words[*number >> 32], (uint32_t)*number);
	else
		strbuf_addf(&o->text, "0x%llx", (unsigned long long)addr);
}

static void element_name(struct objects *o, const struct program_global *g, uint64_t *offset)
{
	uint64_t index[FORESEE_DIMENSIONS];
	unsigned n = foresee_array_index(g->type, g->size, offset, index);

	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&o->text, "[%llu]", (unsigned long long)index[i]);
}

static void offset_add(struct objects *o, uint64_t offset)
{
	if (offset != 0)
		strbuf_addf(&o->text, "+%llu", (unsigned long long)offset);
}

/* How far a name goes into a variable: not at all, to an element of an array, to a member. */
enum depth { DEPTH_WHOLE, DEPTH_ELEMENT, DEPTH_MEMBER };

static const char *name_make(struct objects *o, uint64_t addr, enum depth depth)
{
	const struct program_global *g = global_find(o, addr);
	const struct span *n = g ? NULL : spans_find(&o->blocks, addr);
	uint64_t offset = 0;

	strbuf_clear(&o->text);
	if (g && g->name) {
		strbuf_adds(&o->text, g->name);
		offset = addr - g->addr;
		if (depth == DEPTH_MEMBER && g->layout)
			layout_text_name(g->layout, &offset, &o->text);
		else if (depth != DEPTH_WHOLE)
			element_name(o, g, &offset);
	} else if (n) {
		static const char *const before[] = {
			[OBJECTS_HEAP] = "heap#",
			[OBJECTS_MAP] = "map#",
			[OBJECTS_STACK] = "stack of T",
		};

		strbuf_addf(&o->text, "%s%u", before[n->kind], n->number);
		offset = addr - n->addr;
	} else if (!o->locks || !images_name(o->images, addr, &o->text)) {
		number_name(o, addr);
	}
	offset_add(o, offset);
	return strbuf_str(&o->text);
}

const char *objects_given(struct objects *o, uint64_t addr)
{
	const struct span *n = spans_find(&o->named, addr);

	if (!n)
		return NULL;
	strbuf_clear(&o->text);
	strbuf_adds(&o->text, intern_str(o->words, n->number));
	offset_add(o, addr - n->base);
	return strbuf_str(&o->text);
}

const char *objects_name(struct objects *o, uint64_t addr)
{
	const char *given = objects_given(o, addr);

	return given ? given : name_make(o, addr, DEPTH_MEMBER);
}

const char *objects_own(struct objects *o, uint64_t addr)
{
	return name_make(o, addr, DEPTH_ELEMENT);
}

const char *objects_range(struct objects *o, uint64_t addr)
{
	return name_make(o, addr, DEPTH_WHOLE);
}

uint64_t objects_id(struct objects *o, uint64_t addr)
{
	const struct program_global *g = global_find(o, addr);
	const struct span *n = g ? NULL : spans_find(&o->blocks, addr);

	if (g)
		return (uint64_t)(g - o->globals) + 1;
	return n ? n->id : 0;
}

const char *objects_benign(struct objects *o, uint64_t addr)
{
	const struct span *n = spans_find(&o->benign, addr);

	return n ? intern_str(o->words, n->number) : NULL;
}
