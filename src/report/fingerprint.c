/*
 * The text that is hashed, a line each, those of the events sorted:
 *
 *	race
 *	audit.total
 *	read report
 *	write add_entry
 */
#include "report/fingerprint.h"

#include "base/sha256.h"
#include "report/frames.h"
#include "report/report.h"
#include "report/words.h"

/* "[3]" or "[]". */
static size_t index_length(const char *s)
{
	size_t n = *s == '[' ? strspn(s + 1, "0123456789") : 0;

	return *s == '[' && s[n + 1] == ']' ? n + 2 : 0;
}

/* Which block or element it was is chance: "heap#7+16" is heap#+16, "table[3].lock" is table.lock. */
void fingerprint_object(const char *name, struct strbuf *out)
{
	bool numbered = strchr(name, '#') != NULL;
	const char *end = name + (numbered ? strlen(name) : trace_object_whole(name));

	while (name < end) {
		size_t skipped = numbered ? 0 : index_length(name);

		name += skipped;
		if (skipped)
			continue;
		strbuf_add(out, name, 1);
		if (*name++ == '#')
			name += strspn(name, "0123456789");
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "write add_entry", with the lock where it is about locks; a place without a function is its line. */
static void event_format(const struct report *r, const struct finding *f, uint64_t pos,
			 struct strbuf *out)
{
	struct evidence_event e = evidence_get(r->evidence, pos);
	struct trace_site at;

	strbuf_addf(out, "%s ", words_target(&e));
	if (!frames_own(r->trace, e.site, e.stack, &at))
		strbuf_adds(out, "?");
	else if (at.function)
		strbuf_adds(out, at.function);
	else
		strbuf_addf(out, "%s:%" PRIu32, at.file ? basename(at.file) : "?", at.line);
	if (!finding_is_about_memory(f) && e.name) {
		strbuf_adds(out, " ");
		fingerprint_object(e.name, out);
	}
}

static void events_format(const struct report *r, const struct finding *f, struct strbuf *out)
{
	char *lines[FINDING_EVENTS];

	for (uint32_t i = 0; i < f->nevents; i++) {
		struct strbuf line = { 0 };

		event_format(r, f, f->events[i], &line);
		lines[i] = line.at;
	}
	qsort(lines, f->nevents, sizeof(lines[0]), compare);
	for (uint32_t i = 0; i < f->nevents; i++) {
		strbuf_addf(out, "\n%s", lines[i]);
		mem_free(lines[i]);
	}
}

void fingerprint(const struct report *r, const struct finding *f, char out[FINGERPRINT])
{
	STRBUF_SCOPED text = { 0 }, subject = { 0 };
	uint8_t digest[SHA256_BYTES];
	char digits[SHA256_HEX];
	struct sha256 sum;

	strbuf_addf(&text, "%s\n", finding_kind_name(f->kind));
	if (f->property) {
		strbuf_adds(&text, f->property);
	} else {
		if (finding_is_about_memory(f) || finding_is_end(f))
			words_subject(r->evidence, f, &subject);
		fingerprint_object(strbuf_str(&subject), &text);
		events_format(r, f, &text);
	}
	sha256_init(&sum);
	sha256_add(&sum, text.at, text.n);
	sha256_end(&sum, digest);
	sha256_hex(digest, digits);
	memcpy(out, digits, FINGERPRINT - 1);
	out[FINGERPRINT - 1] = '\0';
}
