#include "replay/beyond.h"

#include "replay/draft.h"
#include "replay/identity.h"
#include "trace/event.h"

static void lasts(struct draft_thread *t, const struct draft_item *it)
{
	for (uint64_t w = it->addr >> 3; it->len != 0 && w <= (it->addr + it->len - 1) >> 3; w++)
		*map_put(&t->lasting, w, NULL) = 1;
}

void beyond_see(struct draft_thread *t, const struct draft_item *it)
{
	t->past = true;
	if (!t->closed && it->op == EVENT_READ && (it->flags & EVENT_REREAD))
		lasts(t, it);
	t->closed |= identity_ends_epoch(it) || it->op == EVENT_THREAD_END;
	if (!t->followed && (it->class != PLAN_NONE || it->op == EVENT_THREAD_END)) {
		t->followed = true;
		t->follow = *it;
	}
}

bool beyond_is_known(const struct draft_thread *t, const struct draft_item *last)
{
	if (last->op == EVENT_REL && (last->flags & EVENT_IN_WAIT) && !last->target)
		return t->past;
	return !t->reading || (t->closed && (t->followed || t->target != DRAFT_NONE));
}
