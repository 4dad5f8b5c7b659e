/*
 * Static variables that an optimiser would change: a flag of two values, a struct of loose members,
 * and one that nobody reads.  Each must stay what the source says.
 */
#include <pthread.h>
#include <stdio.h>

struct cabin {
	int floor;
	int moving;
	short door;
};

static int ready;
static int unread;
static struct cabin cabin;
static int constant = 5; /* never written: it may go */

static void *motor(void *arg)
{
	ready = 1;
	unread = 3;
	cabin.moving = 1;
	cabin.floor = 7;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, motor, NULL);
	pthread_join(t, NULL);
	cabin.door = 2;
	printf("%d %d %d\n", ready + constant, cabin.floor, cabin.door + cabin.moving);
	return 0;
}
