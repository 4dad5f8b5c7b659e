#include "report/tally.h"

#include "report/json.h"
#include "trace/format.h"
#include "text/std.h"
#include "trace/trace.h"

#define PLURAL(n) ((n) == 1 ? "" : "s")

void tally_release(struct tally *y)
{
	VEC_RELEASE(&y->by_thread);
	MAP_RELEASE_ALL(&y->words, &y->objects, &y->locks);
}

static void count_words(struct tally *y, const struct event *e)
{
	uint64_t n = format_words(e->addr, e->len);

	for (uint64_t i = 0; i < n; i++) {
		if (y->words.n >= TALLY_WORDS) {
			y->more_words = true;
			return;
		}
		map_put(&y->words, (e->addr >> 3) + i, NULL);
	}
}

static void count_access(struct tally *y, struct trace *t, const struct event *e)
{
	uint64_t object = trace_object_id(t, e->addr);

	if (e->op == EVENT_READ || e->op == EVENT_RMW) {
		y->free_reads += (e->flags & EVENT_FREE_READ) != 0;
		y->binding_reads += (e->flags & EVENT_FREE_READ) == 0;
		y->unknown_reads += (e->flags & EVENT_UNKNOWN) != 0;
	}
	y->fed_writes += e->nfeeds != 0;
	y->atomics += (e->flags & EVENT_ATOMIC) != 0;
	count_words(y, e);
	if (object != 0)
		map_put(&y->objects, object, NULL);
}

void tally_event(struct tally *y, struct trace *t, const struct event *e)
{
	y->events++;
	y->by_op[e->op]++;
	VEC_REACH(&y->by_thread, e->tid);
	y->by_thread.at[e->tid]++;
	if (e->op == EVENT_READ || e->op == EVENT_WRITE || e->op == EVENT_RMW)
		count_access(y, t, e);
	else if (event_op_object(e->op) == EVENT_OBJECT_LOCK)
		map_put(&y->locks, e->addr, NULL);
}

static uint32_t thread_count(const struct tally *y)
{
	uint32_t n = 0;

	for (size_t i = 0; i < y->by_thread.n; i++)
		n += y->by_thread.at[i] != 0;
	return n;
}

static const char *const form_words[] = {
	[TRACE_BINARY] = "recording", [TRACE_STD] = "STD text", [TRACE_FMT1] = "#fmt 1 text"
};

static double bytes_per_event(const struct tally *y, const struct trace_info *info)
{
	return y->events ? (double)info->bytes / (double)y->events : 0;
}

static void print_tables(const struct tally *y, const struct trace *t, FILE *to)
{
	fprintf(to, "\nevents by kind\n");
	for (int op = 0; op < EVENT_NOPS; op++)
		if (y->by_op[op] != 0)
			fprintf(to, "  %-12s %12" PRIu64 "\n", event_op_name(op), y->by_op[op]);
	fprintf(to, "\nevents by thread\n");
	for (uint32_t tid = 1; tid < y->by_thread.n; tid++) {
		const char *label = trace_thread_label(t, tid);

		if (y->by_thread.at[tid] == 0)
			continue;
		fprintf(to, "  %-12s %12" PRIu64, trace_thread_name(t, tid), y->by_thread.at[tid]);
		if (label)
			fprintf(to, "  \"%s\"", label);
		fprintf(to, "\n");
	}
}

void tally_print(const struct tally *y, const struct trace *t, const char *path, FILE *to)
{
	struct trace_info info = trace_info(t);

	fprintf(to, "%s: %s, %" PRIu64 " event%s of %" PRIu32 " thread%s, %zu lock%s\n", path,
		form_words[info.form], y->events, PLURAL(y->events), thread_count(y),
		PLURAL(thread_count(y)), y->locks.n, PLURAL(y->locks.n));
	fprintf(to, "  memory   %s%zu word%s in %zu object%s\n", y->more_words ? "more than " : "",
		y->words.n, PLURAL(y->words.n), y->objects.n, PLURAL(y->objects.n));
	fprintf(to,
		"  reads    %" PRIu64 " binding, %" PRIu64 " free, %" PRIu64 " of unknown origin\n",
		y->binding_reads, y->free_reads, y->unknown_reads);
	fprintf(to, "  size     %" PRIu64 " bytes, %.1f per event\n", info.bytes,
		bytes_per_event(y, &info));
	if (info.program)
		fprintf(to, "  program  %s\n", info.program);
	fprintf(to, "  complete %s%s%s\n",
		info.complete ? "yes"
		: info.nnotes ? "no, see the notes"
			      : "no, the run did not end in good order",
		info.full && info.form == TRACE_BINARY ? "; nothing was filtered" : "",
		info.partial ? "; accesses are missing by request" : "");
	print_tables(y, t, to);
}

void tally_json(const struct tally *y, const struct trace *t, const char *path, struct json *j)
{
	struct trace_info info = trace_info(t);

	json_open(j, "trace", '{');
	json_string(j, "path", path);
	json_string(j, "form", form_words[info.form]);
	json_number(j, "events", y->events);
	json_number(j, "threads", thread_count(y));
	json_number(j, "locks", y->locks.n);
	json_number(j, "variables", y->words.n);
	json_number(j, "objects", y->objects.n);
	json_bool(j, "complete", info.complete);
	json_bool(j, "full", info.full);
	json_bool(j, "partial", info.partial);
	json_number(j, "bytes", info.bytes);
	json_real(j, "bytes_per_event", bytes_per_event(y, &info));
	json_string(j, "program", info.program);
	if (info.exit_status >= 0)
		json_signed(j, "exit_status", info.exit_status);
	json_number(j, "reads_binding", y->binding_reads);
	json_number(j, "reads_free", y->free_reads);
	json_number(j, "reads_unknown", y->unknown_reads);
	json_number(j, "writes_fed", y->fed_writes);
	json_number(j, "atomics", y->atomics);
	json_open(j, "by_kind", '{');
	for (int op = 0; op < EVENT_NOPS; op++)
		if (y->by_op[op] != 0)
			json_number(j, event_op_name(op), y->by_op[op]);
	json_close(j, '}');
	json_open(j, "by_thread", '[');
	for (uint32_t tid = 1; tid < y->by_thread.n; tid++) {
		if (y->by_thread.at[tid] == 0)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "name", trace_thread_name(t, tid));
		json_string(j, "label", trace_thread_label(t, tid));
		json_number(j, "events", y->by_thread.at[tid]);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_strings(j, "notes", info.notes, info.nnotes);
	json_close(j, '}');
}
