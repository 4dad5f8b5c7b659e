/*
 * From a frame to its caller's, by the tables that exceptions use (.eh_frame).
 *
 * Of a table's row three things are of use here: where the frame ends (CFA), that the return
 * address lies right below that, and where the caller's rbp was saved.  They depend on the point
 * in the code only, so the answer for a point is looked up once and kept.
 *
 * No lock, no allocation, nothing of the C library.
 */
#ifndef CAPTURE_LOCKS_UNWIND_H
#define CAPTURE_LOCKS_UNWIND_H

#include "capture/common.h"

enum locks_base {
	LOCKS_BASE_NONE, /* no caller, or none that can be found */
	LOCKS_BASE_SP,
	LOCKS_BASE_BP,
};

struct locks_rule {
	uint8_t base;	/* enum locks_base */
	uint8_t end;	/* the tables say that there is no caller */
	int16_t bp;	/* caller's rbp: at CFA + 8 * bp; 0: unchanged */
	int32_t offset; /* CFA: the base and this */
};

/* How to leave the frame that a call returns to at pc, by the tables of the image loaded from low
 * to high; header: its .eh_frame_hdr, or NULL. */
struct locks_rule locks_unwind_rule(uintptr_t pc, const void *header, uintptr_t low,
				    uintptr_t high);

#endif /* CAPTURE_LOCKS_UNWIND_H */
