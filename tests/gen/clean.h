/*
 * The same memory without races: every lock has a copy of it, and every thread one for the time
 * in which it holds none.  Workers exchange theirs when they meet.
 *
 * The names of MEMORY mean the copy that the thread may use now.  What is generated says when
 * that changes, by region_enter after an acquire and region_leave before the release.
 */
#ifndef GEN_CLEAN_H
#define GEN_CLEAN_H

/* CLEAN is the number of ranks in sync.c. */
enum { REGION_FLAGS = CLEAN, REGION_WORKERS = CLEAN + 2, REGIONS = CLEAN + 2 + 6 };
#define NEWS 4

struct memory {
#define X(type, name, n) type name##_[n];
	MEMORY(X)
#undef X
	struct node nodes[4];
};

static struct memory regions[REGIONS];
static _Thread_local struct memory private_region;
static _Thread_local struct memory *region; /* NULL: not used yet */

SOMETIMES void region_fill(struct memory *m, u32 n)
{
	for (u32 i = 0; i < 4; i++) {
		m->heap_[i] = &m->nodes[i];
		m->nodes[i] = (struct node){ .key = n + i * 77, .value = i, .next = &m->nodes[0] };
	}
	memset(m->text_, 'a', sizeof(m->text_) - 1);
}

SOMETIMES struct memory *region_mine(void)
{
	if (!region) {
		region = &private_region;
		region_fill(region, 0);
	}
	return region;
}

/* Answers with what region_leave wants. */
SOMETIMES struct memory *region_enter(u32 n)
{
	struct memory *before = region_mine();

	region = &regions[n];
	return before;
}

SOMETIMES void region_leave(struct memory *before)
{
	region = before;
}

/* A worker's own, until it meets the others. */
SOMETIMES void region_take(u32 worker)
{
	region = &regions[REGION_WORKERS + worker];
}

/* --- news: written once, by whoever comes first, then read by all who see that they are out --- */

static struct memory news[NEWS];
static _Atomic u32 news_taken[NEWS], news_out[NEWS];

SOMETIMES void news_publish(u32 n, u64 v, bool fenced)
{
	if (atomic_exchange_explicit(&news_taken[n], 1, memory_order_relaxed) != 0)
		return;
	news[n].g64_[v & 7] = v;
	news[n].raw_[v & 63] = (u8)v;
	if (fenced)
		atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&news_out[n], 1,
			      fenced ? memory_order_relaxed : memory_order_release);
}

SOMETIMES u64 news_read(u32 n, u64 v, bool fenced)
{
	if (atomic_load_explicit(&news_out[n],
				 fenced ? memory_order_relaxed : memory_order_acquire) == 0)
		return 0;
	if (fenced)
		atomic_thread_fence(memory_order_acquire);
	return news[n].g64_[v & 7] ^ news[n].raw_[v & 63];
}

/* Before the threads start. */
SOMETIMES void regions_fill(void)
{
	for (u32 i = 0; i < REGIONS; i++)
		region_fill(&regions[i], i);
}

/* After they have been joined. */
SOMETIMES u64 regions_sum(void)
{
	u64 v = 0;

	for (u32 i = 0; i < REGIONS; i++)
		v ^= regions[i].g64_[i & 7] ^ regions[i].raw_[i] ^ regions[i].heap_[1]->key;
	for (u32 i = 0; i < NEWS; i++)
		v ^= news[i].g64_[i] ^ news[i].raw_[i];
	return v;
}

#define raw (region_mine()->raw_)
#define raw2 (region_mine()->raw2_)
#define g8 (region_mine()->g8_)
#define g16 (region_mine()->g16_)
#define g32 (region_mine()->g32_)
#define g64 (region_mine()->g64_)
#define vol8 (region_mine()->vol8_)
#define vol16 (region_mine()->vol16_)
#define vol32 (region_mine()->vol32_)
#define vol64 (region_mine()->vol64_)
#define real (region_mine()->real_)
#define wide (region_mine()->wide_)
#define longest (region_mine()->longest_)
#define pk (region_mine()->pk_)
#define un (region_mine()->un_)
#define bt (region_mine()->bt_)
#define bg (region_mine()->bg_)
#define heap (region_mine()->heap_)
#define text (region_mine()->text_)

#endif /* GEN_CLEAN_H */
