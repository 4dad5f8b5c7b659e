/*
 * Unseen code may order threads by means of its own: a library with locks made
 * of futexes, a system call.  So a call of it gives before and takes after, on one
 * channel for all unseen code, and so does the way through it into a function of
 * the program and back:
 *
 *	the program           a library             the program
 *	GIVE
 *	lib_for_each(f) ----> lock
 *	                      f() ----------------> TAKE
 *	                                            ...
 *	                                            GIVE
 *	                      unlock <-------------
 *	TAKE
 *
 * That orders more than the program does, so predictions are missed.  Code that is known to order
 * nothing, or only by functions that have stand-ins, is left out: functions of libc by name, its companions,
 * and code in the same image as instrumented code, for somebody decided not to instrument it.
 *
 * Images are looked up without a lock (_dl_find_object): a constructor may be waiting,
 * inside dlopen, for the thread that asks.
 */
#include "capture/unseen.h"

#include <elf.h>
#include <link.h>

#include "capture/channel.h"
#include "capture/guard.h"
#include "capture/unseen_libc.h"

/* Libraries by the beginning of their file name: those that order nothing, and libc. */
static const char *const quiet[] = {
	"libm.so", "libmvec.so",   "ld-linux",	 "libgcc_s.so",	     "libstdc++.so",
	"libc++",  "libresolv.so", "linux-vdso", "libforesee_rt.so",
};
static const char *const libc[] = { "libc.so", "libpthread.so", "libdl.so", "librt.so",
				    "libutil.so" };

static bool is_one_of(const char *path, const char *const *list, size_t n)
{
	const char *name = text_behind(path, '/');

	for (size_t i = 0; i < n; i++)
		if (strncmp(name, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

static bool is_libc(const char *path)
{
	return is_one_of(path, libc, sizeof(libc) / sizeof(*libc));
}

static bool is_quiet(const char *path)
{
	return is_one_of(path, quiet, sizeof(quiet) / sizeof(*quiet));
}

/*
 * A program that is not position independent takes a stub of its own for the address of a
 * library's function.  The function behind f, or f.
 */
static const void *behind_stub(const void *f)
{
	const ElfW(Sym) *symbol = NULL;
	const void *real = NULL;
	Dl_info info;

	if (dladdr1(f, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
	    symbol->st_shndx == SHN_UNDEF && info.dli_saddr == f)
		real = real_find(info.dli_sname, NULL);
	return real != NULL ? real : f;
}

/* What unseen code is follows from the image that it lies in.  Code in one image with
 * instrumented code may do anything but order threads. */
static enum foresee_callee by_image(const void *f, enum foresee_callee what)
{
	struct dl_find_object at;

	if (_dl_find_object((void *)(uintptr_t)f, &at) != 0)
		return FORESEE_CALLEE_WAITS; /* made at run time */
	if (at.dlfo_link_map->l_addr == 0 && module_is_seen(at.dlfo_map_start)) {
		f = behind_stub(f);
		if (_dl_find_object((void *)(uintptr_t)f, &at) != 0)
			return FORESEE_CALLEE_WAITS;
	}
	if (module_is_seen(at.dlfo_map_start))
		return FORESEE_CALLEE_QUIET;
	if (is_libc(at.dlfo_link_map->l_name)) {
		if (unseen_libc_orders(at.dlfo_link_map, f))
			return what == FORESEE_CALLEE_PLAIN ? FORESEE_CALLEE_WAITS_READS
							    : FORESEE_CALLEE_WAITS;
	} else if (!is_quiet(at.dlfo_link_map->l_name)) {
		return FORESEE_CALLEE_WAITS;
	}
	return what == FORESEE_CALLEE_PLAIN ? FORESEE_CALLEE_READS : FORESEE_CALLEE_QUIET;
}

/* What a call of f is, neither NEW, PLAIN nor NAMED: what the pass could tell. */
static enum foresee_callee callee_of(const void *f, enum foresee_callee what)
{
	if (module_has_function(f))
		return FORESEE_CALLEE_SEEN;
	if (what == FORESEE_CALLEE_NAMED)
		return FORESEE_CALLEE_WAITS;
	return by_image(f, what);
}

/* ---- the way in and out ---- */

/* Drops calls that were left by a jump: their depth is not below the present one. */
static void drop_stale(struct thread *t)
{
	ASSERT_RECORDING(t->nunseen <= THREAD_UNSEEN);
	while (t->nunseen != 0 && t->unseen[t->nunseen - 1] >= t->view.depth)
		t->nunseen--;
}

/* If more calls are nested than there is room for, only the innermost of those beyond counts,
 * until it returns. */
static void enter(struct thread *t)
{
	drop_stale(t);
	if (t->nunseen < THREAD_UNSEEN)
		t->unseen[t->nunseen++] = t->view.depth;
	t->view.unseen = t->view.depth;
}

static void leave(struct thread *t)
{
	drop_stale(t);
	t->view.unseen = t->nunseen != 0 ? t->unseen[t->nunseen - 1] : FORESEE_NOWHERE;
}

/* Does f lie in one image with instrumented code?  Then it may write to memory; libc only calls
 * what it was given. */
static bool is_beside(const void *f)
{
	struct dl_find_object at;

	return _dl_find_object((void *)(uintptr_t)f, &at) == 0 && module_is_seen(at.dlfo_map_start);
}

void unseen_begin(struct thread *t, const void *f)
{
	enum foresee_callee what = callee_of(f, FORESEE_CALLEE_NEW);

	if (what == FORESEE_CALLEE_WAITS) {
		t->unseen[t->nunseen++] = 0;
		t->view.unseen = 0;
	}
	t->unseen_root =
		what == FORESEE_CALLEE_WAITS || (what != FORESEE_CALLEE_SEEN && is_beside(f));
}

void unseen_runs(struct thread *t)
{
	t->unseen_root = true;
	sync_opaque(t, 0, 0, NULL, 0);
}

/* The linker lets libraries see the main of a program that was linked with them.  One that was not
 * was not built by foresee-cc either. */
extern int unseen_program_main(void) __asm__("main") __attribute__((weak));

void unseen_main(struct thread *t)
{
	uint32_t depth = t->view.depth;

	if (t->tid != 1 || t->unseen_root ||
	    (unseen_program_main &&
	     module_has_function((const void *)(uintptr_t)unseen_program_main)))
		return;
	t->view.depth = t->view.low = 0; /* the record is about the caller of the first function */
	unseen_runs(t);
	t->view.depth = depth;
}

static void log_at(struct thread *t, unsigned kind, uint32_t site)
{
	t->view.call_site = site;
	channel_log_unseen(t, kind);
}

EXPORT uint32_t foresee_opaque(uint8_t *byte, const void *callee, uint32_t site, uint32_t n,
			       const void *a, const void *b, const void *c, const void *d,
			       const void *e)
{
	const void *const given[FORESEE_GIVEN] = { a, b, c, d, e };
	struct thread *t = hook_enter();
	enum foresee_callee what = FORESEE_CALLEE_QUIET;
	uint32_t operands = n >> FORESEE_OPERANDS;

	n &= (1u << FORESEE_OPERANDS) - 1;
	if (t == NULL)
		return FORESEE_CALLEE_SEEN;
	if (byte != NULL)
		what = __atomic_load_n(byte, __ATOMIC_RELAXED);
	else if (callee != NULL)
		what = FORESEE_CALLEE_NEW;
	if (what == FORESEE_CALLEE_NEW || what == FORESEE_CALLEE_PLAIN ||
	    what == FORESEE_CALLEE_NAMED) {
		what = callee_of(callee, what);
		if (byte != NULL)
			__atomic_store_n(byte, (uint8_t)what, __ATOMIC_RELAXED);
	}
	if (what != FORESEE_CALLEE_SEEN)
		sync_opaque(t, site,
			    what == FORESEE_CALLEE_READS || what == FORESEE_CALLEE_WAITS_READS
				    ? FORMAT_OPAQUE_READS
				    : 0,
			    given, n < FORESEE_GIVEN ? n : FORESEE_GIVEN);
	if (what == FORESEE_CALLEE_WAITS || what == FORESEE_CALLEE_WAITS_READS) {
		log_at(t, FORMAT_K_GIVE, site);
		if (CONTROLLED(t) && callee == NULL)
			control_assembler(t, given, operands, site);
		enter(t);
	}
	hook_leave(t);
	return what;
}

EXPORT void foresee_given(uint32_t site, uint32_t n, const void *a, const void *b, const void *c,
			  const void *d, const void *e)
{
	const void *const given[FORESEE_GIVEN] = { a, b, c, d, e };
	HOOK(t) {
		n = n < FORESEE_GIVEN ? n : FORESEE_GIVEN;
		sync_opaque(t, site, FORMAT_OPAQUE_READS, given, n);
		if (guard_on) /* the call that follows may write there */
			guard_unseen(site, given, n);
	}
}

EXPORT void foresee_returned(uint32_t site)
{
	HOOK(t) {
		leave(t);
		log_at(t, FORMAT_K_TAKE, site);
	}
}

EXPORT void foresee_callback(void)
{
	HOOK(t)
		log_at(t, FORMAT_K_TAKE, 0);
}

EXPORT void foresee_callback_end(void)
{
	HOOK(t)
		log_at(t, FORMAT_K_GIVE, 0);
}

/* The first thread alone comes before all others. */
#define GIVE                     \
	if (thread_was_forked()) \
	channel_unseen(FORMAT_K_GIVE)

#define INTERPOSED_HANDLERS
#include "capture/interposed.def"
