/* A stack whose top is a pointer and a count, 16 bytes that change together.  Unless FIXED a node gets its value
 * when it is on the stack already. */
#include <pthread.h>
#include <stdlib.h>

struct node {
	node *next;
	int value;
};

struct alignas(16) top {
	node *first;
	unsigned long count;
};

static top stack;
static node nodes[2];

static top look()
{
	top t;

	__atomic_load(&stack, &t, __ATOMIC_ACQUIRE);
	return t;
}

static void push(node *n)
{
	top old = look(), now;

	do {
		n->next = old.first;
		now = { n, old.count + 1 };
	} while (!__atomic_compare_exchange(&stack, &old, &now, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE));
}

static void *pusher(void *arg)
{
	node *n = static_cast<node *>(arg);

#ifdef FIXED
	n->value = 1;
	push(n);
#else
	push(n);
	n->value = 1;
#endif
	return nullptr;
}

int main()
{
	pthread_t a, b;

	pthread_create(&a, nullptr, pusher, &nodes[0]);
	pthread_create(&b, nullptr, pusher, &nodes[1]);
	for (node *n = look().first; n; n = n->next)
		if (n->value != 1)
			abort();
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	return look().count == 2 ? 0 : 1;
}
