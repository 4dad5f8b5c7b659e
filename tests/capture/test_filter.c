/*
 * Reads that need no record: which ones are logged, and that the program sees what is there, whatever
 * fails.  That what was left out follows from what is there is for `foresee verify' to say.
 */
#include "capture/filter.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "capture/harness.h"
#include "capture/hooks.h"

#define WORDS 64u
#define ROUNDS 4000

static _Alignas(64) uint64_t words[WORDS], model[WORDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- one by one ---- */

/* What is done once logs n events; after that m, however often it is done. */
#define LOGS(n, m, ...)                                                                       \
	do {                                                                                  \
		uint64_t before = thread_self()->tseq;                                        \
		__VA_ARGS__;                                                                  \
		CAPTURE_CHECK(thread_self()->tseq - before == (n), "the first: %ju, not " #n, \
			      (uintmax_t)(thread_self()->tseq - before));                     \
		before = thread_self()->tseq;                                                 \
		for (int again = 0; again < 50; again++) {                                    \
			__VA_ARGS__;                                                          \
		}                                                                             \
		CAPTURE_CHECK(thread_self()->tseq - before == (m), "50 more: %ju, not " #m,   \
			      (uintmax_t)(thread_self()->tseq - before));                     \
	} while (0)

static void write_first(void *unused)
{
	(void)unused;
	foresee_write8(&words[0], 7, 0);
}

static bool cas_fails(uint32_t *p)
{
	uint32_t none = 99;

	return !foresee_acas4(p, &none, 5, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, 0);
}

static bool wide_fails(uint64_t *p)
{
	uint64_t none[2] = { 99, 99 }, desired[2] = { 5, 5 };

	return !foresee_acas16(p, none, desired, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, 0);
}

static void synchronise(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void take(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
}

static void give(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&lock);
}

/* While the thread has any to spare, the first repeats are logged, of each run; a comparison's as what it is. */
static void some_repeats(void)
{
	struct thread *t = thread_self();
	uint64_t slot;

	t->spare = 2 * FILTER_REPEATS + 3;
	synchronise();
	LOGS(1, FILTER_REPEATS, foresee_read8(&words[0], 0));
	LOGS(0, 0, foresee_read4(&words[0], 0)); /* it is of the same run */
	/* That it binds comes behind the repeats, and begins a run of its own. */
	for (unsigned i = 0; i <= FILTER_REPEATS; i++) {
		slot = 0;
		foresee_read8t(&words[1], 0, &slot);
		CAPTURE_CHECK(slot == t->tseq, "comparison %u is not free", i);
	}
	CAPTURE_CHECK(t->spare == 3, "%u to spare", t->spare);
	foresee_read8t(&words[1], 0, &slot);
	CAPTURE_CHECK(slot == 0, "the last one is free");
	LOGS(1, 2, foresee_read8t(&words[1], 0, &slot));
	CAPTURE_CHECK(t->spare == 0, "%u to spare", t->spare);
	synchronise();
	LOGS(1, 0, foresee_read8(&words[0], 0));
}

static void which(void)
{
	uint32_t *half = (uint32_t *)&words[1];
	uint64_t slot;

	crew_start(1);
	some_repeats();
	thread_self()->spare = 0; /* of the rest nothing is logged that need not be */
	synchronise();
	LOGS(1, 0, foresee_read8(&words[0], 0));
	LOGS(0, 0, foresee_read4(&words[0], 0)); /* bytes that were read */
	LOGS(50 + 1, 50 * 51, for (int i = 0; i < 51; i++) foresee_read8f(&words[0], 0, &slot));
	words[0] = 3; /* unseen */
	LOGS(1, 0, foresee_read8(&words[0], 0));
	synchronise();
	LOGS(1, 0, foresee_read8(&words[0], 0));
	crew_do(0, write_first, NULL);
	LOGS(1, 0, CAPTURE_CHECK(foresee_read8(&words[0], 0) == 7, "another value"));
	foresee_write8(&words[0], 8, 0);
	LOGS(1, 0, CAPTURE_CHECK(foresee_read8(&words[0], 0) == 8, "another value"));
	LOGS(1, 0, foresee_read4(half, 0));
	LOGS(1, 0, foresee_read4(half + 1, 0));
	LOGS(1, 0, foresee_aread4(half, __ATOMIC_RELAXED, 0, NULL));
	LOGS(1, 0, foresee_aread4(half, __ATOMIC_ACQUIRE, 0, NULL));
	LOGS(0, 0, CAPTURE_CHECK(cas_fails(half), "exchanged")); /* it reads as that did */
	synchronise();
	LOGS(1, 0, CAPTURE_CHECK(cas_fails(half), "exchanged"));
	/* An exchange for what is there: itself, then a read, then nothing. */
	LOGS(1, 1, foresee_armw4(half, 0, FORESEE_RMW_XCHG, __ATOMIC_SEQ_CST, 0, NULL, 0, NULL));
	LOGS(1, 50, foresee_armw4(half, 1, FORESEE_RMW_ADD, __ATOMIC_SEQ_CST, 0, NULL, 0, NULL));
	/* Both words at once, then each of them. */
	LOGS(2, 2, CAPTURE_CHECK(wide_fails(&words[2]), "exchanged"));
	/* Of two words there is no run, however often the first was read. */
	LOGS(1, 0, foresee_read8(&words[6], 0));
	LOGS(1, 50, foresee_read8((const char *)&words[6] + 1, 0));
	LOGS(1, 50, foresee_read4((const char *)&words[6] + 5, 0));
	/* One at each place, of which four bits tell; of more bytes each place once more. */
	synchronise();
	LOGS(1, 0, foresee_read4(half, 1));
	LOGS(1, 0, foresee_read4(half, 2));
	LOGS(0, 0, foresee_read4(half, 1));
	LOGS(0, 0, foresee_read4(half, 1 + FORMAT_PLACES));
	LOGS(1, 0, foresee_read4(half + 1, 1));
	LOGS(1, 0, foresee_read4(half, 2));
	/* An update is a read and a write, whatever was dropped before. */
	LOGS(1, 0, foresee_read8(&words[8], 0));
	LOGS(2, 100, foresee_add8(&words[8], 3, 0, 0));
	LOGS(2, 100, foresee_add4f(&words[8], 3, 0, 0, &slot));
	LOGS(2, 100, foresee_add8((char *)&words[8] + 4, 3, 0, 0)); /* of two words */
	CAPTURE_CHECK(slot == thread_self()->tseq - 2 * 51 - 1, "a keeper that names %ju",
		      (uintmax_t)slot);
	LOGS(1, 0, foresee_read8(&words[8], 0));
	/* Calls in vain, with reads that are dropped between them. */
	crew_do(0, take, NULL);
	LOGS(2, 1, CAPTURE_CHECK(pthread_mutex_trylock(&lock) == EBUSY, "not busy");
	     foresee_read8(&words[4], 0));
	crew_do(0, give, NULL);
	crew_end();
}

static void all_of_them(void)
{
	LOGS(1, 50, foresee_read8(&words[0], 0));
	LOGS(1, 50, CAPTURE_CHECK(cas_fails((uint32_t *)&words[1]), "exchanged"));
	LOGS(1, 50, foresee_armw4(&words[1], 0, FORESEE_RMW_OR, 5, 0, NULL, 0, NULL));
	LOGS(2, 100, CAPTURE_CHECK(wide_fails(&words[2]), "exchanged"));
}

/* ---- at random ---- */

/*
 * A replay counts the reads of a place that are new, by a rule that knows no versions and no table that is too
 * small (trace/plan.h): each of those must have been logged.  Plain reads here, and those that acquire.
 */
static struct known {
	uint64_t value, mask; /* bits that were read */
	uint32_t epoch;
	uint16_t places;
} known[3][2][WORDS];
static uint32_t epochs[3]; /* of each thread */

static struct known *known_of(unsigned thread, bool acquires, unsigned i)
{
	struct known *k = &known[thread][acquires][i];

	if (k->epoch != epochs[thread])
		*k = (struct known){ .epoch = epochs[thread] };
	return k;
}

static bool is_new(struct known *k, uint64_t mask, uint64_t value, uint32_t site)
{
	uint16_t place = (uint16_t)(1u << site % 16);
	bool differs = ((k->value ^ value) & mask & k->mask) != 0;
	bool is = differs || (mask & ~k->mask) != 0 || !(k->places & place);

	k->value = (k->value & ~mask) | (value & mask);
	k->mask |= mask;
	k->places = differs ? place : k->places | place;
	return is;
}

#define LOOK(acquires, bits, ...)                                                              \
	do {                                                                                   \
		bool is = is_new(known_of(thread, acquires, i), bits, model[i], site);         \
		uint64_t before = thread_self()->tseq;                                         \
		__VA_ARGS__;                                                                   \
		if (thread_is_nobody(thread_self()))                                           \
			break;                                                                 \
		CAPTURE_CHECK(!is || thread_self()->tseq == before + 1,                        \
			      "a read of word %u at site %u is new, and not logged", i, site); \
	} while (0)

static void look(unsigned thread, unsigned i)
{
	uint32_t site = capture_random(3) + FORMAT_PLACES * capture_random(2);
	uint64_t both[2];

	switch (capture_random(5)) {
	case 0:
		LOOK(false, UINT64_MAX,
		     CAPTURE_CHECK(foresee_read8(&words[i], site) == model[i], "read of word %u",
				   i));
		break;
	case 1:
		LOOK(false, 0xffff0000,
		     CAPTURE_CHECK(foresee_read2((char *)&words[i] + 2, site) ==
					   (uint16_t)(model[i] >> 16),
				   "read in word %u", i));
		break;
	case 2:
		LOOK(true, UINT64_MAX,
		     CAPTURE_CHECK(foresee_aread8(&words[i], __ATOMIC_ACQUIRE, site, NULL) ==
					   model[i],
				   "atomic read of word %u", i));
		break;
	case 3:
		CAPTURE_CHECK(foresee_armw8(&words[i], 0, FORESEE_RMW_ADD, __ATOMIC_RELAXED, 0,
					    NULL, 0, NULL) == model[i],
			      "nothing added to word %u", i);
		break;
	default:
		i &= ~1u;
		foresee_aread16(&words[i], both, __ATOMIC_ACQUIRE, 0);
		CAPTURE_CHECK(memcmp(both, &model[i], 16) == 0, "words %u and the next", i);
		/* Such accesses are not replayed. */
		for (unsigned k = i; k < i + 2; k++)
			*known_of(thread, true, k) = (struct known){ .value = model[k],
								     .mask = UINT64_MAX,
								     .epoch = epochs[thread],
								     .places = 0xffff };
	}
}

static void change(unsigned thread, unsigned i)
{
	uint64_t x = capture_random(3);
	uint16_t sum;

	switch (capture_random(6)) {
	case 0:
		foresee_write8(&words[i], x, 0);
		break;
	case 1:
		foresee_awrite8(&words[i], x, __ATOMIC_RELAXED, 0, NULL, 0);
		break;
	case 2:
		x += x == model[i]; /* one that changes nothing is a read */
		CAPTURE_CHECK(foresee_armw8(&words[i], x, FORESEE_RMW_XCHG, __ATOMIC_ACQ_REL, 0,
					    NULL, 0, NULL) == model[i],
			      "exchange of word %u", i);
		epochs[thread]++;
		break;
	case 3:
		CAPTURE_CHECK(foresee_add8(&words[i], x - 1, 0, 0) == model[i], "sum in word %u",
			      i);
		x += model[i] - 1;
		break;
	case 4:
		sum = (uint16_t)((model[i] >> 16) + 0x8001);
		CAPTURE_CHECK(foresee_add2((char *)&words[i] + 2, 0x8001, 0, 0) ==
				      (uint16_t)(model[i] >> 16),
			      "sum in a part of word %u", i);
		x = (model[i] & ~(uint64_t)0xffff0000) | (uint64_t)sum << 16;
		break;
	default:
		synchronise();
		epochs[thread]++;
		return;
	}
	model[i] = x;
}

static void turn(void *arg)
{
	unsigned some = capture_random(WORDS), thread = *(const unsigned *)arg;

	for (int i = 0; i < 12; i++)
		look(thread, capture_random(4) == 0 ? capture_random(WORDS) : some);
	if (capture_random(3) == 0)
		change(thread, some);
	CAPTURE_CHECK(filter_check(thread_self()), "a filter that is not what it must be");
}

static void rounds(int n)
{
	memset(known, 0, sizeof(known));
	crew_start(3);
	for (int i = 0; i < n; i++) {
		unsigned thread = capture_random(3);

		crew_do(thread, turn, &thread);
	}
	crew_end();
}

static void at_random(void)
{
	rounds(ROUNDS);
}

static void few_at_random(void)
{
	rounds(ROUNDS / 20);
}

/* Far more words than there are entries: the table grows, or cannot. */
static void crowded(void)
{
	static _Alignas(64) uint64_t many[16 * FILTER_FIRST];

	for (unsigned round = 0; round < 6; round++) {
		for (unsigned i = 0; i < 16 * FILTER_FIRST; i++) {
			if (round % 3 == 2)
				foresee_write8(&many[i], round * i, 0);
			for (int k = 0; k < 3; k++)
				CAPTURE_CHECK(foresee_read8(&many[i], 0) == many[i], "word %u", i);
		}
	}
}

static void crowded_starving(void)
{
	capture_starve(true);
	crowded();
	capture_starve(false);
	crowded();
}

static const struct capture_case cases[] = {
	{ .name = "which are logged", .run = which },
	{ .name = "all are", .run = all_of_them, .options = "full" },
	{ .name = "at random", .run = at_random },
	{ .name = "at random, in small chunks", .run = at_random, .cut = "4096" },
	{ .name = "at random, each call fails",
	  .run = few_at_random,
	  .cut = "4096",
	  .calls = true,
	  .steps = true },
	{ .name = "more words than entries", .run = crowded },
	{ .name = "and no memory", .run = crowded_starving },
};

int main(int argc, char **argv)
{
	return CAPTURE_MAIN(argc, argv, cases);
}
