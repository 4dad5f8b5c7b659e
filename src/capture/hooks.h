/*
 * The contract between code that the pass emits and the runtime inside the
 * program.  The pass (src/instrument) calls or touches exactly what is named
 * here; the runtime (src/capture) defines it.  Nothing else is shared.
 *
 * The hook performs the access.  A load becomes a call that reads memory and
 * logs value and order together; a store likewise.  When nothing is being
 * recorded each hook does the bare access and returns.
 *
 * Sites.  A site is one static point of the program.  Each translation unit
 * carries a table of them (struct foresee_site) and a 32-bit base that the
 * runtime fills in when the module registers; hooks take base + index.  Site 0
 * of a table is never used, so that a site number of 0 means "unknown site".
 *
 * Call sites.  Before every call the pass stores the site of the call into
 * foresee_self->call_site.  An instrumented callee pushes it on the shadow
 * stack; an interposed library function (pthread_mutex_lock, malloc, strlen)
 * takes it as its own site.
 *
 * Feeds.  A function with free loads (doc/DEPENDENCY_FACTS.md) owns an array
 * of 64-bit keepers in its frame, one per free load site, zero at entry.  The
 * hook of a free load stores its event number there; the hook of a store that
 * such loads feed gets the array and a mask of the keepers that feed it.
 *
 * Uses.  Some loads decide something only when a lock has been given back: they are free, and foresee_use
 * tells of each place where they do.  If comparisons alone decide there, its site has them.
 *
 * Tests.  Of some loads only comparisons with constants decide anything; the site has them in words
 * (src/trace/predicate.h).  Such a load is recorded as free, or, where the same was read just before, as
 * binding or not at all.
 */
#ifndef CAPTURE_HOOKS_H
#define CAPTURE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORESEE_ABI 9

/* Shadow stack entries; deeper frames wrap round and are lost, never written
 * out of bounds.  A power of two. */
#define FORESEE_DEPTH (1u << 16)

/* At most this many free load sites per function (one bit each in a feed
 * mask) and feeds per store; the pass makes what exceeds them binding. */
#define FORESEE_KEEPERS 64
#define FORESEE_FEEDS 8

/*
 * The part of a thread's state that emitted code touches directly.  Always
 * valid: a thread the runtime does not know yet shares a scratch view.
 *
 *	entry:	frames[depth & (FORESEE_DEPTH - 1)] = call_site;
 *		depth = depth + 1;  call_site = 0;
 *	exit:	depth = depth at entry;  low = min(low, depth at entry);  call_site = 0;
 *	after a call that may return twice, and at a landing pad:
 *		depth = depth at entry + 1;  low = min(low, depth at entry + 1);
 *
 * Code that was not instrumented may call back.  A function that begins at the depth
 * from which unseen code was called is called by that code:
 *
 *	entry:	if (depth at entry == unseen) foresee_callback();
 *	exit:	if (depth at entry == unseen) foresee_callback_end();
 *	after a call that may return twice, and at a landing pad:
 *		if (depth == unseen) foresee_returned(0);
 */
struct foresee_view {
	uint32_t *frames;
	uint32_t depth;
	uint32_t low; /* lowest depth since the last record; the logger resets it */
	uint32_t call_site;
	uint32_t live;	 /* nonzero: this thread records.  Emitted code need not look. */
	uint32_t unseen; /* depth of the innermost call of unseen code, or FORESEE_NOWHERE */
};

#define FORESEE_NOWHERE UINT32_MAX

extern __thread struct foresee_view *foresee_self __attribute__((tls_model("initial-exec")));

/* What a site is.  One list gives the enum and the printable names. */
#define FORESEE_SITE_KINDS(X) \
	X(NONE, "none")       \
	X(READ, "read")       \
	X(WRITE, "write")     \
	X(ATOMIC, "atomic")   \
	X(RANGE, "range")     \
	X(CALL, "call")       \
	X(FENCE, "fence")     \
	X(ENTRY, "entry")

enum foresee_site_kind {
#define X(id, name) FORESEE_SITE_##id,
	FORESEE_SITE_KINDS(X)
#undef X
};

/* Site flags: the dependency facts of the site, for --facts and the tests. */
#define FORESEE_SITE_FREE 1u	 /* a free load */
#define FORESEE_SITE_FED 2u	 /* a store with feeds */
#define FORESEE_SITE_VOLATILE 4u /* a volatile access; always binding */
/* CALL: `variable' is not a lock's name, but */
#define FORESEE_SITE_ROUTINE 8u /* the start routine of the thread that is made */
#define FORESEE_SITE_NAMING 16u /* what the program calls some memory; NULL: no constant */
#define FORESEE_SITE_LOOKS 64u	/* a read: its value is compared, and nothing else comes of it */
#define FORESEE_SITE_NEAR 32u /* the optimiser took its line; this is the nearest of the function */

/*
 * One static program point.  Strings are NUL-terminated constants or NULL.  `inlined'
 * is the index, within the same table, of the site this one was inlined into
 * (a CALL site in the enclosing function), 0 when not inlined.
 */
struct foresee_site {
	const char *file;
	const char *function;
	const char *variable; /* "total", "struct account.balance", "count[]"; NULL unknown */
	uint32_t line;
	uint32_t inlined;
	uint64_t feeds; /* a fed store: mask of the keepers that feed it */
	uint16_t column;
	uint8_t kind;	 /* enum foresee_site_kind */
	uint8_t flags;	 /* FORESEE_SITE_* */
	uint32_t size;	 /* bytes touched; 0 when not static.  A free load: see keeper */
	uint16_t keeper; /* a free load: its keeper + 1; 0 otherwise */
	uint16_t pad[3];
	const char *tests; /* a load that is only compared: "ge:30/32 ne:0/8", by what; else NULL */
};
_Static_assert(sizeof(struct foresee_site) == 64, "the pass lays out this struct");

/* A global variable of the unit, so that an address can be named. */
struct foresee_global {
	const char *name; /* "total", or "file.c:name" for a static one */
	const char *file;
	const char *type;   /* C-like type name from debug information, "int[3][4]"; or NULL */
	const char *layout; /* what it is made of, see below; or NULL */
	const void *address;
	uint64_t size;
	uint32_t line;
	uint32_t flags; /* FORESEE_GLOBAL_* */
};
#define FORESEE_GLOBAL_IN_SIGHT 1u /* no pointer to it leaves its unit, nor is made by numbers */
_Static_assert(sizeof(struct foresee_global) == 56, "the pass lays out this struct");

/*
 * Layouts.  A type is one of
 *
 *	i4"int" u8"size_t" f8"double" p8"char *"	integer, unsigned, floating, pointer: bytes, name
 *	c1"char"		an integer whose sign is no matter: char, bool, enum
 *	[3][4]TYPE		an array
 *	{a@0:TYPE b@8:TYPE}16"struct s"	offsets of the members, of those without name too; a union
 *	b4"unsigned int"	a bit field
 *	x16"long double"	anything else
 */
#define FORESEE_LAYOUT_MOST 4096u /* bytes; longer ones are left out */

#define FORESEE_DIMENSIONS 4

/*
 * Which element of an array of this type and size an offset is in.  The number of its dimensions,
 * 0 when it is none or has more of them than index has room for; *offset becomes the one within
 * the element.
 */
static inline unsigned foresee_array_index(const char *type, uint64_t size, uint64_t *offset,
					   uint64_t index[FORESEE_DIMENSIONS])
{
	uint64_t count[FORESEE_DIMENSIONS], at; /* the last dimension first, as they are read */
	const char *end = type;
	unsigned n = 0;

	while (end != NULL && *end != '\0')
		end++;
	for (; end != type && end[-1] == ']'; n++) {
		const char *digit = end - 1;
		uint64_t value = 0, scale = 1;

		while (digit != type && digit[-1] >= '0' && digit[-1] <= '9' &&
		       scale <= UINT32_MAX) {
			value += (uint64_t)(*--digit - '0') * scale;
			scale *= 10;
		}
		if (n == FORESEE_DIMENSIONS || value == 0 || size % value != 0 || digit == type ||
		    digit[-1] != '[')
			return 0;
		count[n] = value;
		size /= value;
		end = digit - 1;
	}
	if (n == 0 || size == 0)
		return 0;
	at = *offset / size;
	*offset %= size;
	for (unsigned i = 0; i < n; i++) {
		index[n - 1 - i] = at % count[i];
		at /= count[i];
	}
	return n;
}

/*
 * Guarded programs (guard.h).  A function that accesses memory plainly is in the unit three times, and where `twins' is
 * set it goes on in one of its twins:
 *
 *	entry:	if (twins) return twin(arguments);
 *
 * In the first an access has a hook only where it may touch what is watched:
 *
 *	if (p < low + span && p >= low) hook; else the access
 *
 * and a loop of which it is known before where it goes asks that once (twin_loops.c).  low is FORESEE_TWIN_REACH - 1
 * below the first watched byte, so that this is right for accesses of up to so many bytes.  The second has no such
 * hooks.  It is for when all that is watched is FORESEE_GLOBAL_IN_SIGHT, and no variable that the function names is.  The
 * runtime sets all three before main begins, and never again.
 */
#define FORESEE_TWIN_REACH 64u
#define FORESEE_NO_ADDRESS UINT64_C(0) /* low while nothing is watched */

enum foresee_twins {
	FORESEE_TWINS_NOT,   /* the functions themselves */
	FORESEE_TWINS_ASK,   /* twins in which each access asks */
	FORESEE_TWINS_TRUST, /* those in which none does, where they may */
};

struct foresee_watch {
	uint64_t low, span;
	uint32_t twins, pad; /* enum foresee_twins */
};
_Static_assert(sizeof(struct foresee_watch) == 24, "the pass lays out this struct");

/* One per translation unit, registered from .init_array. */
struct foresee_module {
	uint32_t abi; /* FORESEE_ABI of the pass */
	uint32_t nsites;
	const struct foresee_site *sites;
	uint32_t *base;		      /* out: global number of sites[0] */
	const void *const *functions; /* the instrumented functions of the unit */
	uint64_t nfunctions;
	const struct foresee_global *globals;
	uint64_t nglobals;
	const char *name; /* source file name */
	struct foresee_watch *watch;
};

void foresee_module_register(const struct foresee_module *m);
void foresee_module_unregister(const struct foresee_module *m);

/*
 * Plain accesses of 1, 2, 4 and 8 bytes at any alignment.
 *	T    foresee_readN(p, site)                    binding
 *	T    foresee_readNf(p, site, keeper)             free: *keeper = event number
 *	T    foresee_readNt(p, site, keeper)             compared: the same, or 0; NULL: it feeds nothing
 *	void foresee_writeN(p, value, site)            no feeds
 *	void foresee_writeNf(p, value, site, keepers, mask)
 * and updates, *p += addend, which are two of them; they return what was read:
 *	T    foresee_addN(p, addend, site, to)         binding, and no feeds: readN at site, writeN at `to'
 *	T    foresee_addNf(p, addend, site, to, keeper)  free, and the only feed
 */
#define FORESEE_ACCESS(N, T)                                                               \
	T foresee_read##N(const void *p, uint32_t site);                                   \
	T foresee_read##N##f(const void *p, uint32_t site, uint64_t *keeper);              \
	T foresee_read##N##t(const void *p, uint32_t site, uint64_t *keeper);              \
	void foresee_write##N(void *p, T value, uint32_t site);                            \
	void foresee_write##N##f(void *p, T value, uint32_t site, const uint64_t *keepers, \
				 uint64_t mask);                                           \
	T foresee_add##N(void *p, T addend, uint32_t site, uint32_t to);                   \
	T foresee_add##N##f(void *p, T addend, uint32_t site, uint32_t to, uint64_t *keeper);
FORESEE_ACCESS(1, uint8_t)
FORESEE_ACCESS(2, uint16_t)
FORESEE_ACCESS(4, uint32_t)
FORESEE_ACCESS(8, uint64_t)
#undef FORESEE_ACCESS

/* What the load of this keeper has read decides something here: foresee_use(&keepers[i], site). */
void foresee_use(const uint64_t *keeper, uint32_t site);

/*
 * Accesses of any other size (vectors, i128, x86_fp80, structs, byval), and
 * memory intrinsics.  read copies from shared memory to the private buffer
 * `into', write from the private buffer `from' to shared memory; keeper and
 * keepers may be NULL (binding; not fed).  mask is ignored without keepers.
 * memcpy, memmove: a free ranged read that feeds the ranged write.
 * touch: a binding ranged read with nowhere to put the bytes (byval argument).
 */
void foresee_read_range(const void *p, void *into, size_t n, uint32_t site, uint64_t *keeper);
void foresee_write_range(void *p, const void *from, size_t n, uint32_t site,
			 const uint64_t *keepers, uint64_t mask);
void foresee_touch_range(const void *p, size_t n, uint32_t site);
void foresee_copy(void *to, const void *from, size_t n, uint32_t site);
void foresee_move(void *to, const void *from, size_t n, uint32_t site);
void foresee_fill(void *to, int byte, size_t n, uint32_t site, const uint64_t *keepers,
		  uint64_t mask);

/*
 * Loops whose accesses are known before they begin (src/instrument/loops.c, src/capture/loop.h).  The loop is
 * run in portions of some iterations each, on a buffer:
 *
 *	portion = foresee_loop_begin(loop);	0: run it the ordinary way
 *	while (portion) {
 *		its iterations, where each access is to the buffer of its lane
 *		portion = foresee_loop_next(loop);
 *	}
 *
 * A lane is what one access touches, in one iteration after the other, or several that lie side by
 * side.  Iteration i of a portion has its bytes at buffer + i * size, DOWN: at buffer - i * size.
 */
#define FORESEE_LANES 8u
#define FORESEE_LANE_SIZE 128u /* bytes an iteration, at most */
#define FORESEE_LOOP_LEAST 8u  /* iterations that are worth the calls */

#define FORESEE_LANE_WRITES 1u
#define FORESEE_LANE_FREE \
	2u /* a free read, which feeds nothing but writes of the loop; TIGHT or DOWN */
#define FORESEE_LANE_FED 4u   /* WRITES: by the free reads of the loop; TIGHT */
#define FORESEE_LANE_TIGHT 8u /* stride == size: the bytes are a range */
#define FORESEE_LANE_DOWN 16u /* stride == -size, and it reads: they are, from its end */
#define FORESEE_LANE_ONCE 32u /* TIGHT or DOWN: it is not expected to read the same again soon */

struct foresee_lane {
	uint8_t *p; /* its bytes of the next iteration */
	int64_t stride;
	uint8_t *buffer; /* out */
	uint64_t mask;	 /* WRITES: the keepers of free reads outside the loop that feed it */
	uint32_t size;
	uint32_t site;
	uint32_t flags;
	uint32_t
		at; /* which of the accesses of an iteration is its last one; WRITES: its first one */
};
_Static_assert(sizeof(struct foresee_lane) == 48, "the pass lays out this struct");

struct foresee_loop {
	uint64_t left;		 /* iterations; the runtime counts them down */
	const uint64_t *keepers; /* of the function; NULL: it has none */
	uint64_t portion, first; /* the runtime's */
	uint64_t nlanes;
	struct foresee_lane lanes[FORESEE_LANES];
};
_Static_assert(offsetof(struct foresee_loop, lanes) == 40, "the pass lays out this struct");

uint64_t foresee_loop_begin(struct foresee_loop *loop);
uint64_t foresee_loop_next(struct foresee_loop *loop);

/*
 * Variables that are written by main alone, before it makes a thread (src/instrument/frozen.c).
 * main begins: *alone = 1 if their reads need no record, since nobody else is there.  Before each of
 * these writes: is it so still?
 */
void foresee_main(uint8_t *alone);
void foresee_alone(uint8_t *alone);

/* Memory orders as in C11 (__ATOMIC_RELAXED ... __ATOMIC_SEQ_CST). */

#define FORESEE_RMW_OPS(X) \
	X(XCHG, "xchg")    \
	X(ADD, "add")      \
	X(SUB, "sub")      \
	X(AND, "and")      \
	X(NAND, "nand")    \
	X(OR, "or")        \
	X(XOR, "xor")      \
	X(MAX, "max")      \
	X(MIN, "min")      \
	X(UMAX, "umax")    \
	X(UMIN, "umin")    \
	X(FADD, "fadd")    \
	X(FSUB, "fsub")    \
	X(FMAX, "fmax")    \
	X(FMIN, "fmin")

enum foresee_rmw_op {
#define X(id, name) FORESEE_RMW_##id,
	FORESEE_RMW_OPS(X)
#undef X
};

/*
 * Atomics of 1, 2, 4, 8 bytes.  keeper: NULL when the result is binding.
 * cas: *expected receives the old value; returns success; always binding.
 */
#define FORESEE_ATOMIC_HOOKS(N, T)                                                      \
	T foresee_aread##N(const void *p, int order, uint32_t site, uint64_t *keeper);  \
	void foresee_awrite##N(void *p, T value, int order, uint32_t site,              \
			       const uint64_t *keepers, uint64_t mask);                 \
	T foresee_armw##N(void *p, T value, int op, int order, uint32_t site,           \
			  const uint64_t *keepers, uint64_t mask, uint64_t *keeper);    \
	bool foresee_acas##N(void *p, T *expected, T desired, int success, int failure, \
			     uint32_t site);
FORESEE_ATOMIC_HOOKS(1, uint8_t)
FORESEE_ATOMIC_HOOKS(2, uint16_t)
FORESEE_ATOMIC_HOOKS(4, uint32_t)
FORESEE_ATOMIC_HOOKS(8, uint64_t)
#undef FORESEE_ATOMIC_HOOKS

/* 16-byte atomics, 16-byte aligned, values through memory. */
void foresee_aread16(const void *p, void *into, int order, uint32_t site);
void foresee_awrite16(void *p, const void *from, int order, uint32_t site);
bool foresee_acas16(void *p, void *expected, const void *desired, int success, int failure,
		    uint32_t site);

void foresee_fence(int order, uint32_t site);

/* A function that was named to the pass (FORESEE_CALLS) begins: its name, and the first of its
 * arguments that are integers or pointers. */
#define FORESEE_CALL_ARGUMENTS 4
void foresee_called(const char *name, uint32_t n, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* A local variable that others may reach comes to life at p: fresh memory, whatever lay there. */
void foresee_frame(void *p, size_t n, uint32_t site);
/* The same of one that holds a synchronisation object, and its end. */
void foresee_scope(void *p, size_t n, uint32_t site);
void foresee_scope_end(void *p, size_t n, uint32_t site);

/*
 * A call of code the pass has not seen.  What kind of code it is decides what the
 * runtime logs; it is found out at the first call.
 */
enum foresee_callee {
	FORESEE_CALLEE_SEEN,  /* instrumented: nothing */
	FORESEE_CALLEE_NEW,   /* not known yet */
	FORESEE_CALLEE_PLAIN, /* not known yet; of FORESEE_READING, or no pointer goes in */
	FORESEE_CALLEE_READS, /* unseen, orders no threads, writes nothing of the program's: OPAQUE */
	FORESEE_CALLEE_QUIET, /* unseen, orders no threads: OPAQUE */
	FORESEE_CALLEE_NAMED, /* not known yet; of a WAITS row, so if unseen it may wait */
	FORESEE_CALLEE_WAITS, /* unseen, may wait for others: OPAQUE and GIVE before, TAKE after */
	FORESEE_CALLEE_WAITS_READS, /* WAITS, but it writes nothing of the program's */
};

/*
 * For a direct call of an external function the unit keeps one byte per
 * callee, initially NEW, PLAIN or NAMED, and emits
 *	if (byte) foresee_opaque(&byte, callee, site, n, pointers...);
 *	the call
 *	if (byte > FORESEE_CALLEE_QUIET) foresee_returned(site);
 * Indirect calls pass byte = NULL and look at what foresee_opaque returns.  With callee = NULL
 * as well it is an instruction that the pass does not model; with a byte of
 * WAITS, one that may order threads.  The second test is left out after calls
 * that do not return, or must be the last thing of their function.
 * Not emitted for names of libc.def, of KNOWN functions (interposed.def) and FORESEE_PURE.
 *
 * The n pointers are those that the callee is given and that others may know.  Of one that is given
 * more, those that are left over go to foresee_given before.  Of an instruction n has in its upper
 * bits, from FORESEE_OPERANDS on, four for each of the pointers: 0, or it is an operand in memory, of so
 * many bytes as 1 << those - 1, or less.
 */
#define FORESEE_GIVEN 5
#define FORESEE_OPERANDS 8
void foresee_given(uint32_t site, uint32_t n, const void *a, const void *b, const void *c,
		   const void *d, const void *e);
uint32_t foresee_opaque(uint8_t *byte, const void *callee, uint32_t site, uint32_t n, const void *a,
			const void *b, const void *c, const void *d, const void *e);
void foresee_returned(uint32_t site);

/* A function of the program is called by unseen code, and returns to it. */
void foresee_callback(void);
void foresee_callback_end(void);

/* The lists below are laid out by hand. */
/* clang-format off */

/*
 * Calls of functions that begin so, and of the KNOWN functions of interposed.def, need a call_site
 * and nothing else.
 */
#define FORESEE_KNOWN_PREFIXES(X) \
	X("pthread_") X("foresee_") X("__cxa_guard_") X("__tsan_") X("_Znw") X("_Zna") X("_Zdl") X("_Zda")

/* The same by their whole names, for the program may have its own sem_add and mtx_pool.  Not sem_open and
 * sem_unlink: semaphores that have a name come and go as files do. */
#define FORESEE_KNOWN(X) X(sem_close) X(thrd_current) X(thrd_equal) X(tss_delete) X(tss_set)

/*
 * The rest of libc's functions, those without a row in a table.  unseen_libc.c says which of them order threads.
 */

/* Functions that only read what they are given. */
#define FORESEE_READING(X)                                                                  \
	X(psignal) X(syslog) X(vsyslog) X(open) X(open64) X(openat) X(openat64) X(openlog)  \
	X(fopen) X(fopen64) X(fdopen) X(freopen) X(opendir) X(closedir) X(rewinddir)        \
	X(fileno) X(strcoll) X(strverscmp) X(wcslen) X(wcscmp) X(wcsncmp) X(wmemcmp)        \
	X(atof) X(atoll) X(setlocale) X(chdir) X(chmod) X(chown) X(truncate) X(inet_addr)   \
	X(dlsym) X(dlerror) X(freeaddrinfo) X(gai_strerror) X(strerror) X(strsignal)        \
	X(setenv) X(unsetenv) X(regfree) X(globfree) X(freelocale) X(mlock) X(munlock)      \
	X(madvise) X(mprotect) X(msync) X(msgsnd) X(mq_send) X(mq_timedsend)                \
	X(pidfd_send_signal) X(mkdir) X(mkdirat) X(mkfifo) X(rmdir) X(unlink) X(unlinkat)   \
	X(remove) X(rename) X(renameat) X(link) X(linkat) X(symlink) X(symlinkat)           \
	X(access) X(faccessat)

/* Functions that touch no memory of the caller's. */
#define FORESEE_PURE(X)                                                                     \
	X(srand) X(srandom)                                                                 \
	X(sched_yield) X(getpid) X(gettid) X(abort) X(sysconf) X(getpagesize) X(clock)      \
	X(isatty) X(labs) X(llabs) X(abs) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan)      \
	X(atan2) X(sinh) X(cosh) X(tanh) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10)    \
	X(log1p) X(pow) X(sqrt) X(cbrt) X(hypot) X(fmod) X(floor) X(ceil) X(round)          \
	X(trunc) X(rint) X(fabs) X(fmin) X(fmax) X(sinf) X(cosf) X(expf) X(logf) X(powf)    \
	X(sqrtf) X(floorf) X(ceilf) X(fabsf) X(isalpha) X(isdigit) X(isspace) X(isupper)    \
	X(islower) X(isalnum) X(ispunct) X(isprint) X(toupper) X(tolower)                   \
	X(__errno_location) X(__assert_fail) X(__stack_chk_fail) X(__cxa_begin_catch)       \
	X(__cxa_end_catch) X(__cxa_throw) X(__cxa_allocate_exception)                       \
	X(__cxa_free_exception) X(__cxa_rethrow) X(_Unwind_Resume)                          \
	X(__clang_call_terminate) X(_ZSt9terminatev)                                        \
	X(__cxa_pure_virtual) X(getenv) X(__ctype_b_loc) X(__ctype_tolower_loc)             \
	X(__ctype_toupper_loc)

/* clang-format on */

#endif /* CAPTURE_HOOKS_H */
