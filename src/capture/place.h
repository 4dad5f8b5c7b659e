/*
 * Records of loads and stores.
 *
 * A place - a site, and what it does there - has a slot, which remembers the last access: address,
 * version, value.  The next one is written as far as it differs from what they lead to expect
 * (doc/TRACE_FORMAT.md section 3, SHORT):
 *
 *	head | ref | second ref | address | value | feeds          2 to 7 bytes, mostly
 *
 * The first access of a place in a chunk, and one whose slot has been taken by another place, is
 * written as a whole record, from which the slot learns.
 *
 * Most records are made in a register and written by one store, head and all; what is beyond
 * them is 0 then, as it must be.  A store of the program needs an atomic operation, which waits for
 * all stores before it: each of ours costs a cycle.  And whether values and versions are as
 * expected is a matter of chance in many programs; a branch that goes either way costs more than
 * all the rest, so there are few.  All that is rare is in place.c.
 *
 * Rules: as in log.h.
 */
#ifndef CAPTURE_PLACE_H
#define CAPTURE_PLACE_H

#include "capture/log.h"

/* What few accesses have. */
struct place_more {
	cell_version second;   /* with FORMAT_CROSS: of its second word */
	const uint64_t *feeds; /* with FORMAT_WRITE_FED */
	unsigned nfeeds;
};

/* The order of an atomic access is added to what the access is. */
#define PLACE_ORDER_SHIFT 8

/* As place_log, but for any access. */
void place_log_long(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, cell_version v,
		    uint64_t value, const struct place_more *more) __attribute__((noinline));

static inline bool place_is_read(uint32_t what)
{
	return (what & FORMAT_FORM) == FORMAT_READ;
}

static inline bool place_is_reread(uint32_t what)
{
	return place_is_read(what) && (what & FORMAT_READ_REREAD);
}

static inline bool place_is_fed(uint32_t what)
{
	return !place_is_read(what) && (what & FORMAT_WRITE_FED);
}

static inline bool place_is_wide(uint32_t what)
{
	return (what >> FORMAT_SIZE_SHIFT & 3) == 3;
}

static inline uint64_t place_shape(uint32_t what, uint32_t site)
{
	return (uint64_t)site << 32 | what;
}

/* What the next access of the place, and of the thread, is compared with. */
static inline __attribute__((always_inline)) void place_remember(struct thread *t, struct place *p,
								 uint32_t what, uint64_t addr,
								 cell_version v, uint64_t value)
{
	p->addr = addr;
	if (place_is_read(what) || v != p->own)
		p->version = v;
	t->last_version = v;
	if (place_is_reread(what))
		return;
	p->value = value;
	if (place_is_read(what)) {
		t->last_read[1] = t->last_read[0];
		t->last_read[0] = value;
	} else {
		p->own = cell_make(t->tid, t->tseq + 1);
	}
}

/* A reread takes no number. */
static inline __attribute__((always_inline)) void place_count(struct thread *t, uint32_t what)
{
	if (place_is_reread(what))
		t->nextra++;
	else
		log_count(t, 1);
}

/* All ones where it is true, and never by a branch. */
static inline __attribute__((always_inline)) uint64_t place_mask(bool yes)
{
	uint64_t mask = -(uint64_t)yes;

	__asm__("" : "+r"(mask));
	return mask;
}

/* a == b ? then : code, likewise. */
static inline __attribute__((always_inline)) unsigned place_pick(unsigned code, uint64_t a,
								 uint64_t b, unsigned then)
{
	__asm__("cmpq %2, %1\n\tcmovel %3, %0" : "+r"(code) : "r"(a), "rm"(b), "r"(then) : "cc");
	return code;
}

/* How a value is written, if in up to four bytes. */
static inline __attribute__((always_inline)) unsigned
place_value(const struct thread *t, const struct place *p, uint32_t what, uint64_t value)
{
	unsigned code = FORMAT_V_4 - (value <= UINT8_MAX) - (value <= UINT16_MAX);

	if (!place_is_read(what)) {
		code = place_pick(code, value, t->last_read[1], FORMAT_V_READ2);
		code = place_pick(code, value, t->last_read[0], FORMAT_V_READ);
	}
	return place_pick(code, value, p->value, FORMAT_V_SAME);
}

extern const uint8_t place_lengths[] __attribute__((visibility("hidden"))); /* of values, by code */

/* The code of a value, and its bytes; false: it takes more than four. */
static inline __attribute__((always_inline)) bool place_short(const struct thread *t,
							      const struct place *p, uint32_t what,
							      uint64_t addr, uint64_t value,
							      unsigned *code, uint64_t *bytes)
{
	*code = place_value(t, p, what, value);
	*bytes = value & place_mask(*code >= FORMAT_V_1);
	if (!place_is_wide(what) || *bytes <= UINT32_MAX)
		return true;
	*code = FORMAT_V_ADDRESS;
	*bytes = (uint32_t)(value - addr);
	return value - addr + (1u << 31) <= UINT32_MAX;
}

/* Bits of head and ref, where the ref is a long one: its length and three bytes. */
#define PLACE_LONG_REF 48u

/*
 * Logs an access: the next event, unless it is a reread.  what: FORMAT_READ or FORMAT_WRITE, log2 of
 * the size, flags, order.  more may be NULL where they do not ask for it.
 */
static inline __attribute__((always_inline)) void place_log(struct thread *t, uint32_t what,
							    uint32_t site, uint64_t addr,
							    cell_version v, uint64_t value,
							    const struct place_more *more)
{
	struct place *p = &t->places[format_place(site, what)];
	uint64_t record, bytes, near, d, z;
	unsigned code, differs, at = 16, length = 0; /* bits: up to the address, of it */

	log_ready(t, site);
	__asm__("" : "+r"(p)); /* is kept, not computed again */
	if ((what & FORMAT_CROSS) || place_is_fed(what) || place_is_reread(what) ||
	    __builtin_expect(p->shape != place_shape(what, site), 0))
		goto other;
	if (!place_short(t, p, what, addr, value, &code, &bytes))
		goto other;
	record = p->head | code << FORMAT_V_SHIFT;
	near = v - p->version + FORMAT_R_WINDOW / 2;
	if (!place_is_read(what) && v == p->own) {
		record |= FORMAT_R_OWN << FORMAT_R_SHIFT;
	} else if (__builtin_expect(near < FORMAT_R_WINDOW, 1)) {
		differs = near != FORMAT_R_WINDOW / 2; /* FORMAT_R_SAME, FORMAT_R_NEAR */
		record |= differs << FORMAT_R_SHIFT | (near & -(uint64_t)differs) << 16;
		at += 8 * differs;
	} else {
		record |= FORMAT_R_LONG << FORMAT_R_SHIFT;
		near = v - t->last_version + FORMAT_R_LAST_WINDOW / 2;
		if (near < FORMAT_R_LAST_WINDOW) {
			record |= (near + FORMAT_R_FIRST) << 16;
			at += 8;
		} else {
			if (!log_is_known(t, v) || (near = log_name(t, v, t->tseq + 1)) >> 24 != 0)
				goto other;
			record |= (near << 8 | 3) << 16;
			at = PLACE_LONG_REF;
		}
	}
	d = addr - p->addr;
	if (__builtin_expect((d == 0) | (d == p->stride), 1)) {
		record |= (unsigned)(d != 0) << FORMAT_A_SHIFT; /* FORMAT_A_SAME, FORMAT_A_STRIDE */
	} else {						/* FORMAT_A_NEAR, FORMAT_A_LONG */
		z = format_zigzag((int64_t)d);
		if (z >> 24 != 0)
			goto other;
		p->stride = d;
		differs = z > UINT16_MAX;
		record |= (FORMAT_A_NEAR + differs) << FORMAT_A_SHIFT;
		z = z << 8 * differs | ((FORMAT_A_FAR | 3) & -differs);
		length = 16 + 16 * differs;
		bytes = bytes << length | z;
	}
	if (at == PLACE_LONG_REF)
		log_named(t, v);
	if (at + length > 32) { /* it may reach beyond the first 8 bytes */
		memcpy(t->cursor + at / 8, &bytes, 8);
		__asm__ volatile("" ::: "memory");
	}
	record |= bytes << at;
	memcpy(t->cursor, &record, 8);
	t->cursor += (at + length) / 8 + place_lengths[code];
	place_remember(t, p, what, addr, v, value);
	place_count(t, what);
	return;
other:
	place_log_long(t, what, site, addr, v, value, more);
}

#endif /* CAPTURE_PLACE_H */
