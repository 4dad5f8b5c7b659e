/*
 * --only and --ignore: sites that are not recorded, by name.
 */
#include "capture/module.h"

#define SITES_MAX (1u << 24)
#define PATTERNS_MAX 64

bool module_patterns;

static struct {
	uint8_t *skips; /* per site, when there are patterns */
	struct {
		const char *text;
		size_t n;
		bool only;
	} patterns[PATTERNS_MAX];
	unsigned npatterns;
	bool has_only;
} all;

static bool glob(const char *p, const char *pend, const char *s, const char *send)
{
	for (; p < pend; p++) {
		if (*p == '*') {
			for (; s <= send; s++)
				if (glob(p + 1, pend, s, send))
					return true;
			return false;
		}
		if (s == send || (*p != '?' && *p != *s))
			return false;
		s++;
	}
	return s == send;
}

static bool matches(unsigned i, const char *s, const char *send)
{
	const char *p = all.patterns[i].text;

	return glob(p, p + all.patterns[i].n, s, send);
}

/* A name as a whole, or the last part of a path. */
static bool pattern_matches(unsigned i, const char *s)
{
	const char *slash, *end;

	if (s == NULL)
		return false;
	end = s + strlen(s);
	slash = strrchr(s, '/');
	return matches(i, s, end) || (slash != NULL && matches(i, slash + 1, end));
}

/* A variable also by the name before its fields and elements: "table" for "table[].count". */
static bool pattern_matches_variable(unsigned i, const char *s)
{
	return pattern_matches(i, s) || (s != NULL && matches(i, s, s + strcspn(s, ".[")));
}

static bool is_skipped(const struct foresee_site *s)
{
	bool only = !all.has_only;

	for (unsigned i = 0; i < all.npatterns; i++) {
		bool hit = pattern_matches_variable(i, s->variable) ||
			   pattern_matches(i, s->file) || pattern_matches(i, s->function);

		if (hit && !all.patterns[i].only)
			return true;
		only = only || (hit && all.patterns[i].only);
	}
	return !only;
}

void module_pattern(const char *pattern, size_t n, bool only)
{
	if (all.npatterns == PATTERNS_MAX)
		return;
	all.patterns[all.npatterns].text = pattern;
	all.patterns[all.npatterns].n = n;
	all.patterns[all.npatterns++].only = only;
	all.has_only = all.has_only || only;
	module_patterns = true;
}

bool module_skips(uint32_t site)
{
	return all.skips != NULL && site < SITES_MAX && all.skips[site];
}

void module_mark(const struct foresee_module *m)
{
	if (!module_patterns)
		return;
	if (all.skips == NULL && (all.skips = sys_pages(SITES_MAX)) == NULL)
		return;
	for (uint32_t i = 1; i < m->nsites && *m->base + i < SITES_MAX; i++)
		all.skips[*m->base + i] = is_skipped(&m->sites[i]);
}
