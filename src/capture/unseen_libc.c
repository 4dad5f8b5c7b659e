/*
 * The name of a function is looked for among all that its library exports, by its address, for dladdr takes
 * a lock that a constructor may hold while it waits for the thread that asks.  One that has several names is
 * known by any of them; one that has none is an implementation of a function on strings, chosen by processor.
 */
#include "capture/unseen_libc.h"

#include <elf.h>
#include <string.h>

/* The lists are laid out by hand. */
/* clang-format off */

/* What begins so. */
static const char *const prefixes[] = {
	/* memory and characters */
	"mem", "str", "stp", "wcs", "wcp", "wmem", "mbs", "mbr", "mbt", "mbl", "wcr", "wct", "to", "is",
	"__mem", "__str", "__stp", "__wcs", "__wcp", "__wmem", "__isoc23_str", "__isoc23_wcs", "__ctype_",
	"ffs", "argz_", "envz_", "ato", "malloc", "mall", "realloc",
	/* numbers, time, searching */
	"rand", "srand", "initstate", "setstate", "drand48", "erand48", "jrand48", "lrand48", "mrand48",
	"nrand48", "seed48", "lcong48", "arc4random", "qsort", "hsearch", "hcreate", "hdestroy", "twalk",
	"frexp", "ldexp", "modf", "scalb", "copysign", "finite", "ctime", "asctime", "gmtime", "localtime",
	"timespec_get", "clock_get", "obstack_",
	/* what is told of the process and the system, and does not change */
	"get_nprocs", "gnu_", "getopt", "getpw", "getgr", "getserv", "getproto", "gethostby",
	/* text in other languages and forms */
	"iconv", "nl_langinfo", "reg", "re_", "inet_", "__inet_",
	/* threads: what has order has a stand-in */
	"pthread_", "__pthread_", "mtx_", "cnd_", "thrd_", "tss_", "sched_", "backtrace", "dladdr", "__cxa_", "__assert",
};

static const char *const names[] = {
	"bcmp", "bcopy", "bzero", "bsearch", "basename", "dirname", "btowc", "index", "rindex", "swab",
	"abs", "labs", "llabs", "imaxabs", "div", "ldiv", "lldiv", "imaxdiv", "lfind", "lsearch", "tsearch",
	"tfind", "tdelete", "tdestroy", "insque", "remque", "a64l", "l64a", "ecvt", "fcvt", "gcvt",
	"calloc", "free", "cfree", "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc",
	"mlock", "munlock", "mlockall", "munlockall", "madvise", "posix_madvise",
	"time", "clock", "mktime", "timegm", "timelocal", "difftime", "tzset", "gettimeofday", "times", "dysize",
	"nanosleep", "usleep", "sleep", "clock_nanosleep", "getpid", "getppid", "gettid", "getuid",
	"geteuid", "getgid", "getegid", "getpagesize", "getdtablesize", "sysconf", "confstr",
	"getauxval", "getenv", "secure_getenv", "setenv", "putenv", "unsetenv", "clearenv", "getsubopt",
	"getrandom", "getentropy", "getcpu", "ftok", "isatty", "fileno", "setvbuf", "setbuf", "setbuffer",
	"setlinebuf", "fmemopen", "open_memstream", "fdopen", "socket", "epoll_create", "epoll_create1",
	"eventfd", "timerfd_create", "memfd_create", "sigaltstack", "sigprocmask", "syslog", "vsyslog",
	"openlog", "closelog", "setlogmask", "psignal", "perror",
	"snprintf", "sprintf", "vsnprintf", "vsprintf", "asprintf", "vasprintf", "swprintf", "vswprintf",
	"sscanf", "vsscanf", "swscanf", "vswscanf", "__isoc99_sscanf", "__isoc99_vsscanf",
	"__isoc99_swscanf", "__isoc99_vswscanf", "__isoc23_sscanf", "__isoc23_vsscanf", "__snprintf_chk",
	"__sprintf_chk", "__vsnprintf_chk", "__vsprintf_chk", "__asprintf_chk", "__vasprintf_chk",
	"sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigismember", "sigisemptyset", "sigandset",
	"sigorset", "fnmatch", "setlocale", "newlocale", "uselocale", "freelocale", "duplocale",
	"localeconv", "gettext", "dgettext", "dcgettext", "ngettext", "dngettext", "dcngettext",
	"textdomain", "bindtextdomain", "bind_textdomain_codeset", "catgets", "htons", "htonl", "ntohs",
	"ntohl", "getaddrinfo", "getnameinfo", "freeaddrinfo", "gai_strerror", "globfree", "wordfree",
	"dlsym", "dlvsym", "dlerror", "setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "getcontext",
	"makecontext", "abort", "__errno_location", "__h_errno_location", "__stack_chk_fail", "__fdelt_chk",
	"__fortify_fail", "__chk_fail", "__libc_current_sigrtmin", "__libc_current_sigrtmax", "crypt", "crypt_r",
};

/* And yet, of what begins so: handlers that another thread runs at the end. */
static const char *const not_these[] = { "__cxa_atexit", "__cxa_at_quick_exit", "__cxa_finalize" };

/* clang-format on */

#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof(*(list)))

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static bool is_harmless(const char *name)
{
	if (IS_ONE_OF(name, not_these))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return IS_ONE_OF(name, names);
}

struct exports {
	const ElfW(Sym) * symbols;
	const char *text;
	size_t n;
};

/* The table of hashes alone says how many symbols there are: the last of the last chain. */
static size_t count(const uint32_t *hash)
{
	uint32_t buckets = hash[0], first = hash[1], words = hash[2], last = 0;
	const uint32_t *bucket = (const uint32_t *)((const uint64_t *)(hash + 4) + words);
	const uint32_t *chain = bucket + buckets;

	for (uint32_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < first)
		return first;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

static struct exports exports_of(const struct link_map *library)
{
	struct exports e = { 0 };

	for (const ElfW(Dyn) *d = library->l_ld; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SYMTAB)
			e.symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			e.text = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_GNU_HASH)
			e.n = count((const void *)d->d_un.d_ptr);
	return e;
}

static bool look(const struct link_map *library, const void *f)
{
	const struct exports e = exports_of(library);
	bool named = false;

	for (size_t i = 0; e.symbols != NULL && e.text != NULL && i < e.n; i++) {
		if (e.symbols[i].st_shndx == SHN_UNDEF ||
		    ELF64_ST_TYPE(e.symbols[i].st_info) != STT_FUNC ||
		    e.symbols[i].st_value + library->l_addr != (uintptr_t)f)
			continue;
		if (is_harmless(e.text + e.symbols[i].st_name))
			return false;
		named = true;
	}
	return named || e.n == 0;
}

/* Calls by pointers ask each time.  An address, and what is known of it as its lowest bit. */
#define KNOWN 64u
static uint64_t known[KNOWN]; /* atomic each */

bool unseen_libc_orders(const struct link_map *library, const void *f)
{
	uint64_t address = (uintptr_t)f, *at = &known[(address >> 4) % KNOWN];
	uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
	bool orders;

	if (old >> 1 == address)
		return old & 1;
	orders = look(library, f);
	__atomic_store_n(at, address << 1 | orders, __ATOMIC_RELAXED);
	return orders;
}
