#include "report/pairing.h"

#include "trace/event.h"
#include "trace/format.h"

void pairing_init(struct pairing *p)
{
	*p = (struct pairing){ 0 };
}

void pairing_release(struct pairing *p)
{
	MAP_RELEASE_ALL(&p->conds, &p->barriers, &p->guests, &p->givers);
	VEC_RELEASE_ALL(&p->cond, &p->barrier);
}

static struct pairing_cond *cond_at(struct pairing *p, uint64_t addr)
{
	uint64_t *number = map_put(&p->conds, addr, NULL);

	if (*number == 0) {
		*VEC_PUSH(&p->cond) = (struct pairing_cond){ 0 };
		*number = p->cond.n;
	}
	return &p->cond.at[*number - 1];
}

static struct pairing_barrier *barrier_at(struct pairing *p, uint64_t addr)
{
	uint64_t *number = map_put(&p->barriers, addr, NULL);

	if (*number == 0) {
		*VEC_PUSH(&p->barrier) = (struct pairing_barrier){ 0 };
		*number = p->barrier.n;
	}
	return &p->barrier.at[*number - 1];
}

static void barrier_come(struct pairing *p, const struct event *e)
{
	struct pairing_barrier *b = barrier_at(p, e->addr);
	uint64_t number = (uint64_t)(b - p->barrier.at);
	bool fresh;

	map_put(&p->guests, number << 32 | e->tid, &fresh);
	b->threads += fresh;
	b->come++;
}

/* Without an init it takes as many as had come when the first one left. */
static void barrier_leave(struct pairing *p, const struct event *e)
{
	struct pairing_barrier *b = barrier_at(p, e->addr);

	if (b->need == 0)
		b->need = b->come;
}

/* What the program says itself is taken at its word, and unseen code is told of in general. */
static bool is_kernel(const struct event *e)
{
	return e->lock_kind == FORMAT_CHANNEL_FILE || e->lock_kind == FORMAT_CHANNEL_SOCKET ||
	       e->lock_kind == FORMAT_CHANNEL_SIGNAL;
}

static void channel_take(struct pairing *p, const struct event *e)
{
	uint64_t *giver;
	bool fresh;

	if (!is_kernel(e))
		return;
	if (e->op == EVENT_GIVE) {
		giver = map_put(&p->givers, e->addr, &fresh);
		*giver = fresh || *giver == e->tid ? e->tid : 0;
		return;
	}
	giver = map_get(&p->givers, e->addr);
	p->handed += giver && *giver != e->tid;
}

void pairing_take(struct pairing *p, const struct event *e)
{
	switch (e->op) {
	case EVENT_COND_INIT:
	case EVENT_COND_DESTROY:
		map_remove(&p->conds, e->addr);
		break;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		cond_at(p, e->addr)->signals++;
		break;
	case EVENT_WAKE:
		cond_at(p, e->addr)->wakes += e->peer != 0;
		break;
	case EVENT_BAR_INIT:
		map_remove(&p->barriers, e->addr);
		barrier_at(p, e->addr)->need = e->arg;
		break;
	case EVENT_BAR_DESTROY:
		map_remove(&p->barriers, e->addr);
		break;
	case EVENT_BAR_IN:
		barrier_come(p, e);
		break;
	case EVENT_BAR_OUT:
		barrier_leave(p, e);
		break;
	case EVENT_GIVE:
	case EVENT_TAKE:
		channel_take(p, e);
		break;
	default:
		break;
	}
}

struct pairing_counts pairing_count(const struct pairing *p)
{
	struct pairing_counts n = { .handed = p->handed };

	for (size_t i = 0; i < p->cond.n; i++)
		n.waits += p->cond.at[i].signals > 1 ? p->cond.at[i].wakes : 0;
	for (size_t i = 0; i < p->barrier.n; i++) {
		const struct pairing_barrier *b = &p->barrier.at[i];

		if (b->need && b->threads > b->need)
			n.rounds += (b->come + b->need - 1) / b->need;
	}
	return n;
}
