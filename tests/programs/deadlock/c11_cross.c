/* The mutexes and threads of C11, in both orders; the third thread only tries. */
#include <stddef.h>
#include <threads.h>

#include "../order.h"

static mtx_t a, b;

static int first(void *arg)
{
	mtx_lock(&a);
	mtx_lock(&b); // deadlock ab
	mtx_unlock(&b);
	mtx_unlock(&a);
	order_at(0);
	return arg != NULL;
}

static int second(void *arg)
{
	order_at(1);
	mtx_lock(&b);
	mtx_lock(&a); // deadlock ab
	mtx_unlock(&a);
	mtx_unlock(&b);
	order_at(2);
	return arg != NULL;
}

static int third(void *arg)
{
	order_at(3);
	mtx_lock(&b);
	if (mtx_trylock(&a) == thrd_success)
		mtx_unlock(&a);
	mtx_unlock(&b);
	return arg != NULL;
}

int main(void)
{
	thrd_t t, u, v;

	mtx_init(&a, mtx_plain);
	mtx_init(&b, mtx_plain);
	thrd_create(&t, first, NULL);
	thrd_create(&u, second, NULL);
	thrd_create(&v, third, NULL);
	thrd_join(t, NULL);
	thrd_join(u, NULL);
	thrd_join(v, NULL);
	return 0;
}
