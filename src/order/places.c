/*
 * By a 64-bit hash of file, line and variable; two places with one hash would be reported as one,
 * which happens once in 10^10 programs.
 */
#include "order/places.h"

#include "trace/trace.h"

void places_init(struct places *p, struct trace *t)
{
	struct trace_info info = trace_info(t);

	*p = (struct places){ .trace = info.form == TRACE_BINARY ? t : NULL };
}

void places_release(struct places *p)
{
	VEC_RELEASE(&p->first);
	MAP_RELEASE_ALL(&p->by_hash, &p->families, &p->blocks, &p->of_locks);
}

uint32_t places_make(struct places *p, uint32_t site)
{
	struct trace_site at;
	uint32_t stands = site;
	uint64_t hash, *first;
	bool fresh;

	if (site >= trace_site_count(p->trace))
		return site; /* damage; there may be any number of such */
	if (trace_site(p->trace, site, &at) && at.line != 0) {
		hash = hash_text(hash_text(HASH_TEXT + at.line, at.file), at.variable);
		first = map_put(&p->by_hash, hash, &fresh);
		if (fresh)
			*first = site;
		stands = (uint32_t)*first;
	}
	VEC_REACH(&p->first, site);
	p->first.at[site] = stands + 1;
	return stands;
}

/*
 * "forks+40" and "forks" are one family, so are "heap#7+16" and "heap#9+16", but not "heap#9+56":
 * blocks are told apart by what lies in them, variables by their names.
 */
static uint64_t add_family(uint64_t h, const char *name, bool is_many)
{
	const char *number = strchr(name, '#'), *plus = strrchr(name, '+');
	size_t n = number ? (size_t)(number - name) : plus ? (size_t)(plus - name) : strlen(name);

	h = hash_bytes(h, name, n);
	return hash_text(h, number && plus && !is_many ? plus : "");
}

/* A block with more locks than a structure has is an array. */
#define STRUCT_LOCKS 4

uint32_t places_family(struct places *p, uint64_t addr)
{
	uint64_t object, *met, *family;

	if (!p->trace)
		return 0;
	object = trace_object_id(p->trace, addr);
	met = map_put(&p->blocks, object, NULL);
	++*met;
	family = map_put(&p->families,
			 add_family(HASH_TEXT, trace_object_range(p->trace, addr),
				    object != 0 && *met > STRUCT_LOCKS),
			 NULL);
	if (*family == 0)
		*family = p->families.n;
	return (uint32_t)*family;
}

uint32_t places_of_lock(struct places *p, uint32_t site, uint32_t family)
{
	uint64_t *number;

	if (family == 0)
		return site;
	number = map_put(&p->of_locks, (uint64_t)site << 32 | family, NULL);
	if (*number == 0)
		*number = p->of_locks.n;
	return (uint32_t)*number | 1u << 31;
}
