/*
 * One event is a fixed head and, where there are such things, its feeds, bytes and text:
 *
 *	0  u32 tid      4  u8 op, order, rmw, lock kind     8  u32 flags   12  u32 other thread
 *	16 u64 number within the thread                     24 u64 address 32  u64 length
 *	40 u64 other's number                               48 u64 arg
 *	56 u32 feeds    60 u32 bytes of text    64  feeds as u64, then value, old value, text,
 *	and what its reads are compared with: for each u32 feed, u8 comparison, bits, how many are left,
 *	0, u64 number, u64 mask
 *
 * Sites, stacks and refs are left out: the first two decide nothing, and refs follow from the
 * order.  So are flags that only tell how the recorder came to know something.
 */
#include "trace/digest.h"

#include <endian.h>

#define HEAD 64u
#define FLAGS                                                                              \
	(EVENT_FREE_READ | EVENT_ATOMIC | EVENT_REREAD | EVENT_UNKNOWN | EVENT_HAS_VALUE | \
	 EVENT_WRITE_MODE | EVENT_TRY | EVENT_RECURSIVE | EVENT_IN_WAIT | EVENT_TIMEOUT |  \
	 EVENT_CAS | EVENT_ZEROED | EVENT_DEAD_OWNER | EVENT_RANGE | EVENT_REFUSED)

#define TESTED (1u << 31) /* among the flags: rows of tests follow */

void digest_init(struct digest *d)
{
	static const char first[] = "foresee trace 1\n";

	sha256_init(&d->sum);
	sha256_add(&d->sum, first, sizeof(first) - 1);
	d->n = 0;
}

static void flush(struct digest *d)
{
	sha256_add(&d->sum, d->buffer, d->n);
	d->n = 0;
}

static void put(struct digest *d, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	if (n > sizeof(d->buffer) - d->n)
		flush(d);
	if (n > sizeof(d->buffer)) {
		sha256_add(&d->sum, bytes, n);
		return;
	}
	memcpy(d->buffer + d->n, bytes, n);
	d->n += n;
}

static void put_u32(uint8_t *at, uint32_t x)
{
	x = htole32(x);
	memcpy(at, &x, sizeof(x));
}

static void put_u64(uint8_t *at, uint64_t x)
{
	x = htole64(x);
	memcpy(at, &x, sizeof(x));
}

/* left: how many there are from it on. */
static void put_test(struct digest *d, const struct predicate *p, uint32_t left)
{
	uint8_t row[24] = { 0 };

	put_u32(row, p->feed);
	row[4] = p->cmp;
	row[5] = p->bits;
	row[6] = (uint8_t)left;
	put_u64(row + 8, p->with);
	put_u64(row + 16, p->mask);
	put(d, row, sizeof(row));
}

void digest_event(struct digest *d, const struct event *e)
{
	size_t nname = e->name ? strlen(e->name) + 1 : 0;
	uint8_t head[HEAD], feed[8];

	put_u32(head, e->tid);
	head[4] = e->op;
	head[5] = e->order;
	head[6] = e->rmw;
	head[7] = e->lock_kind;
	put_u32(head + 8, (e->flags & FLAGS) | (e->ntests != 0 ? TESTED : 0));
	put_u32(head + 12, e->peer);
	put_u64(head + 16, e->tseq);
	put_u64(head + 24, e->addr);
	put_u64(head + 32, e->len);
	put_u64(head + 40, e->peer_tseq);
	put_u64(head + 48, e->arg);
	put_u32(head + 56, e->nfeeds);
	put_u32(head + 60, (uint32_t)(nname + e->ndata));
	put(d, head, HEAD);
	for (uint32_t i = 0; i < e->nfeeds; i++) {
		put_u64(feed, e->feeds[i]);
		put(d, feed, 8);
	}
	if (e->value)
		put(d, e->value, e->len);
	if (e->old)
		put(d, e->old, e->len);
	put(d, e->name, nname);
	put(d, e->data, e->ndata);
	for (uint32_t i = 0; i < e->ntests; i++)
		put_test(d, &e->tests[i], e->ntests - i);
}

void digest_end(struct digest *d, char out[DIGEST_HEX])
{
	uint8_t sum[SHA256_BYTES];

	flush(d);
	sha256_end(&d->sum, sum);
	sha256_hex(sum, out);
}
