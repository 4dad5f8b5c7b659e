#include "capture/module.h"

#include <stdio.h>

#include "capture/elf.h"
#include "capture/range.h"
#include "capture/sync.h"

#define INITIAL_MOST 4096u	 /* bytes of a variable that are kept */
#define INITIAL_EACH (1u << 20)	 /* bytes that are looked at, of a variable */
#define INITIAL_SCAN (64u << 20) /* and of all of them */
#define INITIAL_TOTAL (1u << 20) /* and kept */
#define IMAGES_MAX 256		 /* calls into others count as waiting: sound, less exact */
#define STRINGS_CACHED 1024u
#define FUNCTIONS_KNOWN 16u /* of those called by pointer, a thread knows so many */

static struct {
	struct sys_lock lock;
	uint32_t nsites; /* next site number; 0 is never used */

	/* The units there are, as far as there is room. */
	const struct foresee_module *units[4096];
	unsigned nunits;
	bool started; /* the trace knows of them */
	struct foresee_watch watch;

	/* Strings already in the trace, some by address: units share most of theirs. */
	uint32_t nstrings;
	struct {
		const char *s;
		uint32_t id;
	} strings[STRINGS_CACHED];

	struct image {
		const void *start, *end; /* of its mapping */
		int units;		 /* instrumented ones */
		bool gone;		 /* it was there once with all its units, and went */
	} images[IMAGES_MAX];
	size_t nimages;
	bool untold; /* there were more: another library may have lain at any address */

	/* Set of instrumented functions: open addressing, grows by doubling. */
	const void **functions;
	size_t nfunctions, room;
	uint32_t drops; /* atomic: how often units have taken functions out of it */
} all = { .nsites = 1, .watch.low = FORESEE_NO_ADDRESS };

/* ---- the set of functions ---- */

static size_t function_bucket(const void *const *set, size_t room, const void *f)
{
	size_t i = ((uintptr_t)f * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

	while (set[i] != NULL && set[i] != f)
		i = (i + 1) & (room - 1);
	return i;
}

static void function_add(const void *f)
{
	if (all.nfunctions * 2 >= all.room) {
		size_t room = all.room ? all.room * 2 : 1024;
		const void **bigger = sys_pages(room * sizeof(*bigger));

		if (bigger == NULL)
			return; /* calls of it will be logged as opaque: sound, only less exact */
		for (size_t i = 0; i < all.room; i++)
			if (all.functions[i] != NULL)
				bigger[function_bucket(bigger, room, all.functions[i])] =
					all.functions[i];
		/* The old table stays mapped: another thread may be looking into it. */
		__atomic_store_n(&all.functions, bigger, __ATOMIC_RELEASE);
		__atomic_store_n(&all.room, room, __ATOMIC_RELEASE);
	}
	ASSERT_RECORDING((all.room & (all.room - 1)) == 0);
	all.functions[function_bucket(all.functions, all.room, f)] = f;
	all.nfunctions++;
	ASSERT_RECORDING(all.nfunctions <
			 all.room); /* or a search for what is not there has no end */
}

/* Entries after it, up to the next free one, may be there only because it was in their way. */
static void function_drop(const void *f)
{
	size_t i = function_bucket(all.functions, all.room, f);

	if (all.functions[i] == NULL)
		return;
	ASSERT_RECORDING(all.nfunctions != 0);
	all.functions[i] = NULL;
	all.nfunctions--;
	while (all.functions[i = (i + 1) & (all.room - 1)] != NULL) {
		const void *moved = all.functions[i];

		all.functions[i] = NULL;
		all.functions[function_bucket(all.functions, all.room, moved)] = moved;
	}
}

static bool function_is_there(const void *f, uint32_t *drops)
{
	SYS_HOLD(&all.lock);

	*drops = all.drops;
	return all.room != 0 && all.functions[function_bucket(all.functions, all.room, f)] == f;
}

/*
 * Every call by pointer asks.  So each thread remembers some that were there, until a unit goes.  A
 * signal handler may come between the two stores, and ask too: then the older number of drops stays.
 */
bool module_has_function(const void *f)
{
	static __thread struct {
		const void *f;
		uint32_t drops;
	} known[FUNCTIONS_KNOWN];
	size_t i = ((uintptr_t)f * 0x9e3779b97f4a7c15u >> 32) % FUNCTIONS_KNOWN;
	uint32_t drops;

	if (f != NULL && known[i].f == f &&
	    known[i].drops == __atomic_load_n(&all.drops, __ATOMIC_ACQUIRE))
		return true;
	if (!function_is_there(f, &drops))
		return false;
	known[i].f = f;
	__asm__ volatile("" ::: "memory");
	known[i].drops = drops;
	return true;
}

/* ---- the images (program, libraries) that instrumented units lie in ---- */

/* all.lock held.  NULL: no unit has come from there. */
static struct image *image_find(const void *start)
{
	for (size_t i = 0; i < all.nimages; i++)
		if (all.images[i].start == start)
			return &all.images[i];
	return NULL;
}

/* A unit comes (1) or goes (-1).  An entry whose units are gone serves the next image there.  True:
 * it is the only one there. */
static bool image_count(const struct foresee_module *m, int change)
{
	struct dl_find_object at;
	struct image *i;

	if (_dl_find_object((void *)(uintptr_t)m, &at) != 0)
		return false;
	i = image_find(at.dlfo_map_start);
	if (i == NULL && all.nimages < IMAGES_MAX) {
		i = &all.images[all.nimages++];
		*i = (struct image){ .start = at.dlfo_map_start };
	}
	if (i == NULL) {
		all.untold = true;
		return false;
	}
	/* Where several lay, one after the other, all of what they covered counts. */
	i->end = at.dlfo_map_end > i->end ? at.dlfo_map_end : i->end;
	i->units += change;
	i->gone = i->gone || i->units == 0;
	return i->units == 1;
}

/* all.lock held.  Does the unit lie where a library lay that has gone? */
static bool image_is_reused(const struct foresee_module *m)
{
	struct dl_find_object at;

	if (all.untold || _dl_find_object((void *)(uintptr_t)m, &at) != 0)
		return true;
	for (size_t i = 0; i < all.nimages; i++)
		if (all.images[i].gone && (char *)at.dlfo_map_start < (char *)all.images[i].end &&
		    (char *)at.dlfo_map_end > (char *)all.images[i].start)
			return true;
	return false;
}

static bool image_is_same(const struct foresee_module *m, const void *p)
{
	struct dl_find_object unit, at;

	return _dl_find_object((void *)(uintptr_t)m, &unit) == 0 &&
	       _dl_find_object((void *)(uintptr_t)p, &at) == 0 &&
	       at.dlfo_map_start == unit.dlfo_map_start;
}

/* The unit is unloaded, and other functions may come to lie at these addresses.  Some that the
 * unit lists may lie in another image (inline functions of C++) and stay. */
static void functions_forget(const struct foresee_module *m)
{
	__atomic_store_n(&all.drops, all.drops + 1, __ATOMIC_RELEASE);
	for (uint64_t i = 0; all.room != 0 && i < m->nfunctions; i++)
		if (m->functions[i] != NULL && image_is_same(m, m->functions[i]))
			function_drop(m->functions[i]);
}

bool module_is_seen(const void *start)
{
	SYS_HOLD(&all.lock);
	const struct image *i = image_find(start);

	return i != NULL && i->units > 0;
}

/* ---- telling the trace ---- */

/* Strings get their ids in the order they are written; a small cache by address
 * keeps a file name from being written for every site. */
static uint32_t put_string(const char *s)
{
	size_t at = ((uintptr_t)s >> 2) % STRINGS_CACHED, n;
	static uint8_t
		buffer[FORESEE_LAYOUT_MOST + 16]; /* guarded by the lock of the control stream */
	uint8_t *p;

	if (s == NULL)
		return 0;
	if (all.strings[at].s == s)
		return all.strings[at].id;
	n = strnlen(s, FORESEE_LAYOUT_MOST);
	p = log_varint(buffer, ++all.nstrings);
	memcpy(p, s, n);
	log_control_put(FORMAT_K_C_STRING, buffer, (size_t)(p - buffer) + n);
	all.strings[at].s = s;
	all.strings[at].id = all.nstrings;
	return all.nstrings;
}

static void put_site(uint32_t base, uint32_t i, const struct foresee_site *s)
{
	uint32_t file = put_string(s->file), function = put_string(s->function);
	uint32_t variable = put_string(s->variable), tests = put_string(s->tests);
	uint8_t buffer[128], *p;

	p = LOG_NUMBERS(buffer, base + i, file, function, variable, s->line, s->column, s->kind);
	p = LOG_NUMBERS(p, s->flags, s->size, s->inlined ? base + s->inlined : 0, s->keeper,
			s->feeds, tests);
	log_control_put(FORMAT_K_C_SITE, buffer, (size_t)(p - buffer));
}

/*
 * What a variable holds at the start: how many of its bytes were looked at, then those bytes, less
 * the zeros at their end.  Constructors of unseen code have run already; the file of the
 * program would not know of them, nor of what the loader has put there.
 */
static uint8_t *put_initial(uint8_t *p, const struct foresee_global *g)
{
	static uint32_t scanned, kept; /* guarded by the lock of the control stream */
	const uint8_t *bytes = g->address;
	uint64_t seen = g->size < INITIAL_EACH ? g->size : INITIAL_EACH, n;

	seen = seen < INITIAL_SCAN - scanned ? seen : INITIAL_SCAN - scanned;
	for (n = seen; n > 0 && bytes[n - 1] == 0;)
		n--;
	scanned += (uint32_t)seen;
	if (n > INITIAL_MOST || n > INITIAL_TOTAL - kept) {
		n = INITIAL_MOST < INITIAL_TOTAL - kept ? INITIAL_MOST : INITIAL_TOTAL - kept;
		seen = n;
	}
	kept += (uint32_t)n;
	return mempcpy(log_varint(p, seen), bytes, n);
}

static void put_global(const struct foresee_global *g)
{
	uint32_t name = put_string(g->name), file = put_string(g->file), type = put_string(g->type);
	uint32_t layout = put_string(g->layout);
	static uint8_t buffer[INITIAL_MOST + 96]; /* guarded by the lock of the control stream */
	uint8_t *p;

	p = LOG_NUMBERS(buffer, (uintptr_t)g->address, g->size, name, file, type, g->line, layout);
	p = put_initial(p, g);
	log_control_put(FORMAT_K_C_GLOBAL, buffer, (size_t)(p - buffer));
}

static void put_module(const struct foresee_module *m)
{
	uint8_t buffer[48], *p;
	uint32_t base = *m->base, name;

	elf_note(m);
	log_control_lock();
	name = put_string(m->name);
	p = LOG_NUMBERS(buffer, base, m->nsites, name);
	log_control_put(FORMAT_K_C_MODULE, buffer, (size_t)(p - buffer));
	for (uint32_t i = 1; i < m->nsites; i++)
		put_site(base, i, &m->sites[i]);
	for (uint64_t i = 0; i < m->nglobals; i++)
		put_global(&m->globals[i]);
	log_control_unlock();
}

/*
 * The unit's variables lie where those of an unloaded library lay: they are new memory, without the
 * history of the old ones.  The unit's first site number, which is of no code, tells the reader
 * whose variables they are from now on.  That the old ones ended needs no event: the loader orders
 * their end, unseen, after everything that used them.
 */
static void globals_renew(const struct foresee_module *m)
{
	HOOK(t)
		for (uint64_t i = 0; i < m->nglobals; i++) {
			const struct foresee_global *g = &m->globals[i];

			/* A variable of that name in an older image may be the one in use. */
			if (image_is_same(m, g->address))
				range_frame(t, (void *)(uintptr_t)g->address, g->size, *m->base);
		}
}

EXPORT void foresee_module_register(const struct foresee_module *m)
{
	SYS_KEEPS_ERRNO;
	bool first, renew = false;

	if (m->abi != FORESEE_ABI || m->nsites == 0) {
		if (m->abi != FORESEE_ABI)
			log_trouble(
				"a part of the program was built by another version of foresee-cc",
				0);
		return;
	}
	sys_lock_take(&all.lock);
	*m->base = (all.nsites + FORMAT_PLACES - 1) / FORMAT_PLACES * FORMAT_PLACES;
	all.nsites = *m->base + m->nsites;
	ASSERT_RECORDING(all.nsites > *m->base); /* numbers are used once */
	first = image_count(m, 1);
	for (uint64_t i = 0; i < m->nfunctions; i++)
		if (m->functions[i] != NULL)
			function_add(m->functions[i]);
	if (all.started && log_is_on()) {
		if (first)
			elf_steady_image(m);
		module_mark(m);
		put_module(m);
		renew = image_is_reused(m);
	}
	if (all.nunits < sizeof(all.units) / sizeof(all.units[0])) {
		*m->watch = all.watch;
		all.units[all.nunits++] = m;
	}
	sys_lock_drop(&all.lock);
	if (renew)
		globals_renew(m);
}

/* A unit that is unloaded (dlclose) keeps its numbers, for its table is in the trace.  The cache
 * of strings is emptied: others may come to lie at their addresses. */
EXPORT void foresee_module_unregister(const struct foresee_module *m)
{
	SYS_HOLD(&all.lock);

	for (unsigned i = 0; i < all.nunits; i++)
		if (all.units[i] == m)
			all.units[i] = all.units[--all.nunits];
	functions_forget(m);
	image_count(m, -1);
	if (control_bare) /* nothing is named */
		return;
	memset(all.strings, 0, sizeof(all.strings));
	elf_forget();
}

void module_watch(const struct foresee_watch *watch)
{
	SYS_HOLD(&all.lock);

	all.watch = *watch;
	for (unsigned i = 0; i < all.nunits; i++)
		*all.units[i]->watch = *watch;
}

void module_forked(void)
{
	all.lock = (struct sys_lock){ 0 };
}

/* Variables of libc that nearly every program reads and libc never changes.  If their first
 * bytes were not in the trace, a read of stderr might have seen a write of unseen code. */
static void put_streams(void)
{
	static const struct foresee_global streams[] = {
		{ .name = "stdin", .type = "FILE *", .address = &stdin, .size = sizeof(stdin) },
		{ .name = "stdout", .type = "FILE *", .address = &stdout, .size = sizeof(stdout) },
		{ .name = "stderr", .type = "FILE *", .address = &stderr, .size = sizeof(stderr) },
	};

	log_control_lock();
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		put_global(&streams[i]);
	log_control_unlock();
}

void module_start(void)
{
	SYS_HOLD(&all.lock);

	all.started = true;
	elf_forget();
	put_streams();
	for (unsigned i = 0; i < all.nunits; i++) {
		module_mark(all.units[i]);
		put_module(all.units[i]);
	}
}

/* ---- names ---- */

void module_lock(void)
{
	sys_lock_take(&all.lock);
}

void module_unlock(void)
{
	sys_lock_drop(&all.lock);
}

const struct foresee_site *module_site(uint32_t site, uint32_t *into)
{
	for (unsigned i = 0; i < all.nunits; i++) {
		const struct foresee_module *m = all.units[i];
		uint32_t at = site - *m->base;

		if (site < *m->base || at == 0 || at >= m->nsites)
			continue;
		if (into != NULL)
			*into = m->sites[at].inlined ? *m->base + m->sites[at].inlined : 0;
		return &m->sites[at];
	}
	return NULL;
}

const struct foresee_global *module_global(const void *p)
{
	for (unsigned i = 0; i < all.nunits; i++) {
		const struct foresee_module *m = all.units[i];

		for (uint64_t k = 0; k < m->nglobals; k++) {
			const struct foresee_global *g = &m->globals[k];

			if (g->name != NULL && (uintptr_t)p - (uintptr_t)g->address < g->size)
				return g;
		}
	}
	return NULL;
}

const struct foresee_global *module_global_named(const char *name, uint64_t size)
{
	for (unsigned i = 0; i < all.nunits; i++) {
		const struct foresee_module *m = all.units[i];

		for (uint64_t k = 0; k < m->nglobals; k++) {
			const struct foresee_global *g = &m->globals[k];

			if (g->name != NULL && g->size == size && strcmp(g->name, name) == 0)
				return g;
		}
	}
	return NULL;
}
