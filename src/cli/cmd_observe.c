/*
 * observe: listens for recordings and analyses each of them while it is made.
 *
 * This process accepts connections and counts; every peer has a process of its own (live/observe.h),
 * so what one sends cannot harm the others, nor their reports.
 */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/analyse.h"
#include "cli/analyse_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "launch/launch.h"
#include "report/format.h"
#include "launch/side.h"
#include "link/peer.h"
#include "live/observe.h"

enum { OBSERVE_SPOOL_SIZE = 1 };

#define MOST_PEERS 1000

struct server {
	struct observe o;
	const char *listen, *token_file;
	uint64_t most_peers;
	bool made_token;
	int signals;
	VEC(struct side) peers;
	unsigned count;
	bool leaving;
	int64_t left_ms; /* when it was told to */
	int status;
};

#define AT(member) OPTION_AT(struct server, member)
static const struct option_def observe_options[] = {
	{ AT(listen), 0, "listen", "ADDR", "where to listen; default a socket of your own" },
	ANALYSE_OPTIONS,
	{ AT(o.spool), 0, "spool", "DIR", "keep what was received, in files in DIR" },
	{ .id = OBSERVE_SPOOL_SIZE,
	  0,
	  "spool-size",
	  "SIZE",
	  "of each recording keep the last SIZE; default 4G" },
	{ AT(o.once), 0, "once", NULL, "leave after one recording" },
	{ AT(token_file), 0, "token-file", "FILE",
	  "recordings must show the token in the first line of FILE" },
	{ AT(most_peers), 0, "peers", "N", "recordings at one time; default 8",
	  OPTION_NUMBER(struct server, most_peers, 1, MOST_PEERS) },
	{ AT(o.quiet), 'q', "quiet", NULL, "say nothing but errors" },
	INPUT_COLOR_OPTION,
	{ 0 },
};

/* ---- beginning ---- */

static bool find_token(struct server *s)
{
	if (token_find(NULL, s->token_file, s->o.quiet, s->o.token) != EXIT_FINE)
		return false;
	if (s->o.token[0] || !s->o.where.tcp)
		return true;
	s->made_token = true;
	return token_make(s->o.token) == EXIT_FINE;
}

static bool start_listening(struct server *s)
{
	struct address *a = &s->o.where;
	struct diag d = { 0 };
	enum status st = s->listen ? address_parse(a, s->listen, &d) : address_default(a, &d);

	if (st == ST_OK && !find_token(s))
		return false;
	if (st == ST_OK)
		st = address_listen(a, &s->o.listener, &d);
	if (st != ST_OK)
		talk_error("%s", d.message);
	return st == ST_OK;
}

static bool make_spool(const char *path)
{
	struct stat st;

	if (!path || mkdir(path, 0700) == 0)
		return true;
	if (errno == EEXIST && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	if (errno == EEXIST && access(path, W_OK | X_OK) == 0)
		return true;
	talk_error("cannot use the directory '%s' for recordings: %s", path, strerror(errno));
	return false;
}

static bool catch_signals(struct server *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &s->o.mask);
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->o.lock = memfd_create("foresee-output", MFD_CLOEXEC);
	if (s->signals >= 0 && s->o.lock >= 0)
		return true;
	talk_error("cannot start: %s", strerror(errno));
	return false;
}

/* The line to type; a token that was made now can be learnt from nowhere else. */
static void tell_where(const struct server *s)
{
	struct strbuf where = { 0 }, name = { 0 }, with = { 0 };
	const char *at;

	address_format(&s->o.where, &where);
	if (address_is_any(&s->o.where))
		strbuf_addf(&name, "HOST:%s", s->o.where.port);
	else
		strbuf_adds(&name, strbuf_str(&where));
	at = strbuf_str(&where);
	if (s->token_file)
		strbuf_addf(&with, " --token-file %s", s->token_file);
	if (!s->o.quiet || s->made_token)
		talk_note("listening on %s; record with: %s%s%sforesee record --observer %s%s PROG",
			  at, s->made_token ? "FORESEE_TOKEN=" : "",
			  s->made_token ? s->o.token : "", s->made_token ? " " : "",
			  strbuf_str(&name), strbuf_str(&with));
	if (!s->o.quiet && !address_is_local(&s->o.where))
		talk_more("what is sent there is not encrypted: use a network that you trust");
	strbuf_release(&where);
	strbuf_release(&name);
	strbuf_release(&with);
}

/* ---- peers ---- */

static void count_peer(struct server *s, int status)
{
	if (status == OBSERVE_TURNED_AWAY)
		return;
	if (status > EXIT_LIMIT || status < 0) {
		talk_error("the process for a recording died%s; its report is lost",
			   status > 128 ? " (it was killed)" : "");
		status = EXIT_TROUBLE;
	}
	s->status = analyse_worse(s->status, status);
	s->leaving |= s->o.once;
}

static void accept_peer(struct server *s)
{
	int fd = accept4(s->o.listener, NULL, NULL, SOCK_CLOEXEC);
	struct observe_peer p = { .o = &s->o, .fd = fd, .number = s->count + 1 };
	struct diag d = { 0 };
	struct side side;

	if (fd < 0)
		return;
	if (address_trust(&s->o.where, fd, &d) != ST_OK) {
		talk_note("turned away a peer: %s", d.message);
		observe_refuse(fd, false, "you are neither the user who observes nor root");
		return;
	}
	if (s->peers.n >= s->most_peers) {
		if (!s->o.quiet)
			talk_note("turned away a peer: there are %zu already (--peers)",
				  s->peers.n);
		observe_refuse(fd, true, "it has as many recordings as it takes (--peers)");
		return;
	}
	if (side_start(&side, observe_peer, &p)) {
		s->count++;
		*VEC_PUSH(&s->peers) = side;
		close(fd);
	} else {
		talk_error("cannot start a process for a recording: %s", strerror(errno));
		observe_refuse(fd, true, "it cannot take a recording now");
	}
}

/* Of the first n, whose ends are in fds. */
static void end_peers(struct server *s, const struct pollfd *fds, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		if (fds[i].revents == 0)
			continue;
		count_peer(s, side_end(&s->peers.at[i], -1));
		s->peers.at[i] = s->peers.at[--s->peers.n];
	}
}

/* The first request: reports of what there is.  The second: no more. */
static void obey(struct server *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (s->leaving && talk_clock_ms() - s->left_ms < LAUNCH_ECHO_MS)
		return;
	if (s->leaving) {
		for (size_t i = 0; i < s->peers.n; i++)
			kill(s->peers.at[i].pid, SIGKILL);
	} else if (s->peers.n && !s->o.quiet) {
		talk_note("stopping; reports of what has come are next, Ctrl-C again ends at once");
	}
	s->leaving = true;
	s->left_ms = talk_clock_ms();
	for (size_t i = 0; i < s->peers.n; i++)
		side_tell(&s->peers.at[i]);
}

static void serve(struct server *s)
{
	VEC(struct pollfd) fds = { 0 };

	while (!s->leaving || s->peers.n) {
		size_t n = s->peers.n;

		VEC_CLEAR(&fds);
		for (size_t i = 0; i < n; i++)
			*VEC_PUSH(&fds) = (struct pollfd){ s->peers.at[i].said, POLLIN, 0 };
		*VEC_PUSH(&fds) = (struct pollfd){ s->signals, POLLIN, 0 };
		*VEC_PUSH(&fds) = (struct pollfd){ s->leaving ? -1 : s->o.listener, POLLIN, 0 };
		if (poll(fds.at, fds.n, -1) < 0 && errno != EINTR)
			break;
		if (fds.at[n].revents)
			obey(s);
		if (fds.at[n + 1].revents && !s->leaving)
			accept_peer(s);
		end_peers(s, fds.at, n);
	}
	VEC_RELEASE(&fds);
}

static int observe(struct server *s)
{
	if (s->o.once)
		s->most_peers = 1;
	s->o.analyse.quiet = s->o.quiet;
	if (!make_spool(s->o.spool) || !analyse_begin(&s->o.analyse, NULL, 0) ||
	    !catch_signals(s) || !start_listening(s))
		return EXIT_TROUBLE;
	tell_where(s);
	serve(s);
	address_unlisten(&s->o.where);
	close(s->o.listener);
	return analyse_finish(&s->o.analyse, s->status);
}

/* ---- options ---- */

static bool take_spool_size(void *server, const struct option_parser *p, int id, const char *value)
{
	struct server *s = server;

	(void)id;
	return option_size(p, value, STORE_LEAST_BYTES, &s->o.limits.bytes);
}

static int observe_command(const struct command *c, int argc, char **argv)
{
	struct server s = { .most_peers = 8, .status = EXIT_FINE };
	struct option_parser p = { .into = { [OPTION_OWN] = &s, [OPTION_ANALYSE] = &s.o.analyse } };
	int status;

	s.o.limits = store_limits_default;
	analyse_init(&s.o.analyse);
	if (command_options(c, &p, argc, argv, &status)) {
		const struct format *f = s.o.analyse.format;
		const char *one = s.o.analyse.html ? "html" : f && f->begin ? f->name : NULL;

		if (p.noperands)
			status = command_misuse(c, "observe takes no argument '%s'", p.operands[0]);
		else if (one) /* recordings that go on at the same time cannot share one */
			status = command_misuse(
				c, "-f %s is one report of all: use check of what --spool keeps",
				one);
		else
			status = observe(&s);
	}
	VEC_RELEASE(&s.peers);
	analyse_release(&s.o.analyse);
	return status;
}

const struct command cmd_observe = {
	.name = "observe",
	.usage = "[OPTIONS]",
	.summary = "analyse recordings while they are made, by 'foresee record --observer'",
	.details =
		"ADDR is unix:/PATH, HOST:PORT or :PORT (this machine only). Over TCP a token is\n"
		"wanted: from --token-file, FORESEE_TOKEN, or one that is made and printed. Ctrl-C\n"
		"ends it, with the reports of recordings that go on. The status is the worst of\n"
		"what 'foresee check' would give for each.\n",
	.options = observe_options,
	.project = PROJECT_ALL,
	.more = analyse_list,
	.take = take_spool_size,
	.run = observe_command,
};
