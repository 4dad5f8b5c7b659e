/*
 * What the preload library, which runs in the program, asks the tool, which runs beneath it.
 *
 * A request is a few instructions that do nothing outside Valgrind; its arguments are 64-bit
 * numbers.  Both sides are built together, so the numbers may change at any time.
 */
#ifndef VALGRIND_REQUESTS_H
#define VALGRIND_REQUESTS_H

#include <valgrind/valgrind.h>

enum request {
	REQUEST_SYNC = VG_USERREQ_TOOL_BASE('F', 'S'), /* kind, aux, object, argument */
	REQUEST_HIDE,	  /* object, bytes: accesses are the library's own from here on */
	REQUEST_SHOW,	  /* they are the program's again */
	REQUEST_FORK,	  /* routine, argument: a token for the thread that is going to be made */
	REQUEST_FORKED,	  /* token, pthread_create's answer, its handle, detached */
	REQUEST_BEGIN,	  /* token, handle, where the argument goes: the routine */
	REQUEST_END,	  /* how */
	REQUEST_JOIN,	  /* phase (0: it may wait now), timed, handle, answer */
	REQUEST_CANCEL,	  /* handle */
	REQUEST_DETACH,	  /* handle, answer */
	REQUEST_NAME,	  /* text */
	REQUEST_PARK,	  /* condition, mutex, aux of the mutex, timed */
	REQUEST_WAKE,	  /* condition, mutex, aux of the mutex, answer */
	REQUEST_SIGNAL,	  /* condition, all */
	REQUEST_BARRIER,  /* phase (0 init, 1 in, 2 out), barrier, count or answer */
	REQUEST_WROTE,	  /* address, bytes: the library has written there for the program */
	REQUEST_ONCE,	  /* a number: remembered; 0: give the last one back */
	REQUEST_PASSED,	  /* two numbers: have they not been given back?  They are now */
	REQUEST_STRINGS,  /* from, to: code of functions that stand for what their caller does */
	REQUEST_UNSTEADY, /* address, bytes: they may change without a record */
	REQUEST_SPIN,	  /* lock: released, or if it is not held, made */
};

#endif /* VALGRIND_REQUESTS_H */
