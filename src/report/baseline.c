#include "report/baseline.h"

#include "base/json_read.h"
#include "report/fingerprint.h"
#include "report/json.h"

#define GONE 20 /* told in lines of their own */

struct baseline {
	char *path;
	struct json_tree tree;
	VEC(struct baseline_finding) at;
	struct map
		first; /* fingerprint: 1 + index of the first that is not taken, or behind the last */
	VEC(uint32_t) next; /* of one fingerprint, 1 + index; 0 none */
};

/* ---- reading ---- */

static bool is_fingerprint(const char *s)
{
	return s && strlen(s) == FINGERPRINT - 1 &&
	       strspn(s, "0123456789abcdef") == FINGERPRINT - 1;
}

static enum status take_finding(struct baseline *b, uint32_t node, struct diag *d)
{
	const struct json_tree *t = &b->tree;
	const char *print = json_text(t, json_get(t, node, "fingerprint"));
	const char *kind = json_text(t, json_get(t, node, "kind"));
	const char *summary = json_text(t, json_get(t, node, "summary"));

	if (!is_fingerprint(print))
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' has a finding without a fingerprint: it was written by an older "
			"foresee; make it again with -f json",
			b->path);
	*VEC_PUSH(&b->at) = (struct baseline_finding){ .fingerprint = print,
						       .kind = kind ? kind : "",
						       .summary = summary ? summary : "" };
	return ST_OK;
}

/* One report of perhaps several: each trace that was checked has its own. */
static enum status take_report(struct baseline *b, uint32_t report, struct diag *d)
{
	const struct json_tree *t = &b->tree;
	uint64_t version = json_uint(t, json_get(t, report, "foresee"));
	uint32_t list = json_get(t, report, "findings");

	if (version > 1)
		return diag_fail(d, ST_BAD_INPUT,
				 "'%s' was written by a newer foresee (version %" PRIu64
				 " of the report)",
				 b->path, version);
	if (version == 0 || !json_is(t, list, JSON_ARRAY))
		return diag_fail(
			d, ST_BAD_INPUT,
			"'%s' is no report of foresee: give one that was written with -f json",
			b->path);
	for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i))
		if (take_finding(b, i, d) != ST_OK)
			return ST_BAD_INPUT;
	return ST_OK;
}

static uint64_t key_of(const char *fingerprint)
{
	return strtoull(fingerprint, NULL, 16);
}

enum status baseline_read(const char *path, struct baseline **out, struct diag *d)
{
	struct baseline *b = mem_zalloc(sizeof(*b));
	enum status st;
	uint32_t all;

	b->path = mem_strdup(path);
	st = json_read_file(&b->tree, path, &all, d);
	for (uint32_t i = st == ST_OK ? json_first(&b->tree, all) : JSON_NONE;
	     st == ST_OK && i != JSON_NONE; i = json_next(&b->tree, i))
		st = take_report(b, i, d);
	if (st == ST_OK)
		baseline_begin(b);
	else
		baseline_free(b);
	*out = st == ST_OK ? b : NULL;
	return st;
}

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	json_tree_release(&b->tree);
	VEC_RELEASE_ALL(&b->at, &b->next);
	map_release(&b->first);
	MEM_FREE_ALL(b->path, b);
}

const char *baseline_path(const struct baseline *b)
{
	return b->path;
}

/* ---- comparing ---- */

void baseline_begin(struct baseline *b)
{
	map_release(&b->first);
	b->first = (struct map){ 0 };
	VEC_CLEAR(&b->next);
	VEC_REACH(&b->next, b->at.n);
	for (size_t i = b->at.n; i-- > 0;) {
		uint64_t *first = map_put(&b->first, key_of(b->at.at[i].fingerprint), NULL);

		b->at.at[i].taken = false;
		b->next.at[i] = (uint32_t)*first;
		*first = i + 1;
	}
}

bool baseline_take(struct baseline *b, const char *fingerprint)
{
	uint64_t *first = map_get(&b->first, key_of(fingerprint));

	if (!first || *first == 0)
		return false;
	b->at.at[*first - 1].taken = true;
	*first = b->next.at[*first - 1];
	return true;
}

size_t baseline_count(const struct baseline *b)
{
	return b->at.n;
}

const struct baseline_finding *baseline_at(const struct baseline *b, size_t i)
{
	return &b->at.at[i];
}

size_t baseline_gone(const struct baseline *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->at.n; i++)
		n += !b->at.at[i].taken;
	return n;
}

/* ---- in words ---- */

void baseline_finding_json(const struct baseline_finding *f, struct json *j)
{
	json_open(j, NULL, '{');
	json_string(j, "fingerprint", f->fingerprint);
	json_string(j, "kind", f->kind);
	json_string(j, "summary", f->summary);
	json_close(j, '}');
}

void baseline_json(const struct baseline *b, struct json *j)
{
	json_open(j, "baseline", '{');
	json_string(j, "path", b->path);
	json_number(j, "known", b->at.n - baseline_gone(b));
	json_open(j, "gone", '[');
	for (size_t i = 0; i < b->at.n; i++)
		if (!b->at.at[i].taken)
			baseline_finding_json(&b->at.at[i], j);
	json_close(j, ']');
	json_close(j, '}');
}

void baseline_format(const struct baseline *b, struct strbuf *out)
{
	size_t gone = baseline_gone(b), known = b->at.n - gone, told = 0;

	strbuf_addf(out, "baseline '%s': %zu of these known, %zu gone%s\n", b->path, known, gone,
		    gone ? ":" : ".");
	for (size_t i = 0; i < b->at.n && told < GONE; i++) {
		if (b->at.at[i].taken)
			continue;
		strbuf_addf(out, "  gone: %s\n", b->at.at[i].summary);
		told++;
	}
	if (gone > told)
		strbuf_addf(out, "  and %zu more\n", gone - told);
}
