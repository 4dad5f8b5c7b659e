#include "replay/scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/variables.h"
#include "trace/trace.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NENDS (sizeof(ends) / sizeof(ends[0]))

static const char *const names[] = { "plan", "trace", "out", "err", "gdb", "said" };

static struct {
	char path[PATH_MAX];
	int fd; /* for the handler, which has no memory to make names in */
	struct sigaction old[NENDS];
} scratch = { .fd = -1 };

/* Only calls that a handler may make. */
static void drop(int number)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (int digit = '0'; digit <= '9'; digit++) {
			char name[16], *end = stpcpy(name, names[i]);

			end[0] = digit > '0' ? (char)digit : '\0';
			end[1] = '\0';
			unlinkat(scratch.fd, name, 0);
		}
	rmdir(scratch.path);
	signal(number, SIG_DFL);
	raise(number);
}

enum status scratch_open(struct diag *d)
{
	struct sigaction action = { .sa_handler = drop };
	const char *where = getenv("TMPDIR");

	char here[PATH_MAX / 4] = ""; /* programs run elsewhere, so names begin at the root */

	if (!where || !*where || strlen(where) > PATH_MAX / 2)
		where = "/tmp";
	if (where[0] != '/' && !getcwd(here, sizeof(here)))
		where = "/tmp";
	snprintf(scratch.path, sizeof(scratch.path), "%s%s%s/foresee-replay.XXXXXX", here,
		 where[0] == '/' ? "" : "/", where);
	if (!mkdtemp(scratch.path) ||
	    (scratch.fd = open(scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		diag_set(d,
			 "cannot make a temporary directory '%s': %s; TMPDIR names another place",
			 scratch.path, strerror(errno));
		return ST_IO;
	}
	for (size_t i = 0; i < NENDS; i++) {
		sigaction(ends[i], NULL, &scratch.old[i]);
		/* Who has a handler of their own comes back, and closes. */
		if (scratch.old[i].sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	}
	return ST_OK;
}

/* A program that becomes another leaves files of more names, or what it likes. */
static int drop_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	remove(path);
	return 0;
}

/* What a directory forbids, its owner can allow. */
static int allow_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)at;
	if (kind == FTW_D || kind == FTW_DNR)
		chmod(path, 0700);
	return 0;
}

#define TRIES 8 /* one level of directories that cannot be read takes one */

bool scratch_drop(const char *path)
{
	nftw(path, drop_one, 8, FTW_DEPTH | FTW_PHYS);
	for (int i = 0; i < TRIES && access(path, F_OK) == 0; i++) {
		nftw(path, allow_one, 8, FTW_PHYS);
		nftw(path, drop_one, 8, FTW_DEPTH | FTW_PHYS);
	}
	return access(path, F_OK) != 0;
}

void scratch_close(void)
{
	if (scratch.fd < 0)
		return;
	scratch_drop(scratch.path);
	for (size_t i = 0; i < NENDS; i++)
		sigaction(ends[i], &scratch.old[i], NULL);
	close(scratch.fd);
	scratch.fd = -1;
}

char *scratch_path(const char *name, int number)
{
	struct strbuf b = { 0 };

	strbuf_addf(&b, "%s/%s", scratch.path, name);
	if (number)
		strbuf_addf(&b, "%d", number);
	return b.at;
}

enum status scratch_keep(const char *from, const char *to, struct diag *d)
{
	int in = open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC), out;
	char piece[65536];
	ssize_t n = 0;
	bool good;

	if (in < 0) {
		diag_set(d, "the run left no recording for '%s'", to);
		return ST_IO;
	}
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	good = out >= 0;
	while (good && (n = read(in, piece, sizeof(piece))) > 0)
		good = write(out, piece, (size_t)n) == n;
	good &= n == 0;
	if (!good)
		diag_set(d, "cannot write '%s': %s", to, strerror(errno));
	close(in);
	if (out >= 0)
		close(out);
	return good ? ST_OK : ST_IO;
}

struct trace *scratch_trace(const char *path)
{
	struct trace_options opt = { 0 };
	struct diag d = { 0 };
	struct trace *t = NULL;
	struct stat st;

	/* The program may have put something else there. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || trace_open(path, &opt, &t, &d) != ST_OK)
		return NULL;
	return t;
}

static void read_on(struct trace *t)
{
	struct diag d = { 0 };
	struct event e;

	while (trace_next(t, &e, &d) == ST_OK)
		;
}

struct trace *scratch_read(const char *path)
{
	struct trace *t = scratch_trace(path);

	if (t)
		read_on(t);
	return t;
}

void scratch_learn(struct trace *t, uint64_t addr)
{
	if (!variables_is_fixed(t, addr))
		read_on(t);
}
