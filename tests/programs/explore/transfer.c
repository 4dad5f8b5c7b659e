/* Two accounts, locked in the order of the transfer: two transfers may face each other. */
#include "explore.h"

static struct account {
	pthread_mutex_t m;
	int money;
} accounts[2] = { { MUTEX, 5 }, { MUTEX, 5 } };

static void move(struct account *from, struct account *to)
{
	struct account *first = fixed && to < from ? to : from;

	LOCK(first->m);
	LOCK((first == from ? to : from)->m);
	from->money--;
	to->money++;
	UNLOCK(from->m);
	UNLOCK(to->m);
}

static void *mover(void *arg)
{
	int i = NUMBER(arg);

	move(&accounts[i], &accounts[1 - i]);
	return arg;
}

int main(void)
{
	RUN(mover, mover);
	return accounts[0].money != 5;
}
