/*
 * Interned strings: a vector of copies, and a map from hash to the newest id
 * with that hash; ids of one hash are chained.
 *
 * Names in traces are short and come again and again, so in front of the map lies a table of
 * those of at most eight bytes: a hit compares one number and touches one cache line.  It is made
 * when they have begun to come: most interners hold a few names, each asked for once.
 */
#include "base/common.h"

struct entry {
	char *text;
	size_t n;
	uint32_t next; /* older id with the same hash */
};

#define RECENT 4096 /* a power of two */
#define FEW 256	    /* short names that are looked up without the table */

struct recent {
	uint64_t bytes;
	uint32_t n, id; /* n 0: empty */
};

struct intern {
	VEC(struct entry) entries; /* [0] stands for "no string" */
	struct map newest;
	uint32_t asked;	       /* for short names, up to FEW */
	struct recent *recent; /* [RECENT]; NULL: not yet */
};

/* 1 to 8 bytes as a number; different strings of one length, different numbers. */
static uint64_t short_bytes(const char *s, size_t n)
{
	uint32_t low, high;

	if (n < 4)
		return (uint64_t)(unsigned char)s[0] | (uint64_t)(unsigned char)s[n / 2] << 8 |
		       (uint64_t)(unsigned char)s[n - 1] << 16;
	memcpy(&low, s, 4);
	memcpy(&high, s + n - 4, 4);
	return low | (uint64_t)high << 32;
}

/* Where a string of 1 to 8 bytes is kept when it was asked for lately. */
static struct recent *recent_entry(const struct intern *t, uint64_t bytes, size_t n)
{
	uint64_t h = hash_upper(bytes ^ bytes >> 29 ^ n);

	return &t->recent[h >> 52 & (RECENT - 1)];
}

struct intern *intern_new(void)
{
	struct intern *t = mem_zalloc(sizeof(*t));

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
	mem_free(t->recent);
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

static uint32_t recent_find(const struct intern *t, const char *s, size_t n)
{
	uint64_t bytes = short_bytes(s, n);
	const struct recent *r = recent_entry(t, bytes, n);

	return r->bytes == bytes && r->n == n ? r->id : 0;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t n)
{
	if (n - 1 < 8 && t->recent) {
		uint32_t id = recent_find(t, s, n);

		if (id != 0)
			return id;
	}

	const uint64_t *id = map_get(&t->newest, hash_bytes(HASH_TEXT, s, n));

	return id != NULL ? find_from(t, (uint32_t)*id, s, n) : 0;
}

static uint32_t add(struct intern *t, const char *s, size_t n)
{
	uint64_t *newest = map_put(&t->newest, hash_bytes(HASH_TEXT, s, n), NULL);
	uint32_t id = find_from(t, (uint32_t)*newest, s, n);
	struct entry e;

	if (id != 0)
		return id;
	e = (struct entry){ mem_text(s, n), n, (uint32_t)*newest };
	id = (uint32_t)t->entries.n;
	*VEC_PUSH(&t->entries) = e;
	*newest = id;
	return id;
}

uint32_t intern_add(struct intern *t, const char *s, size_t n)
{
	struct recent *r;
	uint64_t bytes;

	if (n - 1 >= 8)
		return add(t, s, n);
	if (t->recent == NULL) {
		if (t->asked++ < FEW)
			return add(t, s, n);
		t->recent = mem_zalloc(RECENT * sizeof(*t->recent));
	}
	bytes = short_bytes(s, n);
	r = recent_entry(t, bytes, n);
	if (r->bytes != bytes || r->n != n)
		*r = (struct recent){ bytes, (uint32_t)n, add(t, s, n) };
	return r->id;
}

const char *intern_str(const struct intern *t, uint32_t id)
{
	return id != 0 && id < t->entries.n ? t->entries.at[id].text : NULL;
}

const char *intern_keep(struct intern *t, const char *s)
{
	return s && *s ? intern_str(t, intern_add(t, s, strlen(s))) : NULL;
}

uint32_t intern_count(const struct intern *t)
{
	return (uint32_t)t->entries.n - 1;
}
