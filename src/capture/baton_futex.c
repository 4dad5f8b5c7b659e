/*
 * Futexes of the program's own: locks and events that are made of atomics and bare system calls, and those
 * of the C++ library (latch, barrier, atomic wait, futures).
 *
 *	FUTEX_WAIT					FUTEX_WAKE
 *	a step of the word: is it what was expected?	a step of the word: who is waiting?
 *	  if so it waits from there on
 *	WAKE, when it has been woken			SIGNAL: those go on
 *
 * The steps of the word are the kernel's, and race with nobody: by then the word may belong to somebody
 * else.  Who has waited longest is woken first.
 */
#include <linux/futex.h>
#include <sys/syscall.h>

#include "capture/baton.h"
#include "capture/sync.h"

static uint64_t tickets; /* drawn by waits, so that the first to come is the first to go */

static void announce(struct control *c, enum baton_kind kind, const void *word, unsigned flags)
{
	baton_announce(c, &(struct baton_op){ .object = (uintptr_t)word,
					      .size = kind == BATON_UPDATE ? 4 : 0,
					      .site = thread_self()->view.call_site,
					      .kind = (uint8_t)kind,
					      .flags = (uint8_t)(flags | BATON_KERNEL),
					      .branches = 1 });
}

static void look_at_word(struct control *c, const uint32_t *word)
{
	baton_did(c->index);
	baton_word_share(c->index, (uintptr_t)word, sizeof(*word));
	announce(c, BATON_UPDATE, word, BATON_ATOMIC);
}

/* at: of a wait with a time limit; is_span: it is how long, and not until when. */
static long wait(struct control *c, const uint32_t *word, uint32_t expected,
		 const struct timespec *at, bool is_span)
{
	struct baton_seat *s = &baton_seats[c->index];
	bool woken;

	look_at_word(c, word);
	if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected)
		return -EAGAIN;
	s->cond = word;
	s->ticket = ++tickets;
	s->woken = false;
	announce(c, BATON_WAKE, word, at != NULL ? BATON_TIMED : 0);
	while (baton_head->outcome == BATON_DEADLOCK && !s->woken) /* a run that is kept */
		pause();
	woken = s->cond != word; /* or about to be */
	s->cond = NULL;
	s->yielded = at != NULL && !woken;
	if (!s->yielded)
		return 0;
	if (is_span)
		baton_clock_pass((uint64_t)at->tv_sec * 1000000000 + (uint64_t)at->tv_nsec);
	else
		baton_clock_until(at);
	return -ETIMEDOUT;
}

static long wake(struct control *c, const uint32_t *word, uint32_t most)
{
	struct baton_set woken = { { 0 } };
	uint32_t n = 0, first;

	look_at_word(c, word);
	for (; n < most && (first = baton_first_waiting(word)) != BATON_THREADS; n++) {
		baton_seats[first].cond = NULL;
		baton_add(&woken, first);
	}
	announce(c, BATON_SIGNAL, word, 0);
	for (uint32_t i = 0; i < baton_head->nthreads; i++)
		if (baton_has(&woken, i))
			baton_seats[i].woken = true;
	return n;
}

bool control_futex_slow(const long a[6], long *result)
{
	const uint32_t *word = (const uint32_t *)a[0];
	const struct timespec *at = (const struct timespec *)a[3];
	bool is_done = false;

	if (!baton_is_on())
		return false;
	HOOK(t) {
		if (!CONTROLLED(t))
			continue;
		switch (a[1] & FUTEX_CMD_MASK) {
		case FUTEX_WAIT:
		case FUTEX_WAIT_BITSET:
			*result = wait(t->control, word, (uint32_t)a[2], at,
				       (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT);
			is_done = true;
			break;
		case FUTEX_WAKE: /* other processes may wait as well: the kernel is asked, too */
		case FUTEX_WAKE_BITSET:
			wake(t->control, word, (uint32_t)a[2]);
			break;
		default:
			break;
		}
	}
	return is_done;
}
