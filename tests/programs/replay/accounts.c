/* Locks in allocated memory, in the wrong order, and a total that only one of two locks: t9032. */
#include <pthread.h>
#include <stdlib.h>

static struct account {
	int balance;
	pthread_mutex_t lock;
} * mine, *yours;

static void move(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance--;
	to->balance++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *give(void *unused)
{
	(void)unused;
	move(mine, yours);
	return NULL;
}

static void *take(void *unused)
{
	(void)unused;
	move(yours, mine);
	return NULL;
}

static struct account *open_account(void)
{
	struct account *a = calloc(1, sizeof(*a));

	pthread_mutex_init(&a->lock, NULL);
	return a;
}

int main(void)
{
	pthread_t a, b;
	int sum;

	mine = open_account();
	yours = open_account();
	pthread_create(&a, NULL, give, NULL);
	pthread_create(&b, NULL, take, NULL);
	sum = mine->balance;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum > 1;
}
