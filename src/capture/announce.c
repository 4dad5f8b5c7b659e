/*
 * The model: a set of lines; a line that is not in it yet is written.  A line has names in it,
 * which take a search; so each pattern, as the hooks see it, has a number, and only a new number
 * makes a line.  Several numbers may lead to one line (a routine that calls the
 * same function on two lines): the line has a number too, without the thread's, in the same set.
 */
#include "capture/process.h"

#include "capture/lock_priv.h"

#define HELD 16		/* locks of a thread; further ones are left out */
#define SEEN (1u << 14) /* numbers in the set; a power of two */
#define LINES 1000	/* at most: more would not be read */

static __thread struct {
	const void *lock;
	uint32_t site;
	uint32_t depth;
} held[HELD];
static __thread uint32_t nheld;

static uint64_t seen[SEEN]; /* 0: free; only ever filled, by compare-and-swap */
static uint32_t nlines;	    /* told so far */

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Adds it to the set; true: it was not in there.  Of a full set it is assumed that it was. */
static bool is_new(uint64_t number)
{
	uint32_t at = (uint32_t)(number >> 40);

	number |= 1;
	for (uint32_t i = 0; i < SEEN; i++) {
		uint64_t *bucket = &seen[(at + i) & (SEEN - 1)], was = 0;

		if (__atomic_compare_exchange_n(bucket, &was, number, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
		if (was == number)
			return false;
	}
	return false;
}

/* ---- the line ---- */

/* "[3]", "+8", "[3]+8": where in its variable a lock is. */
static void add_part(struct text *l, const struct foresee_global *g, uint64_t offset)
{
	uint64_t index[FORESEE_DIMENSIONS];
	unsigned n = foresee_array_index(g->type, g->size, &offset, index);

	for (unsigned i = 0; i < n; i++)
		text_add(l, "[%lu]", index[i]);
	if (offset != 0)
		text_add(l, "+%lu", offset);
}

/* The site knows the lock by a name: "account.lock", not "*m". */
static bool has_name(const struct foresee_site *s)
{
	char c = s != NULL && s->variable != NULL ? s->variable[0] : '*';

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A lock by the variable it lies in, by what the site calls it, else by its address. */
static void add_lock(struct text *l, const void *lock, uint32_t site)
{
	const struct foresee_global *g = module_global(lock);
	const struct foresee_site *s = module_site(site, NULL);

	if (g != NULL) {
		text_add(l, "%s", text_behind(g->name, ':'));
		add_part(l, g, (uintptr_t)lock - (uintptr_t)g->address);
	} else if (has_name(s)) {
		text_add(l, "%s", s->variable);
	} else {
		text_add(l, "0x%lx", (uintptr_t)lock);
	}
	if (s != NULL && s->file != NULL)
		text_add(l, " (%s:%lu)", text_behind(s->file, '/'), (unsigned long)s->line);
}

/* The site that is furthest out on the stack: it lies in the routine of the thread. */
static uint32_t outermost(const struct thread *t)
{
	const struct foresee_view *v = &t->view;

	return v->depth < 2 || v->depth > FORESEE_DEPTH ? v->call_site : v->frames[1];
}

static const char *routine(const struct thread *t)
{
	uint32_t site = outermost(t), into = 0;
	const struct foresee_site *s = module_site(site, &into);

	while (s != NULL && into != 0)
		s = module_site(into, &into);
	return s != NULL ? s->function : NULL;
}

/* The thread's number, and where the text begins that does not depend on it. */
static size_t add_thread(struct text *l, const struct thread *t)
{
	const char *name = routine(t);
	size_t rest;

	text_add(l, "foresee: T%lu", (unsigned long)t->tid);
	rest = l->n;
	if (name != NULL)
		text_add(l, " \"%s\"", name);
	return rest;
}

static void pattern_tell(const struct thread *t, const void *lock, unsigned kind)
{
	struct text l = { .n = 0 };
	uint64_t number = 1;
	SYS_KEEPS_ERRNO;
	size_t rest;

	module_lock();
	rest = add_thread(&l, t);
	text_add(&l,
		 kind == FORMAT_K_RACQ || kind == FORMAT_K_RREQ ? " locks to read " : " locks ");
	add_lock(&l, lock, t->view.call_site);
	for (uint32_t i = 0; i < nheld; i++) {
		text_add(&l, i == 0 ? " holding " : ", ");
		add_lock(&l, held[i].lock, held[i].site);
	}
	module_unlock();
	for (size_t i = rest; i < l.n; i++)
		number = mix(number, (uint8_t)l.at[i]);
	if (is_new(number) && __atomic_fetch_add(&nlines, 1, __ATOMIC_RELAXED) < LINES) {
		l.n -= l.n == TEXT_ROOM;
		text_add(&l, "\n");
		syscall(SYS_write, STDERR_FILENO, l.at, l.n);
	}
}

/* ---- what the wrappers say ---- */

/* The thread wants a lock, and may have to wait.  False: it has it already. */
static bool wanted(const struct thread *t, const void *lock, unsigned kind)
{
	uint64_t number = mix(mix(2, outermost(t)), t->view.call_site);

	for (uint32_t i = 0; i < nheld; i++) {
		if (held[i].lock == lock)
			return false;
		number = mix(number, held[i].site);
	}
	if (nheld > 0 && __atomic_load_n(&nlines, __ATOMIC_RELAXED) < LINES && is_new(number))
		pattern_tell(t, lock, kind);
	return true;
}

static void taken(const struct thread *t, const void *lock)
{
	if (nheld == HELD)
		return;
	held[nheld].lock = lock;
	held[nheld].site = t->view.call_site;
	held[nheld++].depth = 1;
}

static void taken_again(const void *lock)
{
	for (uint32_t i = 0; i < nheld; i++)
		if (held[i].lock == lock)
			held[i].depth++;
}

static void given(const void *lock)
{
	uint32_t i = nheld;

	while (i > 0 && held[i - 1].lock != lock)
		i--;
	if (i == 0 || --held[i - 1].depth > 0)
		return;
	memmove(&held[i - 1], &held[i], (nheld - i) * sizeof(held[0]));
	nheld--;
}

static void announce(struct thread *t, unsigned kind, const void *lock)
{
	switch (kind) {
	case FORMAT_K_REQ:
	case FORMAT_K_RREQ:
		wanted(t, lock, kind);
		break;
	case FORMAT_K_ACQ:
	case FORMAT_K_RACQ:
		if (wanted(t, lock, kind))
			taken(t, lock);
		else
			taken_again(lock);
		break;
	case FORMAT_K_REL:
	case FORMAT_K_RREL:
		given(lock);
		break;
	default:
		break;
	}
}

void announce_start(void)
{
	lock_watch = announce;
}
