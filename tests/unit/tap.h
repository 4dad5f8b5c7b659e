/*
 * Test output as TAP: "ok 1 - name" lines, then the plan "1..N".
 *
 *	int main(void)
 *	{
 *		TAP_OK(1 + 1 == 2, "addition");
 *		TAP_EQ(f(3), 9, "f squares %d", 3);
 *		return tap_done();
 *	}
 *
 * The name may be a format.  A failed test says where, and the program goes on.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	int run, failed;
} tap;

__attribute__((format(printf, 4, 5))) static inline bool tap_ok(bool good, const char *file,
								int line, const char *name, ...)
{
	va_list ap;

	tap.run++;
	tap.failed += !good;
	printf("%sok %d - ", good ? "" : "not ", tap.run);
	va_start(ap, name);
	vprintf(name, ap);
	va_end(ap);
	printf("\n");
	if (!good)
		printf("# failed at %s:%d\n", file, line);
	fflush(stdout);
	return good;
}

#define TAP_OK(good, ...) tap_ok((good), __FILE__, __LINE__, __VA_ARGS__)

/* Integers; both are printed when they differ. */
#define TAP_EQ(got, want, ...)                                                      \
	do {                                                                        \
		long long tap_got = (long long)(got), tap_want = (long long)(want); \
		if (!TAP_OK(tap_got == tap_want, __VA_ARGS__))                      \
			printf("# got %lld, want %lld\n", tap_got, tap_want);       \
	} while (0)

/* Strings; NULL is a string of its own. */
#define TAP_STR(got, want, ...)                                                         \
	do {                                                                            \
		const char *tap_got = (got), *tap_want = (want);                        \
		bool tap_same = tap_got && tap_want ? strcmp(tap_got, tap_want) == 0    \
						    : tap_got == tap_want;              \
		if (!TAP_OK(tap_same, __VA_ARGS__))                                     \
			printf("# got '%s', want '%s'\n", tap_got ? tap_got : "(null)", \
			       tap_want ? tap_want : "(null)");                         \
	} while (0)

/*
 * How often to try something random: LONG=1 many times.  The thread sanitizer makes each try up to fifty times
 * as long, and looks for what one try in a few shows: a part of the usual ones.
 */
static inline unsigned long tap_rounds(unsigned long usual, unsigned long many)
{
	if (getenv("LONG"))
		return many;
#ifdef __SANITIZE_THREAD__
	return usual / 40 + 1;
#else
	return usual;
#endif
}

/* Prints the plan; the value is main's. */
static inline int tap_done(void)
{
	printf("1..%d\n", tap.run);
	return tap.failed != 0;
}

#endif /* TESTS_TAP_H */
