/*
 * a and b are both 1 in the end, which the spec forbids; unless code that is not seen has set a back, or it
 * was another variable.  t9060-replay-attack.sh
 */
#include <pthread.h>
#include <stdio.h>

#include "../order.h"

void attack_start(void);
void attack_reset(int *p);
int attack_number(const char *name, int otherwise);

int a, b, other;

static void *one(void *arg)
{
	int *const all[] = { &a, &other };
	int *p = all[attack_number("OTHER", 0)];

	*p = 1;
	attack_reset(p);
	order_at(0);
	return arg;
}

static void *two(void *arg)
{
	order_see(1);
	b = 1;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	attack_start();
	pthread_create(&t, NULL, one, NULL);
	pthread_create(&u, NULL, two, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("a %d, b %d\n", a, b);
	return 0;
}
