/*
 * What a compiler command line asks for.
 *
 * Only as much is understood as is needed to know what to add: whether
 * something is compiled, whether something is linked, and what forbids
 * recording.  Nothing is rejected here; the compiler judges its own options.
 */
#ifndef DRIVER_CMDLINE_H
#define DRIVER_CMDLINE_H

#include <stdbool.h>

/* How far the compiler goes, in the order of its phases. */
enum phase {
	PHASE_PREPROCESS, /* -E -M -MM */
	PHASE_CHECK,	  /* -fsyntax-only, --analyze and the like: no code comes out */
	PHASE_COMPILE,	  /* -S -c */
	PHASE_LINK,
};

struct cmdline {
	enum phase phase;
	bool sources;	       /* a C or C++ input, or LLVM's form of one */
	bool inputs;	       /* any input that is there, libraries included */
	bool linkable;	       /* one that is not a header */
	bool query;	       /* --version, -dumpmachine, -###, -cc1: a question, not work */
	bool relocatable;      /* -r */
	const char *is_static; /* -static or -static-pie, as written */
	const char *target;    /* an option that asks for another machine, as written */
	char sanitizer[32];    /* one that cannot be combined with recording, or "" */

	/* private to cmdline_read: what the next word is */
	const char *language; /* of -x; NULL: by file name */
	char language_name[32];
	bool value;	    /* the value of the option before it */
	bool language_next; /* the value of -x */
	bool files_only;    /* after "--" */
	int depth;	    /* of response files */
};

/* Reads argv[1..argc-1], and the response files it names. */
void cmdline_read(struct cmdline *c, int argc, char *const *argv);

#endif /* DRIVER_CMDLINE_H */
