#include "live/forward.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/launch.h"
#include "link/peer.h"
#include "link/relay.h"

#define RETRY_MS 1000
#define LOOK_MS 100	 /* between looks at the file while it grows */
#define LOOK_MOST_MS 400 /* while it does not */
#define BEHIND_BYTES ((uint64_t)64 << 20)
#define PATIENCE_MS 5000 /* for the process to leave, when its time is over */

/* How the program ended; set before the process is told. */
struct forward_end {
	uint32_t status, signal;
};

int forward_prepare(struct forward *f, const char *program)
{
	struct diag d = { 0 };

	f->program = program;
	if (address_parse(&f->where, f->observer, &d) != ST_OK) {
		talk_error("%s", d.message);
		return EXIT_TROUBLE;
	}
	if (token_find(f->token_given, f->token_file, f->quiet, f->token) != EXIT_FINE)
		return EXIT_TROUBLE;
	if (f->where.tcp && !f->token[0]) {
		talk_error("an observer over TCP wants a token: use --token-file, or set "
			   "FORESEE_TOKEN, to what 'foresee observe' said");
		return EXIT_TROUBLE;
	}
	return EXIT_FINE;
}

/* ---- the process ---- */

struct sender {
	const struct forward *f;
	const char *name; /* of the observer */
	int stop;
	struct relay *relay;
	struct peer peer;
	int64_t deadline; /* when to give up; 0: the program runs */
	bool told_waiting, told_lost, told_behind, told_over;
	/* This connection. */
	struct message next; /* not sent yet */
	bool has_next;
	int64_t look_ms; /* when the next look is due */
	int pause_ms;
	bool looked_last, ended;
};

enum outcome {
	GOING_ON,
	RECEIVED, /* all of it */
	LOST,	  /* try again */
	REFUSED,
	TOO_LATE
};

/* Notices the end of the run; false: the time after it is over too. */
static bool has_time(struct sender *s)
{
	if (!s->deadline && side_is_over(s->stop, 0))
		s->deadline = talk_clock_ms() + (int64_t)s->f->wait * 1000;
	return !s->deadline || talk_clock_ms() < s->deadline;
}

/* Sleeps, or less when the end comes nearer. */
static void pause_for(struct sender *s, int ms)
{
	int64_t left = s->deadline ? s->deadline - talk_clock_ms() : ms;

	if (left < ms)
		ms = left > 0 ? (int)left : 0;
	if (s->deadline)
		poll(NULL, 0, ms);
	else
		(void)side_is_over(s->stop, ms);
}

/* ST_END: the program is over and there is none. */
static enum status wait_for_file(struct sender *s, struct diag *d)
{
	for (;;) {
		bool over = side_is_over(s->stop, 0);
		enum status st = relay_open(s->f->trace, &s->relay, d);

		if (st != ST_END || over)
			return st;
		(void)side_is_over(s->stop, LOOK_MS / 4);
	}
}

static void tell_waiting(struct sender *s, const char *why)
{
	if (!s->told_waiting && !s->f->quiet)
		talk_note("%s; the program runs, its recording goes to '%s', and is sent when the "
			  "observer is there",
			  why, s->f->trace);
	s->told_waiting = true;
}

static enum outcome refused(const struct sender *s, const struct message *m)
{
	talk_error("observer %s refuses: %s", s->name, m->refused.words);
	talk_more("the recording goes on, to '%s'", s->f->trace);
	return REFUSED;
}

/* Waits for the answer to HELLO. */
static enum outcome wait_for_welcome(struct sender *s, struct diag *d)
{
	int64_t until = talk_clock_ms() + PEER_HANDSHAKE_MS;
	struct message m;

	while (has_time(s) && talk_clock_ms() < until) {
		enum status moved = peer_move(&s->peer, -1, LOOK_MS, d);
		enum status st = message_take(&s->peer.in, &m, d);

		if (st == ST_OK && m.type == MESSAGE_WELCOME)
			return GOING_ON;
		if (st == ST_OK && m.type == MESSAGE_REFUSED && !m.refused.again)
			return refused(s, &m);
		if (st == ST_OK && m.type == MESSAGE_REFUSED)
			diag_set(d, "observer %s is busy: %s", s->name, m.refused.words);
		if (st != ST_END || moved != ST_OK)
			break;
	}
	diag_set(d, "observer %s does not answer", s->name);
	return LOST;
}

static enum outcome greet(struct sender *s, struct diag *d)
{
	struct message hello = { .type = MESSAGE_HELLO,
				 .hello = { .token = s->f->token, .program = s->f->program } };

	relay_describe(s->relay, &hello.hello);
	if (!peer_send(&s->peer, &hello))
		BUG("no room for the first message");
	return wait_for_welcome(s, d);
}

static enum outcome meet(struct sender *s)
{
	struct diag d = { 0 };
	enum outcome o = LOST;
	int fd;

	if (address_connect(&s->f->where, &fd, &d) != ST_OK) {
		tell_waiting(s, d.message);
		return LOST;
	}
	peer_init(&s->peer, fd);
	if (address_trust(&s->f->where, fd, &d) != ST_OK) {
		talk_error("%s; nothing is sent", d.message);
		o = REFUSED;
	} else {
		o = greet(s, &d);
	}
	if (o == GOING_ON)
		return o;
	if (o == LOST)
		tell_waiting(s, d.message);
	peer_release(&s->peer);
	return o;
}

/* ---- sending ---- */

static void look(struct sender *s)
{
	int64_t now = talk_clock_ms();

	if (s->looked_last || (now < s->look_ms && !s->deadline))
		return;
	relay_look(s->relay, s->deadline != 0);
	s->looked_last = s->deadline != 0;
	s->has_next = relay_next(s->relay, &s->next);
	s->pause_ms = s->has_next ? LOOK_MS : s->pause_ms * 3 / 2;
	if (s->pause_ms > LOOK_MOST_MS)
		s->pause_ms = LOOK_MOST_MS;
	s->look_ms = now + s->pause_ms;
}

/* Puts as much as there is room for.  After the last look comes the end. */
static void fill(struct sender *s)
{
	struct message end = { .type = MESSAGE_END };

	if (!s->has_next)
		look(s);
	while (s->has_next && peer_send(&s->peer, &s->next))
		s->has_next = relay_next(s->relay, &s->next);
	if (s->has_next || !s->looked_last || s->ended)
		return;
	end.end.status = s->f->end->status;
	end.end.signal = s->f->end->signal;
	end.end.signal |= relay_fault(s->relay, end.end.signal & MESSAGE_SIGNAL)
			  << MESSAGE_FAULT_SHIFT;
	end.end.bytes = relay_sent(s->relay);
	s->ended = peer_send(&s->peer, &end);
}

static enum outcome hear(struct sender *s, struct diag *d)
{
	struct message m;
	enum status st;

	while ((st = message_take(&s->peer.in, &m, d)) == ST_OK) {
		if (m.type == MESSAGE_REFUSED)
			return refused(s, &m);
		if (m.type == MESSAGE_BYE)
			return s->ended && m.bye.bytes == relay_sent(s->relay) ? RECEIVED : LOST;
	}
	return st == ST_END ? GOING_ON : LOST;
}

static void tell_behind(struct sender *s)
{
	uint64_t behind = relay_behind(s->relay);

	if (s->told_behind || s->f->quiet || behind < BEHIND_BYTES)
		return;
	s->told_behind = true;
	talk_note("the observer is %" PRIu64
		  " MiB behind; nothing is lost: the recording is in '%s'",
		  behind >> 20, s->f->trace);
}

static enum outcome send_on(struct sender *s, struct diag *d)
{
	int ms = s->has_next || peer_has_unsent(&s->peer) ? LOOK_MS
							  : (int)(s->look_ms - talk_clock_ms());
	enum outcome o;
	enum status st;

	fill(s);
	tell_behind(s);
	if (ms < 1 || ms > LOOK_MOST_MS)
		ms = s->looked_last ? LOOK_MS : 1;
	st = peer_move(&s->peer, s->deadline ? -1 : s->stop, ms, d);
	o = hear(s, d);
	if (o != GOING_ON)
		return o;
	if (st == ST_OK && !peer_keep(&s->peer)) {
		diag_set(d, "it says nothing any more");
		return LOST;
	}
	return st == ST_OK ? GOING_ON : LOST;
}

/* One connection, from its beginning to its end. */
static enum outcome serve(struct sender *s)
{
	enum outcome o = meet(s);
	struct diag d = { 0 };

	if (o != GOING_ON)
		return o;
	relay_rewind(s->relay);
	s->has_next = s->looked_last = s->ended = false;
	s->look_ms = 0;
	s->pause_ms = LOOK_MS;
	while (o == GOING_ON)
		o = has_time(s) ? send_on(s, &d) : TOO_LATE;
	if (o == LOST && !s->told_lost && !s->f->quiet) {
		talk_note("observer %s is gone (%s); the recording goes on, to '%s', and is sent "
			  "again when there is an observer",
			  s->name, d.message[0] ? d.message : "it broke off", s->f->trace);
		s->told_lost = true;
	}
	s->told_waiting |= o == LOST;
	peer_release(&s->peer);
	return o;
}

/* The user sees a program that has ended, and us not leaving. */
static void tell_over(struct sender *s, enum outcome o)
{
	if (o != LOST || !s->deadline || s->told_over || s->f->quiet || !has_time(s))
		return;
	s->told_over = true;
	talk_note("the program has ended; waiting up to %" PRIu64
		  " s for observer %s (--observer-wait), Ctrl-C leaves",
		  s->f->wait, s->name);
}

static void tell_outcome(const struct sender *s, enum outcome o)
{
	uint64_t sent = relay_sent(s->relay), dropped = relay_dropped(s->relay);

	if (s->f->quiet)
		return;
	if (o == RECEIVED)
		talk_note("observer %s has received all %" PRIu64 " bytes", s->name, sent);
	if (o == RECEIVED && dropped)
		talk_more("but %" PRIu64 " chunks were gone before they could be sent (--keep)",
			  dropped);
	if (o == TOO_LATE || o == LOST) {
		talk_note("observer %s has not received all of the recording within %" PRIu64
			  " s of its end",
			  s->name, s->f->wait);
		talk_more("nothing is lost: 'foresee check %s' looks at all of it", s->f->trace);
	}
}

static int forward_work(void *arg, int stop, int say)
{
	struct sender s = { .f = arg, .stop = stop };
	STRBUF_SCOPED name = { 0 };
	struct diag d = { 0 };
	enum outcome o = LOST;

	(void)say;
	(void)!nice(10); /* the program comes first */
	address_format(&s.f->where, &name);
	s.name = strbuf_str(&name);
	if (wait_for_file(&s, &d) != ST_OK) {
		if (d.message[0])
			talk_error("%s; nothing is sent to the observer", d.message);
		return EXIT_TROUBLE;
	}
	while (o == LOST && has_time(&s)) {
		o = serve(&s);
		tell_over(&s, o);
		if (o == LOST)
			pause_for(&s, RETRY_MS);
	}
	tell_outcome(&s, o);
	relay_close(s.relay);
	return o == RECEIVED ? EXIT_FINE : EXIT_TROUBLE;
}

/* ---- around it ---- */

void forward_begin(void *forward, const char *trace)
{
	struct forward *f = forward;

	f->trace = trace;
	f->end = mmap(NULL, sizeof(*f->end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (f->end == MAP_FAILED || !side_start(&f->side, forward_work, f)) {
		talk_error("cannot start a process for the observer: %s; nothing is sent",
			   strerror(errno));
		f->side.pid = 0;
	}
}

void forward_end(void *forward, const char *trace, const struct launch_end *end)
{
	struct forward *f = forward;
	int status;

	if (f->end == MAP_FAILED)
		return;
	f->end->status = (uint32_t)end->status;
	f->end->signal = (uint32_t)end->signal | (end->hung ? MESSAGE_HUNG : 0) |
			 (end->asked ? MESSAGE_ASKED : 0);
	status = side_end(&f->side, (int)(f->wait * 1000) + PATIENCE_MS);
	if (status >= 128 && !f->quiet)
		talk_note("the process that sent the recording was killed (signal %d); nothing is "
			  "lost: 'foresee check %s' looks at all of it",
			  status - 128, trace);
	munmap(f->end, sizeof(*f->end));
}
