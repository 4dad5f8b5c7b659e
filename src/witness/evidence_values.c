/*
 * Reads that saw bytes which no recorded write had stored: code that was not recorded wrote them, so
 * the write that such a read is said to have seen is not the one it saw.
 *
 * Only recordings are looked at; values in text are whatever somebody wrote there.
 */
#include <string.h>

#include "trace/trace.h"
#include "witness/evidence_priv.h"

static struct evidence_shown *shown_get(struct evidence *ev, uint32_t cell)
{
	while (ev->shown.n <= cell)
		*VEC_PUSH(&ev->shown) = (struct evidence_shown){ .known = 0 };
	return &ev->shown.at[cell];
}

static uint32_t cell_at(const struct evidence *ev, struct evidence_word w, unsigned k)
{
	return w.seen & EVIDENCE_MIXED ? ev->mixed.at[w.seen & ~EVIDENCE_MIXED].cell[k] : w.cell;
}

/* Byte k of the word: what the access saw there and what it left; NULL: not in the record. */
static bool byte_agrees(struct evidence *ev, struct evidence_word w, unsigned k, const uint8_t *saw,
			const uint8_t *left)
{
	struct evidence_shown *s = shown_get(ev, cell_at(ev, w, k));
	bool agrees = !saw || !(s->known >> k & 1) || s->byte[k] == *saw;

	if (left) {
		s->byte[k] = *left;
		s->known |= (uint8_t)(1u << k);
	} else {
		s->known &= (uint8_t) ~(1u << k);
	}
	return agrees;
}

void evidence_value(struct evidence *ev, const struct event *e, uint32_t pos)
{
	struct evidence_item *it = &ev->items.at[pos];
	bool has = (e->flags & EVENT_HAS_VALUE) && e->op != EVENT_FREE;
	const uint8_t *saw = e->op == EVENT_READ ? e->value : e->op == EVENT_RMW ? e->old : NULL;
	uint64_t first = e->addr >> 3;
	bool good = true;

	if (!ev->binary || (e->flags & EVENT_REREAD))
		return;
	for (uint32_t i = 0; i < it->nwords; i++) {
		struct evidence_word w = ev->words.at[it->words + i];
		unsigned mask = evidence_mask(it->addr, it->len, first + i);

		for (unsigned k = 0; k < 8; k++) {
			uint64_t at = ((first + i) << 3) + k - e->addr;

			if (mask >> k & 1)
				good &= byte_agrees(ev, w, k, has && saw ? saw + at : NULL,
						    has && e->value ? e->value + at : NULL);
		}
	}
	/* The compiler writes stacks unseen: where arguments of f(...) are kept, say. */
	it->surprise = !good && !(e->flags & EVENT_UNKNOWN) &&
		       strncmp(trace_object_name(ev->trace, e->addr), "stack", 5) != 0;
}
