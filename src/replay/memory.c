#include "replay/memory.h"

#include "replay/draft.h"
#include "trace/event.h"

/* Lives that share a key would only mean an edge more than needed. */
static uint64_t key_of(uint32_t life, uint64_t word)
{
	return word ^ (uint64_t)life << 44;
}

void memory_init(struct memory *m)
{
	*m = (struct memory){ .unused = DRAFT_NONE };
}

void memory_release(struct memory *m)
{
	map_release(&m->words);
	VEC_RELEASE(&m->touches);
}

/* The bytes of the item in a word. */
static uint8_t mask_of(const struct draft_item *it, uint64_t word)
{
	uint64_t from = word << 3, end = it->addr + it->len;
	unsigned mask = 0xff;

	if (from < it->addr)
		mask &= 0xffu << (it->addr - from);
	if (end < from + 8)
		mask &= 0xffu >> (from + 8 - end);
	return (uint8_t)mask;
}

static void touch_add(struct memory *m, uint64_t key, struct memory_touch touch)
{
	uint64_t *head;
	uint32_t i = m->unused;
	bool fresh;

	if (i != DRAFT_NONE) {
		m->unused = m->touches.at[i].next;
	} else {
		i = (uint32_t)m->touches.n;
		(void)VEC_PUSH(&m->touches);
	}
	head = map_put(&m->words, key, &fresh);
	touch.next = fresh ? DRAFT_NONE : (uint32_t)*head;
	m->touches.at[i] = touch;
	*head = i;
}

/* ---- reads ---- */

static void word_read(struct memory *m, const struct draft *d, uint32_t item, uint64_t word,
		      bool noted, struct memory_found *found)
{
	const struct draft_item *it = &d->items.at[item];
	uint8_t mask = mask_of(it, word);
	uint64_t key = key_of(it->life, word), *head = map_get(&m->words, key);
	bool kept = !noted;

	for (uint32_t i = head != NULL ? (uint32_t)*head : DRAFT_NONE; i != DRAFT_NONE;
	     i = m->touches.at[i].next) {
		struct memory_touch *x = &m->touches.at[i];

		if (x->write && (x->mask & mask)) {
			*VEC_PUSH(&found->at) = x->item;
		} else if (!kept && !x->write && (x->mask & ~mask) == 0 &&
			   d->items.at[x->item].thread == it->thread) {
			x->item = item; /* who waits for this one waits for that one too */
			x->mask = mask;
			kept = true;
		}
	}
	if (!kept)
		touch_add(m, key, (struct memory_touch){ .item = item, .mask = mask });
}

void memory_read(struct memory *m, const struct draft *d, uint32_t item, bool noted,
		 struct memory_found *found)
{
	const struct draft_item *it = &d->items.at[item];

	if (it->len == 0)
		return;
	for (uint64_t w = it->addr >> 3; w <= (it->addr + it->len - 1) >> 3; w++)
		word_read(m, d, item, w, noted, found);
}

/* ---- writes ---- */

/* Everything of the bytes is past now, and found.  False: nobody has touched the word. */
static bool word_write(struct memory *m, uint64_t key, uint8_t mask, struct memory_found *found)
{
	uint64_t *head = map_get(&m->words, key);
	uint32_t before = DRAFT_NONE, i, next;

	if (head == NULL)
		return false;
	for (i = (uint32_t)*head; i != DRAFT_NONE; i = next) {
		struct memory_touch *x = &m->touches.at[i];

		next = x->next;
		if (x->mask & mask)
			*VEC_PUSH(&found->at) = x->item;
		x->mask &= (uint8_t)~mask;
		if (x->mask != 0) {
			before = i;
			continue;
		}
		if (before != DRAFT_NONE)
			m->touches.at[before].next = next;
		else
			*head = next;
		x->next = m->unused;
		m->unused = i;
	}
	return true;
}

#define BLOCK_WORDS 512u

/*
 * A large block that is freed may be larger than all that was ever touched: of what nobody has touched
 * nothing is noted.
 */
static void block_free(struct memory *m, const struct draft *d, uint32_t item,
		       struct memory_found *found)
{
	const struct draft_item *it = &d->items.at[item];
	uint64_t from = it->addr >> 3, last = (it->addr + it->len - 1) >> 3;
	VEC(uint64_t) words = { 0 };
	struct map_item x;

	if (last - from < m->words.n) {
		for (uint64_t w = from; w <= last; w++)
			*VEC_PUSH(&words) = w;
	} else {
		for (size_t i = 0; map_next(&m->words, &i, &x);) {
			uint64_t w = key_of(it->life, x.key);

			if (w >= from && w <= last)
				*VEC_PUSH(&words) = w;
		}
	}
	for (size_t i = 0; i < words.n; i++) {
		uint64_t key = key_of(it->life, words.at[i]);
		uint8_t mask = mask_of(it, words.at[i]);

		if (word_write(m, key, mask, found))
			touch_add(m, key, (struct memory_touch){ item, 0, mask, true });
	}
	VEC_RELEASE(&words);
}

void memory_write(struct memory *m, const struct draft *d, uint32_t item,
		  struct memory_found *found)
{
	const struct draft_item *it = &d->items.at[item];

	if (it->len == 0)
		return;
	if (it->op == EVENT_FREE && it->len > 8 * BLOCK_WORDS) {
		block_free(m, d, item, found);
		return;
	}
	for (uint64_t w = it->addr >> 3; w <= (it->addr + it->len - 1) >> 3; w++) {
		uint64_t key = key_of(it->life, w);
		uint8_t mask = mask_of(it, w);

		word_write(m, key, mask, found);
		touch_add(m, key, (struct memory_touch){ item, 0, mask, true });
	}
}

uint32_t memory_writer(const struct memory *m, uint32_t life, uint64_t addr)
{
	const uint64_t *head = map_get(&m->words, key_of(life, addr >> 3));

	for (uint32_t i = head != NULL ? (uint32_t)*head : DRAFT_NONE; i != DRAFT_NONE;
	     i = m->touches.at[i].next)
		if (m->touches.at[i].write && (m->touches.at[i].mask & 1u << (addr & 7)))
			return m->touches.at[i].item;
	return DRAFT_NONE;
}
