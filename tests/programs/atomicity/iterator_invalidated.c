/* Remembers the head of a list, lets go of the lock, and goes on from there. */
#include "two.h"

MUTEX(m);
static struct node {
	struct node *next;
} last, first = { &last }, *head = &first, *seen;

static void one(void)
{
	struct node *at;

	BEGIN("walk");
	LOCK(m);
	at = head; // split walk
	UNLOCK(m);
	LOCK(m);
	if (head == at) // split walk
		seen = at->next;
	UNLOCK(m);
	END();
}

static void two(void)
{
	LOCK(m);
	head = NULL; // split walk
	UNLOCK(m);
}
