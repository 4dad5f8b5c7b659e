/*
 * Interned strings: a vector of copies, and a map from hash to the newest id
 * with that hash; ids of one hash are chained.
 */
#include "base/intern.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"

struct entry {
	char *text;
	size_t n;
	uint32_t next; /* older id with the same hash */
};

struct intern {
	VEC(struct entry) entries; /* [0] stands for "no string" */
	struct map newest;
};

static uint64_t hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

struct intern *intern_new(void)
{
	struct intern *t = mem_zalloc(sizeof(*t));

	map_init(&t->newest);
	*VEC_PUSH(&t->entries) = (struct entry){ 0 };
	return t;
}

void intern_free(struct intern *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->entries.n; i++)
		mem_free(t->entries.at[i].text);
	VEC_RELEASE(&t->entries);
	map_release(&t->newest);
	mem_free(t);
}

static uint32_t find_from(const struct intern *t, uint32_t id, const char *s, size_t n)
{
	for (; id != 0; id = t->entries.at[id].next) {
		const struct entry *e = &t->entries.at[id];

		if (e->n == n && memcmp(e->text, s, n) == 0)
			return id;
	}
	return 0;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t n)
{
	const uint64_t *id = map_get(&t->newest, hash(s, n));

	return id != NULL ? find_from(t, (uint32_t)*id, s, n) : 0;
}

uint32_t intern_add(struct intern *t, const char *s, size_t n)
{
	uint64_t *newest = map_put(&t->newest, hash(s, n), NULL);
	uint32_t id = find_from(t, (uint32_t)*newest, s, n);
	struct entry e;

	if (id != 0)
		return id;
	e.text = mem_alloc(n + 1);
	memcpy(e.text, s, n);
	e.text[n] = '\0';
	e.n = n;
	e.next = (uint32_t)*newest;
	id = (uint32_t)t->entries.n;
	*VEC_PUSH(&t->entries) = e;
	*newest = id;
	return id;
}

const char *intern_str(const struct intern *t, uint32_t id)
{
	return id != 0 && id < t->entries.n ? t->entries.at[id].text : NULL;
}

uint32_t intern_count(const struct intern *t)
{
	return (uint32_t)t->entries.n - 1;
}
