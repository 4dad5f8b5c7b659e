#include "report/show.h"

#include "capture/hooks.h"
#include "report/frames.h"
#include "trace/format.h"
#include "text/std.h"
#include "trace/trace.h"

#define VALUE_BYTES 16 /* shown of a long value */

/* The short names are for text traces. */
const char *show_op(uint8_t op)
{
	static const char *const words[EVENT_NOPS] = {
		[EVENT_READ] = "read",	 [EVENT_WRITE] = "write",    [EVENT_ACQ] = "lock",
		[EVENT_REL] = "unlock",	 [EVENT_RACQ] = "rdlock",    [EVENT_RREL] = "rdunlock",
		[EVENT_REQ] = "request", [EVENT_RREQ] = "rdrequest", [EVENT_PARK] = "wait",
	};

	return words[op] ? words[op] : event_op_name(op);
}

void show_location(const struct trace *t, uint32_t site, struct strbuf *out)
{
	struct trace_site p;

	if (site == 0 || !trace_site(t, site, &p))
		return;
	if (p.file && p.line)
		strbuf_addf(out, "%s:%s%" PRIu32, p.file, frames_near(&p), p.line);
	else if (p.file)
		strbuf_adds(out, p.file);
	else if (!p.function)
		strbuf_addf(out, "%" PRIu32, p.line);
	if (p.function)
		strbuf_addf(out, "%sin %s", p.file ? " " : "", p.function);
}

/* Decimal up to 8 bytes; longer: bytes in memory order, shortened. */
static void add_value(const uint8_t *bytes, uint64_t len, struct strbuf *out)
{
	if (strbuf_add_number(out, bytes, len))
		return;
	strbuf_adds(out, "[");
	for (uint64_t i = 0; i < len && i < VALUE_BYTES; i++)
		strbuf_addf(out, "%s%02x", i ? " " : "", bytes[i]);
	strbuf_adds(out, len > VALUE_BYTES ? " ...]" : "]");
}

/* "account.lock (heap#1+32)".  The release and acquire inside a wait have its site, and that is
 * about the condition; so has a once of the C library that ends a thread there. */
static void add_lock(struct show *s, const struct event *e, const char *name, struct strbuf *out)
{
	bool is_once = event_op_object(e->op) == EVENT_OBJECT_ONCE;
	const char *path =
		trace_object_is_anonymous(name) && !(e->flags & EVENT_IN_WAIT) && !is_once
			? frames_variable(s->trace, e->site, e->stack)
			: NULL;

	if (path)
		strbuf_addf(out, "%s (%s)", path, name);
	else
		strbuf_adds(out, name);
}

static void add_object(struct show *s, const struct event *e, struct strbuf *out)
{
	struct trace_site p;
	bool memory = event_op_family(e->op) == 'A' || e->op == EVENT_ALLOC;
	/* Of a range no element is meant. */
	const char *name = e->flags & EVENT_RANGE ? trace_object_range(s->trace, e->addr)
						  : trace_object_name(s->trace, e->addr);
	const char *kind = event_op_object(e->op) == EVENT_OBJECT_CHANNEL
				   ? std_kind_word(EVENT_OBJECT_CHANNEL, e->lock_kind)
				   : NULL;

	if (kind && *kind)
		strbuf_addf(out, "%s ", kind);
	if (!memory) {
		add_lock(s, e, name, out);
		return;
	}
	strbuf_adds(out, name);
	if (trace_object_is_anonymous(name))
		if (trace_site(s->trace, e->site, &p) && p.variable)
			strbuf_addf(out, " (%s)", p.variable);
	if (e->len != STD_WORD && (e->len > 8 || !(e->flags & EVENT_HAS_VALUE)))
		strbuf_addf(out, ", %" PRIu64 " byte%s", e->len, e->len == 1 ? "" : "s");
}

/* Words of the program: nothing that a terminal could take for something else. */
static void add_words(const char *words, struct strbuf *out)
{
	size_t start = out->n;

	strbuf_adds(out, words ? words : "");
	for (size_t i = start; i < out->n; i++)
		if ((unsigned char)out->at[i] < ' ' || out->at[i] == 0x7f)
			out->at[i] = '?';
}

static void add_call(struct show *s, const struct event *e, struct strbuf *out)
{
	bool memory = e->lock_kind == FORMAT_USER_NAMES || e->lock_kind == FORMAT_USER_BENIGN;
	const char *sep = e->lock_kind == FORMAT_USER_INTERNAL ? " = " : " ";
	uint32_t at = 0;
	int64_t v;

	if (e->lock_kind == FORMAT_USER_BENIGN)
		strbuf_adds(out, "benign: ");
	if (e->lock_kind == FORMAT_USER_CALL)
		strbuf_adds(out, "call ");
	add_words(e->name, out);
	if (memory && e->addr != 0)
		strbuf_addf(out, ": %s", trace_object_own(s->trace, e->addr));
	while (event_argument(e, &at, &v)) {
		strbuf_addf(out, "%s%" PRId64, memory ? ", " : sep, v);
		sep = " ";
	}
	if (memory)
		strbuf_adds(out, " bytes");
}

static void add_subject(struct show *s, const struct event *e, struct strbuf *out)
{
	switch (std_ops[e->op].operand) {
	case STD_NOTHING:
		break;
	case STD_THREAD:
		strbuf_adds(out, trace_thread_name(s->trace, e->peer));
		break;
	case STD_LABEL:
		add_words(e->name, out);
		break;
	case STD_CALL:
		add_call(s, e, out);
		break;
	case STD_TWO:
		add_object(s, e, out);
		strbuf_addf(out, " with %s", trace_object_name(s->trace, e->arg));
		break;
	default:
		add_object(s, e, out);
	}
}

static void add_version(const struct show *s, struct version v, struct strbuf *out)
{
	if (v.tid == 0)
		strbuf_adds(out, "the start");
	else
		strbuf_addf(out, "%s:%" PRIu64, trace_thread_name(s->trace, v.tid), v.tseq);
}

/* Value, and whose version was seen or replaced. */
static void add_content(const struct show *s, const struct event *e, struct strbuf *out)
{
	bool reads = e->op == EVENT_READ;

	if ((e->flags & EVENT_HAS_VALUE) && e->value) {
		strbuf_adds(out, "  = ");
		if (e->op == EVENT_RMW && e->old) {
			add_value(e->old, e->len, out);
			strbuf_adds(out, " -> ");
		}
		add_value(e->value, e->len, out);
	}
	if (event_op_family(e->op) != 'A' || e->nrefs == 0 || !e->refs)
		return;
	strbuf_adds(out, reads ? "  (from " : "  (was ");
	if (e->flags & EVENT_UNKNOWN)
		strbuf_adds(out, "unseen code");
	else
		add_version(s, e->refs[0], out);
	for (uint32_t i = 1; i < e->nrefs; i++) {
		if (e->refs[i].tid == e->refs[0].tid)
			continue;
		strbuf_adds(out, ", ...");
		break;
	}
	strbuf_adds(out, ")");
}

static void add_details(const struct show *s, const struct event *e, struct strbuf *out)
{
	const char *word;
	uint32_t flag;

	if (std_ops[e->op].operand == STD_COUNTED)
		strbuf_addf(out, "  %" PRIu64, e->arg);
	if (e->op == EVENT_WAKE && e->peer != 0)
		strbuf_addf(out, "  by %s:%" PRIu64, trace_thread_name(s->trace, e->peer),
			    e->peer_tseq);
	for (uint32_t i = 0; i < e->ntests; i++) {
		strbuf_adds(out, i ? ", " : " compared ");
		predicate_format(&e->tests[i], out);
	}
	if (e->flags & EVENT_FREE_READ)
		strbuf_adds(out, "  free");
	if (e->nfeeds != 0) {
		strbuf_adds(out, "  fed by");
		for (uint32_t i = 0; i < e->nfeeds; i++)
			strbuf_addf(out, " :%" PRIu64, e->feeds[i]);
	}
	if (((e->flags & EVENT_ATOMIC) || e->op == EVENT_FENCE) && std_order_word(e->order))
		strbuf_addf(out, "  %s", std_order_word(e->order));
	for (unsigned i = 0; (word = std_flag_word(i, &flag)) != NULL; i++)
		if (e->flags & std_ops[e->op].flags & flag)
			strbuf_addf(out, "  %s", word);
}

/* Pads what was added since `start' to a width that grows with what it sees, up to a limit. */
static void pad(struct strbuf *out, size_t start, int *width, int limit)
{
	int n = (int)(out->n - start);

	if (n > *width)
		*width = n < limit ? n : limit;
	if (n < *width)
		strbuf_addf(out, "%*s", *width - n, "");
}

void show_event(struct show *s, const struct event *e, struct strbuf *out)
{
	const char *label = trace_thread_label(s->trace, e->tid);
	size_t start;

	strbuf_addf(out, "%6" PRIu64 "  ", e->pos);
	start = out->n;
	strbuf_addf(out, "%s:%" PRIu64, trace_thread_name(s->trace, e->tid), e->tseq);
	pad(out, start, &s->thread_width, 24);
	start = out->n;
	if (label)
		strbuf_addf(out, " \"%s\"", label);
	pad(out, start, &s->label_width, 20);
	strbuf_addf(out, "  %-11s  ", show_op(e->op));
	start = out->n;
	add_subject(s, e, out);
	add_content(s, e, out);
	add_details(s, e, out);
	pad(out, start, &s->object_width, 40);
	strbuf_adds(out, "  ");
	show_location(s->trace, e->site, out);
	while (out->n > 0 && out->at[out->n - 1] == ' ')
		out->at[--out->n] = '\0';
	if (!s->stacks)
		return;
	const uint32_t *sites;
	uint32_t n = trace_stack(s->trace, e->stack, &sites);

	for (uint32_t i = 0; i < n; i++) {
		if (sites[i] == 0)
			continue; /* called from code that is not recorded */
		strbuf_adds(out, "\n            called from ");
		show_location(s->trace, sites[i], out);
	}
}

static const char *kind_word(unsigned kind)
{
	static const char *const words[] = {
#define X(id, name) [FORESEE_SITE_##id] = name,
		FORESEE_SITE_KINDS(X)
#undef X
	};

	return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "?";
}

void show_sites(const struct trace *t, FILE *to)
{
	STRBUF_SCOPED line = { 0 };
	struct trace_site p;

	for (uint32_t site = 1; site < trace_site_count(t); site++) {
		if (!trace_site(t, site, &p))
			continue;
		strbuf_clear(&line);
		strbuf_addf(&line, "%6" PRIu32 "  %-6s %3" PRIu32 "  ", site, kind_word(p.kind),
			    p.size);
		if (p.flags & FORESEE_SITE_FREE)
			strbuf_addf(&line, "free, slot %d  ", p.keeper - 1);
		if (p.flags & FORESEE_SITE_FED)
			strbuf_addf(&line, "fed by slots 0x%" PRIx64 "  ", p.feeds);
		if (p.flags & FORESEE_SITE_VOLATILE)
			strbuf_adds(&line, "volatile  ");
		if (p.variable)
			strbuf_addf(&line, "%s  ", p.variable);
		show_location(t, site, &line);
		if (p.inlined)
			strbuf_addf(&line, " (inlined into %" PRIu32 ")", p.inlined);
		fprintf(to, "%s\n", strbuf_str(&line));
	}
}

void show_notes(const struct trace *t)
{
	struct trace_info info = trace_info(t);

	for (uint32_t i = 0; i < info.nnotes; i++)
		talk_note("note: %s", info.notes[i]);
}
