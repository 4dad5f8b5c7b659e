/*
 * What is known of each word of memory: a table of pieces of 64 KiB, made when they are first
 * touched, behind a cache.  Pieces never go.
 */
#include "tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_vki.h"

struct piece {
	struct piece *next; /* of the hash table, with the key */
	UWord key;
	struct shadow *at;
};

struct shadow_line shadow_cache[SHADOW_CACHE];
static VgHashTable *pieces;

static void piece_share(struct shadow *s, Addr key)
{
	s->shared = shared_pages(key);
	if (s->shared != 0 && s->owner == 0)
		s->owner = SHADOW_MANY;
}

void shadow_start(void)
{
	pieces = VG_(HT_construct)("foresee.shadow");
	for (unsigned i = 0; i < SHADOW_CACHE; i++)
		shadow_cache[i].key = ~(Addr)0; /* no address has that */
}

struct shadow *shadow_slow(Addr key)
{
	struct shadow_line *l = &shadow_cache[key & (SHADOW_CACHE - 1)];
	struct piece *p;

	p = VG_(HT_lookup)(pieces, key);
	if (p == NULL) {
		p = VG_(malloc)("foresee.piece", sizeof(*p));
		p->key = key;
		p->at = VG_(am_shadow_alloc)(sizeof(*p->at)); /* zeros */
		tl_assert2(p->at != NULL, "no memory for what is known of the program's");
		VG_(HT_add_node)(pieces, p);
		piece_share(p->at, key);
	}
	l->key = key;
	l->at = p->at;
	return p->at;
}

void shadow_object(Addr a, SizeT n)
{
	for (Addr w = a & ~(Addr)7; w < a + n; w += 8)
		bit_set(shadow_of(w)->object, shadow_word(w));
}

/* The piece, if there is one. */
static struct shadow *known(Addr key)
{
	struct piece *p = VG_(HT_lookup)(pieces, key);

	return p != NULL ? p->at : NULL;
}

static void bits_clear(uint8_t *bits, unsigned from, unsigned to)
{
	for (; from <= to && (from & 7) != 0; from++)
		bits[from >> 3] &= (uint8_t) ~(1u << (from & 7));
	for (; from + 7 <= to; from += 8)
		bits[from >> 3] = 0;
	for (; from <= to; from++)
		bits[from >> 3] &= (uint8_t) ~(1u << (from & 7));
}

void shadow_forget(Addr a, SizeT n)
{
	Addr last = a + n - 1;

	for (Addr key = a >> SHADOW_BITS; n != 0 && key <= last >> SHADOW_BITS; key++) {
		struct shadow *s = known(key);
		unsigned from = key == a >> SHADOW_BITS ? shadow_word(a) : 0;
		unsigned to = key == last >> SHADOW_BITS ? shadow_word(last) : SHADOW_WORDS - 1;

		if (s == NULL)
			continue;
		bits_clear(s->object, from, to);
		bits_clear(s->atomic, from, to);
	}
}

void shadow_pages(Addr a, SizeT n, Bool kept)
{
	Addr last = (a + n - 1) >> 12;

	for (Addr page = a >> 12; n != 0 && page <= last;) {
		struct shadow *s = known(page >> (SHADOW_BITS - 12));
		Addr next = (page | (SHADOW_PAGES - 1)) + 1;

		for (; s != NULL && page < next && page <= last; page++)
			s->page[page & (SHADOW_PAGES - 1)] = kept ? PAGE_WRITABLE : PAGE_UNKNOWN;
		page = next;
	}
}

void shadow_shared(Addr a, SizeT n)
{
	for (Addr key = a >> SHADOW_BITS; n != 0 && key <= (a + n - 1) >> SHADOW_BITS; key++) {
		struct shadow *s = known(key);

		if (s != NULL)
			piece_share(s, key);
	}
}

Bool shadow_is_steady(struct shadow *s, Addr a)
{
	uint8_t *page = &s->page[a >> 12 & (SHADOW_PAGES - 1)];

	if (UNLIKELY_(*page == PAGE_UNKNOWN))
		*page = VG_(am_is_valid_for_client)(a, 1, VKI_PROT_WRITE) ? PAGE_WRITABLE
									  : PAGE_STEADY;
	return *page == PAGE_STEADY;
}
