/*
 * malloc and its family, which the tool provides, and mappings.
 *
 * Until accesses are recorded blocks are only listed; those that are left are told then.
 *
 * Memory is given out again, so where a block begins everything must be over that was done to its bytes
 * before: reads as well, which leave no version.  So each ALLOC comes after the one before it, whoever made
 * that, and after all releases since.  That orders the log only; it says nothing of what other runs may do.
 * What the library releases inside its own calls, and what a thread does after its END, is no event, but
 * comes before the next ALLOC too.
 */
#include "tool.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

#define BIG (1u << 20) /* from here on the release of a block is one event, not one a word */

struct block {
	struct block *next;
	UWord key;
	SizeT n;
	uint32_t site;
	Bool loaders; /* it has got it */
};

static VgHashTable *blocks; /* all of them, with the sizes that were asked for */

/* ---- what comes before the next ALLOC ---- */

/* Of each thread its last event that does, at the seat that its log would name it by; 0 none. */
static version before[FORMAT_PEERS];

static version *seat_of(const struct thread *t)
{
	return &before[t->tid & (FORMAT_PEERS - 1)];
}

static version last_of(const struct thread *t)
{
	return (version)t->tid << FORMAT_TSEQ_BITS | t->tseq;
}

static void alloc(struct thread *t, uint32_t site, unsigned aux, Addr a, SizeT n)
{
	if (!recording)
		return;
	record_alloc(t, site, aux, a, n, before);
	VG_(memset)(before, 0, sizeof(before));
	*seat_of(t) = last_of(t);
}

/* t has released memory, or ends. */
void heap_over(struct thread *t)
{
	version *seat = seat_of(t);

	if (*seat >> FORMAT_TSEQ_BITS != t->tid && *seat != 0) /* an ALLOC of nothing gives room */
		alloc(t, 0, FORMAT_ALLOC_HEAP, 0, 0);
	*seat = last_of(t);
}

/* ---- blocks ---- */

static Bool is_on(void)
{
	return accesses_on && recording && self != NULL && !self->ended && self->begun;
}

/* The loader writes to its blocks, and that is not recorded. */
static Bool is_loader(const struct thread *t)
{
	return t != NULL && t->depth > 0 &&
	       site_part(t->frames[(t->depth - 1) % FRAMES].site) == SITE_LOADER;
}

/* own: of somebody who has locks of his own. */
static void release(unsigned aux, Addr a, SizeT n, Bool own)
{
	struct thread *t = self;

	if (t->hidden == 0 && !own)
		record_free(t, site_caller(t), aux | (n >= BIG ? FORMAT_ALLOC_BIG : 0), a, n);
	heap_over(t);
}

static void *block_make(SizeT n, SizeT align, Bool zero)
{
	struct block *b;
	void *p;

	if ((SSizeT)n < 0)
		return NULL;
	p = VG_(cli_malloc)(align, n);
	if (p == NULL)
		return NULL;
	if (zero)
		VG_(memset)(p, 0, n);
	b = VG_(malloc)("foresee.block", sizeof(*b));
	b->key = (UWord)p;
	b->n = n;
	b->site = self != NULL ? site_caller(self) : 0;
	b->loaders = is_loader(self);
	VG_(HT_add_node)(blocks, b);
	if (is_on())
		alloc(self, b->site,
		      FORMAT_ALLOC_HEAP | (zero && !b->loaders ? FORMAT_ALLOC_ZEROED : 0), (Addr)p,
		      n);
	return p;
}

static void block_end(ThreadId v, void *p)
{
	struct block *b = VG_(HT_remove)(blocks, (UWord)p);

	(void)v;
	if (b == NULL) /* not one: the program is wrong, and goes on */
		return;
	if (is_on())
		release(FORMAT_ALLOC_HEAP, (Addr)p, b->n, b->loaders);
	VG_(free)(b);
	VG_(cli_free)(p);
}

static void *heap_malloc(ThreadId v, SizeT n)
{
	(void)v;
	return block_make(n, VG_(clo_alignment), False);
}

static void *heap_aligned(ThreadId v, SizeT n, SizeT align)
{
	(void)v;
	return block_make(n, align, False);
}

static void *heap_memalign(ThreadId v, SizeT align, SizeT n)
{
	(void)v;
	return block_make(n, align, False);
}

static void *heap_calloc(ThreadId v, SizeT count, SizeT n)
{
	(void)v;
	if (n != 0 && count > (SizeT)-1 / n)
		return NULL;
	return block_make(count * n, VG_(clo_alignment), True);
}

static void free_aligned(ThreadId v, void *p, SizeT align)
{
	(void)align;
	block_end(v, p);
}

/* A new block, a copy, and the old one freed: the copy is read and written by this thread. */
static void *heap_realloc(ThreadId v, void *p, SizeT n)
{
	struct block *b;
	SizeT k;
	void *to;

	if (p == NULL)
		return heap_malloc(v, n);
	if (n == 0) {
		block_end(v, p);
		return NULL;
	}
	b = VG_(HT_lookup)(blocks, (UWord)p);
	if (b == NULL)
		return NULL;
	k = b->n < n ? b->n : n;
	to = heap_malloc(v, n);
	if (to == NULL)
		return NULL;
	VG_(memcpy)(to, p, k);
	if (is_on() && self->hidden == 0 && k > 0) {
		uint32_t site = site_caller(self);

		access_sync(self);
		record_range(self, site, False, False, (Addr)p, k);
		record_range(self, site, True, False, (Addr)to, k);
	}
	block_end(v, p);
	return to;
}

static SizeT usable_size(ThreadId v, void *p)
{
	struct block *b = VG_(HT_lookup)(blocks, (UWord)p);

	(void)v;
	return b != NULL ? b->n : 0;
}

void heap_tell(void)
{
	struct block *b;

	VG_(HT_ResetIter)(blocks);
	while ((b = VG_(HT_Next)(blocks)) != NULL)
		alloc(self, b->site, FORMAT_ALLOC_HEAP, b->key, b->n);
	shared_tell();
}

void heap_tell_shared(Addr a, SizeT n)
{
	alloc(self, 0, FORMAT_ALLOC_MAP | FORMAT_ALLOC_SHARED, a, n);
}

/* ---- mappings ---- */

Bool heap_maps_shared;

/* One that is only read as well: to end it is a write to all of it, and so must come behind this. */
static void mapped(Addr a, SizeT n, Bool r, Bool w, Bool x, ULong handle)
{
	(void)r, (void)w, (void)x, (void)handle;
	shared_remove(a, n);
	shadow_pages(a, n, False);
	if (heap_maps_shared)
		shared_add(a, n);
	if (is_on())
		alloc(self, site_caller(self),
		      FORMAT_ALLOC_MAP | (heap_maps_shared ? FORMAT_ALLOC_SHARED : 0), a, n);
}

static void unmapped(Addr a, SizeT n)
{
	site_forget(a, n);
	shared_remove(a, n);
	shadow_pages(a, n, False);
	if (is_on())
		release(FORMAT_ALLOC_MAP | FORMAT_ALLOC_BIG, a, n, False);
}

/* What was written before it was protected is read after. */
static void protected(Addr a, SizeT n, Bool r, Bool w, Bool x)
{
	(void)r, (void)w, (void)x;
	shadow_pages(a, n, accesses_on);
}

void heap_start(void)
{
	blocks = VG_(HT_construct)("foresee.blocks");
	VG_(needs_malloc_replacement)
	(heap_malloc, heap_malloc, heap_aligned, heap_malloc, heap_aligned, heap_memalign,
	 heap_calloc, block_end, block_end, free_aligned, block_end, free_aligned, heap_realloc,
	 usable_size, 0);
	VG_(track_new_mem_mmap)(mapped);
	VG_(track_die_mem_munmap)(unmapped);
	VG_(track_change_mem_mprotect)(protected);
}
