/* A va_list goes from hand to hand, and is begun more than once; what it leads to was
 * stored by the calls themselves, over what other calls had left there. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static int racy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static long one(va_list *list, char kind)
{
	return kind == 'd'   ? va_arg(*list, int)
	       : kind == 'f' ? (long)va_arg(*list, double)
			     : va_arg(*list, long);
}

__attribute__((noinline)) static long sum(const char *kinds, va_list list)
{
	long all = 0;

	for (; *kinds != '\0'; kinds++)
		all += *kinds == 'd'   ? va_arg(list, int)
		       : *kinds == 'f' ? (long)va_arg(list, double)
				       : va_arg(list, long);
	return all;
}

__attribute__((noinline)) static long twice(const char *kinds, ...)
{
	va_list list, copy;
	long all = 0;

	va_start(list, kinds);
	va_copy(copy, list);
	all += sum(kinds, list);
	va_end(list);
	for (const char *k = kinds; *k != '\0'; k++)
		all += one(&copy, *k);
	va_end(copy);
	va_start(list, kinds);
	all += sum(kinds, list);
	va_end(list);
	return all;
}

static void *worker(void *p)
{
	long all = 0;

	for (int i = 0; i < 20; i++) {
		all += twice("ddflldddd", i, 2, 3.5, 4L, 5L, 6, 7, i, 9);
		all += twice("fdl", 1.0 * i, i + 1, 2L * i);
	}
	pthread_mutex_lock(&lock);
	*(long *)p += all;
	pthread_mutex_unlock(&lock);
	racy++;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	long all = 0;

	pthread_create(&t, NULL, worker, &all);
	pthread_create(&u, NULL, worker, &all);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("%ld %d\n", all, racy);
	return 0;
}
