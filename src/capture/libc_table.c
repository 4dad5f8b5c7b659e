/*
 * Library functions that leave something in the caller's memory, by a line each: foresee_libc_NAME
 * for every NAME of FORESEE_LIBC_TABLE.
 *
 * They do what they do unseen; when they have returned, what they left is logged as written.  What
 * they read is not told (OPAQUE).  Those of FORESEE_WAITING order threads as unseen code does.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "capture/channel.h"
#include "capture/libc_priv.h"
#include "capture/real.h"

/* std::thread, of libstdc++: how it is begun, by a std::unique_ptr that goes empty, joined and detached,
 * which empties the handle. */
#define THREAD_START \
	_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
#define THREAD_JOIN _ZNSt6thread4joinEv
#define THREAD_DETACH _ZNSt6thread6detachEv
extern void THREAD_START(void *thread, void **state, void (*depends)(void)) __attribute__((weak));
extern void THREAD_JOIN(pthread_t *thread) __attribute__((weak));
extern void THREAD_DETACH(pthread_t *thread) __attribute__((weak));

#define X(name, type) extern __typeof__(name) foresee_libc_##name;
FORESEE_LIBC_TABLE(X)
#undef X

/* Those of the arguments that are pointers, by classes as the compilers number them. */
#define POINTER(x) (__builtin_classify_type(x) == 5 ? (const void *)(uintptr_t)(x) : NULL)
#define POINTERS1(a) POINTER(a)
#define POINTERS2(a, ...) POINTER(a), POINTERS1(__VA_ARGS__)
#define POINTERS3(a, ...) POINTER(a), POINTERS2(__VA_ARGS__)
#define POINTERS4(a, ...) POINTER(a), POINTERS3(__VA_ARGS__)
#define POINTERS5(a, ...) POINTER(a), POINTERS4(__VA_ARGS__)
#define POINTERS_PICK(a, b, c, d, e, name, ...) name
#define POINTERS(...)                                                                       \
	POINTERS_PICK(__VA_ARGS__, POINTERS5, POINTERS4, POINTERS3, POINTERS2, POINTERS1, ) \
	(__VA_ARGS__)

/* What the call left; r is what it returned. */
#define TELLS(type, name, params, args, ...)                                              \
	EXPORT type foresee_libc_##name params                                            \
	{                                                                                 \
		const void *const given[] = { POINTERS args };                            \
		type r;                                                                   \
                                                                                          \
		log_opaque(FORMAT_OPAQUE_READS, given, sizeof(given) / sizeof(given[0])); \
		r = name args;                                                            \
		__VA_ARGS__;                                                              \
		return r;                                                                 \
	}

/* It may wait for others, or let them go on. */
#define WAITS(type, name, params, args, ...)                                              \
	EXPORT type foresee_libc_##name params                                            \
	{                                                                                 \
		const void *const given[] = { POINTERS args };                            \
		type r;                                                                   \
                                                                                          \
		log_opaque(FORMAT_OPAQUE_READS, given, sizeof(given) / sizeof(given[0])); \
		channel_give(CHANNEL_UNSEEN);                                             \
		r = name args;                                                            \
		channel_take(CHANNEL_UNSEEN);                                             \
		__VA_ARGS__;                                                              \
		return r;                                                                 \
	}

#define LEFT(p) log_wrote((void *)(p), sizeof(*(p)))

static void left_string(char *s)
{
	if (s != NULL)
		log_wrote(s, strlen(s) + 1);
}

static void left_wide(wchar_t *s, size_t n)
{
	log_wrote(s, n * sizeof(*s));
}

/* ---- text ---- */

EXPORT int foresee_libc_vasprintf(char **restrict to, const char *restrict format, va_list list)
{
	int r;

	libc_log_format(format, list);
	r = vasprintf(to, format, list);
	if (r >= 0) {
		LEFT(to);
		left_string(*to);
	}
	return r;
}

EXPORT int foresee_libc_asprintf(char **restrict to, const char *restrict format, ...)
{
	va_list list;
	int r;

	va_start(list, format);
	r = foresee_libc_vasprintf(to, format, list);
	va_end(list);
	return r;
}

EXPORT int foresee_libc_vsprintf(char *restrict to, const char *restrict format, va_list list)
{
	int r;

	libc_log_format(format, list);
	r = vsprintf(to, format, list);
	left_string(to);
	return r;
}

TELLS(ssize_t, getline, (char **restrict p, size_t *restrict n, FILE *restrict f), (p, n, f),
      LEFT(p);
      LEFT(n); if (r > 0) log_wrote(*p, (size_t)r + 1))
TELLS(ssize_t, getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f),
      (p, n, end, f), LEFT(p);
      LEFT(n); if (r > 0) log_wrote(*p, (size_t)r + 1))
TELLS(ssize_t, __getdelim, (char **restrict p, size_t *restrict n, int end, FILE *restrict f),
      (p, n, end, f), LEFT(p);
      LEFT(n); if (r > 0) log_wrote(*p, (size_t)r + 1))
TELLS(char *, fgets_unlocked, (char *restrict p, int n, FILE *restrict f), (p, n, f),
      left_string(r))
TELLS(size_t, fread_unlocked, (void *restrict p, size_t size, size_t n, FILE *restrict f),
      (p, size, n, f), log_wrote(p, r *size))
TELLS(int, fgetpos, (FILE *restrict f, fpos_t *restrict p), (f, p), LEFT(p))
TELLS(char *, stpncpy, (char *restrict to, const char *restrict from, size_t n), (to, from, n),
      log_wrote(to, n))
TELLS(void *, memccpy, (void *restrict to, const void *restrict from, int c, size_t n),
      (to, from, c, n), log_wrote(to, r != NULL ? (size_t)((char *)r - (char *)to) : n))
TELLS(size_t, strxfrm, (char *restrict to, const char *restrict from, size_t n), (to, from, n),
      log_wrote(to, r < n ? r + 1 : n))
TELLS(char *, realpath, (const char *restrict path, char *restrict to), (path, to), left_string(r))
TELLS(int, getdomainname, (char *p, size_t n), (p, n), if (r == 0) log_wrote(p, strnlen(p, n)))
TELLS(int, getentropy, (void *p, size_t n), (p, n), if (r == 0) log_wrote(p, n))
TELLS(int, ttyname_r, (int fd, char *p, size_t n), (fd, p, n), if (r == 0) left_string(p))
TELLS(int, getlogin_r, (char *p, size_t n), (p, n), if (r == 0) left_string(p))
TELLS(int, mkstemp, (char *p), (p), left_string(p))
TELLS(char *, mkdtemp, (char *p), (p), left_string(p))

EXPORT void foresee_libc_swab(const void *restrict from, void *restrict to, ssize_t n)
{
	log_opaque(FORMAT_OPAQUE_READS, (const void *[]){ from }, 1);
	swab(from, to, n);
	if (n > 1)
		log_wrote(to, (size_t)n & ~(size_t)1);
}

/* ---- wide and multibyte characters ---- */

TELLS(size_t, mbstowcs, (wchar_t *restrict to, const char *restrict s, size_t n), (to, s, n),
      if (to != NULL && r != (size_t)-1) left_wide(to, r < n ? r + 1 : n))
TELLS(size_t, wcstombs, (char *restrict to, const wchar_t *restrict s, size_t n), (to, s, n),
      if (to != NULL && r != (size_t)-1) log_wrote(to, r < n ? r + 1 : n))
TELLS(int, mbtowc, (wchar_t *restrict to, const char *restrict s, size_t n), (to, s, n),
      if (s != NULL && r >= 0) left_wide(to, 1))
TELLS(int, wctomb, (char *s, wchar_t c), (s, c), if (r > 0) log_wrote(s, (size_t)r))
TELLS(size_t, mbrtowc,
      (wchar_t *restrict to, const char *restrict s, size_t n, mbstate_t *restrict state),
      (to, s, n, state), LEFT(state);
      if (s != NULL && r <= n) left_wide(to, 1))
TELLS(size_t, wcrtomb, (char *restrict s, wchar_t c, mbstate_t *restrict state), (s, c, state),
      LEFT(state);
      if (r != (size_t)-1) log_wrote(s, r))
TELLS(wchar_t *, wmemcpy, (wchar_t *restrict to, const wchar_t *restrict from, size_t n),
      (to, from, n), left_wide(to, n))
TELLS(wchar_t *, wmemset, (wchar_t * to, wchar_t c, size_t n), (to, c, n), left_wide(to, n))
TELLS(wchar_t *, wcscpy, (wchar_t *restrict to, const wchar_t *restrict from), (to, from),
      left_wide(to, wcslen(to) + 1))
TELLS(wchar_t *, wcsncpy, (wchar_t *restrict to, const wchar_t *restrict from, size_t n),
      (to, from, n), left_wide(to, n))
TELLS(wchar_t *, wcscat, (wchar_t *restrict to, const wchar_t *restrict from), (to, from),
      left_wide(to, wcslen(to) + 1))

/* ---- numbers ---- */

TELLS(double, modf, (double x, double *p), (x, p), LEFT(p))
TELLS(float, modff, (float x, float *p), (x, p), LEFT(p))
TELLS(double, frexp, (double x, int *p), (x, p), LEFT(p))
TELLS(float, frexpf, (float x, int *p), (x, p), LEFT(p))
TELLS(intmax_t, strtoimax, (const char *restrict s, char **restrict end, int base), (s, end, base),
      LEFT(end))
TELLS(uintmax_t, strtoumax, (const char *restrict s, char **restrict end, int base), (s, end, base),
      LEFT(end))
TELLS(long, wcstol, (const wchar_t *restrict s, wchar_t **restrict end, int base), (s, end, base),
      LEFT(end))
TELLS(unsigned long, wcstoul, (const wchar_t *restrict s, wchar_t **restrict end, int base),
      (s, end, base), LEFT(end))
TELLS(double, wcstod, (const wchar_t *restrict s, wchar_t **restrict end), (s, end), LEFT(end))
TELLS(int, rand_r, (unsigned *p), (p), LEFT(p))
TELLS(int, getloadavg, (double p[], int n), (p, n), if (r > 0) log_wrote(p, (size_t)r * sizeof(*p)))

/* ---- time ---- */

TELLS(char *, ctime_r, (const time_t *restrict t, char *restrict p), (t, p), left_string(r))
TELLS(char *, asctime_r, (const struct tm *restrict t, char *restrict p), (t, p), left_string(r))
TELLS(time_t, mktime, (struct tm * p), (p), LEFT(p))
TELLS(time_t, timegm, (struct tm * p), (p), LEFT(p))
TELLS(char *, strptime,
      (const char *restrict s, const char *restrict format, struct tm *restrict p), (s, format, p),
      LEFT(p))
TELLS(int, timespec_get, (struct timespec * p, int base), (p, base), if (r != 0) LEFT(p))
TELLS(int, clock_getres, (clockid_t clock, struct timespec *p), (clock, p), if (r == 0) LEFT(p))
TELLS(int, getitimer, (__itimer_which_t which, struct itimerval *p), (which, p),
      if (r == 0) LEFT(p))
TELLS(int, setitimer,
      (__itimer_which_t which, const struct itimerval *restrict p, struct itimerval *restrict old),
      (which, p, old), if (r == 0) LEFT(old))
TELLS(int, thrd_sleep, (const struct timespec *t, struct timespec *p), (t, p), if (r != 0) LEFT(p))
TELLS(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *t, struct timespec *p),
      (clock, flags, t, p), if (r == EINTR) LEFT(p))
TELLS(clock_t, times, (struct tms * p), (p), LEFT(p))

/* ---- processes and signals ---- */

WAITS(pid_t, wait, (int *p), (p), if (r > 0) LEFT(p))
WAITS(pid_t, waitpid, (pid_t child, int *p, int flags), (child, p, flags), if (r > 0) LEFT(p))
WAITS(
	pid_t, wait3, (int *p, int flags, struct rusage *use), (p, flags, use), if (r > 0) {
		LEFT(p);
		LEFT(use);
	})
WAITS(
	pid_t, wait4, (pid_t child, int *p, int flags, struct rusage *use), (child, p, flags, use),
	if (r > 0) {
		LEFT(p);
		LEFT(use);
	})
TELLS(int, sigprocmask, (int how, const sigset_t *restrict set, sigset_t *restrict old),
      (how, set, old), if (r == 0) LEFT(old))
TELLS(int, pthread_sigmask, (int how, const sigset_t *restrict set, sigset_t *restrict old),
      (how, set, old), if (r == 0) LEFT(old))
TELLS(int, sigaction,
      (int number, const struct sigaction *restrict act, struct sigaction *restrict old),
      (number, act, old), if (r == 0) LEFT(old))
TELLS(int, sigemptyset, (sigset_t * p), (p), LEFT(p))
TELLS(int, sigfillset, (sigset_t * p), (p), LEFT(p))
TELLS(int, sigaddset, (sigset_t * p, int number), (p, number), LEFT(p))
TELLS(int, sigdelset, (sigset_t * p, int number), (p, number), LEFT(p))
TELLS(int, sigismember, (const sigset_t *p, int number), (p, number), log_read(p, sizeof(*p)))
TELLS(int, sigpending, (sigset_t * p), (p), LEFT(p))
TELLS(int, sigwait, (const sigset_t *restrict set, int *restrict p), (set, p), if (r == 0) LEFT(p))
TELLS(int, sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict p), (set, p),
      if (r > 0) LEFT(p))
TELLS(int, sigtimedwait,
      (const sigset_t *restrict set, siginfo_t *restrict p, const struct timespec *restrict t),
      (set, p, t), if (r > 0) LEFT(p))
TELLS(int, sigaltstack, (const stack_t *restrict p, stack_t *restrict old), (p, old),
      if (r == 0) LEFT(old))
TELLS(int, sched_getaffinity, (pid_t pid, size_t n, cpu_set_t *p), (pid, n, p),
      if (r == 0) log_wrote(p, n))
TELLS(int, sched_getparam, (pid_t pid, struct sched_param *p), (pid, p), if (r == 0) LEFT(p))
TELLS(int, pthread_getaffinity_np, (pthread_t thread, size_t n, cpu_set_t *p), (thread, n, p),
      if (r == 0) log_wrote(p, n))
TELLS(
	int, pthread_getschedparam,
	(pthread_t thread, int *restrict policy, struct sched_param *restrict p),
	(thread, policy, p), if (r == 0) {
		LEFT(policy);
		LEFT(p);
	})

/* ---- files, descriptors, sockets ---- */

TELLS(int, stat64, (const char *restrict path, struct stat64 *restrict p), (path, p),
      if (r == 0) LEFT(p))
TELLS(int, lstat64, (const char *restrict path, struct stat64 *restrict p), (path, p),
      if (r == 0) LEFT(p))
TELLS(int, fstat64, (int fd, struct stat64 *p), (fd, p), if (r == 0) LEFT(p))
TELLS(int, statfs, (const char *path, struct statfs *p), (path, p), if (r == 0) LEFT(p))
TELLS(int, fstatfs, (int fd, struct statfs *p), (fd, p), if (r == 0) LEFT(p))
TELLS(int, statvfs, (const char *restrict path, struct statvfs *restrict p), (path, p),
      if (r == 0) LEFT(p))
TELLS(int, fstatvfs, (int fd, struct statvfs *p), (fd, p), if (r == 0) LEFT(p))
TELLS(int, tcgetattr, (int fd, struct termios *p), (fd, p), if (r == 0) LEFT(p))
TELLS(int, eventfd_read, (int fd, eventfd_t *p), (fd, p), if (r == 0) LEFT(p))
TELLS(int, select,
      (int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
       struct timeval *restrict t),
      (n, in, out, odd, t), LEFT(in);
      LEFT(out); LEFT(odd); LEFT(t))
TELLS(int, inet_aton, (const char *s, struct in_addr *p), (s, p), if (r != 0) LEFT(p))

/* Of most requests the number says what comes back; the others are unseen code's. */
EXPORT int foresee_libc_ioctl(int fd, unsigned long request, ...)
{
	size_t n = request == FIONREAD		    ? sizeof(int)
		   : request == TIOCGWINSZ	    ? sizeof(struct winsize)
		   : _IOC_DIR(request) == _IOC_READ ? _IOC_SIZE(request)
						    : 0;
	va_list list;
	void *p;
	int r;

	va_start(list, request);
	p = va_arg(list, void *);
	va_end(list);
	log_opaque(n != 0 ? FORMAT_OPAQUE_READS : 0, (const void *[]){ p }, 1);
	r = ioctl(fd, request, p);
	if (r != -1)
		log_wrote(p, n);
	return r;
}

static void left_addresses(struct addrinfo *a)
{
	for (; a != NULL; a = a->ai_next) {
		LEFT(a);
		log_wrote(a->ai_addr, a->ai_addrlen);
		left_string(a->ai_canonname);
	}
}

TELLS(
	int, getaddrinfo,
	(const char *restrict host, const char *restrict service,
	 const struct addrinfo *restrict hints, struct addrinfo **restrict p),
	(host, service, hints, p), if (r == 0) {
		LEFT(p);
		left_addresses(*p);
	})

/* ---- the system and its users ---- */

TELLS(int, getrlimit, (__rlimit_resource_t which, struct rlimit *p), (which, p),
      if (r == 0) LEFT(p))
TELLS(int, sysinfo, (struct sysinfo * p), (p), if (r == 0) LEFT(p))
TELLS(
	int, getresuid, (uid_t * a, uid_t *b, uid_t *c), (a, b, c), if (r == 0) {
		LEFT(a);
		LEFT(b);
		LEFT(c);
	})
TELLS(int, getgroups, (int n, gid_t p[]), (n, p),
      if (r > 0 && n != 0) log_wrote(p, (size_t)r * sizeof(*p)))

/* An entry, strings that it points to, and where it is. */
#define ENTRY(name, type, key)                                                               \
	TELLS(                                                                               \
		int, name,                                                                   \
		(key k, type *restrict e, char *restrict text, size_t n, type **restrict p), \
		(k, e, text, n, p), LEFT(p);                                                 \
		if (r == 0 && *p != NULL) {                                                  \
			LEFT(e);                                                             \
			log_wrote(text, n);                                                  \
		})

ENTRY(getpwnam_r, struct passwd, const char *restrict)
ENTRY(getpwuid_r, struct passwd, uid_t)
ENTRY(getgrnam_r, struct group, const char *restrict)
ENTRY(getgrgid_r, struct group, gid_t)

/* ---- what calls back ---- */

/* Elements move unseen between calls of the program's function, so what that reads meanwhile is unseen
 * code's; where they lie in the end is a write. */
static void log_moving(const void *p, size_t n)
{
	log_read(p, n);
	log_opaque(0, &p, 1);
}

EXPORT void foresee_libc_qsort(void *p, size_t n, size_t size, __compar_fn_t order)
{
	log_moving(p, n * size);
	qsort(p, n, size, order);
	log_wrote(p, n * size);
}

EXPORT void foresee_libc_qsort_r(void *p, size_t n, size_t size, __compar_d_fn_t order, void *with)
{
	log_moving(p, n * size);
	qsort_r(p, n, size, order, with);
	log_wrote(p, n * size);
}

/* A key that is not there comes behind the others. */
EXPORT void *foresee_libc_lsearch(const void *key, void *p, size_t *n, size_t size,
				  __compar_fn_t order)
{
	size_t before = *n;
	void *r;

	log_opaque(0, (const void *[]){ key, p, n }, 3);
	r = lsearch(key, p, n, size, order);
	if (*n != before) {
		LEFT(n);
		log_wrote((char *)p + before * size, size);
	}
	return r;
}

/* ---- patterns, conversion ---- */

static void left_paths(glob_t *g)
{
	LEFT(g);
	log_wrote(g->gl_pathv, (size_t)(g->gl_offs + g->gl_pathc + 1) * sizeof(*g->gl_pathv));
	for (size_t i = 0; i < g->gl_pathc; i++)
		left_string(g->gl_pathv[g->gl_offs + i]);
}

TELLS(
	int, glob,
	(const char *restrict pattern, int flags, int (*error)(const char *, int),
	 glob_t *restrict g),
	(pattern, flags, error, g), if (r == 0) { left_paths(g); })
TELLS(int, regcomp, (regex_t *restrict e, const char *restrict pattern, int flags),
      (e, pattern, flags), LEFT(e))
TELLS(int, regexec,
      (const regex_t *restrict e, const char *restrict s, size_t n,
       regmatch_t match[_Restrict_arr_], int flags),
      (e, s, n, match, flags), if (r == 0) log_wrote(match, n * sizeof(*match)))

EXPORT size_t foresee_libc_iconv(iconv_t c, char **restrict in, size_t *restrict nin,
				 char **restrict out, size_t *restrict nout)
{
	char *from = out != NULL ? *out : NULL;
	size_t r;

	log_opaque(FORMAT_OPAQUE_READS,
		   (const void *[]){ in, nin, out, nout, in != NULL ? *in : NULL }, 5);
	r = iconv(c, in, nin, out, nout);
	LEFT(in);
	LEFT(nin);
	if (from != NULL)
		log_wrote(from, (size_t)(*out - from));
	LEFT(out);
	LEFT(nout);
	return r;
}

/* ---- C++ ---- */

#define FORESEE_OF_(name) foresee_libc_##name
#define FORESEE_OF(name) FORESEE_OF_(name)

EXPORT void FORESEE_OF(THREAD_START)(void *thread, void **state, void (*depends)(void))
{
	const void *const given[] = { state };

	log_opaque(FORMAT_OPAQUE_READS, given, 1);
	THREAD_START(thread, state, depends);
	LEFT(state);
}

EXPORT void FORESEE_OF(THREAD_JOIN)(pthread_t *thread)
{
	const void *const given[] = { thread };

	log_opaque(FORMAT_OPAQUE_READS, given, 1);
	THREAD_JOIN(thread);
	LEFT(thread);
}

EXPORT void FORESEE_OF(THREAD_DETACH)(pthread_t *thread)
{
	const void *const given[] = { thread };

	log_opaque(FORMAT_OPAQUE_READS, given, 1);
	THREAD_DETACH(thread);
	LEFT(thread);
}
