/*
 * Assertions of the recorder.  It lives in somebody else's process: a structure that is not as it
 * must be ends the recording, and the trace says which one; never the program.
 *
 *	ASSERT_RECORDING(t->npending <= t->filter_mask + 1);
 *	if (!ASSERT_RECORDING(i < n))
 *		return;		where going on would do harm
 *
 * Threads: any, with any lock of the recorder held.  So one that fails takes none: it only leaves
 * its words behind, and the next record of any thread that makes room stops the recording
 * (log_catch_up).
 */
#ifndef CAPTURE_ASSERT_H
#define CAPTURE_ASSERT_H

#include <stdbool.h>

#include "capture/hint.h"

#define ASSERT_RECORDING(good)                                                        \
	({                                                                            \
		bool good_ = (good);                                                  \
                                                                                      \
		if (UNLIKELY(!good_))                                                 \
			assert_failed("the recorder finds its data broken, " __FILE__ \
				      ":" ASSERT_TEXT(__LINE__) ": " #good);          \
		good_;                                                                \
	})
#define ASSERT_TEXT(line) ASSERT_TEXT_OF(line)
#define ASSERT_TEXT_OF(line) #line

void assert_failed(const char *what) COLD;

/* What the first one said that failed; NULL: none has. */
const char *assert_broken(void);

#endif /* CAPTURE_ASSERT_H */
