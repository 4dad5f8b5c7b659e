/*
 * Records of loads and stores.
 *
 * A habit is what a site did last: kind of access, address, version, value.  The next access there
 * is written as far as it differs from what the habit leads to expect (doc/TRACE_FORMAT.md section 3,
 * SHORT):
 *
 *	head | ref | second ref | address | value | feeds          2 to 7 bytes, mostly
 *
 * Habits have seats, fewer than there are sites.  The first access of a site in a chunk is a whole
 * record, which takes the seat.  Where another habit has the seat, a record of five bytes (SEAT) puts the
 * right one there before the short record; it is remembered on a shelf meanwhile.  Shelves are fewer than
 * sites too, but few sites of a large program come to be in one chunk.
 *
 * Most records are made in a register and written by one store, head and all; what is beyond
 * them is 0 then, as it must be.  A store of the program needs an atomic operation, which waits for
 * all stores before it: each of ours costs a cycle.  And whether values and versions are as
 * expected is a matter of chance in many programs; a branch that goes either way costs more than
 * all the rest, so there are few.  All that is rare is in habit.c.
 *
 * Rules: as in log.h.
 */
#ifndef CAPTURE_HABIT_H
#define CAPTURE_HABIT_H

#include "capture/log.h"

/* What few accesses have. */
struct habit_more {
	tag_version second;    /* with FORMAT_CROSS: of its second word */
	const uint64_t *feeds; /* with FORMAT_WRITE_FED */
	unsigned nfeeds;
	uint64_t added; /* by an update */
};

/* The order of an atomic access is added to what the access is. */
#define HABIT_ORDER_SHIFT 8

/* At the beginning of a chunk. */
void habit_forget(struct thread *t);

/* As habit_log, but for any access. */
void habit_log_long(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, tag_version v,
		    uint64_t value, const struct habit_more *more) __attribute__((noinline));

static inline bool habit_is_read(uint32_t what)
{
	return (what & FORMAT_FORM) == FORMAT_READ;
}

static inline bool habit_is_write(uint32_t what)
{
	return (what & FORMAT_FORM) == FORMAT_WRITE;
}

/* A read and a write in one record: the value is that of the read. */
static inline bool habit_is_update(uint32_t what)
{
	return (what & FORMAT_FORM) == FORMAT_UPDATE;
}

static inline bool habit_is_reread(uint32_t what)
{
	return habit_is_read(what) && (what & FORMAT_READ_REREAD);
}

static inline bool habit_is_fed(uint32_t what)
{
	return habit_is_write(what) && (what & FORMAT_WRITE_FED);
}

static inline bool habit_is_update_by(uint32_t what)
{
	return habit_is_update(what) && (what & FORMAT_UPDATE_BY);
}

/* What an update of x writes. */
static inline uint64_t habit_sum(const struct habit *p, uint32_t what, uint64_t x)
{
	return (x + p->added) & UINT64_MAX >> (64 - (8u << (what >> FORMAT_SIZE_SHIFT & 3)));
}

static inline bool habit_is_wide(uint32_t what)
{
	return (what >> FORMAT_SIZE_SHIFT & 3) == 3;
}

static inline uint64_t habit_shape(uint32_t what, uint32_t site)
{
	return (uint64_t)site << 32 | what;
}

/* In the shape of one that has no seat, so that it equals no access: another has taken it. */
#define HABIT_AWAY (1ull << 31)

/* What the next access of the site, and of the thread, is compared with. */
INLINE void habit_remember(struct thread *t, struct habit *p, uint32_t what, uint64_t addr,
			   tag_version v, uint64_t value)
{
	p->addr = addr;
	if (habit_is_read(what) || v != p->own)
		p->version = v;
	t->last_version = v;
	t->last_addr = addr;
	if (habit_is_reread(what))
		return;
	p->value = habit_is_update(what) ? habit_sum(p, what, value) : value;
	if (!habit_is_write(what)) {
		t->last_read[1] = t->last_read[0];
		t->last_read[0] = value;
	}
	if (!habit_is_read(what))
		p->own = log_next(t, habit_is_update(what) ? 2 : 1);
}

/* A reread takes no number. */
INLINE void habit_count(struct thread *t, uint32_t what)
{
	if (habit_is_reread(what))
		t->nextra++;
	else
		log_count(t, habit_is_update(what) ? 2 : 1);
}

/* All ones where it is true, and never by a branch. */
INLINE uint64_t habit_mask(bool yes)
{
	uint64_t mask = -(uint64_t)yes;

	__asm__("" : "+r"(mask));
	return mask;
}

/* a == b ? then : code, likewise. */
INLINE unsigned habit_pick(unsigned code, uint64_t a, uint64_t b, unsigned then)
{
	__asm__("cmpq %2, %1\n\tcmovel %3, %0" : "+r"(code) : "r"(a), "rm"(b), "r"(then) : "cc");
	return code;
}

/* How a value is written, if in up to four bytes. */
INLINE unsigned habit_value(const struct thread *t, const struct habit *p, uint32_t what,
			    uint64_t value)
{
	unsigned code = FORMAT_V_4 - (value <= UINT8_MAX) - (value <= UINT16_MAX);

	if (!habit_is_read(what)) {
		code = habit_pick(code, value, t->last_read[1], FORMAT_V_READ2);
		code = habit_pick(code, value, t->last_read[0], FORMAT_V_READ);
	}
	return habit_pick(code, value, p->value, FORMAT_V_SAME);
}

extern const uint8_t habit_lengths[] __attribute__((visibility("hidden"))); /* of values, by code */

/* A counter counts on from where it was read: one byte, where its value would take more. */
INLINE void habit_step(const struct thread *t, uint64_t value, unsigned *code, uint64_t *bytes)
{
	uint64_t near = value - t->last_read[0] + FORMAT_V_STEP_WINDOW / 2;
	uint64_t is_near = habit_mask((near < FORMAT_V_STEP_WINDOW) & (*code >= FORMAT_V_2));

	*code |= FORMAT_V_LONG & (unsigned)is_near; /* all bits */
	*bytes = (*bytes & ~is_near) | ((near + FORMAT_V_STEP) & is_near);
}

/* The code of a value, and its bytes; false: it takes more than four. */
INLINE bool habit_short(const struct thread *t, const struct habit *p, uint32_t what, uint64_t addr,
			uint64_t value, unsigned *code, uint64_t *bytes)
{
	*code = habit_value(t, p, what, value);
	*bytes = value & habit_mask(*code >= FORMAT_V_1);
	if (!habit_is_read(what))
		habit_step(t, value, code, bytes);
	if (!habit_is_wide(what) || *bytes <= UINT32_MAX)
		return true;
	*code = FORMAT_V_ADDRESS;
	*bytes = (uint32_t)(value - addr);
	return value - addr + (1u << 31) <= UINT32_MAX;
}

/* Is the address near the thread's last access, or what its last read points to?  *byte says so. */
INLINE bool habit_is_hop(const struct thread *t, uint64_t addr, uint64_t *byte)
{
	uint64_t last = addr - t->last_addr + FORMAT_A_LAST_WINDOW / 2;
	uint64_t hop = addr - t->last_read[0] + FORMAT_HOP;
	bool is_last = last < FORMAT_A_LAST_WINDOW;

	*byte = is_last ? FORMAT_A_LAST + last : hop;
	return is_last | (hop < FORMAT_A_FAR);
}

/* Bits of head and ref, where the ref is a long one: its length, and three bytes or four. */
#define HABIT_LONG_REF 48u

/* habit_log, for who has made the log ready.  False: it is a case for habit_log_long, and nothing was done. */
INLINE bool habit_try(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, tag_version v,
		      uint64_t value, const struct habit_more *more)
{
	struct habit *p = &t->habits[format_shelf(site, what)];
	uint64_t record, bytes, near, d, z;
	unsigned code, differs, at = 16, length = 0; /* bits: up to the address, of it */

	__asm__("" : "+r"(p)); /* is kept, not computed again */
	if (habit_is_fed(what) || habit_is_reread(what) ||
	    UNLIKELY(p->shape != habit_shape(what, site)))
		return false;
	if (!habit_short(t, p, what, addr, value, &code, &bytes))
		return false;
	record = p->head | code << FORMAT_V_SHIFT;
	near = v - p->version + FORMAT_R_WINDOW / 2;
	if (!habit_is_read(what) && v == p->own) {
		record |= FORMAT_R_OWN << FORMAT_R_SHIFT;
	} else if (LIKELY(near < FORMAT_R_WINDOW)) {
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
			if (!log_is_known(t, v) || (near = log_name(t, v, t->tseq + 1)) >> 32 != 0)
				return false;
			differs = near >> 24 != 0; /* takes a fourth byte */
			record |= (near << 8 | (3 + differs)) << 16;
			at = HABIT_LONG_REF + 8 * differs;
		}
	}
	if (what & FORMAT_CROSS) {
		z = format_zigzag((int64_t)(more->second - v));
		if (z >= 0x80 || at >= HABIT_LONG_REF) /* more than one byte; no room */
			return false;
		record |= z << at;
		at += 8;
	}
	d = addr - p->addr;
	if (LIKELY((d == 0) | (d == p->stride))) {
		record |= (unsigned)(d != 0) << FORMAT_A_SHIFT; /* FORMAT_A_SAME, FORMAT_A_STRIDE */
	} else {						/* FORMAT_A_NEAR, FORMAT_A_LONG */
		if (habit_is_hop(t, addr, &z)) {
			record |= FORMAT_A_LONG << FORMAT_A_SHIFT;
			length = 8;
		} else {
			z = format_zigzag((int64_t)d);
			if (z >> 24 != 0)
				return false;
			differs = z > UINT16_MAX;
			record |= (FORMAT_A_NEAR + differs) << FORMAT_A_SHIFT;
			z = z << 8 * differs | ((FORMAT_A_FAR | 3) & -differs);
			length = 16 + 16 * differs;
		}
		p->stride = d;
		bytes = bytes << length | z;
	}
	if (at >= HABIT_LONG_REF)
		log_named(t, v);
	if (at + length > 32) { /* it may reach beyond the first 8 bytes */
		memcpy(t->cursor + at / 8, &bytes, 8);
		__asm__ volatile("" ::: "memory");
	}
	record |= bytes << at;
	at += length + 8 * habit_lengths[code];
	if (habit_is_update_by(what)) {
		p->added = more->added;
		memcpy(t->cursor + at / 8, &p->added, 2);
		__asm__ volatile("" ::: "memory");
		record |= at < 64 ? (uint64_t)(uint16_t)p->added << at : 0;
		at += 16;
	}
	memcpy(t->cursor, &record, 8);
	t->cursor += at / 8;
	habit_remember(t, p, what, addr, v, value);
	habit_count(t, what);
	return true;
}

/*
 * Logs an access: the next event, unless it is a reread.  what: FORMAT_READ or FORMAT_WRITE, log2 of
 * the size, flags, order.  more may be NULL where they do not ask for it.
 */
INLINE void habit_log(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, tag_version v,
		      uint64_t value, const struct habit_more *more)
{
	log_ready(t, site);
	if (!habit_try(t, what, site, addr, v, value, more))
		habit_log_long(t, what, site, addr, v, value, more);
}

/*
 * Logs an update at the site in the upper half of `sites', which reads x and adds `added' to it, as the next two events; the
 * write is at the site in the lower half.  The record is that of a write that has the value read, and the reader knows the
 * rest: the site, and what is added, which is the habit's, or, where that was another number before, in two
 * bytes.  One that adds more is two records.
 */
void habit_log_update(struct thread *t, uint32_t what, uint64_t sites, uint64_t addr, tag_version v,
		      uint64_t x, uint64_t added) __attribute__((noinline));

static inline bool habit_adds_little(uint64_t added)
{
	return added + (1u << 15) <= UINT16_MAX;
}

/* The same, if it is as before, and the log is ready; false: it is not, and nothing was done. */
INLINE bool habit_try_update(struct thread *t, uint32_t what, uint32_t site, uint64_t addr,
			     tag_version v, uint64_t x, uint64_t added)
{
	const struct habit *p = &t->habits[format_shelf(site, what)];

	if (p->varies)
		return LIKELY(habit_adds_little(added)) &&
		       habit_try(t, what | FORMAT_UPDATE_BY, site, addr, v, x,
				 &(struct habit_more){ .added = added });
	return p->added == added && habit_try(t, what, site, addr, v, x, NULL);
}

#endif /* CAPTURE_HABIT_H */
