#include "report/ending.h"
#include "trace/event.h"
#include "trace/format.h"

void pairing_release(struct pairing *p)
{
	MAP_RELEASE_ALL(&p->numbers, &p->guests, &p->givers);
	VEC_RELEASE(&p->objects);
}

/* A condition and a barrier at one address are two. */
static uint64_t key_of(const struct event *e)
{
	return e->addr << 1 | (event_op_object(e->op) == EVENT_OBJECT_BARRIER);
}

static struct pairing_object *object_at(struct pairing *p, const struct event *e)
{
	uint64_t *number = map_put(&p->numbers, key_of(e), NULL);

	if (*number == 0) {
		*VEC_PUSH(&p->objects) = (struct pairing_object){ 0 };
		*number = p->objects.n;
	}
	return &p->objects.at[*number - 1];
}

static void barrier_come(struct pairing *p, const struct event *e)
{
	struct pairing_object *b = object_at(p, e);
	uint64_t number = (uint64_t)(b - p->objects.at);
	bool fresh;

	map_put(&p->guests, number << 32 | e->tid, &fresh);
	b->threads += fresh;
	b->come++;
}

/* Without an init it takes as many as had come when the first one left. */
static void barrier_leave(struct pairing *p, const struct event *e)
{
	struct pairing_object *b = object_at(p, e);

	if (b->need == 0)
		b->need = b->come;
}

/* What the program says itself is taken at its word, and unseen code is told of in general. */
static bool is_kernel(const struct event *e)
{
	return e->lock_kind == FORMAT_CHANNEL_FILE || e->lock_kind == FORMAT_CHANNEL_SOCKET ||
	       e->lock_kind == FORMAT_CHANNEL_SIGNAL || e->lock_kind == FORMAT_CHANNEL_TURN;
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
	case EVENT_BAR_DESTROY:
		map_remove(&p->numbers, key_of(e));
		break;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		object_at(p, e)->signals++;
		break;
	case EVENT_WAKE:
		object_at(p, e)->wakes += e->peer != 0;
		break;
	case EVENT_BAR_INIT:
		map_remove(&p->numbers, key_of(e));
		object_at(p, e)->need = e->arg;
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

	for (size_t i = 0; i < p->objects.n; i++) {
		const struct pairing_object *o = &p->objects.at[i];

		n.waits += o->signals > 1 ? o->wakes : 0;
		if (o->need && o->threads > o->need)
			n.rounds += (o->come + o->need - 1) / o->need;
	}
	return n;
}
