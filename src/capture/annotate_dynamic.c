/*
 * The older annotations, as Helgrind's, DRD's and the thread sanitizer's users know them:
 * AnnotateHappensBefore and its relatives, in programs that call them as functions and do not
 * define them.
 *
 * Annotations that hide something are not obeyed.  A recording without some accesses would order
 * less than the run did, and predictions from it could be wrong; so IgnoreReads, IgnoreWrites and
 * IgnoreSync are noted and everything is recorded.  A race that is declared benign stays in the
 * recording, and the report leaves it out and counts it.
 *
 * NewMemory and PublishMemoryRange say what the recording shows anyway: who got the memory read a
 * pointer to it, and comes after the thread that stored it.
 */
#include <stdint.h>

#include "capture/annotate.h"
#include "capture/interposed.h"
#include "capture/sync.h"

#define PLACE const char *file __attribute__((unused)), int line __attribute__((unused))

static void benign(const volatile void *mem, long size, const char *why)
{
	if (size > 0)
		annotate_range(FORMAT_USER_BENIGN, why, mem, (uint64_t)size);
}

static void note_once(void)
{
	static const char words[] =
		"the program asks to ignore accesses or synchronisation (AnnotateIgnore...): "
		"they are recorded all the same";
	static bool noted;

	if (__atomic_load_n(&noted, __ATOMIC_RELAXED))
		return;
	HOOK(t) {
		if (!__atomic_exchange_n(&noted, true, __ATOMIC_RELAXED))
			log_control(FORMAT_K_C_NOTE, words, sizeof(words) - 1);
	}
}

#define INTERPOSED_ANNOTATIONS
#include "capture/interposed.def"
