#include "capture/habit.h"

const uint8_t habit_lengths[] = {
	[FORMAT_V_1] = 1,	[FORMAT_V_2] = 2,    [FORMAT_V_4] = 4,
	[FORMAT_V_ADDRESS] = 4, [FORMAT_V_LONG] = 1, /* by habit_step; longer ones are not looked up */
};

static uint8_t *second_put(uint8_t *q, tag_version v, const struct habit_more *more)
{
	return log_varint(q, format_zigzag((int64_t)(more->second - v)));
}

void habit_forget(struct thread *t)
{
	while (t->nlearned != 0 && ASSERT_RECORDING(t->nlearned <= FORMAT_SHELVES))
		t->habits[t->learned[--t->nlearned]].shape = 0;
	memset(t->seats, 0, sizeof(t->seats));
}

/* The habit of that shelf has its seat from now on; who had it is away. */
static void seat_take(struct thread *t, unsigned shelf)
{
	uint16_t *seat = &t->seats[shelf % FORMAT_HABITS];

	if (*seat != 0 && ASSERT_RECORDING(*seat <= FORMAT_SHELVES))
		t->habits[*seat - 1].shape |= HABIT_AWAY;
	*seat = (uint16_t)(shelf + 1);
}

/* The same of one that is known: it comes back. */
static void seat_return(struct thread *t, unsigned shelf)
{
	uint8_t *q = t->cursor + 4;

	*q++ = (uint8_t)(shelf % FORMAT_HABITS);
	seat_take(t, shelf);
	t->habits[shelf].shape &= ~HABIT_AWAY;
	log_other_end(t, FORMAT_K_SEAT, shelf / FORMAT_HABITS, q, 0);
}

/* A whole record: the shelf is free, or has the habit of another site. */
static COLD void learn(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, tag_version v,
		       uint64_t value, const struct habit_more *more, uint32_t to)
{
	unsigned shelf = format_shelf(site, what), seat = shelf % FORMAT_HABITS;
	struct habit *p = &t->habits[shelf];
	uint64_t ref = log_ref(t, v, t->tseq + 1); /* may put a PEER record in front */
	uint8_t *q = log_varint(t->cursor + 4, site);

	if (what & FORMAT_ATOMIC)
		*q++ = (uint8_t)(what >> HABIT_ORDER_SHIFT);
	q = LOG_NUMBERS(q, addr, ref);
	if (what & FORMAT_CROSS)
		q = second_put(q, v, more);
	q = log_varint(q, value);
	if (habit_is_fed(what))
		q = log_feeds(q, more->feeds, more->nfeeds, t->tseq + 1);
	if (habit_is_update(what))
		q = LOG_NUMBERS(q, to, format_zigzag((int64_t)more->added));
	if (p->shape == 0)
		t->learned[t->nlearned++ % FORMAT_SHELVES] = (uint16_t)shelf;
	seat_take(t, shelf);
	*p = (struct habit){ .shape = habit_shape(what, site),
			     .head = ((seat >> 7) + 1) | (seat & 127) << FORMAT_HABIT_SHIFT,
			     .stride = 1u << (what >> FORMAT_SIZE_SHIFT & 3),
			     .added = habit_is_update(what) ? more->added : 0 };
	ASSERT_RECORDING(habit_shape(what, site) != 0); /* 0 is a seat that no habit has */
	habit_remember(t, p, what, addr, v, value);
	log_other_end(t, FORMAT_K_ACCESS, what & 255, q, 0);
	habit_count(t, what);
}

/* The ref, at the cursor, for it may put a PEER record there.  Returns where it ends. */
static uint8_t *ref_put(struct thread *t, const struct habit *p, tag_version v, unsigned *head)
{
	uint64_t near = v - p->version + FORMAT_R_WINDOW / 2, ref;
	uint64_t far = v - t->last_version + FORMAT_R_LAST_WINDOW / 2;
	uint8_t *q = t->cursor + 2;

	if (v == p->own && v != 0) { /* a write */
		*head |= FORMAT_R_OWN << FORMAT_R_SHIFT;
		return q;
	}
	if (v == p->version)
		return q; /* FORMAT_R_SAME is 0 */
	if (near < FORMAT_R_WINDOW) {
		*q = (uint8_t)near;
		*head |= FORMAT_R_NEAR << FORMAT_R_SHIFT;
		return q + 1;
	}
	*head |= FORMAT_R_LONG << FORMAT_R_SHIFT;
	if (far < FORMAT_R_LAST_WINDOW) {
		*q = (uint8_t)(FORMAT_R_FIRST + far);
		return q + 1;
	}
	ref = log_ref(t, v, t->tseq + 1);
	q = t->cursor + 2;
	*q = (uint8_t)log_bytes(ref);
	memcpy(q + 1, &ref, 8);
	return q + 1 + *q;
}

static uint8_t *address_put(const struct thread *t, struct habit *p, uint64_t addr, uint8_t *q,
			    unsigned *head)
{
	uint64_t d = addr - p->addr, z = format_zigzag((int64_t)d);

	if (d == 0 || d == p->stride) {
		*head |= (unsigned)(d != 0) << FORMAT_A_SHIFT;
		return q;
	}
	p->stride = d;
	if (habit_is_hop(t, addr, &d)) {
		*head |= FORMAT_A_LONG << FORMAT_A_SHIFT;
		*q = (uint8_t)d;
		return q + 1;
	}
	if (z <= UINT16_MAX) {
		memcpy(q, &z, 2);
		*head |= FORMAT_A_NEAR << FORMAT_A_SHIFT;
		return q + 2;
	}
	*head |= FORMAT_A_LONG << FORMAT_A_SHIFT;
	*q = (uint8_t)(FORMAT_A_FAR | log_bytes(z));
	memcpy(q + 1, &z, 8);
	return q + 1 + log_bytes(z);
}

/* More than four bytes, and not expected: a pointer, a double. */
static uint8_t *wide_put(uint64_t addr, uint64_t value, uint8_t *q, unsigned *head)
{
	unsigned low = log_bytes(value), top = 8 - (unsigned)__builtin_ctzll(value) / 8;
	uint32_t from_here = (uint32_t)(value - addr);

	if (value - addr + (1u << 31) <= UINT32_MAX) {
		memcpy(q, &from_here, 4);
		*head |= FORMAT_V_ADDRESS << FORMAT_V_SHIFT;
		return q + 4;
	}
	*head |= FORMAT_V_LONG << FORMAT_V_SHIFT;
	*q++ = (uint8_t)(top < low ? FORMAT_V_TOP | top : low);
	if (top < low) {
		value >>= 64 - 8 * top;
		low = top;
	}
	memcpy(q, &value, 8);
	return q + low;
}

static uint8_t *value_put(const struct thread *t, const struct habit *p, uint32_t what,
			  uint64_t addr, uint64_t value, uint8_t *q, unsigned *head)
{
	uint64_t bytes;
	unsigned code;

	if (habit_is_reread(what))
		return q; /* FORMAT_V_SAME is 0 */
	code = habit_value(t, p, what, value);
	bytes = value & habit_mask(code >= FORMAT_V_1);
	if (!habit_is_read(what))
		habit_step(t, value, &code, &bytes);
	if (bytes > UINT32_MAX)
		return wide_put(addr, value, q, head);
	memcpy(q, &bytes, 8);
	*head |= code << FORMAT_V_SHIFT;
	return q + habit_lengths[code];
}

static void log_long(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, tag_version v,
		     uint64_t value, const struct habit_more *more, uint32_t to)
{
	unsigned shelf = format_shelf(site, what), head;
	struct habit *p = &t->habits[shelf];
	uint8_t *q;

	if (p->shape == (habit_shape(what, site) | HABIT_AWAY))
		seat_return(t, shelf);
	head = p->head;
	if (p->shape != habit_shape(what, site)) {
		learn(t, what, site, addr, v, value, more, to);
		return;
	}
	q = ref_put(t, p, v, &head);
	if (what & FORMAT_CROSS)
		q = second_put(q, v, more);
	q = address_put(t, p, addr, q, &head);
	q = value_put(t, p, what, addr, value, q, &head);
	if (habit_is_fed(what))
		q = log_feeds(q, more->feeds, more->nfeeds, t->tseq + 1);
	if (habit_is_update_by(what)) {
		p->added = more->added;
		memcpy(q, &p->added, 2);
		q += 2;
	}
	habit_remember(t, p, what, addr, v, value);
	__asm__ volatile("" ::: "memory");
	memcpy(t->cursor, &head, 2);
	t->cursor = q;
	habit_count(t, what);
}

void habit_log_long(struct thread *t, uint32_t what, uint32_t site, uint64_t addr, tag_version v,
		    uint64_t value, const struct habit_more *more)
{
	log_long(t, what, site, addr, v, value, more, 0);
}

/* One that the log is ready for, as habit_log does. */
static void log_ready_for(struct thread *t, uint32_t what, uint32_t site, uint64_t addr,
			  tag_version v, uint64_t value)
{
	if (!habit_try(t, what, site, addr, v, value, NULL))
		habit_log_long(t, what, site, addr, v, value, NULL);
}

void habit_log_update(struct thread *t, uint32_t what, uint64_t sites, uint64_t addr, tag_version v,
		      uint64_t x, uint64_t added)
{
	uint32_t site = (uint32_t)(sites >> 32), to = (uint32_t)sites;
	uint32_t size = what & 3u << FORMAT_SIZE_SHIFT, fed = what & FORMAT_UPDATE_FED;
	struct habit *p = &t->habits[format_shelf(site, what)];
	bool known = (p->shape & ~HABIT_AWAY) == habit_shape(what, site);
	struct habit_more more = { .added = added };

	if (!known || (!p->varies && p->added == added)) {
		log_long(t, what, site, addr, v, x, &more, to);
	} else if (habit_adds_little(added)) {
		p->varies = true;
		log_long(t, what | FORMAT_UPDATE_BY, site, addr, v, x, &more, to);
	} else {
		log_ready_for(t, FORMAT_READ | size | (fed ? FORMAT_READ_FREE : 0), site, addr, v,
			      x);
		log_ready_for(t, FORMAT_WRITE | size | (fed ? FORMAT_WRITE_FED1 : 0), to, addr, v,
			      (x + added) &
				      UINT64_MAX >> (64 - (8u << (size >> FORMAT_SIZE_SHIFT))));
	}
}
