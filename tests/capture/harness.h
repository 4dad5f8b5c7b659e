/*
 * Unit tests of the runtime: its objects are linked into the test, so that all of it can be called.
 *
 *	static const struct capture_case cases[] = { { .name = "ranges", .run = ranges } };
 *
 *	int main(int argc, char **argv)
 *	{
 *		return CAPTURE_MAIN(argc, argv, cases);
 *	}
 *
 * A case runs in a process of its own that records from its start to its end.  It says by
 * CAPTURE_CHECK what is wrong, and ends by returning.  Its trace is then looked at by `foresee verify'.
 *
 * The n-th system call of the runtime can be made to fail (--wrap, in the Makefile): a case with
 * `calls' runs again for each of them in turn.  Whatever fails, the program must not notice: that is
 * what the case checks.  A case with `steps' runs for points of its own choice.
 */
#ifndef TESTS_CAPTURE_HARNESS_H
#define TESTS_CAPTURE_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_case {
	const char *name;
	void (*run)(void);
	const char *options; /* lines, as FORESEE_OPTIONS; may be NULL */
	const char *cut;     /* as FORESEE_CUT; may be NULL */
	const char *trouble; /* that the trace must tell of; NULL: none */
	bool calls;	     /* again for each system call, which fails */
	bool steps; /* again for some of them, or of the points that it counts; LONG=1: all */
};

int capture_main(int argc, char **argv, const struct capture_case *cases, size_t n);
#define CAPTURE_MAIN(argc, argv, cases) \
	capture_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]))

/* In a case: ends it, with a message, unless good. */
#define CAPTURE_CHECK(good, ...) capture_check((good), __FILE__, __LINE__, __VA_ARGS__)
void capture_check(bool good, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* With `steps': the point to do it at, 0 none; and how many there were. */
long capture_point(void);
void capture_points(long n);

/* From now on the runtime gets no more memory from the kernel, or gets it again.  The bytes that it has
 * mapped and not given back. */
void capture_starve(bool starve);
long capture_mapped(void);

/* Called before each system call of the runtime, if set; -1: one that has a function of its own. */
extern void (*capture_watch)(long number);

/* Reproducible numbers below n. */
uint32_t capture_random(uint32_t n);

/*
 * Threads that take turns: crew_do(i, run, arg) runs in the i-th and returns when it is done.  How
 * they wait for each other is not seen by the recorder.
 */
#define CREW_MOST 64u
void crew_start(unsigned n);
void crew_do(unsigned i, void (*run)(void *arg), void *arg);
void crew_end(void);

#endif /* TESTS_CAPTURE_HARNESS_H */
