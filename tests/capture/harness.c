#include "capture/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/tap.h"

#define SECONDS 120 /* that a case may take */

/* ---- in a case ---- */

void capture_check(bool good, const char *file, int line, const char *format, ...)
{
	va_list ap;

	if (good)
		return;
	printf("# %s:%d: ", file, line);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

uint32_t capture_random(uint32_t n)
{
	static uint64_t x = 0x9e3779b97f4a7c15u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 33) % n;
}

/* ---- system calls that fail ---- */

static long fail_at = -1; /* -1: not known yet; 0: none */
static long ncalls, npoints, mapped;
static bool starved;
void (*capture_watch)(long number);

void capture_starve(bool starve)
{
	starved = starve;
}

long capture_mapped(void)
{
	return mapped;
}

long capture_point(void)
{
	const char *s = getenv("CAPTURE_POINT");

	return s != NULL ? atol(s) : 0;
}

void capture_points(long n)
{
	npoints = n;
}

/* What the kernel would say. */
static int reason(long number)
{
	switch (number) {
	case SYS_mmap:
		return ENOMEM;
	case SYS_pwrite64:
	case SYS_fallocate:
		return ENOSPC;
	case SYS_openat:
	case SYS_fcntl:
		return EMFILE;
	default:
		return EINVAL;
	}
}

/* Counts; true: this one fails, errno is set. */
static bool fails(long number)
{
	if (fail_at < 0) {
		const char *s = getenv("CAPTURE_FAIL");

		fail_at = s != NULL ? atol(s) : 0;
	}
	if (__atomic_add_fetch(&ncalls, 1, __ATOMIC_RELAXED) != fail_at)
		return false;
	errno = reason(number);
	return true;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	/* Waiting and leaving work always, and what cannot fail does not. */
	bool counts = number != SYS_futex && number != SYS_exit_group && number != SYS_gettid &&
		      number != SYS_rt_sigprocmask && number != SYS_munmap;
	long r;

	if (capture_watch != NULL)
		capture_watch(number);
	if (counts && fails(number))
		return -1;
	if (number == SYS_mmap && starved) {
		errno = ENOMEM;
		return -1;
	}
	r = __real_syscall(number, a, b, c, d, e, f);
	if (number == SYS_mmap && r != -1)
		__atomic_add_fetch(&mapped, b, __ATOMIC_RELAXED);
	if (number == SYS_munmap && r == 0)
		__atomic_sub_fetch(&mapped, b, __ATOMIC_RELAXED);
	return r;
}

#define FAILS(type, name, bad, params, args)                  \
	type __real_##name params;                            \
	type __wrap_##name params;                            \
	type __wrap_##name params                             \
	{                                                     \
		if (capture_watch != NULL)                    \
			capture_watch(-1);                    \
		return fails(0) ? (bad) : __real_##name args; \
	}
FAILS(int, madvise, -1, (void *p, size_t n, int advice), (p, n, advice))
FAILS(int, posix_fallocate, ENOSPC, (int fd, off_t at, off_t n), (fd, at, n))
FAILS(int, getrlimit, -1, (int what, struct rlimit *r), (what, r))
FAILS(int, pthread_getattr_np, ENOMEM, (pthread_t t, pthread_attr_t *attr), (t, attr))

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, int mode);
int __wrap_open(const char *path, int flags, int mode)
{
	return fails(SYS_openat) ? -1 : __real_open(path, flags, mode);
}

/* ---- crews ---- */

static struct member {
	pthread_t handle;
	uint32_t turn; /* odd: there is something to do */
	void (*run)(void *arg);
	void *arg;
} crew[CREW_MOST];
static unsigned ncrew;

static void turn_wait(uint32_t *turn, uint32_t parity)
{
	uint32_t now;

	while (((now = __atomic_load_n(turn, __ATOMIC_ACQUIRE)) & 1) != parity)
		__real_syscall(SYS_futex, turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
}

static void turn_pass(uint32_t *turn)
{
	__atomic_add_fetch(turn, 1, __ATOMIC_RELEASE);
	__real_syscall(SYS_futex, turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *member_run(void *arg)
{
	struct member *m = arg;

	for (;;) {
		turn_wait(&m->turn, 1);
		if (m->run == NULL)
			return NULL;
		m->run(m->arg);
		turn_pass(&m->turn);
	}
}

void crew_do(unsigned i, void (*run)(void *arg), void *arg)
{
	crew[i].run = run;
	crew[i].arg = arg;
	turn_pass(&crew[i].turn);
	if (run != NULL)
		turn_wait(&crew[i].turn, 0);
}

void crew_start(unsigned n)
{
	for (ncrew = 0; ncrew < n; ncrew++)
		CAPTURE_CHECK(pthread_create(&crew[ncrew].handle, NULL, member_run, &crew[ncrew]) ==
				      0,
			      "a thread cannot be made");
}

void crew_end(void)
{
	for (unsigned i = 0; i < ncrew; i++) {
		crew_do(i, NULL, NULL);
		pthread_join(crew[i].handle, NULL);
	}
}

/* ---- one process for each case ---- */

static char dir[64], trace[128], count_file[128];

static void count_write(void)
{
	const char *path = getenv("CAPTURE_COUNT");
	FILE *f = path != NULL ? fopen(path, "w") : NULL;

	if (f != NULL) {
		fprintf(f, "%ld\n", npoints != 0 ? npoints : ncalls);
		fclose(f);
	}
}

static long count_read(void)
{
	FILE *f = fopen(count_file, "r");
	long n = 0;

	if (f != NULL) {
		if (fscanf(f, "%ld", &n) != 1)
			n = 0;
		fclose(f);
	}
	unlink(count_file);
	return n;
}

static int wait_for(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Returns its wait status. */
static int case_run(const struct capture_case *c, long point)
{
	pid_t child;
	char n[32];

	unlink(trace);
	fflush(stdout);
	child = fork();
	if (child != 0)
		return wait_for(child);
	snprintf(n, sizeof(n), "%ld", point);
	setenv("FORESEE_TRACE", trace, 1);
	setenv("CAPTURE_COUNT", count_file, 1);
	setenv(c->calls ? "CAPTURE_FAIL" : "CAPTURE_POINT", n, 1);
	if (c->options != NULL)
		setenv("FORESEE_OPTIONS", c->options, 1);
	if (c->cut != NULL)
		setenv("FORESEE_CUT", c->cut, 1);
	execl("/proc/self/exe", "case", c->name, NULL);
	_exit(127);
}

/* What `foresee verify' says of the trace goes to text; true: it is consistent, and every record of it
 * can be read. */
static bool trace_verify(char *text, size_t n)
{
	const char *root = getenv("FORESEE_ROOT");
	int ends[2];
	size_t used = 0;
	ssize_t got;
	char tool[512];
	pid_t child;

	snprintf(tool, sizeof(tool), "%s/bin/foresee", root != NULL ? root : "build");
	if (pipe(ends) != 0 || (child = fork()) < 0)
		return false;
	if (child == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execl(tool, "foresee", "verify", trace, NULL);
		_exit(127);
	}
	close(ends[1]);
	while (used + 1 < n && (got = read(ends[0], text + used, n - used - 1)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	close(ends[0]);
	return wait_for(child) == 0 && strstr(text, "consistent: ") != NULL &&
	       strstr(text, "damaged") == NULL;
}

static void text_show(const char *text)
{
	for (const char *end; *text != '\0'; text = *end == '\0' ? end : end + 1) {
		end = strchrnul(text, '\n');
		printf("# %.*s\n", (int)(end - text), text);
	}
}

static void case_check(const struct capture_case *c)
{
	int status = case_run(c, 0);
	char text[4096];
	bool good;

	if (!TAP_OK(status == 0, "%s: the program is unharmed", c->name))
		printf("# wait status 0x%x\n", (unsigned)status);
	good = trace_verify(text, sizeof(text));
	if (!TAP_OK(good, "%s: the trace is consistent", c->name))
		text_show(text);
	good = strstr(text, c->trouble != NULL ? c->trouble : "recording stopped") != NULL;
	if (!TAP_OK(good == (c->trouble != NULL), "%s: %s", c->name,
		    c->trouble != NULL ? c->trouble : "no trouble"))
		text_show(text);
	unlink(count_file);
}

#define SAMPLE 30 /* of the points of a case with steps */

/* Each point by itself is no news: one line for all, and more for what went wrong. */
static void case_points(const struct capture_case *c)
{
	long points, step = 1, tried = 0, harmed = 0, spoilt = 0;
	char text[4096];
	int status = case_run(c, 0);

	points = count_read();
	TAP_OK(status == 0 && points > 10, "%s: has %ld points", c->name, points);
	if (c->steps && getenv("LONG") == NULL && points > SAMPLE)
		step = points / SAMPLE;
	for (long n = 1; n <= points; n += step > 1 ? 1 + capture_random(2 * step - 1) : 1) {
		tried++;
		status = case_run(c, n);
		count_read();
		if (status != 0) {
			printf("# point %ld: wait status 0x%x\n", n, (unsigned)status);
			harmed++;
		} else if (access(trace, F_OK) == 0 && !trace_verify(text, sizeof(text))) {
			printf("# point %ld: the trace is not consistent\n", n);
			text_show(text);
			spoilt++;
		}
	}
	TAP_EQ(harmed, 0, "%s: the program is unharmed at %ld of them", c->name, tried);
	TAP_EQ(spoilt, 0, "%s: and the trace is consistent", c->name);
}

static int case_main(const struct capture_case *cases, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(cases[i].name, name) == 0) {
			alarm(SECONDS);
			cases[i].run();
			count_write();
			return 0;
		}
	return 126;
}

int capture_main(int argc, char **argv, const struct capture_case *cases, size_t n)
{
	const char *only = getenv("CAPTURE_CASE"), *tmp = getenv("TMPDIR");

	if (getenv("FORESEE_TRACE") != NULL)
		return argc == 2 ? case_main(cases, n, argv[1]) : 126;
	snprintf(dir, sizeof(dir), "%.30s/foresee-capture.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL) {
		printf("Bail out! no directory for traces\n");
		return 1;
	}
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	snprintf(count_file, sizeof(count_file), "%s/count", dir);
	for (size_t i = 0; i < n; i++) {
		if (only != NULL && strcmp(only, cases[i].name) != 0)
			continue;
		if (cases[i].calls || cases[i].steps)
			case_points(&cases[i]);
		else
			case_check(&cases[i]);
	}
	unlink(trace);
	rmdir(dir);
	return tap_done();
}
