#include "analyse/repeat.h"

#include "analyse/analyse.h"
#include "analyse/notify.h"
#include "analyse/pass.h"
#include "base/json_read.h"
#include "report/baseline.h"
#include "report/format.h"
#include "report/frames.h"
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"

/* Is it news?  The list takes it in any case. */
static bool add(struct repeat *r, struct kept *k)
{
	const struct kept *old = kept_list_find(&r->found, k->key);
	bool news = !old || old->status < k->status;

	k->run = repeat_next(r);
	kept_list_add(&r->found, k);
	return news;
}

static int take(void *arg, const struct pass *p)
{
	struct repeat *r = arg;
	struct explain_options how = analyse_style(r->a);

	r->is_short |= p->truncated.n != 0;
	for (size_t i = 0; i < p->findings.at.n; i++) {
		struct kept k;

		kept_make(&p->report, &how, &p->findings.at.at[i], &k);
		r->news += add(r, &k);
	}
	for (size_t i = 0; i < p->report.kept->at.n; i++) {
		struct kept *k = &p->report.kept->at.at[i];

		r->news += add(r, k); /* what is taken leaves an empty one */
	}
	return p->certify.refused ? EXIT_TROUBLE : EXIT_FINE;
}

void repeat_begin(struct repeat *r, struct analyse *a, const char *one)
{
	*r = (struct repeat){ .a = a, .one = one };
	a->take = take;
	a->take_arg = r;
}

void repeat_release(struct repeat *r)
{
	kept_list_release(&r->found);
	texts_release(&r->traces);
	VEC_RELEASE(&r->added);
}

uint32_t repeat_next(const struct repeat *r)
{
	return (uint32_t)r->added.n + 1;
}

size_t repeat_news(struct repeat *r, const char *trace, int status)
{
	uint32_t n = r->news;

	r->news = 0;
	texts_add(&r->traces, "%s", trace);
	*VEC_PUSH(&r->added) = n;
	r->is_failed |= status != EXIT_FINE;
	r->quiet = n ? 0 : r->quiet + 1;
	return n;
}

void repeat_path(const char *trace, uint32_t run, struct strbuf *out)
{
	static const char end[] = ".foresee";
	size_t n = strlen(trace), tail = strlen(end);

	if (n > tail && strcmp(trace + n - tail, end) == 0)
		n -= tail;
	strbuf_add(out, trace, n);
	strbuf_addf(out, ".%" PRIu32 "%s", run, end);
}

/* ---- the report ---- */

static void found_json(const struct repeat *r, const char *all, FILE *to)
{
	struct json j = { .to = to };

	json_open(&j, NULL, '{');
	json_number(&j, "foresee", 1);
	json_open(&j, "trace", '{');
	json_string(&j, "path", all);
	json_close(&j, '}');
	json_open(&j, "runs", '[');
	for (size_t i = 0; i < r->added.n; i++)
		json_number(&j, NULL, r->added.at[i]);
	json_close(&j, ']');
	json_open(&j, "findings", '[');
	for (size_t i = 0; i < r->found.at.n; i++) {
		const struct kept *k = &r->found.at.at[i];

		json_open(&j, NULL, '{');
		json_number(&j, "id", i + 1);
		json_number(&j, "run", k->run);
		json_string(&j, "trace", r->traces.at[k->run - 1]);
		if (r->a->baseline)
			json_bool(&j, "known", k->known);
		fprintf(to, ", %s", k->json);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	if (r->a->baseline)
		baseline_json(r->a->baseline, &j);
	json_close(&j, '}');
	putc('\n', to);
}

/* "run 1 found 2, run 3 1 more; nothing new in the last 17" */
static void added_format(const struct repeat *r, struct strbuf *out)
{
	const char *comma = ": ";
	bool any = false;

	strbuf_addf(out, "%zu %s%s, %zu finding%s", r->added.n, r->one, WORDS_PLURAL(r->added.n),
		    r->found.at.n, WORDS_PLURAL(r->found.at.n));
	for (size_t i = 0; i < r->added.n; i++) {
		if (r->added.at[i] == 0)
			continue;
		strbuf_addf(out, "%s%s %zu %s%" PRIu32 "%s", comma, r->one, i + 1,
			    any ? "" : "found ", r->added.at[i], any ? " more" : "");
		comma = ", ";
		any = true;
	}
	if (any && r->quiet)
		strbuf_addf(out, "; nothing new in the last %" PRIu32, r->quiet);
	strbuf_adds(out, "\n");
}

static void found_print(const struct repeat *r, FILE *to)
{
	STRBUF_SCOPED out = { 0 };

	for (size_t i = 0; i < r->found.at.n; i++) {
		const struct kept *k = &r->found.at.at[i];
		bool full = !k->known || r->a->verbose;
		STRBUF_SCOPED shown = { 0 };

		frames_path(r->traces.at[k->run - 1], &shown);
		strbuf_addf(&out, "%zu%s", i + 1, full ? k->text : k->line);
		if (full && out.n >= 2 && out.at[out.n - 2] == '\n')
			out.at[--out.n] = '\0'; /* its blank line comes behind */
		strbuf_addf(&out, "   first seen in %s %" PRIu32 " of %zu: %s\n%s", r->one, k->run,
			    r->added.n, strbuf_str(&shown), full ? "\n" : "");
	}
	added_format(r, &out);
	if (r->a->baseline)
		baseline_format(r->a->baseline, &out);
	fwrite(out.at, 1, out.n, to);
}

static void found_render(struct repeat *r, const char *all)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to;

	if (r->a->json) {
		found_json(r, all, r->a->to);
	} else if (!r->a->format) {
		found_print(r, r->a->to);
	} else {
		to = open_memstream(&text, &n);
		if (!to)
			BUG("out of memory for a report");
		found_json(r, all, to);
		if (fclose(to) != 0)
			BUG("out of memory for a report");
		analyse_format(r->a, text, n);
		free(text);
	}
}

int repeat_report(struct repeat *r, const char *all)
{
	size_t news = 0;

	kept_list_sort(&r->found);
	if (r->a->baseline)
		baseline_begin(r->a->baseline);
	for (size_t i = 0; i < r->found.at.n; i++) {
		struct kept *k = &r->found.at.at[i];

		k->known = r->a->baseline && baseline_take(r->a->baseline, k->fingerprint);
		news += !k->known;
		if (r->a->notify && !k->known && !k->told)
			notify_send(r->a->notify, k, (uint32_t)i + 1, r->traces.at[k->run - 1], 0);
	}
	found_render(r, all);
	if (r->is_failed)
		return EXIT_TROUBLE;
	if (news)
		return EXIT_FOUND;
	return r->is_short ? EXIT_LIMIT : EXIT_FINE;
}
