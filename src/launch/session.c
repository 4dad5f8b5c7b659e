#include "launch/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/feed.h"
#include "launch/launch.h"
#include "launch/program.h"
#include "launch/valgrind.h"
#include "recording/blocks.h"
#include "report/frames.h"
#include "report/show.h"
#include "trace/trace.h"

enum program_how session_how(const struct session *s)
{
	return s->valgrind ? PROGRAM_VALGRIND : s->locks ? PROGRAM_LOCKS : PROGRAM_BUILT;
}

void session_want_full(struct session *s)
{
	strbuf_adds(&s->options, "full\n");
}

/* Absolute, since the program may change directory before the runtime looks. */
static char *absolute(const char *path)
{
	struct strbuf b = { 0 };
	char here[PATH_MAX];

	if (path[0] != '/' && getcwd(here, sizeof(here)))
		strbuf_addf(&b, "%s/", here);
	strbuf_adds(&b, path);
	return b.at;
}

/* Removes an old trace and finds out now, not at the end, whether a new one can be made. */
static enum status make_room(const char *path, struct diag *d)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			return diag_fail(d, ST_IO, "cannot write '%s': not a regular file", path);
		if (unlink(path) != 0)
			return diag_fail(d, ST_IO, "cannot replace '%s': %s", path,
					 strerror(errno));
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return diag_fail(d, ST_IO, "cannot write '%s': %s", path, strerror(errno));
	close(fd);
	unlink(path);
	return ST_OK;
}

/*
 * The end of the process, into its trace.  A program that became others by exec has left several; the
 * end is that of the last.  Where the recording went along with a child nobody knows its status.
 */
static void write_end(const char *trace, const struct launch_end *end)
{
	struct trace_end said = { .status = end->status,
				  .signal = end->process && end->hung ? SIGKILL : end->signal,
				  .hung = end->hung,
				  .asked = end->asked };
	struct strbuf path = { 0 };
	bool became = true;

	if (end->process && !end->hung)
		return;
	strbuf_adds(&path, trace);
	for (unsigned n = 2; became && trace_end_write(strbuf_str(&path), &said, &became); n++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s.%u", trace, n);
	}
	strbuf_release(&path);
}

/* Runs it, with what goes on beside. */
static enum status launch_watched(const struct launch *l, const struct session_watch *watch,
				  struct launch_end *end, struct diag *d)
{
	enum status st;

	if (watch)
		watch->begin(watch->arg, l->trace);
	st = launch_program(l, end, d);
	if (st == ST_OK)
		write_end(l->trace, end);
	if (watch)
		watch->end(watch->arg, l->trace, end);
	return st;
}

enum status session_record(const struct session *s, const char *name, const char *path, char **argv,
			   const struct session_watch *watch, char **trace, struct launch_end *end,
			   struct diag *d)
{
	char *given = s->trace ? mem_strdup(s->trace) : program_trace_name(name);
	struct launch l = {
		.path = path, .argv = argv, .beside = s->beside, .hang = s->hang, .quiet = s->quiet
	};
	struct strbuf options = { 0 };
	struct valgrind v = { 0 };
	char *recorder = NULL;
	struct stat left;
	enum status st;

	strbuf_addf(&options, "%s%s", strbuf_str(&s->options),
		    s->announce && !s->quiet ? "announce\n" : "");
	if (s->keep)
		strbuf_addf(&options, "keep=%" PRIu64 "\n", s->keep);
	if (s->follow)
		strbuf_adds(&options, "follow-fork\n");
	strbuf_addf(&options, "linger=%" PRIu64 "\n", s->linger);
	l.options = strbuf_str(&options);
	*trace = absolute(given);
	mem_free(given);
	l.trace = *trace;
	st = make_room(*trace, d);
	if (st == ST_OK && s->locks)
		st = program_lock_recorder(&recorder, d);
	l.preload = recorder;
	if (st == ST_OK && s->valgrind) {
		st = valgrind_prepare(&v, argv, *trace, l.options, d);
		l.path = v.tool;
		l.argv = v.argv;
		l.valgrind = v.directory;
	}
	l.in = s->again ? feed_begin() : 0;
	if (st == ST_OK)
		st = launch_watched(&l, watch, end, d);
	if (s->again)
		feed_end();
	mem_free(recorder);
	valgrind_release(&v);
	strbuf_release(&options);
	if (st == ST_OK && stat(*trace, &left) != 0) {
		diag_set(d, "the program ended with status %d and left no trace", end->status);
		st = ST_IO;
	} else if (st == ST_OK && left.st_size == 0) {
		diag_set(d, "the program ended with status %d and '%s' is empty: is the disk full?",
			 end->status, *trace);
		st = ST_IO;
	}
	if (st == ST_OK)
		return ST_OK;
	mem_free(*trace);
	*trace = NULL;
	return st;
}

struct counts {
	uint64_t events, bytes;
	uint64_t dropped; /* events before the first chunk of a thread (--keep) */
	size_t threads;
	bool open; /* chunks that were being written: there are more events */
};

/* From the heads of chunks alone, so that it costs nothing. */
static bool count(const char *trace, struct counts *out)
{
	struct texts notes = { 0 };
	struct diag d = { 0 };
	struct blocks b;

	memset(out, 0, sizeof(*out));
	if (blocks_open(&b, trace, &notes, &d) != ST_OK) {
		texts_release(&notes);
		return false;
	}
	out->bytes = b.size;
	for (size_t i = 0; i < b.threads.n; i++) {
		const struct blocks_thread *t = &b.threads.at[i];

		if (t->tid == FORMAT_CONTROL_TID)
			continue;
		out->threads++;
		if (t->chunks.n != 0 && t->chunks.at[0].number != 0)
			out->dropped += t->chunks.at[0].first_tseq - 1;
		for (size_t k = 0; k < t->chunks.n; k++) {
			const struct blocks_chunk *c = &t->chunks.at[k];
			bool copy = k > 0 && t->chunks.at[k - 1].number == c->number;

			out->open |= !c->closed && !copy;
			out->events += c->closed && !copy ? c->nitems : 0;
		}
	}
	blocks_close(&b);
	texts_release(&notes);
	return true;
}

void session_summary(const struct session *s, const char *trace, const struct launch_end *end)
{
	struct counts c;
	char how[128], what[128];
	struct strbuf path = { 0 };

	if (s->quiet)
		return;
	if (end->process && !end->hung)
		snprintf(how, sizeof(how), "went on as process %ld, and that has ended",
			 end->process);
	else if (end->hung && !end->asked)
		snprintf(how, sizeof(how), "hung and was stopped");
	else if (end->signal)
		snprintf(how, sizeof(how), "%swas killed by signal %d (%s%s)",
			 end->hung ? "hung and " : "", end->signal, strsignal(end->signal),
			 end->dumped ? ", core dumped" : "");
	else
		snprintf(how, sizeof(how), "ended normally with status %d", end->status);
	if (!count(trace, &c)) {
		talk_note("the program %s; its trace '%s' cannot be read", how, trace);
		return;
	}
	if (c.open && c.events == 0)
		snprintf(what, sizeof(what), "%zu thread%s", c.threads, c.threads == 1 ? "" : "s");
	else
		snprintf(what, sizeof(what), "%s%" PRIu64 " events of %zu thread%s",
			 c.open ? "at least " : "", c.events, c.threads, c.threads == 1 ? "" : "s");
	frames_path(trace, &path);
	talk_note("recorded %s in %.2f s; the program %s; trace: %s (%" PRIu64 " bytes)", what,
		  end->seconds, how, strbuf_str(&path), c.bytes);
	if (c.dropped)
		talk_note("%" PRIu64 " earlier events were dropped, as --keep asks", c.dropped);
	strbuf_release(&path);
}

void session_notes(const struct session *s, const char *trace)
{
	struct trace_options opt = { 0 };
	struct diag d = { 0 };
	struct trace *t;

	if (s->quiet || trace_open(trace, &opt, &t, &d) != ST_OK)
		return;
	show_notes(t);
	trace_close(t);
}
