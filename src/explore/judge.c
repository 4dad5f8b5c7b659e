#include "explore/judge.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explore/search.h"
#include "replay/scratch.h"

#define ORACLE_SECONDS 60.0 /* in which an oracle must be done */
#define LOOK_MS 50	    /* between looks at it */
#define SAID_MOST 4000u	    /* bytes of what it said that are shown */
#define CANNOT_RUN 126	    /* sh: the command cannot be run; */
#define NOT_FOUND 127	    /* there is none */

/* ---- files ---- */

static enum status open_file(char **path, int *fd, const char *name, int number, struct diag *d)
{
	*path = scratch_path(name, number);
	/* Appended to, so that a run begins at the beginning when the one before is cut away. */
	*fd = open(*path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	return *fd >= 0 ? ST_OK
			: diag_fail(d, ST_IO, "cannot make '%s': %s", *path, strerror(errno));
}

enum status judge_open(struct judge *j, const struct judge_wish *w, int number, struct diag *d)
{
	enum status st = ST_OK;

	*j = (struct judge){ .wish = w, .out_fd = -1, .err_fd = -1 };
	if (w->oracle) {
		j->said = scratch_path("said", number);
		st = open_file(&j->out, &j->out_fd, "out", number, d);
		if (st == ST_OK)
			st = open_file(&j->err, &j->err_fd, "err", number, d);
	}
	if (w->sandbox)
		j->directory = scratch_path("sandbox", number);
	return st;
}

void judge_close(struct judge *j)
{
	const char *files[] = { j->out, j->err, j->said };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i])
			unlink(files[i]);
	if (j->wish && j->out_fd >= 0)
		close(j->out_fd);
	if (j->wish && j->err_fd >= 0)
		close(j->err_fd);
	if (j->directory)
		scratch_drop(j->directory);
	MEM_FREE_ALL(j->out, j->err, j->said, j->directory);
	*j = (struct judge){ 0 };
}

static void show(int from, FILE *to)
{
	char piece[65536];
	ssize_t n;

	for (off_t at = 0; (n = pread(from, piece, sizeof(piece), at)) > 0; at += n)
		fwrite(piece, 1, (size_t)n, to);
	fflush(to);
}

void judge_show(const struct judge *j)
{
	if (j->out) {
		show(j->out_fd, stdout);
		show(j->err_fd, stderr);
	}
}

char *judge_said(const struct judge *j)
{
	int fd = j->said ? open(j->said, O_RDONLY | O_CLOEXEC) : -1;
	struct strbuf text = { 0 };
	char piece[SAID_MOST];
	struct stat st;
	ssize_t n = 0;

	if (fd >= 0 && fstat(fd, &st) == 0)
		n = pread(fd, piece, sizeof(piece),
			  st.st_size > (off_t)sizeof(piece) ? st.st_size - (off_t)sizeof(piece)
							    : 0);
	if (fd >= 0)
		close(fd);
	strbuf_addf(&text, "%.*s", n > 0 ? (int)n : 0, piece);
	return text.at;
}

/* ---- the oracle ---- */

static _Noreturn void become_oracle(const struct judge *j, int status)
{
	static const int passed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	const char *where = j->directory ? j->directory : j->wish->directory;
	char number[16];
	int said;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		signal(passed[i], SIG_DFL);
	snprintf(number, sizeof(number), "%d", status);
	setenv("FORESEE_STDOUT", j->out, 1);
	setenv("FORESEE_STDERR", j->err, 1);
	setenv("FORESEE_STATUS", number, 1);
	said = open(j->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (said < 0 || dup2(said, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0 ||
	    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO) < 0 ||
	    (where && chdir(where) != 0))
		_exit(CANNOT_RUN);
	execl("/bin/sh", "sh", "-c", j->wish->oracle, (char *)NULL);
	_exit(CANNOT_RUN);
}

/* Until it ends, its time is over, or nobody wants to know any more.  False: it was killed. */
static bool wait_for_oracle(const struct judge *j, pid_t pid, int *status)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = fd, .events = POLLIN };
	double begun = talk_clock();
	bool good = true;

	/* An old kernel: it has all the time it takes. */
	while (good && fd >= 0 && poll(&end, 1, LOOK_MS) <= 0)
		good = talk_clock() - begun < ORACLE_SECONDS &&
		       (!j->keeps || j->keeps(j->keeps_arg));
	if (!good)
		kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL); /* what it has left behind */
	if (fd >= 0)
		close(fd);
	return good;
}

static enum status oracle_fails(const struct judge *j, struct diag *d, const char *how, int number)
{
	char *said = judge_said(j);

	said[strcspn(said, "\n")] = '\0';
	diag_set(d, "the oracle '%s' %s %d%s%s", j->wish->oracle, how, number, *said ? ": " : "",
		 said);
	mem_free(said);
	return ST_IO;
}

static enum status ask_oracle(struct judge *j, int status, bool *fault, struct diag *d)
{
	pid_t pid;
	int said = 0;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_oracle(j, status);
	if (pid < 0)
		return diag_fail(d, ST_IO, "cannot run the oracle: %s", strerror(errno));
	setpgid(pid, pid);
	if (!wait_for_oracle(j, pid, &said))
		return diag_fail(d, ST_IO, "the oracle '%s' has not ended within %.0f s",
				 j->wish->oracle, ORACLE_SECONDS);
	if (WIFSIGNALED(said))
		return oracle_fails(j, d, "was killed by signal", WTERMSIG(said));
	if (WEXITSTATUS(said) == CANNOT_RUN || WEXITSTATUS(said) == NOT_FOUND)
		return oracle_fails(j, d, "cannot be run, status", WEXITSTATUS(said));
	*fault = WEXITSTATUS(said) != 0;
	return ST_OK;
}

/* ---- runs ---- */

enum status judge_before(struct judge *j, struct baton_head *h, struct diag *d)
{
	if (j->out && (ftruncate(j->out_fd, 0) != 0 || ftruncate(j->err_fd, 0) != 0))
		return diag_fail(d, ST_IO, "cannot empty '%s': %s", j->out, strerror(errno));
	h->outputs = j->wish->oracle != NULL;
	if (j->wish->property)
		property_ask(j->wish->property, h);
	h->directory[0] = '\0';
	if (!j->directory)
		return ST_OK;
	if (strlen(j->directory) >= sizeof(h->directory))
		return diag_fail(d, ST_IO, "the name of the temporary directory is too long: '%s'",
				 j->directory);
	if (mkdir(j->directory, 0700) != 0)
		return diag_fail(d, ST_IO, "cannot make '%s': %s", j->directory, strerror(errno));
	strcpy(h->directory, j->directory);
	return ST_OK;
}

/* The runtime has seen it, and ended the run. */
static void accuse(struct explore_runner *r)
{
	const struct baton_fault *f = &r->head->fault;

	r->verdict = (struct explore_verdict){
		.fault = EXPLORE_FREED,
		.mark = hash_pair(hash_pair(f->kind, f->site), f->freed_site),
	};
}

enum status judge_after(struct judge *j, struct explore_runner *r, struct diag *d)
{
	bool fault = false;
	enum status st = ST_OK;

	r->verdict = (struct explore_verdict){ 0 };
	if (r->head->outcome == BATON_RAN && r->head->fault.kind != BATON_NO_FAULT)
		accuse(r);
	else if (j->wish->property && search_is_whole(r))
		property_judge(j->wish->property, r->head, &r->verdict);
	if (r->verdict.fault == EXPLORE_NO_FAULT && j->wish->oracle &&
	    r->head->outcome == BATON_RAN && WIFEXITED(r->ended) &&
	    (uint32_t)WEXITSTATUS(r->ended) == j->wish->expected)
		st = ask_oracle(j, WEXITSTATUS(r->ended), &fault, d);
	if (fault)
		r->verdict.fault = EXPLORE_ORACLE;
	if (j->directory && !scratch_drop(j->directory) && st == ST_OK)
		st = diag_fail(d, ST_IO, "the private directory '%s' of a run cannot be removed",
			       j->directory);
	return st;
}
