#include "recording/windows.h"

#include <unistd.h>

#define RECORD_BYTES 8u /* of an event, on average: for chunks whose events are not counted yet */
#define EXTRA 100000u	/* events past the end of a window that may be needed to place others */

/* ---- how much there is ---- */

static bool is_zero_at(const struct windows *w, uint64_t offset)
{
	static const char zeros[64];
	char bytes[sizeof(zeros)];
	ssize_t n = pread(w->blocks.fd, bytes, sizeof(bytes), (off_t)offset);

	return n <= 0 || memcmp(bytes, zeros, (size_t)n) == 0;
}

/* Records fill a slot from its start, and what is not written yet is zero.  An estimate: 64 zeros
 * in a record are taken for the end. */
static uint64_t filled(const struct windows *w, const struct blocks_chunk *c)
{
	uint64_t start = c->offset + sizeof(struct format_chunk), low = 0, high = c->room;

	while (high - low > 64) {
		uint64_t middle = low + (high - low) / 2;

		if (is_zero_at(w, start + middle))
			high = middle;
		else
			low = middle;
	}
	return is_zero_at(w, start) ? 0 : high;
}

/* An event takes a byte at least. */
static void count_chunk(struct windows *w, const struct blocks_chunk *c, uint64_t *last)
{
	uint64_t bytes = c->closed ? c->room : filled(w, c);
	uint64_t end = c->first_tseq + (c->closed ? c->nevents : bytes);

	w->bytes += bytes;
	w->events += c->closed ? c->nitems : bytes / RECORD_BYTES;
	if (end > *last)
		*last = end;
}

static void count(struct windows *w)
{
	for (size_t i = 0; i < w->blocks.threads.n; i++) {
		const struct blocks_thread *t = &w->blocks.threads.at[i];
		uint64_t last = 0;

		for (size_t k = 0; t->tid != FORMAT_CONTROL_TID && k < t->chunks.n; k++)
			if (k == 0 || t->chunks.at[k - 1].number != t->chunks.at[k].number)
				count_chunk(w, &t->chunks.at[k], &last); /* not a copy */
		*VEC_PUSH(&w->ends) = last;
	}
}

/* ---- cuts ---- */

/* A cut names the threads that have moved since the last one. */
static void sum_cuts(struct windows *w)
{
	const struct control *c = &w->control;
	struct map at = { 0 }; /* tid, to its number in the last cut */
	uint64_t sum = 0;

	*VEC_PUSH(&w->upto) = 0;
	for (size_t k = 0; k < c->cuts.n; k++) {
		for (uint64_t i = c->cuts.at[k]; i < control_cut_end(c, k + 1); i++) {
			uint64_t *last = map_put(&at, c->pairs.at[i].tid, NULL);

			if (c->pairs.at[i].tseq <= *last)
				continue;
			sum += c->pairs.at[i].tseq - *last;
			*last = c->pairs.at[i].tseq;
		}
		*VEC_PUSH(&w->upto) = sum;
	}
	w->all = sum;
	for (size_t i = 0; i < w->ends.n; i++) {
		const uint64_t *last = map_get(&at, w->blocks.threads.at[i].tid);
		uint64_t before = last ? *last : 0;

		w->all += w->ends.at[i] > before ? w->ends.at[i] - before : 0;
	}
	map_release(&at);
}

bool windows_open(struct windows *w, const char *path)
{
	struct diag d = { 0 };

	memset(w, 0, sizeof(*w));
	if (blocks_open(&w->blocks, path, &w->notes, &d) != ST_OK) {
		texts_release(&w->notes);
		return false;
	}
	control_read(&w->control, &w->blocks, &w->notes);
	count(w);
	sum_cuts(w);
	return true;
}

void windows_close(struct windows *w)
{
	VEC_RELEASE_ALL(&w->upto, &w->ends);
	control_release(&w->control);
	blocks_close(&w->blocks);
	texts_release(&w->notes);
}

/* ---- windows ---- */

uint64_t windows_last(const struct windows *w)
{
	return w->upto.n - 1;
}

/* Two cuts apart at least, so that there is one in the middle. */
uint64_t windows_end(const struct windows *w, uint64_t from, uint64_t size)
{
	for (uint64_t k = from + 2; k < w->upto.n; k++)
		if (w->upto.at[k] - w->upto.at[from] >= size)
			return k;
	return 0;
}

uint32_t windows_room(const struct windows *w, uint64_t from, uint64_t to)
{
	uint64_t n = (to ? w->upto.at[to] : w->all) - w->upto.at[from];

	n += n / 2 + EXTRA;
	return n < UINT32_MAX / 2 ? (uint32_t)n : UINT32_MAX / 2;
}

uint64_t windows_next(const struct windows *w, uint64_t from, uint64_t to)
{
	uint64_t half = w->upto.at[from] + (w->upto.at[to] - w->upto.at[from]) / 2;
	uint64_t k = from + 1;

	while (k + 1 < to && w->upto.at[k + 1] <= half)
		k++;
	return k;
}
