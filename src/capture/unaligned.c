/*
 * Accesses of addresses that are not aligned, as programs for the sanitizers write them
 * (sanitizer/common_interface_defs.h): they are done here, and recorded like any other.
 *
 * __tsan_unaligned_read4 and its like only announce an access that the caller then makes, which
 * instrumented code records when it makes it: there is nothing more to do.
 */
#include <stdint.h>

#include "capture/libc_priv.h"
#include "capture/real.h"

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

#define ACCESS(bits)                                                             \
	uint##bits##_t __sanitizer_unaligned_load##bits(const void *p);          \
	void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t v);       \
	EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *p)    \
	{                                                                        \
		uint##bits##_t v;                                                \
                                                                                 \
		load(p, &v, sizeof(v));                                          \
		return v;                                                        \
	}                                                                        \
	EXPORT void __sanitizer_unaligned_store##bits(void *p, uint##bits##_t v) \
	{                                                                        \
		log_store(p, &v, sizeof(v));                                     \
	}

ACCESS(16)
ACCESS(32)
ACCESS(64)

#define ANNOUNCED(bytes)                                        \
	void __tsan_unaligned_read##bytes(const void *p);       \
	void __tsan_unaligned_write##bytes(void *p);            \
	EXPORT void __tsan_unaligned_read##bytes(const void *p) \
	{                                                       \
		(void)p;                                        \
	}                                                       \
	EXPORT void __tsan_unaligned_write##bytes(void *p)      \
	{                                                       \
		(void)p;                                        \
	}

ANNOUNCED(2)
ANNOUNCED(4)
ANNOUNCED(8)
ANNOUNCED(16)
