#include "capture/scope.h"

#include "capture/range.h"
#include "capture/thread.h"

/* Forgets those that lie in these bytes: they are somebody else's now. */
static void forget(struct thread *t, const void *p, size_t n)
{
	uintptr_t from = (uintptr_t)p, end = from + n;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->nscopes; i++) {
		uintptr_t at = (uintptr_t)t->scopes[i].at;

		if (at >= end || at + t->scopes[i].n <= from)
			t->scopes[kept++] = t->scopes[i];
	}
	t->nscopes = kept;
}

void scope_begin(struct thread *t, void *p, size_t n, uint32_t site)
{
	forget(t, p, n);
	if (t->nscopes < SCOPES_MAX)
		t->scopes[t->nscopes++] = (struct scope){ p, n, site };
}

void scope_end(struct thread *t, void *p, size_t n, uint32_t site)
{
	forget(t, p, n);
	range_free(t, p, n, FORMAT_ALLOC_FRAME, site);
}

void scope_end_all(struct thread *t)
{
	while (t->nscopes > 0) {
		const struct scope *s = &t->scopes[--t->nscopes];

		range_free(t, s->at, s->n, FORMAT_ALLOC_FRAME, s->site);
	}
}
