/*
 * A message is the environment of the command, each variable with its NUL, in one packet, and with
 * it the file that becomes the command's standard input.
 */
#include "analyse/notify.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/side.h"
#include "report/report.h"
#include "report/kept.h"

#define PACKET (32u << 10)
#define VALUE 4000 /* bytes of a variable's value; a longer one is cut */
#define SECONDS 30
#define SEND_MS 200 /* the other side takes packets at once, unless it is stopped */

struct notify {
	const char *command;
	bool quiet;
	int to, from; /* ends of the socket */
	struct side side;
};

/* A packet's one file. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* ---- sending ---- */

static void add_variable(struct strbuf *b, const char *name, const char *value)
{
	size_t n = strlen(value);

	strbuf_addf(b, "%s=", name);
	strbuf_add(b, value, n < VALUE ? n : VALUE);
	strbuf_add(b, "", 1);
}

static void add_number(struct strbuf *b, const char *name, long number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%ld", number);
	add_variable(b, name, digits);
}

static void message_format(const struct kept *k, uint32_t id, const char *trace, pid_t target,
			   struct strbuf *b)
{
	add_number(b, "FORESEE_ID", (long)id);
	add_variable(b, "FORESEE_KIND", finding_kind_name(k->kind));
	add_variable(b, "FORESEE_STATUS", finding_status_name(k->status));
	add_variable(b, "FORESEE_OBJECT", k->object);
	add_variable(b, "FORESEE_SUMMARY", k->summary);
	add_variable(b, "FORESEE_TRACE", trace);
	if (target > 0)
		add_number(b, "FORESEE_TARGET", (long)target);
}

/* The object in a file without a name, to be read from its start. */
static int json_file(const struct kept *k, uint32_t id)
{
	int fd = memfd_create("foresee-finding", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
	bool good = to != NULL;

	if (to) {
		findings_json_object(id, k->json, to);
		putc('\n', to);
		good = fclose(to) == 0;
	}
	if (good && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (!to && copy >= 0)
		close(copy);
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool packet_send(const struct notify *n, const struct strbuf *text, int fd)
{
	union control control = { 0 };
	struct iovec part = { .iov_base = text->at, .iov_len = text->n };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct pollfd room = { .fd = n->to, .events = POLLOUT };

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return poll(&room, 1, SEND_MS) == 1 && sendmsg(n->to, &m, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

void notify_send(struct notify *n, const struct kept *k, uint32_t id, const char *trace,
		 pid_t target)
{
	STRBUF_SCOPED text = { 0 };
	int fd;

	if (!n)
		return;
	fd = json_file(k, id);
	message_format(k, id, trace, target, &text);
	if (fd < 0 || !packet_send(n, &text, fd))
		talk_error("cannot tell the command of --on-finding of finding %u: %s", id,
			   strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* ---- the process beside ---- */

struct message {
	char *text;
	size_t n;
	int input;
};

struct runner {
	const struct notify *n;
	VEC(struct message) queue;
	uint64_t dropped;
	double seconds;
	/* The command that runs. */
	pid_t pid;  /* 0 none */
	int handle; /* pidfd, or -1 */
	double until;
	char id[16];
};

static const char *variable(const struct message *m, const char *name)
{
	size_t n = strlen(name);

	for (size_t at = 0; at < m->n; at += strlen(m->text + at) + 1)
		if (strncmp(m->text + at, name, n) == 0 && m->text[at + n] == '=')
			return m->text + at + n + 1;
	return "";
}

static void message_release(struct message *m)
{
	mem_free(m->text);
	close(m->input);
}

/* False: nothing is there. */
static bool receive(struct runner *r)
{
	union control control;
	char text[PACKET];
	struct iovec part = { .iov_base = text, .iov_len = sizeof(text) - 1 };
	struct msghdr h = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(r->n->from, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&h) : NULL;
	struct message m = { .n = n > 0 ? (size_t)n : 0 };

	if (n <= 0)
		return false;
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return true;
	memcpy(&m.input, CMSG_DATA(c), sizeof(m.input));
	m.text = mem_text(text, m.n);
	if (r->queue.n < NOTIFY_QUEUE) {
		*VEC_PUSH(&r->queue) = m;
	} else {
		r->dropped++;
		message_release(&m);
	}
	return true;
}

static _Noreturn void become(const struct runner *r, const struct message *m)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_DFL);
	setpgid(0, 0);
	unsetenv("FORESEE_TARGET");
	for (size_t at = 0; at < m->n; at += strlen(m->text + at) + 1)
		putenv(m->text + at);
	if (dup2(m->input, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(126);
	execl("/bin/sh", "sh", "-c", r->n->command, (char *)NULL);
	_exit(127);
}

static void command_start(struct runner *r)
{
	struct message m = r->queue.at[0];

	memmove(r->queue.at, r->queue.at + 1, --r->queue.n * sizeof(m));
	fflush(NULL);
	r->pid = fork();
	if (r->pid == 0)
		become(r, &m);
	snprintf(r->id, sizeof(r->id), "%s", variable(&m, "FORESEE_ID"));
	message_release(&m);
	if (r->pid < 0) {
		talk_error("cannot run the command of --on-finding: %s", strerror(errno));
		r->pid = 0;
		return;
	}
	setpgid(r->pid, r->pid); /* whoever comes first: it must be so before it is killed */
	r->handle = (int)syscall(SYS_pidfd_open, r->pid, 0);
	r->until = talk_clock() + r->seconds;
}

static void command_end(struct runner *r, int status)
{
	if (r->handle >= 0)
		close(r->handle);
	r->pid = 0;
	if (r->n->quiet || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return;
	if (WIFSIGNALED(status))
		talk_note("the command of --on-finding was killed by signal %d, for finding %s",
			  WTERMSIG(status), r->id);
	else
		talk_note("the command of --on-finding ended with status %d, for finding %s",
			  WEXITSTATUS(status), r->id);
}

/* With all that it has started. */
static void command_kill(struct runner *r)
{
	int status = 0;

	kill(-r->pid, SIGKILL);
	kill(r->pid, SIGKILL);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	talk_note("the command of --on-finding took more than %.0f s for finding %s and was "
		  "killed",
		  r->seconds, r->id);
	command_end(r, 0);
}

static void command_look(struct runner *r)
{
	int status;

	if (r->pid && waitpid(r->pid, &status, WNOHANG) == r->pid)
		command_end(r, status);
	else if (r->pid && talk_clock() >= r->until)
		command_kill(r);
}

/* Until something happens. */
static void rest(const struct runner *r, int stop)
{
	double left = r->pid ? r->until - talk_clock() : 3600;
	int ms = left <= 0 ? 0 : (int)(left * 1000) + 1;
	struct pollfd p[3] = {
		{ .fd = r->n->from, .events = POLLIN },
		{ .fd = r->pid ? r->handle : -1, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};

	if (r->pid && r->handle < 0 && ms > 50)
		ms = 50; /* an old kernel */
	poll(p, 3, ms);
}

static int run_commands(void *arg, int stop, int say)
{
	const char *given = getenv("FORESEE_COMMAND_SECONDS");
	struct runner r = { .n = arg, .seconds = given ? atof(given) : SECONDS };
	double end = 0;

	close(say);
	close(r.n->to);
	if (r.seconds <= 0)
		r.seconds = SECONDS;
	for (;;) {
		while (receive(&r))
			;
		command_look(&r);
		if (end > 0 && talk_clock() >= end) {
			r.dropped += r.queue.n;
			VEC_CLEAR(&r.queue);
		}
		if (r.pid == 0 && r.queue.n) {
			command_start(&r);
			continue;
		}
		if (end == 0 && side_is_over(stop, 0)) {
			end = talk_clock() + 2 * r.seconds;
			continue; /* what was sent before */
		}
		if (end > 0 && r.pid == 0)
			break;
		rest(&r, end > 0 ? -1 : stop);
	}
	if (r.dropped)
		talk_note("the command of --on-finding is slow: it was not run for %" PRIu64
			  " of the findings",
			  r.dropped);
	return 0;
}

/* ---- its life ---- */

struct notify *notify_start(const char *command, bool quiet)
{
	struct notify *n = mem_zalloc(sizeof(*n));
	int ends[2] = { -1, -1 };

	n->command = command;
	n->quiet = quiet;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
		n->to = ends[0];
		n->from = ends[1];
		if (side_start(&n->side, run_commands, n)) {
			close(n->from);
			return n;
		}
		close(n->to);
		close(n->from);
	}
	talk_error("cannot start a process for --on-finding: %s", strerror(errno));
	mem_free(n);
	return NULL;
}

void notify_end(struct notify *n)
{
	if (!n)
		return;
	side_end(&n->side, -1);
	close(n->to);
	mem_free(n);
}
