/*
 * Shared counts.  The reference model of a join is a maximum, lane by lane.
 *
 * Why the answers are remembered: where points are few (writes of one variable), the values that
 * threads and cells hold are few too, and the same pairs meet over and over.  An answer is found by
 * the serials of both sides and is good while its value lives, which its own serial tells: memory
 * of values is given out again as values, never freed.
 */
#include "lattice/known.h"

#include "order/clock.h"

#define KNOWN_MIN 4u
#define BLOCK_BYTES 32768u

static void refill(struct knowns *p, uint32_t class)
{
	size_t size = sizeof(struct known) + ((size_t)KNOWN_MIN << class) * sizeof(uint32_t);
	size_t n = size < BLOCK_BYTES ? BLOCK_BYTES / size : 1;
	char *block = *VEC_PUSH(&p->blocks) = mem_alloc(n * size);

	while (n--) {
		struct known *k = (struct known *)(block + n * size);

		k->serial = 0;
		k->class = class;
		k->n = KNOWN_MIN << class;
		k->spare = p->spare[class];
		p->spare[class] = k;
	}
}

/* Room for n counts, uninitialised, one reference. */
static struct known *known_new(struct knowns *p, uint32_t n)
{
	struct known *k;
	uint32_t class = 0;

	while (KNOWN_MIN << class < n)
		class ++;
	assert(class < KNOWN_CLASSES);
	if (!p->spare[class])
		refill(p, class);
	k = p->spare[class];
	p->spare[class] = k->spare;
	k->refs = 1;
	k->serial = ++p->serial;
	return k;
}

static void known_put(struct knowns *p, struct known *k)
{
	if (!k || --k->refs)
		return;
	k->serial = 0;
	k->spare = p->spare[k->class];
	p->spare[k->class] = k;
}

void knowns_init(struct knowns *p)
{
	memset(p, 0, sizeof(*p));
	p->never = known_new(p, 1);
	memset(p->never->at, 0, p->never->n * sizeof(*p->never->at));
}

void knowns_release(struct knowns *p)
{
	for (size_t i = 0; i < p->blocks.n; i++)
		mem_free(p->blocks.at[i]);
	VEC_RELEASE(&p->blocks);
}

void known_set_slow(struct knowns *p, struct known **into, struct known *from)
{
	struct known *old = *into;

	if (from)
		from->refs++;
	*into = from;
	known_put(p, old);
}

/* A copy with room for n counts. */
static struct known *known_copy(struct knowns *p, const struct known *from, uint32_t n)
{
	uint32_t have = from ? from->n : 0;
	struct known *k = known_new(p, have > n ? have : n);

	if (have)
		clock_copy(k->at, from->at, have);
	memset(k->at + have, 0, (k->n - have) * sizeof(*k->at));
	return k;
}

static bool known_leq(const struct known *a, const struct known *b)
{
	uint32_t n = a->n < b->n ? a->n : b->n;

	if (!clock_leq(a->at, b->at, n))
		return false;
	for (uint32_t i = n; i < a->n; i++)
		if (a->at[i])
			return false;
	return true;
}

/* Both are values, not never, and not the same.  A new reference. */
static struct known *join(struct knowns *p, struct known *a, struct known *b)
{
	uint64_t hash = hash_pair(a->serial, b->serial) >> 32;
	struct known_joined *j = &p->joined[hash & (KNOWN_CACHE - 1)];
	struct known *k;

	if (j->a == a->serial && j->b == b->serial && j->result->serial == j->serial) {
		j->result->refs++;
		return j->result;
	}
	if (known_leq(b, a)) {
		k = a;
		k->refs++;
	} else if (known_leq(a, b)) {
		k = b;
		k->refs++;
	} else {
		k = known_copy(p, a, b->n);
		clock_join(k->at, b->at, b->n);
	}
	*j = (struct known_joined){ a->serial, b->serial, k->serial, k };
	return k;
}

void known_join_slow(struct knowns *p, struct known **into, struct known *from)
{
	struct known *old = *into;

	if (old == p->never)
		return;
	if (!old || from == p->never) {
		known_set(p, into, from);
		return;
	}
	*into = join(p, old, from);
	known_put(p, old);
}

void known_raise(struct knowns *p, struct known **into, uint32_t lane, uint32_t count)
{
	struct known *old = *into, *k;

	assert(old != p->never && known_at(old, lane) <= count);
	k = known_copy(p, old, lane + 1);
	k->at[lane] = count;
	*into = k;
	known_put(p, old);
}
