/*
 * By a 64-bit hash of file, line and variable; two places with one hash would be reported as one,
 * which happens once in 10^10 programs.
 */
#include "order/places.h"

#include "trace/trace.h"

void places_init(struct places *p, struct trace *t)
{
	struct trace_info info;

	*p = (struct places){ 0 };
	map_init(&p->by_hash);
	trace_info(t, &info);
	if (info.form == TRACE_BINARY)
		p->trace = t;
}

void places_release(struct places *p)
{
	VEC_RELEASE(&p->first);
	map_release(&p->by_hash);
}

static uint64_t add_text(uint64_t h, const char *s)
{
	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

uint32_t places_make(struct places *p, uint32_t site)
{
	struct trace_place at;
	uint32_t stands = site;
	uint64_t hash, *first;
	bool fresh;

	if (site >= trace_site_count(p->trace))
		return site; /* damage; there may be any number of such */
	if (trace_site(p->trace, site, &at) && at.line != 0) {
		hash = add_text(add_text(0xcbf29ce484222325u + at.line, at.file), at.variable);
		first = map_put(&p->by_hash, hash, &fresh);
		if (fresh)
			*first = site;
		stands = (uint32_t)*first;
	}
	VEC_REACH(&p->first, site);
	p->first.at[site] = stands + 1;
	return stands;
}
