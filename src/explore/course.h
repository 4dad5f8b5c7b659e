/*
 * A schedule as a file: the program, and who takes each step.
 *
 *	foresee schedule 1
 *	program /home/me/rax
 *	directory /home/me
 *	argument ./rax
 *	argument 40
 *	outcome deadlock
 *	spec /home/me/rax.spec
 *	oracle grep -q done "$FORESEE_STDOUT"
 *	sandbox yes
 *	expected 0
 *	words 555555558030 555555558040
 *	steps 1 1 2 0/3 2
 *
 * Spec, oracle, sandbox and expected may be missing: none, none, no, 0.  A step is the number of a thread, in the order of their creation, and behind a slash the value of a
 * choice.  Accesses are steps if they are of these words (addresses are the same in every run).  Beyond the last one each thread runs on while it can.  Of text that follows in a line blanks
 * count; newlines in it cannot be written, and such a program is refused.
 */
#ifndef EXPLORE_COURSE_H
#define EXPLORE_COURSE_H

#include "base/common.h"
#include "trace/baton.h"

#define COURSE_STEPS (1u << 20) /* of more there is no run */

struct course {
	char *program, *directory;
	VEC(char *) arguments; /* the program's name is the first; NULL at the end */
	VEC(uint64_t) words;
	VEC(struct baton_choice) steps;
	char *outcome;	   /* in a word or two */
	char *spec;	   /* whose properties it was judged by; NULL: none */
	char *oracle;	   /* the command that judged it; NULL: none */
	bool sandbox;	   /* it ran in a directory of its own */
	uint32_t expected; /* the status of a good run */
};

void course_release(struct course *s);

enum status course_write(const struct course *s, const char *path, struct diag *d) ST_CHECKED;
enum status course_read(struct course *s, const char *path, struct diag *d) ST_CHECKED;
/* Of a stream; path: for messages. */
enum status course_parse(struct course *s, FILE *from, const char *path, struct diag *d) ST_CHECKED;
/* Does the file begin like one? */
bool course_is(const char *path);

#endif /* EXPLORE_COURSE_H */
