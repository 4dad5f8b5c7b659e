/* A stack without locks, to which nodes are added by a store: of two at once one is gone. */
#include "explore.h"

struct node {
	struct node *next;
};

static _Atomic(struct node *) top;
static struct node nodes[2];

static void *pushes(void *arg)
{
	struct node *n = &nodes[NUMBER(arg)];
	struct node *old = atomic_load(&top);

	n->next = old;
	if (!fixed)
		atomic_store(&top, n);
	else
		while (!atomic_compare_exchange_strong(&top, &old, n))
			n->next = old;
	return arg;
}

int main(void)
{
	int n = 0;

	RUN(pushes, pushes);
	for (struct node *i = top; i; i = i->next)
		n++;
	assert(n == 2);
	return 0;
}
