/*
 * Functions of libc that leave something where an argument points: each publishes so, under the lock,
 * that its data is written, and who sees it there writes the data too.  There is no race.
 *
 *	libc_writes MEMORY fine|race [but] NAME...
 *
 * MEMORY is global, calloc or malloc.  With `race' there is one for each function: the other thread
 * writes the data without asking.
 *
 * Prints what did not publish anything: it tells nothing.
 */
#include <aio.h>
#include <argz.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <monetary.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

#include "order.h"

static int ends[2]; /* a pipe */
static FILE *lines;
static char *const no_words[] = { (char *)"true", NULL };
static locale_t c_locale;

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(7);
	return pid;
}

static void send_byte(void)
{
	while (write(ends[1], "7", 1) != 1)
		;
}

static void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_kill(pthread_self(), SIGUSR1);
}

static const sigset_t *one_signal(void)
{
	static sigset_t set;

	sigaddset(&set, SIGUSR1);
	return &set;
}

static int words_order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int words_order_r(const void *a, const void *b, void *unused)
{
	(void)unused;
	return words_order(a, b);
}

static iconv_t converter(void)
{
	return iconv_open("UTF-16LE", "UTF-8");
}

static int list_format(char **to, const char *format, ...)
{
	va_list list;
	int r;

	va_start(list, format);
	r = vasprintf(to, format, list);
	va_end(list);
	return r;
}

static int list_print(char *to, const char *format, ...)
{
	va_list list;
	int r;

	va_start(list, format);
	r = vsprintf(to, format, list);
	va_end(list);
	return r;
}

static int list_scan(const char *format, ...)
{
	va_list list;
	int r;

	va_start(list, format);
	r = vscanf(format, list);
	va_end(list);
	return r;
}

/* Plain code, for those that leave nothing in an ordinary place. */
void unseen_set(int *p, int value);

static void unseen_int(int *p)
{
	unseen_set(p, 7);
}

static void unseen_long(long *p)
{
	unseen_set((int *)(void *)p, 7);
}

static void unseen_pointer(void *p)
{
	unseen_set(p, 7);
}

static void getguard(size_t *p)
{
	pthread_attr_t a;

	pthread_attr_init(&a);
	pthread_attr_getguardsize(&a, p);
}

static void fprintf_close(FILE *f)
{
	fprintf(f, "x");
	fclose(f);
}

static void buffered(char *room)
{
	FILE *f = fopen("/dev/null", "w");

	setvbuf(f, room, _IOFBF, 99);
	fputc('x', f);
	fclose(f);
}

#define TEXT                 \
	struct {             \
		char s[256]; \
	}
#define WIDE                   \
	struct {               \
		wchar_t s[64]; \
	}

/* clang-format off */
/* name, what lies there (o points at it), how it is published, how that is seen. */
#define FUNCTIONS(X) \
X(scanf, int, scanf("%d", o), *o) \
X(vscanf, int, list_scan("%d", o), *o) \
X(fscanf, int, fscanf(lines, "%d", o), *o) \
X(sscanf, int, sscanf("7", "%d", o), *o) \
X(asprintf, char *, asprintf(o, "x%d", 1), *o && **o) \
X(vasprintf, char *, list_format(o, "x%d", 1), *o && **o) \
X(vsprintf, TEXT, list_print(o->s, "x%d", 1), o->s[0]) \
X(sprintf, TEXT, sprintf(o->s, "x"), o->s[0]) \
X(snprintf, TEXT, snprintf(o->s, 9, "x"), o->s[0]) \
X(printf_n, int, printf("%s%n", "", (*o = 0, o)); unseen_int(o), *o) \
X(swprintf, WIDE, swprintf(o->s, 9, L"x"), o->s[0]) \
X(getline, struct { char *p; size_t n; }, getline(&o->p, &o->n, lines), o->p && o->p[0]) \
X(getdelim, struct { char *p; size_t n; }, getdelim(&o->p, &o->n, '\n', lines), o->p && o->p[0]) \
X(fgets, TEXT, fgets(o->s, 9, lines), o->s[0]) \
X(fgets_unlocked, TEXT, fgets_unlocked(o->s, 9, lines), o->s[0]) \
X(fread, TEXT, fread(o->s, 1, 1, lines), o->s[0]) \
X(fgetws, WIDE, (rewind(lines), freopen(NULL, "r", lines), fgetws(o->s, 9, lines)), o->s[0]) \
X(modf, double, modf(7.5, o), *o != 0) \
X(modff, float, modff(7.5f, o), *o != 0) \
X(frexp, int, frexp(7.5, o), *o) \
X(frexpf, int, frexpf(7.5f, o), *o) \
X(sincos, struct { double s; double c; }, sincos(1, &o->s, &o->c), o->s != 0) \
X(remquo, int, remquo(7, 2, o), *o) \
X(lgamma_r, int, lgamma_r(3, o), *o) \
X(wait, int, (child(), wait(o)), *o) \
X(waitpid, int, waitpid(child(), o, 0), *o) \
X(wait4, struct { int s; struct rusage u; }, wait4(child(), &o->s, 0, &o->u), o->s) \
X(waitid, siginfo_t, waitid(P_PID, (id_t)child(), o, WEXITED), o->si_pid) \
X(posix_spawnp, pid_t, (posix_spawnp(o, "true", NULL, NULL, no_words, environ), wait(NULL)), *o) \
X(ctime_r, TEXT, ctime_r(&(time_t){ 1 }, o->s), o->s[0]) \
X(asctime_r, TEXT, asctime_r(&(struct tm){ 1 }, o->s), o->s[0]) \
X(localtime_r, struct tm, localtime_r(&(time_t){ 99999999 }, o), o->tm_year) \
X(mktime, struct tm, mktime(o), o->tm_yday) \
X(strptime, struct tm, strptime("1999", "%Y", o), o->tm_year) \
X(timespec_get, struct timespec, timespec_get(o, TIME_UTC), o->tv_sec) \
X(clock_gettime, struct timespec, clock_gettime(CLOCK_REALTIME, o), o->tv_sec) \
X(clock_getres, struct timespec, clock_getres(CLOCK_REALTIME, o), o->tv_nsec) \
X(gettimeofday, struct timeval, gettimeofday(o, NULL), o->tv_sec) \
X(time, time_t, time(o), *o) \
X(times, struct tms, (times(o), unseen_long(&o->tms_utime)), o->tms_utime) \
X(getitimer, struct itimerval, (setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 999, 0 } }, NULL), \
	getitimer(ITIMER_REAL, o)), o->it_value.tv_sec) \
X(setitimer, struct itimerval, setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 998, 0 } }, o), \
	o->it_value.tv_sec) \
X(adjtimex, struct timex, adjtimex(o), o->tick) \
X(strftime, TEXT, strftime(o->s, 99, "%Y", &(struct tm){ 1 }), o->s[0]) \
X(realpath, TEXT, realpath("/", o->s), o->s[0]) \
X(getcwd, TEXT, getcwd(o->s, 250), o->s[0]) \
X(readlink, TEXT, readlink("/proc/self/exe", o->s, 200), o->s[0]) \
X(gethostname, TEXT, gethostname(o->s, 200), o->s[0]) \
X(getentropy, TEXT, getentropy(o->s, 200), o->s[0] || o->s[1] || o->s[2]) \
X(getrandom, TEXT, getrandom(o->s, 200, 0), o->s[0] || o->s[1] || o->s[2]) \
X(confstr, TEXT, confstr(_CS_PATH, o->s, 200), o->s[0]) \
X(mbstowcs, WIDE, mbstowcs(o->s, "x", 9), o->s[0]) \
X(wcstombs, TEXT, wcstombs(o->s, L"x", 9), o->s[0]) \
X(mbtowc, wchar_t, mbtowc(o, "x", 1), *o) \
X(wctomb, TEXT, wctomb(o->s, L'x'), o->s[0]) \
X(mbrtowc, wchar_t, mbrtowc(o, "x", 1, NULL), *o) \
X(mbsrtowcs, struct { const char *from; wchar_t s[9]; }, (o->from = "x", mbsrtowcs(o->s, &o->from, 9, NULL)), o->s[0]) \
X(wcscpy, WIDE, wcscpy(o->s, L"x"), o->s[0]) \
X(wmemset, WIDE, wmemset(o->s, L'x', 3), o->s[0]) \
X(wcstol, struct { wchar_t *end; }, wcstol(L"7", &o->end, 10), o->end != NULL) \
X(wcstod, struct { wchar_t *end; }, wcstod(L"7", &o->end), o->end != NULL) \
X(strtol, char *, strtol("7", o, 10), *o != NULL) \
X(strtod, char *, strtod("7", o), *o != NULL) \
X(strtold, char *, strtold("7", o), *o != NULL) \
X(strtoimax, char *, strtoimax("7", o, 10), *o != NULL) \
X(strtol_l, char *, strtol_l("7", o, 10, c_locale), *o != NULL) \
X(strfromd, TEXT, strfromd(o->s, 9, "%f", 7), o->s[0]) \
X(strfmon, TEXT, strfmon(o->s, 99, "%n", 7.0), o->s[0]) \
X(ecvt_r, struct { int d; int s; char t[40]; }, ecvt_r(7.0, 3, &o->d, &o->s, o->t, 40), o->t[0]) \
X(strxfrm, TEXT, strxfrm(o->s, "x", 9), o->s[0]) \
X(strcpy, TEXT, strcpy(o->s, "x"), o->s[0]) \
X(stpncpy, TEXT, stpncpy(o->s, "x", 9), o->s[0]) \
X(strtok_r, struct { char s[9]; char *p; }, (strcpy(o->s, "a b"), strtok_r(o->s, " ", &o->p)), o->p != NULL) \
X(memccpy, TEXT, memccpy(o->s, "x", 0, 9), o->s[0]) \
X(swab, TEXT, swab("xy", o->s, 2), o->s[0]) \
X(memfrob, TEXT, memfrob(o->s, 9), o->s[0]) \
X(sigprocmask, sigset_t, (block_signal(), sigprocmask(SIG_BLOCK, NULL, o)), sigismember(o, SIGUSR1)) \
X(pthread_sigmask, sigset_t, (block_signal(), pthread_sigmask(SIG_BLOCK, NULL, o)), sigismember(o, SIGUSR1)) \
X(sigpending, sigset_t, (block_signal(), sigpending(o)), sigismember(o, SIGUSR1)) \
X(sigfillset, sigset_t, sigfillset(o), sigismember(o, SIGUSR1)) \
X(sigaddset, sigset_t, sigaddset(o, SIGUSR1), sigismember(o, SIGUSR1)) \
X(sigwait, int, (block_signal(), sigwait(one_signal(), o)), *o) \
X(sigwaitinfo, siginfo_t, (block_signal(), sigwaitinfo(one_signal(), o)), o->si_signo) \
X(sigaction, struct sigaction, (signal(SIGUSR2, SIG_IGN), sigaction(SIGUSR2, NULL, o)), o->sa_handler == SIG_IGN) \
X(sigaltstack, stack_t, sigaltstack(NULL, o), o->ss_flags) \
X(getaddrinfo, struct addrinfo *, getaddrinfo("127.0.0.1", "80", NULL, o), *o && (*o)->ai_addrlen) \
X(getnameinfo, TEXT, getnameinfo((struct sockaddr *)&(struct sockaddr_in){ AF_INET }, 16, o->s, 99, NULL, 0, \
	NI_NUMERICHOST), o->s[0]) \
X(inet_aton, struct in_addr, inet_aton("127.0.0.1", o), o->s_addr) \
X(inet_pton, struct in_addr, inet_pton(AF_INET, "127.0.0.1", o), o->s_addr) \
X(inet_ntop, TEXT, inet_ntop(AF_INET, &(struct in_addr){ 1 }, o->s, 99), o->s[0]) \
X(ether_aton_r, struct ether_addr, ether_aton_r("7:1:1:1:1:1", o), o->ether_addr_octet[0]) \
X(getifaddrs, struct ifaddrs *, getifaddrs(o), *o != NULL) \
X(getservbyname_r, struct { struct servent e; struct servent *p; char t[999]; }, \
	(getservbyname_r("no such", "tcp", &o->e, o->t, 999, &o->p), unseen_pointer(&o->p)), o->p != NULL) \
X(glob, glob_t, glob("/", 0, NULL, o), o->gl_pathc && o->gl_pathv[0]) \
X(regexec, struct { regex_t e; regmatch_t m[2]; }, (regcomp(&o->e, "x(y)", REG_EXTENDED), \
	regexec(&o->e, "axy", 2, o->m, 0)), o->m[0].rm_so) \
X(iconv, struct { char *in; char *out; size_t ni; size_t no; char t[9]; }, (o->in = (char *)"x", o->out = o->t, o->ni = 1, \
	o->no = 8, iconv(converter(), &o->in, &o->ni, &o->out, &o->no)), o->t[0]) \
X(rand_r, unsigned, rand_r(o), *o) \
X(erand48, struct { unsigned short x[3]; }, erand48(o->x), o->x[0] || o->x[1]) \
X(srand48_r, struct drand48_data, srand48_r(7, o), o->__x[1] || o->__x[0] || o->__x[2]) \
X(stat, struct stat, stat("/", o), o->st_mode) \
X(fstat, struct stat, fstat(0, o), o->st_mode) \
X(fstatat, struct stat, fstatat(AT_FDCWD, "/", o, 0), o->st_mode) \
X(statx, struct statx, statx(AT_FDCWD, "/", 0, STATX_MODE, o), o->stx_mode) \
X(statfs, struct statfs, statfs("/", o), o->f_bsize) \
X(statvfs, struct statvfs, statvfs("/", o), o->f_bsize) \
X(getrlimit, struct rlimit, getrlimit(RLIMIT_STACK, o), o->rlim_max) \
X(prlimit, struct rlimit, prlimit(0, RLIMIT_STACK, NULL, o), o->rlim_max) \
X(getrusage, struct rusage, getrusage(RUSAGE_SELF, o), o->ru_maxrss) \
X(sysinfo, struct sysinfo, sysinfo(o), o->totalram) \
X(uname, struct utsname, uname(o), o->sysname[0]) \
X(sched_getaffinity, cpu_set_t, sched_getaffinity(0, sizeof(*o), o), ((unsigned char *)o)[0] || ((unsigned char *)o)[1]) \
X(pthread_getaffinity_np, cpu_set_t, pthread_getaffinity_np(pthread_self(), sizeof(*o), o), ((unsigned char *)o)[0] || ((unsigned char *)o)[1]) \
X(pthread_getcpuclockid, clockid_t, pthread_getcpuclockid(pthread_self(), o), *o) \
X(pthread_attr_getguardsize, size_t, getguard(o), *o) \
X(getpwuid_r, struct { struct passwd e; struct passwd *p; char t[2000]; }, getpwuid_r(0, &o->e, o->t, 2000, &o->p), o->p != NULL) \
X(getgrgid_r, struct { struct group e; struct group *p; char t[2000]; }, getgrgid_r(0, &o->e, o->t, 2000, &o->p), o->p != NULL) \
X(pipe, struct { int e[2]; }, pipe(o->e), o->e[1]) \
X(socketpair, struct { int e[2]; }, socketpair(AF_UNIX, SOCK_STREAM, 0, o->e), o->e[1]) \
X(read, TEXT, (send_byte(), read(ends[0], o->s, 9)), o->s[0]) \
X(readv, TEXT, (send_byte(), readv(ends[0], &(struct iovec){ o->s, 9 }, 1)), o->s[0]) \
X(poll, struct pollfd, (*o = (struct pollfd){ ends[1], POLLOUT, 0 }, poll(o, 1, 0)), o->revents) \
X(select, fd_set, (FD_SET(ends[1], o), select(99, NULL, o, NULL, &(struct timeval){ 0, 0 })), FD_ISSET(ends[1], o)) \
X(ioctl, int, (send_byte(), ioctl(ends[0], FIONREAD, o)), *o) \
X(syscall, struct { char s[99]; }, syscall(SYS_getcwd, o->s, 99l), o->s[0]) \
X(scandir, struct dirent **, scandir("/", o, NULL, alphasort), *o != NULL) \
X(mkstemp, TEXT, (strcpy(o->s, "/tmp/libc_writes.XXXXXX"), unlink((close(mkstemp(o->s)), o->s))), o->s[17] && memcmp(o->s + 17, "XXXXXX", 6) != 0) \
X(open_memstream, struct { char *p; size_t n; }, fprintf_close(open_memstream(&o->p, &o->n)), o->p != NULL) \
X(fmemopen, TEXT, fprintf_close(fmemopen(o->s, 99, "w")), o->s[0]) \
X(qsort, struct { int a[3]; }, (memcpy(o->a, (int[]){ 3, 2, 1 }, 12), qsort(o->a, 3, 4, words_order)), o->a[0] == 1) \
X(qsort_r, struct { int a[3]; }, (memcpy(o->a, (int[]){ 3, 2, 1 }, 12), qsort_r(o->a, 3, 4, words_order_r, o)), o->a[0] == 1) \
X(lsearch, struct { size_t n; int a[3]; }, lsearch(&(int){ 7 }, o->a, &o->n, 4, words_order), o->n && o->a[0] == 7) \
X(argz_add, struct { char *p; size_t n; }, argz_add(&o->p, &o->n, "x"), o->p != NULL) \
X(getsubopt, struct { char *p; char *v; }, (o->p = strdup("b=7"), getsubopt(&o->p, (char *[]){ (char *)"b", NULL }, &o->v)), \
	o->v != NULL) \
X(tcgetattr_fails, struct termios, (tcgetattr(ends[0], o), unseen_int((int *)&o->c_cflag)), o->c_cflag) \
X(timer_create, timer_t, (timer_create(CLOCK_REALTIME, &(struct sigevent){ .sigev_notify = SIGEV_NONE }, o), \
	timer_create(CLOCK_REALTIME, &(struct sigevent){ .sigev_notify = SIGEV_NONE }, o)), *o != 0) \
X(dladdr, Dl_info, dladdr((void *)(uintptr_t)&strlen, o), o->dli_fname != NULL) \
X(getcontext, ucontext_t, getcontext(o), o->uc_mcontext.gregs[REG_RSP]) \
X(setvbuf, TEXT, buffered(o->s), o->s[0])
/* clang-format on */

#define X(name, type, call, test)    \
	static void *o_##name;       \
	static void put_##name(void) \
	{                            \
		type *o = o_##name;  \
		call;                \
	}                            \
	static int see_##name(void)  \
	{                            \
		type *o = o_##name;  \
		return (test) != 0;  \
	}
#pragma clang diagnostic ignored "-Wunused-result"
#pragma clang diagnostic ignored "-Wunused-value"
FUNCTIONS(X)
#undef X

enum {
#define X(name, type, call, test) N_##name,
	FUNCTIONS(X)
#undef X
		COUNT
};

static const struct {
	const char *name;
	size_t size;
	void **o;
	void (*put)(void);
	int (*see)(void);
} functions[] = {
#define X(name, type, call, test) { #name, sizeof(type), &o_##name, put_##name, see_##name },
	FUNCTIONS(X)
#undef X
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int value;
} data[COUNT] __attribute__((aligned(64)));
static long room[COUNT * 512];
static int now, racy, steps;

static void *other(void *unused)
{
	int s;

	(void)unused;
	order_see(steps + 1);
	if (racy)
		data[now].value = 2;
	pthread_mutex_lock(&m);
	s = functions[now].see();
	pthread_mutex_unlock(&m);
	if (s)
		data[now].value = 2;
	return NULL;
}

static void try_it(int i, const char *memory)
{
	pthread_t id;

	*functions[i].o = !strcmp(memory, "calloc")   ? calloc(1, functions[i].size)
			  : !strcmp(memory, "malloc") ? malloc(functions[i].size)
						      : (void *)&room[i * 512];
	if (!strcmp(memory, "malloc"))
		memset(*functions[i].o, 0, functions[i].size);
	now = i;
	pthread_create(&id, NULL, other, NULL);
	data[i].value = 1;
	pthread_mutex_lock(&m);
	functions[i].put();
	pthread_mutex_unlock(&m);
	order_at(steps);
	pthread_join(id, NULL);
	steps++;
	if (data[i].value != 2)
		fprintf(stderr, "%s: nothing seen\n", functions[i].name);
}

static int is_wanted(const char *name, int argc, char **argv)
{
	int but = argc > 3 && !strcmp(argv[3], "but");

	for (int i = 3 + but; i < argc; i++)
		if (!strcmp(argv[i], name))
			return !but;
	return but;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	racy = !strcmp(argv[2], "race");
	lines = fopen("lines", "r");
	c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	if (lines == NULL || pipe(ends) != 0)
		return 2;
	for (int i = 0; i < COUNT; i++)
		if (is_wanted(functions[i].name, argc, argv))
			try_it(i, argv[1]);
	printf("%d\n", steps);
	return 0;
}
