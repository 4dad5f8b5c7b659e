#include "capture/filter.h"

#include "capture/habit.h"

static const void *address(const struct filter_entry *e)
{
	return (const void *)(uintptr_t)(e->key & ~FILTER_FLAGS);
}

/* Takes the first naturally aligned piece out of a mask of bytes. */
static unsigned piece_take(unsigned *mask, unsigned *log2)
{
	unsigned at = (unsigned)__builtin_ctz(*mask);

	for (*log2 = 3; *log2 > 0; (*log2)--) {
		unsigned piece = ((1u << (1u << *log2)) - 1) << at;

		if (at % (1u << *log2) == 0 && (*mask & piece) == piece)
			break;
	}
	*mask &= ~(((1u << (1u << *log2)) - 1) << at);
	return at;
}

static void log_trailing(struct thread *t, const struct filter_entry *e)
{
	uint64_t at = t->tseq - (uint32_t)((uint32_t)t->tseq - e->last);
	unsigned mask = e->dropped, log2;

	while (mask != 0) {
		uintptr_t p = (uintptr_t)address(e) + piece_take(&mask, &log2);
		uint64_t ref;
		uint8_t *q;

		/* Not log_ready: this may run while a chunk is being closed, in the
		 * room kept for it, and states no stack. */
		if (!log_trailing_room(t)) {
			log_trouble("too many racing reads in one chunk", 0);
			return;
		}
		ref = log_ref(t, e->version, at + 1);
		q = LOG_NUMBERS(t->cursor + 4, t->tseq - at, 1u << log2, e->site,
				log_delta(t, e->site, p), ref);
		log_other_end(t, FORMAT_K_TRAILING,
			      FORMAT_TRAILING_NOVALUE |
				      (e->key & FILTER_ATOMIC ? FORMAT_TRAILING_ATOMIC : 0),
			      q, 0);
		t->ntrailing++;
		t->nextra++;
	}
}

/* Is the run's version still there?  The bytes may have changed without a version: what unseen code
 * writes (into the frame of a function that has returned, say) is not the program's write. */
static bool holds(const struct filter_entry *e)
{
	return tag_still(tag_of(address(e)), e->version);
}

/*
 * The entry is taken out before anything is logged: logging may close a chunk,
 * which walks the pending entries, this one among them.
 */
void filter_close(struct thread *t, struct filter_entry *e)
{
	struct filter_entry run = *e;
	unsigned mask = run.dropped, log2;

	ASSERT_RECORDING((run.dropped & ~run.kept) == 0);
	e->dropped = 0;
	e->site = FILTER_LISTED;
	if (!holds(&run)) {
		log_trailing(t, &run);
		return;
	}
	while (mask != 0) {
		unsigned at = piece_take(&mask, &log2);
		uint32_t bits = FORMAT_READ | log2 << FORMAT_SIZE_SHIFT | FORMAT_READ_REREAD;

		if (run.key & FILTER_ATOMIC)
			bits |= FORMAT_ATOMIC;
		habit_log(t, bits, run.site, (uintptr_t)address(&run) + at, run.version, 0, NULL);
	}
}

void filter_sweep_pending(struct thread *t)
{
	while (t->npending != 0 && ASSERT_RECORDING(t->npending <= t->filter_mask + 1)) {
		struct filter_entry *e = &t->filter[t->pending[--t->npending] & t->filter_mask];

		ASSERT_RECORDING(filter_is_listed(e));
		if (e->dropped != 0)
			filter_close(t, e);
		e->site = 0;
	}
}

void filter_settle(struct thread *t)
{
	uint32_t idle = (uint32_t)t->chunk->first_tseq - 1, n = 0;

	for (uint32_t i = 0; i < t->npending; i++) {
		struct filter_entry *e = &t->filter[t->pending[i] & t->filter_mask];

		if (e->dropped != 0 && holds(e)) {
			t->pending[n++] =
				(uint32_t)(e - t->filter) | (e->last == idle ? FILTER_IDLE : 0);
			e->last = (uint32_t)t->tseq;
			continue;
		}
		if (e->dropped != 0)
			log_trailing(t, e);
		e->dropped = 0;
		e->site = 0;
	}
	t->npending = n;
}

/* Closing entries may fill the chunk and call filter_settle, which shortens the list that is
 * being walked: entries that are missed by that are looked at the next time. */
void filter_trim(struct thread *t)
{
	if (t->trimming)
		return;
	if (t->spare < FILTER_SPARE)
		t->spare += FILTER_SPARE_CHUNK;
	t->trimming = true;
	for (uint32_t i = t->npending; i-- > 0;) {
		struct filter_entry *e;
		uint32_t at;

		if (i >= t->npending)
			continue;
		at = t->pending[i];
		t->pending[i] = at & ~FILTER_IDLE;
		e = &t->filter[at & t->filter_mask];
		if ((at & FILTER_IDLE) && e->dropped != 0)
			filter_close(t, e);
	}
	t->trimming = false;
}

/* ---- the table ---- */

/* Bytes of all threads' tables together; beyond FILTER_BUDGET none grows.  Who grows has them counted before it
 * takes them, for other threads grow at the same time. */
static uint64_t filter_bytes;
#define FILTER_BUDGET (96u << 20)

static size_t table_bytes(uint32_t entries)
{
	return entries * (sizeof(struct filter_entry) + sizeof(uint64_t) + sizeof(uint32_t));
}

static struct filter_entry no_entry = { .key = 1 }; /* no word's */
static uint64_t no_value;

static void table_set(struct thread *t, struct filter_entry *table, uint32_t mask)
{
	ASSERT_RECORDING((mask & (mask + 1)) == 0 && mask < FILTER_LAST);
	t->filter = table;
	t->filter_mask = mask;
	t->filter_span = mask << 3 | 7;
	t->filter_values = (uint64_t *)(table + mask + 1);
	t->pending = (uint32_t *)(t->filter_values + mask + 1);
}

void filter_none(struct thread *t)
{
	t->filter = &no_entry;
	t->filter_mask = 0;
	t->filter_span = 7;
	t->filter_values = &no_value;
}

static bool bytes_take(uint64_t bytes)
{
	if (__atomic_add_fetch(&filter_bytes, bytes, __ATOMIC_RELAXED) <= FILTER_BUDGET)
		return true;
	__atomic_sub_fetch(&filter_bytes, bytes, __ATOMIC_RELAXED);
	return false;
}

static void bytes_give(uint64_t bytes)
{
	uint64_t before = __atomic_fetch_sub(&filter_bytes, bytes, __ATOMIC_RELAXED);

	ASSERT_RECORDING(before >= bytes);
}

static bool table_take(struct thread *t, uint32_t entries)
{
	char *room;

	if (!bytes_take(table_bytes(entries)))
		return false;
	room = sys_pages(table_bytes(entries));
	if (room == NULL) {
		bytes_give(table_bytes(entries));
		return false;
	}
	/* Large tables are walked at large strides: spare the TLB. */
	if (entries > FILTER_FIRST)
		madvise(room, table_bytes(entries), MADV_HUGEPAGE);
	table_set(t, (struct filter_entry *)room, entries - 1);
	return true;
}

static void table_give(struct filter_entry *table, uint32_t mask)
{
	sys_munmap(table, table_bytes(mask + 1));
	bytes_give(table_bytes(mask + 1));
}

void filter_release(struct thread *t)
{
	if (t->filter_mask != 0)
		table_give(t->filter, t->filter_mask);
	if (t->resting != NULL)
		table_give(t->resting, t->resting_mask);
	t->resting = NULL;
	filter_none(t);
}

/*
 * A run of two reads gains nothing: one record is dropped, one is added to close
 * the run, and closing costs more than logging.  Where runs are short (a merge, which looks
 * at each number a few times) logging all is faster, by a fifth in merge sort.
 *
 * What a run gains comes after it was opened: those of the chunk before are held to what was saved since.  (Runs of one
 * chunk held to what that chunk saved: in a product of matrices, whose second row opens a run for each number and whose
 * other rows save, the filter rested or did not by where chunks happened to end, with 2 to 20 times the events.)
 */
#define REVIEW_RUNS 256u
#define REVIEW_GAIN 4u /* dropped reads that a run must bring */
#define REVIEW_REST 32u

void filter_review(struct thread *t)
{
	t->review = false;
	if (t->resting != NULL) {
		ASSERT_RECORDING(t->filter_mask == 0 && t->npending == 0 && t->rest != 0);
		if (--t->rest != 0)
			return;
		table_set(t, t->resting, t->resting_mask);
		t->resting = NULL;
		t->epoch++; /* its entries are old */
	} else if (t->runs_before > REVIEW_RUNS && t->saved / REVIEW_GAIN < t->runs_before) {
		filter_sweep(t);
		if (t->muted) /* the trace could not take it */
			return;
		t->resting = t->filter;
		t->resting_mask = t->filter_mask;
		t->rest = REVIEW_REST;
		filter_none(t);
		t->runs = 0;
	}
	t->runs_before = t->runs;
	t->runs = t->saved = 0;
}

void filter_grow(struct thread *t)
{
	uint32_t entries =
		t->filter_mask == 0 ? FILTER_FIRST : (t->filter_mask + 1) * FILTER_GROWTH;
	struct filter_entry *old = t->filter;
	uint32_t old_mask = t->filter_mask;
	SYS_KEEPS_ERRNO;

	t->crowded = 0;
	if (entries > FILTER_LAST ||
	    __atomic_load_n(&filter_bytes, __ATOMIC_RELAXED) + table_bytes(entries) > FILTER_BUDGET)
		return;
	filter_sweep(t);
	ASSERT_RECORDING(t->npending == 0);
	if (!t->muted && table_take(t, entries) && old_mask != 0)
		table_give(old, old_mask);
}

bool filter_check(const struct thread *t)
{
	uint32_t listed = 0;

	if (t->muted || t->filter_mask == 0)
		return ASSERT_RECORDING(t->npending == 0);
	for (uint32_t i = 0; i <= t->filter_mask; i++) {
		const struct filter_entry *e = &t->filter[i];

		if (!ASSERT_RECORDING((e->dropped & ~e->kept) == 0))
			return false;
		listed += filter_is_listed(e);
	}
	for (uint32_t i = 0; i < t->npending; i++) {
		uint32_t at = t->pending[i] & ~FILTER_IDLE;

		if (!ASSERT_RECORDING(at <= t->filter_mask && filter_is_listed(&t->filter[at])))
			return false;
	}
	return ASSERT_RECORDING(listed == t->npending);
}
