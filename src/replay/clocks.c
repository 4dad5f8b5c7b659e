#include "replay/clocks.h"

void clocks_init(struct clocks *c, size_t nthreads)
{
	*c = (struct clocks){ 0 };
	if (nthreads > 0)
		VEC_REACH(&c->threads, nthreads - 1);
}

void clocks_release(struct clocks *c)
{
	for (size_t i = 0; i < c->threads.n; i++)
		VEC_RELEASE(&c->threads.at[i].marks);
	VEC_RELEASE_ALL(&c->threads, &c->pool, &c->merged);
}

/* The clock that holds at that event. */
static struct clocks_mark mark_at(const struct clocks *c, uint32_t thread, uint32_t number)
{
	const struct clocks_thread *t = &c->threads.at[thread];
	size_t low = 0, high = t->marks.n; /* marks below low begin no later than that */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->marks.at[middle].from <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? t->marks.at[low - 1] : (struct clocks_mark){ 0 };
}

uint32_t clocks_at(const struct clocks *c, uint32_t thread, uint32_t number, uint32_t of)
{
	struct clocks_mark m = mark_at(c, thread, number);
	size_t low = m.at, high = m.at + m.n;

	if (of == thread)
		return number + 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->pool.at[middle].thread < of)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m.at + m.n && c->pool.at[low].thread == of ? c->pool.at[low].count : 0;
}

/* The next of a clock: those of `also', one thread more than the clock has, are mixed in. */
static void merge(struct clocks *c, struct clocks_mark a, struct clocks_mark b, uint32_t self)
{
	size_t i = a.at, j = b.at;

	VEC_CLEAR(&c->merged);
	while (i < a.at + a.n || j < b.at + b.n) {
		struct clocks_known x = { UINT32_MAX, 0 }, y = { UINT32_MAX, 0 };

		if (i < a.at + a.n)
			x = c->pool.at[i];
		if (j < b.at + b.n)
			y = c->pool.at[j];
		i += x.thread <= y.thread;
		j += y.thread <= x.thread;
		if (y.thread < x.thread || (y.thread == x.thread && y.count > x.count))
			x = y;
		if (x.thread != self)
			*VEC_PUSH(&c->merged) = x;
	}
}

/* So much of the other thread itself. */
static void put(struct clocks *c, uint32_t other, uint32_t count)
{
	size_t i = 0;

	while (i < c->merged.n && c->merged.at[i].thread < other)
		i++;
	if (i == c->merged.n || c->merged.at[i].thread != other) {
		(void)VEC_PUSH(&c->merged);
		memmove(c->merged.at + i + 1, c->merged.at + i,
			(c->merged.n - 1 - i) * sizeof(*c->merged.at));
		c->merged.at[i] = (struct clocks_known){ other, 0 };
	}
	if (c->merged.at[i].count < count)
		c->merged.at[i].count = count;
}

void clocks_learn(struct clocks *c, uint32_t thread, uint32_t number, uint32_t other, uint32_t by)
{
	struct clocks_thread *t = &c->threads.at[thread];
	struct clocks_mark *last;

	assert(thread != other);
	merge(c, mark_at(c, thread, number), mark_at(c, other, by), thread);
	put(c, other, by + 1);
	last = t->marks.n > 0 ? &t->marks.at[t->marks.n - 1] : NULL;
	assert(last == NULL || last->from <= number);
	if (last == NULL || last->from != number) {
		last = VEC_PUSH(&t->marks);
		*last = (struct clocks_mark){ .from = number };
	} else if (last->at + last->n == c->pool.n) {
		c->pool.n = last->at; /* nobody has seen it yet */
	}
	last->at = c->pool.n;
	last->n = (uint32_t)c->merged.n;
	for (size_t i = 0; i < c->merged.n; i++)
		*VEC_PUSH(&c->pool) = c->merged.at[i];
}
