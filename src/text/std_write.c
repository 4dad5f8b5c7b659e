/*
 * The text writer.
 *
 * Events of a recording name others by number within the thread, text by
 * number in the trace; std_history.h turns the one into the other.
 *
 * Memory without a name ("0x7f31...") is written as a 4 GiB region and an
 * offset, so that accesses that overlap in memory still do in text.
 */
#include "text/std_write.h"

#include "trace/format.h"
#include "text/std_history.h"
#include "text/std_names.h"
#include "text/std.h"
#include "trace/trace.h"

struct std_writer {
	struct trace *trace;
	bool fmt1;
	bool plain_source;		 /* read from plain STD, where nesting shows by itself */
	VEC(struct std_history) reads;	 /* [tid] */
	VEC(struct std_history) signals; /* [tid] */
};

bool std_event_is_plain(const struct event *e)
{
	uint32_t kept = e->flags & ~EVENT_RECURSIVE;

	if (!(std_ops[e->op].can & STD_PLAIN) || kept != 0 || e->nfeeds != 0 || e->ntests != 0 ||
	    e->name || e->lock_kind != 0)
		return false;
	return std_ops[e->op].operand != STD_RANGE || e->len == STD_WORD;
}

struct std_writer *std_writer_new(struct trace *t, bool fmt1)
{
	struct std_writer *w = mem_zalloc(sizeof(*w));
	struct trace_info info = trace_info(t);

	w->trace = t;
	w->fmt1 = fmt1;
	w->plain_source = info.form == TRACE_STD;
	return w;
}

void std_writer_free(struct std_writer *w)
{
	for (size_t i = 0; i < w->reads.n; i++) {
		std_history_release(&w->reads.at[i]);
		std_history_release(&w->signals.at[i]);
	}
	VEC_RELEASE_ALL(&w->reads, &w->signals);
	mem_free(w);
}

static void threads_reserve(struct std_writer *w, uint32_t tid)
{
	while (w->reads.n <= tid) {
		*VEC_PUSH(&w->reads) = (struct std_history){ 0 };
		*VEC_PUSH(&w->signals) = (struct std_history){ 0 };
	}
}

/* Names that programs chose freely: everything with a meaning here becomes %XX. */
static void add_encoded(struct strbuf *out, const char *name)
{
	for (; *name; name++) {
		unsigned char ch = (unsigned char)*name;

		if (ch <= ' ' || ch == 0x7f || strchr("|(),%", ch))
			strbuf_addf(out, "%%%02x", ch);
		else
			strbuf_add(out, name, 1);
	}
}

/* Bare addresses overlap as ranges of one name would.  A text trace may hold names that look so. */
static void add_range(struct std_writer *w, const struct event *e, struct strbuf *out)
{
	const char *name = trace_object_range(w->trace, e->addr);
	char bare[24];

	snprintf(bare, sizeof(bare), "0x%" PRIx64, e->addr);
	if (strcmp(name, bare) == 0)
		strbuf_addf(out, "0x%" PRIx64 "+%" PRIu64, e->addr & ~(uint64_t)UINT32_MAX,
			    e->addr & UINT32_MAX);
	else
		std_name_format(name, out);
	if (e->len != STD_WORD)
		strbuf_addf(out, ":%" PRIu64, e->len);
}

static void add_call(const struct event *e, struct strbuf *out)
{
	uint32_t at = 0;
	int64_t v;

	add_encoded(out, e->name ? e->name : "");
	while (event_argument(e, &at, &v))
		strbuf_addf(out, ",%" PRId64, v);
}

static void add_operand(struct std_writer *w, const struct event *e, struct strbuf *out)
{
	enum std_operand operand = std_ops[e->op].operand;

	if (operand == STD_NOTHING || (operand == STD_LABEL && (!w->fmt1 || !e->name)))
		return;
	strbuf_adds(out, "(");
	switch (operand) {
	case STD_RANGE:
		add_range(w, e, out);
		break;
	case STD_THREAD:
		std_name_format(trace_thread_name(w->trace, e->peer), out);
		break;
	case STD_LABEL:
		add_encoded(out, e->name);
		break;
	case STD_CALL:
		add_call(e, out);
		break;
	default:
		std_name_format(trace_object_own(w->trace, e->addr), out);
		break;
	}
	if (operand == STD_COUNTED)
		strbuf_addf(out, ":%" PRIu64, e->arg);
	if (operand == STD_TWO) {
		strbuf_adds(out, ",");
		std_name_format(trace_object_own(w->trace, e->arg), out);
	}
	strbuf_adds(out, ")");
}

static void add_words(const struct std_writer *w, const struct event *e, struct strbuf *out)
{
	const struct std_op *op = &std_ops[e->op];
	const char *word;
	uint32_t flag;

	for (unsigned i = 0; (word = std_flag_word(i, &flag)) != NULL; i++) {
		if (!(e->flags & op->flags & flag) || (flag == EVENT_RECURSIVE && w->plain_source))
			continue;
		strbuf_addf(out, "!%s", word);
	}
	word = std_kind_word(event_op_object(e->op), e->lock_kind);
	if (e->lock_kind != 0 && word)
		strbuf_addf(out, "!%s", word);
	if (e->op == EVENT_RMW && e->rmw != 0 && std_rmw_word(e->rmw))
		strbuf_addf(out, "!%s", std_rmw_word(e->rmw));
}

static void add_value(const uint8_t *bytes, uint64_t len, struct strbuf *out)
{
	if (strbuf_add_number(out, bytes, len))
		return;
	strbuf_adds(out, "x");
	for (uint64_t i = 0; i < len; i++)
		strbuf_addf(out, "%02x", bytes[i]);
}

/* The comparisons of feed i, the first of which needs no number before it. */
static void add_tests(const struct event *e, uint32_t i, uint64_t pos, struct strbuf *out)
{
	bool more = false;

	for (uint32_t k = 0; k < e->ntests; k++) {
		if (e->tests[k].feed != i)
			continue;
		if (more)
			strbuf_addf(out, ",%" PRIu64, pos);
		strbuf_adds(out, ":");
		predicate_format(&e->tests[k], out);
		more = true;
	}
}

static enum status add_named(struct std_writer *w, const struct event *e, struct strbuf *out,
			     struct diag *d)
{
	uint64_t last = 0, pos;
	char sep = '<';

	if (e->op == EVENT_WAKE && e->peer != 0) {
		threads_reserve(w, e->peer);
		if (std_history_pos(&w->signals.at[e->peer], e->peer_tseq, &pos))
			strbuf_addf(out, "<%" PRIu64, pos);
		return ST_OK;
	}
	for (uint32_t i = 0; i < e->nfeeds; i++) {
		if (!std_history_pos(&w->reads.at[e->tid], e->feeds[i], &pos))
			return diag_fail(d, ST_LIMIT,
					 "event %" PRIu64
					 " is fed by a read more than %u reads ago; text cannot "
					 "name it",
					 e->pos, STD_HISTORY);
		/* Two words of one ranged read are one event here. */
		if (pos == last && e->ntests == 0)
			continue;
		strbuf_addf(out, "%c%" PRIu64, sep, pos);
		if (e->op == EVENT_USE)
			add_tests(e, i, pos, out);
		sep = ',';
		last = pos;
	}
	return ST_OK;
}

static enum status add_marks(struct std_writer *w, const struct event *e, struct strbuf *out,
			     struct diag *d)
{
	uint32_t can = std_ops[e->op].can;
	enum status st;

	if ((can & STD_CAN_FREE) && (e->flags & EVENT_FREE_READ))
		strbuf_adds(out, "~");
	if ((can & STD_CAN_ORDER) && ((e->flags & EVENT_ATOMIC) || e->op == EVENT_FENCE) &&
	    std_order_word(e->order))
		strbuf_addf(out, "@%s", std_order_word(e->order));
	add_words(w, e, out);
	for (uint32_t i = 0; e->op != EVENT_USE && i < e->ntests; i++) {
		strbuf_adds(out, "?");
		predicate_format(&e->tests[i], out);
	}
	st = add_named(w, e, out, d);
	if (st != ST_OK || !(can & STD_CAN_VALUE) || !(e->flags & EVENT_HAS_VALUE) ||
	    e->len > STD_VALUE_MAX)
		return st;
	strbuf_adds(out, "=");
	if (e->op == EVENT_RMW) {
		add_value(e->old, e->len, out);
		strbuf_adds(out, ">");
	}
	add_value(e->value, e->len, out);
	return ST_OK;
}

enum status std_writer_event(struct std_writer *w, const struct event *e, struct strbuf *out,
			     struct diag *d)
{
	struct trace_site site;
	enum status st = ST_OK;

	threads_reserve(w, e->tid);
	if (e->op == EVENT_READ || e->op == EVENT_RMW)
		std_history_add(&w->reads.at[e->tid], e->pos, e->tseq,
				e->flags & EVENT_RANGE ? format_words(e->addr, e->len) : 1);
	else if (e->op == EVENT_SIGNAL || e->op == EVENT_BROADCAST)
		std_history_add(&w->signals.at[e->tid], e->pos, e->tseq, 1);
	std_name_format(trace_thread_name(w->trace, e->tid), out);
	strbuf_addf(out, "|%s", event_op_name(e->op));
	add_operand(w, e, out);
	if (w->fmt1)
		st = add_marks(w, e, out, d);
	strbuf_adds(out, "|");
	std_site_format(trace_site(w->trace, e->site, &site) ? &site : NULL, out);
	strbuf_adds(out, "\n");
	return st;
}
