#include "live/observe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/side.h"
#include "link/peer.h"
#include "live/live.h"
#include "trace/trace.h"

#define LOOK_MS 1000	 /* at the clock, when nothing comes */
#define FAREWELL_MS 2000 /* for the last words to go out */

struct watch {
	struct observe *o;
	unsigned number;
	int stop;
	struct peer peer;
	struct store *store;
	struct strbuf spool; /* path */
	char *program;	     /* as the user knows it: "server (process 123)" */
	FILE *out;	     /* the real output */
	bool failed;	     /* we did, not the peer */
};

/* ---- talking to the peer ---- */

/* Sends what is queued, for a while. */
static void flush_out(struct peer *p)
{
	int64_t until = talk_clock_ms() + FAREWELL_MS;
	struct diag d = { 0 };

	while (peer_has_unsent(p) && talk_clock_ms() < until)
		if (peer_move(p, -1, 100, &d) != ST_OK)
			return;
}

static void say_refused(struct peer *p, bool again, const char *why)
{
	struct message m = { .type = MESSAGE_REFUSED, .refused = { again, why } };

	/* Whatever waits to go out is of no use any more, but half a message would be. */
	if (p->out.begin == 0)
		p->out.end = 0;
	if (peer_send(p, &m))
		flush_out(p);
}

/* A close with bytes unread would take our last words with it: let some of them come first. */
static void drain(struct peer *p)
{
	int64_t until = talk_clock_ms() + FAREWELL_MS / 4;
	struct diag d = { 0 };

	shutdown(p->fd, SHUT_WR);
	while (talk_clock_ms() < until) {
		p->in.begin = p->in.end = 0;
		if (peer_move(p, -1, 50, &d) != ST_OK)
			return;
	}
}

void observe_refuse(int fd, bool again, const char *why)
{
	struct message m = { .type = MESSAGE_REFUSED, .refused = { again, why } };
	struct diag d = { 0 };
	struct peer p;

	/* At once or not at all: others wait to be accepted. */
	peer_init(&p, fd);
	if (peer_send(&p, &m))
		(void)!peer_move(&p, -1, 0, &d);
	peer_release(&p);
}

static int turn_away(struct watch *w, const char *why)
{
	talk_note("turned away peer %u: %s", w->number, why);
	say_refused(&w->peer, false, why);
	drain(&w->peer);
	return OBSERVE_TURNED_AWAY;
}

/* Another observer, say, that looked whether anybody listens here. */
static bool was_a_look(const struct peer *p)
{
	char byte;

	return p->received == 0 && recv(p->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* ---- the first message ---- */

static bool hello_is_good(const struct watch *w, const struct message_hello *h, struct diag *d)
{
	if (w->o->token[0] && !peer_token_is(h->token, w->o->token))
		diag_set(d, h->token[0] ? "wrong token"
					: "no token; give record --token-file, or FORESEE_TOKEN");
	else if (h->format == 0 || h->format > FORMAT_VERSION)
		diag_set(d,
			 "the recording has version %u, this foresee reads up to %u; use the same "
			 "foresee on both sides",
			 h->format, FORMAT_VERSION);
	else
		return true;
	return false;
}

/* True: *m is the peer's HELLO, and good. */
static bool hear_hello(struct watch *w, struct message *m, struct diag *d)
{
	int64_t until = talk_clock_ms() + PEER_HANDSHAKE_MS;

	while (talk_clock_ms() < until) {
		enum status moved = peer_move(&w->peer, w->stop, 200, d);
		enum status st = message_take(&w->peer.in, m, d);

		if (st == ST_OK && m->type == MESSAGE_HELLO)
			return hello_is_good(w, &m->hello, d);
		if (st == ST_OK)
			diag_set(d, "its first message is not hello");
		if (st != ST_END || moved != ST_OK)
			return false;
		if (side_is_over(w->stop, 0))
			break;
	}
	diag_set(d, "it did not say who it is in time");
	return false;
}

/* ---- the spool ---- */

/* A part of a file's name. */
static void add_plain(struct strbuf *b, const char *program)
{
	const char *slash = strrchr(program, '/');

	for (const char *p = slash ? slash + 1 : program; *p && b->n < 200; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			     (*p >= '0' && *p <= '9') || strchr("._+-", *p);

		strbuf_addf(b, "%c", plain ? *p : '_');
	}
}

static bool name_spool(struct watch *w, const struct message_hello *h, struct diag *d)
{
	const char *where = getenv("TMPDIR");
	int fd;

	if (w->o->spool) {
		STRBUF_SCOPED name = { 0 };

		add_plain(&name, h->program);
		strbuf_addf(&w->spool, "%s/%s-%u-%u.foresee", w->o->spool, strbuf_str(&name),
			    h->pid, w->number);
		return true;
	}
	strbuf_addf(&w->spool, "%s/foresee-observe.XXXXXX", where && *where ? where : "/tmp");
	fd = mkostemp(w->spool.at, O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else
		diag_set(d, "cannot make the spool '%s': %s", w->spool.at, strerror(errno));
	return fd >= 0;
}

/* Visible characters only: it goes to terminals. */
static char *describe(const struct message_hello *h)
{
	struct strbuf b = { 0 };

	add_plain(&b, h->program);
	strbuf_addf(&b, " (process %u)", h->pid);
	return b.at;
}

/* ---- receiving ---- */

/* ST_OK: the run has ended, as *out says; else why there is no more, in *d. */
static enum status take_messages(struct watch *w, struct store_info *out, struct diag *d)
{
	struct message m;
	enum status st = ST_OK;

	for (out->ended = false; st == ST_OK && !out->ended;) {
		st = message_take(&w->peer.in, &m, d);
		if (st == ST_OK)
			st = store_take(w->store, &m, d);
		store_info(w->store, out);
	}
	return st;
}

static void say_bye(struct watch *w, uint64_t received)
{
	struct message bye = { .type = MESSAGE_BYE, .bye = { .bytes = received } };

	if (peer_send(&w->peer, &bye))
		flush_out(&w->peer);
}

/* Until the run is over.  True: all of it has come; else why not is told. */
static bool receive(struct watch *w)
{
	struct diag d = { 0 };

	for (;;) {
		enum status moved = peer_move(&w->peer, w->stop, LOOK_MS, &d);
		struct diag wrong = { 0 };
		struct store_info info;
		enum status st = take_messages(w, &info, &wrong);

		if (st == ST_OK) {
			say_bye(w, info.received);
			return true;
		}
		if (st != ST_END) {
			w->failed = st == ST_IO;
			talk_error("%s: %s; it is turned away", w->program, wrong.message);
			say_refused(&w->peer, false, wrong.message);
			drain(&w->peer);
			return false;
		}
		if (moved == ST_OK && !peer_keep(&w->peer))
			diag_set(&d, "nothing was heard of it for %d s", PEER_SILENCE_MS / 1000);
		else if (moved == ST_OK && side_is_over(w->stop, 0))
			diag_set(&d, "interrupted");
		if (d.message[0]) {
			if (!w->o->quiet)
				talk_note(
					"%s: %s; what has come is analysed like a run that was killed",
					w->program, d.message);
			return false;
		}
	}
}

/* ---- reports ---- */

static void lock_output(const struct watch *w, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET };

	while (fcntl(w->o->lock, F_SETLKW, &l) != 0 && errno == EINTR)
		;
}

/* Several processes write to one output: each all at once. */
static bool put_out(const struct watch *w, const char *text, size_t n)
{
	bool good;

	lock_output(w, F_WRLCK);
	good = strbuf_write(fileno(w->out), text, n);
	lock_output(w, F_UNLCK);
	return good;
}

/* Proofs of several runs have the same names. */
static void name_witness(struct watch *w, struct strbuf *b)
{
	struct analyse *a = &w->o->analyse;

	if (!a->witness_dir || w->o->once)
		return;
	strbuf_addf(b, "%s/%u", a->witness_dir, w->number);
	if (mkdir(b->at, 0777) == 0 || errno == EEXIST)
		a->witness_dir = b->at;
}

/* The report, made apart. */
static int report(struct watch *w)
{
	struct analyse *a = &w->o->analyse;
	STRBUF_SCOPED witness = { 0 };
	char *text = NULL;
	size_t n = 0;
	int status;

	/* It goes to memory; whether it may have colours is up to where it ends. */
	talk_parse_color(talk_is_colored(w->out) ? "always" : "never");
	name_witness(w, &witness);
	a->passing = !w->o->spool;
	a->to = open_memstream(&text, &n);
	if (!a->to)
		return EXIT_TROUBLE;
	if (analyse_is_text(a))
		fprintf(a->to, "%s:\n", w->program);
	status = analyse_trace(a, strbuf_str(&w->spool));
	if (fclose(a->to) != 0 || !put_out(w, text, n)) {
		talk_error("cannot write the report: %s", strerror(errno));
		status = EXIT_TROUBLE;
	}
	a->to = w->out;
	free(text);
	return status;
}

/* A finding, as soon as it is certified; the report at the end has it again. */
static void tell_live(void *arg, const struct kept *k)
{
	const struct watch *w = arg;
	STRBUF_SCOPED b = { 0 };

	if (!w->o->quiet)
		talk_note("%s: live: %s", w->program, k->summary);
	if (!analyse_is_text(&w->o->analyse))
		return;
	strbuf_addf(&b, "%s, while it runs:\n%s\n", w->program, k->text);
	put_out(w, b.at, b.n);
}

static void tell_received(const struct watch *w, bool whole)
{
	struct store_info info;

	store_info(w->store, &info);
	if (w->o->quiet)
		return;
	if (whole && info.signal)
		talk_note("%s was killed by signal %u", w->program, info.signal);
	else if (whole)
		talk_note("%s ended with status %u", w->program, info.status);
	if (info.dropped)
		talk_more("%" PRIu64 " chunks were overwritten before they could be sent (--keep)",
			  info.dropped);
	if (info.emptied)
		talk_more("%" PRIu64 " parts of its beginning were dropped; a larger --spool-size "
			  "keeps more",
			  info.emptied);
	if (w->o->spool)
		talk_more("its recording is in '%s'", strbuf_str(&w->spool));
}

/* As the one has told it who waited for the program. */
static void write_end(const struct watch *w)
{
	struct store_info info;
	struct trace_end end;
	bool became;

	store_info(w->store, &info);
	end = (struct trace_end){ .status = (int)info.status,
				  .signal = (int)info.signal,
				  .hung = info.hung,
				  .asked = info.asked,
				  .fault_tid = info.fault_tid };
	if (info.ended && !trace_end_write(strbuf_str(&w->spool), &end, &became))
		talk_note("%s: cannot note in its recording how it ended", w->program);
}

/* ---- the whole ---- */

static int watch_run(struct watch *w)
{
	struct live_options how = { .tell = tell_live, .arg = w, .remote = true };
	struct live *live;
	bool whole;

	if (!w->o->quiet)
		talk_note("recording of %s begins", w->program);
	live = live_start(&w->o->analyse, strbuf_str(&w->spool), &how);
	whole = receive(w);
	live_end(live, &w->o->analyse);
	tell_received(w, whole);
	write_end(w);
	store_close(w->store);
	w->store = NULL;
	return analyse_worse(report(w), w->failed ? EXIT_TROUBLE : EXIT_FINE);
}

static int watch_peer(struct watch *w)
{
	struct message m;
	struct diag d = { 0 };
	int status;

	if (!hear_hello(w, &m, &d))
		return was_a_look(&w->peer) ? OBSERVE_TURNED_AWAY : turn_away(w, d.message);
	w->program = describe(&m.hello);
	if (!name_spool(w, &m.hello, &d) ||
	    store_open(strbuf_str(&w->spool), &m.hello, &w->o->limits, &w->store, &d) != ST_OK) {
		status = turn_away(w, d.message);
	} else if (!peer_send(&w->peer, &(struct message){ .type = MESSAGE_WELCOME })) {
		BUG("no room for the first message");
	} else {
		status = watch_run(w);
	}
	if (!w->o->spool && w->spool.n)
		unlink(w->spool.at);
	return status;
}

int observe_peer(void *peer, int stop, int say)
{
	struct observe_peer *p = peer;
	struct watch w = { .o = p->o, .number = p->number, .stop = stop, .out = p->o->analyse.to };
	int status;

	(void)say;
	sigprocmask(SIG_SETMASK, &p->o->mask, NULL);
	close(p->o->listener);
	peer_init(&w.peer, p->fd);
	status = watch_peer(&w);
	peer_release(&w.peer);
	store_close(w.store);
	strbuf_release(&w.spool);
	free(w.program);
	return status;
}
