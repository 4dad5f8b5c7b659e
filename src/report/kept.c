#include "report/kept.h"

#include <ctype.h>

#include "report/fingerprint.h"
#include "report/report.h"
#include "report/words.h"
#include "trace/trace.h"
#include "witness/evidence.h"

/* ---- keys ---- */

/* The place of an event, as order/places.h understands it, by names instead of numbers. */
static uint64_t place_key(const struct report *r, const struct finding *f, uint64_t pos)
{
	uint64_t h = HASH_TEXT;
	struct trace_site at;
	STRBUF_SCOPED object = { 0 };
	struct evidence_event e = evidence_get(r->evidence, pos);

	if (!trace_site(r->trace, e.site, &at) || at.line == 0)
		h = hash_text(h + e.site, "");
	else
		h = hash_text(hash_text(h + at.line, at.file), at.variable);
	if (finding_is_about_memory(f) || !e.name)
		return h;
	fingerprint_object(e.name, &object);
	return hash_text(h, strbuf_str(&object));
}

uint64_t kept_key(const struct report *r, const struct finding *f)
{
	uint64_t places[FINDING_EVENTS];

	for (uint32_t i = 0; i < f->nevents && !f->property; i++)
		places[i] = place_key(r, f, f->events[i]);
	return f->property ? finding_signature(f)
			   : finding_signature_of(f->kind, places, f->nevents);
}

/* ---- one ---- */

/* Whatever a program may have called its variables: a line stays one. */
static void make_line(char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			*s = '?';
}

static char *take(struct strbuf *b)
{
	return b->at ? b->at : mem_strdup("");
}

static char *json_of(const struct report *r, const struct finding *f)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		BUG("out of memory for a finding");
	findings_json_members(r, f, to);
	if (fclose(to) != 0)
		BUG("out of memory for a finding");
	return text;
}

void kept_make(const struct report *r, const struct explain_options *how, const struct finding *f,
	       struct kept *out)
{
	struct strbuf object = { 0 }, summary = { 0 }, text = { 0 }, line = { 0 };

	words_subject(r->evidence, f, &object);
	explain_finding(r, how, f, &text, &line);
	explain_headline(r, f, &summary);
	*out = (struct kept){
		.key = kept_key(r, f),
		.kind = f->kind,
		.status = f->status,
		.certified = f->certified,
		.from_cut = r->from_cut,
		.to_cut = r->to_cut,
		.object = take(&object),
		.summary = take(&summary),
		.text = take(&text),
		.line = take(&line),
		.json = json_of(r, f),
	};
	fingerprint(r, f, out->fingerprint);
	make_line(out->summary);
}

void kept_release(struct kept *k)
{
	for (int i = 0; i < KEPT_STRINGS; i++)
		mem_free(k->strings[i]);
	*k = (struct kept){ 0 };
}

/* ---- several ---- */

void kept_list_release(struct kept_list *l)
{
	for (size_t i = 0; i < l->at.n; i++)
		kept_release(&l->at.at[i]);
	VEC_RELEASE(&l->at);
}

struct kept *kept_list_find(const struct kept_list *l, uint64_t key)
{
	for (size_t i = 0; i < l->at.n; i++)
		if (l->at.at[i].key == key)
			return &l->at.at[i];
	return NULL;
}

void kept_list_add(struct kept_list *l, struct kept *k)
{
	struct kept *old = kept_list_find(l, k->key), spare;
	bool told = k->told || (old && old->told);

	if (!old) {
		*VEC_PUSH(&l->at) = *k;
	} else if (old->status < k->status) {
		spare = *old;
		*old = *k;
		kept_release(&spare);
		old->told = told;
	} else {
		kept_release(k);
		old->told = told;
	}
	*k = (struct kept){ 0 };
}

void kept_list_sort(struct kept_list *l)
{
	struct kept k;
	size_t to;

	/* By insertion, which is stable; there are few, and mostly in order. */
	for (size_t i = 1; i < l->at.n; i++) {
		k = l->at.at[i];
		for (to = i; to > 0; to--) {
			const struct kept *before = &l->at.at[to - 1];

			if (before->status > k.status ||
			    (before->status == k.status && before->kind <= k.kind))
				break;
			l->at.at[to] = *before;
		}
		l->at.at[to] = k;
	}
}
