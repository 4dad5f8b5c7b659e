/*
 * Strings that end where their blocks do, with other blocks coming and going behind them: functions on strings must
 * give the right answers, and what they read beyond an end is nothing that an event could explain.  Compile with
 * -fno-builtin.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static int wrong;

#define SAME(a, b)                                        \
	do {                                              \
		if ((a) != (b)) {                         \
			printf("%d: %s\n", __LINE__, #a); \
			wrong = 1;                        \
		}                                         \
	} while (0)

static int sign(int d)
{
	return (d > 0) - (d < 0);
}

static void narrow(size_t n, locale_t l)
{
	char *s = malloc(n + 1), *behind = malloc(n + 5), *big = malloc(n + 1),
	     *to = malloc(2 * n + 2);

	memset(s, 'b', n);
	memset(big, 'B', n);
	s[n] = big[n] = 0;
	s[n - 1] = 'c';
	big[n - 1] = 'C';
	SAME(strcasecmp(s, big), 0);
	SAME(strncasecmp(s, big, n + 7), 0);
	SAME(strcasecmp_l(s, big, l), 0);
	SAME(strncasecmp_l(s, big, n, l), 0);
	big[n - 1] = 'D';
	SAME(sign(strcasecmp(s, big)), -1);
	SAME(sign(strcasecmp(big, s)), 1);
	SAME(strncasecmp(s, big, n - 1), 0);
	SAME(sign(strcasecmp_l(s, big, l)), -1);
	SAME(strspn(s, "xb"), n - 1);
	SAME(strcspn(s, "xc"), n - 1);
	SAME(strspn(s, "cb"), n);
	SAME(strcspn(s, "x"), n);
	SAME(strpbrk(s, "xc"), s + n - 1);
	SAME(strpbrk(s, "x"), NULL);
	SAME(strstr(s, "c"), s + n - 1);
	SAME(strstr(s, "cb"), NULL);
	SAME(strstr(s, ""), s);
	SAME(stpncpy(to, s, 2 * n), to + n);
	SAME(stpncpy(to, s, n), to + n);
	to[n - 1] = 0;
	SAME(strncat(to, s, n - 1), to);
	SAME(strlen(to), 2 * n - 2);
	SAME(strrchr(s, 'b'), n > 1 ? s + n - 2 : NULL);
	free(behind);
	free(s);
	free(to);
	free(big);
}

static void wide(size_t n)
{
	wchar_t *s = malloc((n + 1) * sizeof(*s)), *behind = malloc(n + 9), *to;

	wmemset(s, L'b', n);
	s[n] = 0;
	s[n - 1] = -3;
	to = malloc((n + 1) * sizeof(*s));
	SAME(wcslen(s), n);
	SAME(wcsnlen(s, n + 3), n);
	SAME(wcschr(s, -3), s + n - 1);
	SAME(wcschr(s, 0), s + n);
	SAME(wcsrchr(s, L'b'), n > 1 ? s + n - 2 : NULL);
	SAME(wmemchr(s, -3, n), s + n - 1);
	SAME(wmemchr(s, 5, n), NULL);
	SAME(wcscpy(to, s), to);
	SAME(wcscmp(to, s), 0);
	SAME(wmemcmp(to, s, n + 1), 0);
	to[n - 1] = 3;
	SAME(sign(wcscmp(to, s)), 1);
	SAME(sign(wcsncmp(s, to, n)), -1);
	SAME(wcsncmp(s, to, n - 1), 0);
	SAME(sign(wmemcmp(to, s, n)), 1);
	free(behind);
	free(s);
	free(to);
}

static void *worker(void *arg)
{
	locale_t l = newlocale(LC_ALL_MASK, "C", NULL);

	for (size_t n = 1; n < 70; n++) {
		narrow(n, l);
		wide(n);
	}
	freelocale(l);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	worker(NULL);
	return wrong;
}
