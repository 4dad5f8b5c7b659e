/* Value and Task: get takes the lock as well as add, and add calls it on the other value. */
#include <pthread.h>

#include "../order.h"

struct value {
	pthread_mutex_t lock;
	int x; /* guarded by lock */
};

struct task {
	struct value *into, *from;
	int turn;
};

static struct value v = { PTHREAD_MUTEX_INITIALIZER, 1 }, w = { PTHREAD_MUTEX_INITIALIZER, 1 };

static int get(struct value *from)
{
	int x;

	pthread_mutex_lock(&from->lock); // deadlock values x2
	x = from->x;
	pthread_mutex_unlock(&from->lock);
	return x;
}

static void add(struct value *to, struct value *from)
{
	pthread_mutex_lock(&to->lock);
	to->x += get(from);
	pthread_mutex_unlock(&to->lock);
}

static void *run(void *arg)
{
	struct task *task = arg;

	order_see(task->turn);
	add(task->into, task->from);
	order_at(task->turn);
	return NULL;
}

int main(void)
{
	struct task one = { &v, &w, 0 }, two = { &w, &v, 1 };
	pthread_t t, u;

	pthread_create(&t, NULL, run, &one);
	pthread_create(&u, NULL, run, &two);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return v.x != 2 || w.x != 3;
}
