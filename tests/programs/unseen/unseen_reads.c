/*
 * Unseen code that reads what another thread wrote, and tells it by what it returns: who learns so that
 * the data is written, under the lock, writes it too.  There is no race.
 *
 *	unseen_reads KIND [race]
 *
 * With `race' the other thread does not ask: one race.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "order.h"

int unseen_get(const int *p);
int unseen_far(const int *a, const int *b, const int *c, const int *d, const int *e, const int *f,
	       const int *g);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int value;
} __attribute__((aligned(64))) data;
static struct {
	int before;
	int flag; /* in one word with what is before */
	char text[8];
	wchar_t wide[4];
} shared;
static int mine[8];
static int *where = &shared.flag;
static int racy;
static const char *kind;

static int is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static int listed(char *to, size_t n, const char *format, ...)
{
	va_list list;
	int r;

	va_start(list, format);
	r = vsnprintf(to, n, format, list);
	va_end(list);
	return r;
}

/* Is it published? */
static int look(void)
{
	int (*volatile get)(const int *) = unseen_get;
	char to[32];
	int seen;

	if (is("assembler")) {
		__asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(*where));
		return seen;
	}
	if (is("printf"))
		return printf("%ls", shared.wide) > 0;
	if (is("snprintf"))
		return snprintf(to, sizeof(to), "%d%s%5.1f%s", 7, "", 1.5, shared.text) > 6;
	if (is("vsnprintf"))
		return listed(to, sizeof(to), "%*d%s", 3, 7, shared.text) > 3;
	if (is("wcscoll"))
		return wcscoll(shared.wide, L"") != 0;
	if (is("strcoll"))
		return strcoll(shared.text, "") != 0;
	if (is("wcstol"))
		return wcstol(shared.wide, NULL, 36) != 0;
	if (is("pointer"))
		return get(where);
	if (is("many"))
		return unseen_far(mine, mine, mine, mine, mine, mine, where);
	return unseen_get(where);
}

static void *other(void *unused)
{
	int seen;

	(void)unused;
	order_see(1);
	if (racy)
		data.value = 2;
	pthread_mutex_lock(&m);
	seen = look();
	pthread_mutex_unlock(&m);
	if (seen)
		data.value = 2;
	return NULL;
}

int main(int argc, char **argv)
{
	int local = 0;
	pthread_t id;

	if (argc < 2)
		return 2;
	kind = argv[1];
	racy = argc > 2;
	if (is("heap"))
		where = calloc(8, sizeof(int));
	if (is("local"))
		where = &local;
	pthread_create(&id, NULL, other, NULL);
	data.value = 1;
	pthread_mutex_lock(&m);
	*where = 1;
	shared.text[0] = 'x';
	shared.wide[0] = L'x';
	pthread_mutex_unlock(&m);
	order_at(0);
	pthread_join(id, NULL);
	return data.value != 2;
}
