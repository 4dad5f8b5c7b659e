/*
 * Recording a program under Valgrind: our tool (tools/valgrind), with what it needs of the Valgrind
 * that it was built with.
 */
#ifndef LAUNCH_VALGRIND_H
#define LAUNCH_VALGRIND_H

#include "base/common.h"

struct valgrind {
	char *tool;	 /* what to run */
	char *directory; /* where it finds its parts */
	char *temporary; /* a directory with a link to that; NULL: none */
	char **argv;
};

/*
 * How to run argv so that it is recorded to `trace'; options: as for the runtime, one a line.  Refuses
 * if the tool was not built, or Valgrind is missing or another one by now.  The strings of argv and trace
 * must live on; release when done.
 */
enum status valgrind_prepare(struct valgrind *v, char **argv, const char *trace,
			     const char *options, struct diag *d) ST_CHECKED;
void valgrind_release(struct valgrind *v);

#endif /* LAUNCH_VALGRIND_H */
