/*
 * Open addressing with linear probing.  Nothing is taken out one by one: after a sweep the table
 * is built anew.
 */
#include "monitor/config_priv.h"

/* Marks of a number that has a record. */
#define THERE 1u
#define MARKED 2u

static uint64_t record_hash(const struct config_store *s, const struct config_record *r)
{
	const uint64_t *word = &r->bad;
	size_t n = (s->size - offsetof(struct config_record, bad)) / sizeof(*word);
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = hash_add(h, word[i]);
	return h;
}

static void table_enter(struct config_store *s, uint32_t number)
{
	uint32_t i = (uint32_t)config_record(s, number)->hash & (s->ntable - 1);

	while (s->table[i] != CONFIG_NONE)
		i = (i + 1) & (s->ntable - 1);
	s->table[i] = number;
}

/* With room for the records there are, and again as many. */
static void table_build(struct config_store *s)
{
	uint32_t want = 256;

	while (want < 4 * config_store_count(s))
		want *= 2;
	if (want != s->ntable) {
		mem_free(s->table);
		s->table = mem_alloc(want * sizeof(*s->table));
		s->ntable = want;
	}
	memset(s->table, 0xff, s->ntable * sizeof(*s->table));
	for (uint32_t i = 0; i < s->n; i++)
		if (s->marks.at[i] != 0)
			table_enter(s, i);
}

void config_store_init(struct config_store *s, size_t size)
{
	assert(size % sizeof(uint64_t) == 0);
	memset(s, 0, sizeof(*s));
	s->size = size;
	s->work = mem_zalloc(size);
	table_build(s);
}

void config_store_release(struct config_store *s)
{
	for (size_t i = 0; i < sizeof(s->blocks) / sizeof(s->blocks[0]); i++)
		mem_free(s->blocks[i]);
	MEM_FREE_ALL(s->table, s->work);
	VEC_RELEASE_ALL(&s->spare, &s->marks);
}

/* A number that nobody has, with room for its record. */
static uint32_t number_new(struct config_store *s)
{
	uint32_t number = s->n;
	unsigned block = 31 - (unsigned)__builtin_clz(number / CONFIG_BLOCK + 1);

	if (s->spare.n > 0)
		return s->spare.at[--s->spare.n];
	assert(number < CONFIG_NONE / 2);
	if (s->blocks[block] == NULL)
		s->blocks[block] = mem_alloc(((size_t)CONFIG_BLOCK << block) * s->size);
	s->n++;
	VEC_REACH(&s->marks, number);
	return number;
}

static uint32_t record_add(struct config_store *s)
{
	uint32_t number = number_new(s);

	s->marks.at[number] = THERE;
	memcpy(config_record(s, number), s->work, s->size);
	if (config_store_count(s) * 2 > s->ntable)
		table_build(s);
	else
		table_enter(s, number);
	return number;
}

uint32_t config_store_intern(struct config_store *s)
{
	uint32_t i;

	s->work->hash = record_hash(s, s->work);
	i = (uint32_t)s->work->hash & (s->ntable - 1);
	for (; s->table[i] != CONFIG_NONE; i = (i + 1) & (s->ntable - 1)) {
		const struct config_record *r = config_record(s, s->table[i]);

		if (r->hash == s->work->hash && memcmp(r, s->work, s->size) == 0)
			return s->table[i];
	}
	return record_add(s);
}

size_t config_store_count(const struct config_store *s)
{
	return s->n - s->spare.n;
}

void config_store_mark(struct config_store *s, uint32_t number)
{
	assert(number < s->n && s->marks.at[number] != 0);
	s->marks.at[number] |= MARKED;
}

void config_store_sweep(struct config_store *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->marks.at[i] == THERE) {
			s->marks.at[i] = 0;
			*VEC_PUSH(&s->spare) = i;
		} else if (s->marks.at[i] != 0) {
			s->marks.at[i] = THERE;
		}
	}
	table_build(s);
}
