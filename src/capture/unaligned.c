/*
 * Accesses of addresses that are not aligned, as programs for the sanitizers write them
 * (sanitizer/common_interface_defs.h): they are done here, and recorded like any other.
 *
 * __tsan_unaligned_read4 and its like only announce an access that the caller then makes, which
 * instrumented code records when it makes it: there is nothing more to do.
 */
#include "capture/libc_priv.h"

/* A binding read, for it is not known here what the program does with the value. */
static void load(const void *p, void *into, size_t n)
{
	struct thread *t = hook_enter();

	if (t == NULL) {
		memcpy(into, p, n);
		return;
	}
	range_read(t, p, into, n, SITE, false);
	hook_leave(t);
}

#define LOADED(type, p)                   \
	({                                \
		type v_;                  \
                                          \
		load(p, &v_, sizeof(v_)); \
		v_;                       \
	})

#define INTERPOSED_UNALIGNED
#include "capture/interposed.def"
