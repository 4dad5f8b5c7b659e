/* Walks the list under the lock. */
#include "two.h"

MUTEX(m);
static struct node {
	struct node *next;
} last, first = { &last }, *head = &first;

static void one(void)
{
	int n = 0;

	BEGIN("walk");
	LOCK(m);
	for (struct node *at = head; at; at = at->next)
		n++;
	UNLOCK(m);
	END();
}

static void two(void)
{
	LOCK(m);
	head = NULL;
	UNLOCK(m);
}
