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

struct shadow *shadow_slow(Addr key)
{
	struct shadow_line *l = &shadow_cache[key & (SHADOW_CACHE - 1)];
	struct piece *p;

	if (pieces == NULL)
		pieces = VG_(HT_construct)("foresee.shadow");
	p = VG_(HT_lookup)(pieces, key);
	if (p == NULL) {
		p = VG_(malloc)("foresee.piece", sizeof(*p));
		p->key = key;
		p->at = VG_(am_shadow_alloc)(sizeof(*p->at)); /* zeros */
		tl_assert2(p->at != NULL, "no memory for what is known of the program's");
		VG_(HT_add_node)(pieces, p);
	}
	l->key = key;
	l->at = p->at;
	return p->at;
}

void shadow_object(Addr a, SizeT n, Bool is)
{
	for (Addr w = a & ~(Addr)7; w < a + n; w += 8) {
		struct shadow *s = shadow_of(w);
		unsigned k = shadow_word(w);

		if (is)
			bit_set(s->object, k);
		else
			s->object[k >> 3] &= (uint8_t) ~(1u << (k & 7));
	}
}

void shadow_pages(Addr a, SizeT n)
{
	for (Addr p = a >> SHADOW_BITS; p <= (a + n - 1) >> SHADOW_BITS && n != 0; p++) {
		struct piece *piece = pieces != NULL ? VG_(HT_lookup)(pieces, p) : NULL;

		if (piece != NULL)
			VG_(memset)(piece->at->page, PAGE_UNKNOWN, sizeof(piece->at->page));
	}
}

Bool shadow_is_steady(struct shadow *s, Addr a)
{
	uint8_t *page = &s->page[a >> 12 & (sizeof(s->page) - 1)];

	if (UNLIKELY_(*page == PAGE_UNKNOWN))
		*page = VG_(am_is_valid_for_client)(a, 1, VKI_PROT_WRITE) ? PAGE_WRITABLE
									  : PAGE_STEADY;
	return *page == PAGE_STEADY;
}
