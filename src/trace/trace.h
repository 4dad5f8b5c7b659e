/*
 * A trace, whatever its form: binary recording, STD text, or #fmt 1 text.
 *
 * trace_next yields one linear order that is consistent with program order,
 * synchronisation, the order of writes per location and reads-from, in memory
 * bounded by the window between two cuts (doc/TRACE_FORMAT.md section 5), not
 * by the length of the trace.
 *
 * Ownership: strings and tables live until trace_close.
 * Threads:   a trace belongs to one thread.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "trace/event.h"

struct trace;

enum trace_form { TRACE_BINARY, TRACE_STD, TRACE_FMT1 };

struct texts;

struct trace_options {
	bool lenient; /* repair ill-formed text with a note instead of refusing it */
	/* Recordings: read only what lies between two cuts (doc/TRACE_FORMAT.md section 9). */
	uint64_t from_cut; /* what came before it counts as past; 0: from the beginning */
	uint64_t to_cut;   /* as if the recording ended there; 0: to the end */
	/* The recording grows: trace_next says ST_AGAIN when there is no more for now, ST_END when the
	 * run has ended (merge/follow.h).  Positions are not those of a reading afterwards. */
	bool follow;
	bool inputs; /* trace_inputs is going to be asked */
	/* Functions that are meant to be atomic (trace/atomic.h); NULL: none.  Borrowed. */
	const struct texts *atomic;
};

/* Opens path ("-": standard input, text only).  Form is found from the bytes. */
enum status trace_open(const char *path, const struct trace_options *opt, struct trace **out,
		       struct diag *d) ST_CHECKED;
void trace_close(struct trace *t);
/* As trace_options.atomic, before the first event is read. */
void trace_mark_atomic(struct trace *t, const struct texts *names);

/* The same trace once more, from its beginning.  ST_END: there is no second time (standard input, a
 * recording that grows). */
enum status trace_again(const struct trace *t, struct trace **out, struct diag *d) ST_CHECKED;

/* ST_OK and *e, ST_END, or an error.  Damage in a binary trace is not an error: everything
 * before it is yielded, then ST_END, and trace_info says what was lost. */
enum status trace_next(struct trace *t, struct event *e, struct diag *d) ST_CHECKED;

/* trace_options.follow: nothing is written to the file any more; the rest comes, then ST_END. */
void trace_follow_end(struct trace *t);

/* How the process ended.  Only of a trace that is read up to its end. */
struct trace_end {
	bool known;
	int status;	    /* exit status, or 128 + the signal */
	int signal;	    /* that killed it; 0 none */
	bool hung;	    /* all its threads waited for good, until it was killed */
	bool asked;	    /* somebody had asked for its end: Ctrl-C, SIGTERM */
	bool became;	    /* another program, by exec, and that one ended so */
	uint32_t fault_tid; /* the thread in which the signal came; 0 not known */
};

/* Says in the head of a recording how it ended; what else is known of that, became and (unless it is
 * told here) fault_tid, the runtime has written there.  False: it cannot be written. */
bool trace_end_write(const char *path, const struct trace_end *end, bool *became);

struct trace_info {
	enum trace_form form;
	bool complete;	   /* the run ended in good order and nothing was lost */
	bool full;	   /* recorded with --full */
	bool partial;	   /* recorded with --only / --ignore / --locks-only */
	bool locks_only;   /* with --locks-only: no accesses at all */
	bool code;	   /* with --valgrind: of a program as it is */
	bool blind;	   /* and its locks cannot be seen */
	bool late;	   /* it begins in the middle of the run: from_cut, or dropped by --keep */
	uint64_t from_cut; /* the cut that it begins at; 0: the beginning */
	uint64_t ncuts;	   /* number of the last cut in the file, as of trace_open */
	uint32_t version;  /* of the binary format */
	bool tests;	/* events may say what is compared (struct event), as far as is known now */
	uint64_t bytes; /* size of the file's records */
	const char *program; /* executable, or NULL */
	/* How it was started; NULL: not known.  Its arguments, each ended by a zero byte, so many
	 * bytes; where; what was asked of the recorder, one a line. */
	const char *arguments, *directory, *options;
	size_t narguments;
	int exit_status; /* -1 unknown */
	struct trace_end end;
	uint32_t nnotes; /* damage, repairs, losses, in words */
	const char *const *notes;
};
/* Notes may grow as events are read; complete is final after ST_END. */
struct trace_info trace_info(const struct trace *t);

/* One point of the program, as its reader knows it. */
struct trace_site {
	const char *file;     /* NULL unknown */
	const char *function; /* NULL unknown */
	const char *variable; /* NULL unknown */
	const char *said;     /* with FORESEE_SITE_ROUTINE or _NAMING: that name, or NULL */
	uint32_t line, column, size;
	uint8_t kind, flags;
	uint32_t inlined; /* the site this was inlined into, 0 none */
	/* Of a program as it is: its accesses are those of a function on strings and memory that is called
	 * there; code by gcc, in whose versions atomics are moved and nothing else. */
	bool call, gcc;
	uint64_t feeds;
	uint16_t keeper;
};
/* Number of sites; valid ids are 1 .. count - 1. */
uint32_t trace_site_count(const struct trace *t);
/* False when the id is not known. */
bool trace_site(const struct trace *t, uint32_t site, struct trace_site *out);

/* What the program was given of what is another thing in every run: what a clock said, random bytes. */
struct trace_input {
	uint32_t tid, site;
	uint64_t tseq; /* of the thread's event before it */
	int64_t seconds;
	uint32_t nanoseconds;
	uint32_t n;	/* bytes, of FORMAT_INPUT_RANDOM; */
	uint64_t bytes; /* where */
	uint8_t what;	/* a clock, or FORMAT_INPUT_* */
};
/* Those before the events read so far, of each thread in their order, with trace_options.inputs.  Valid, and
 * the bytes, until the next one is read. */
size_t trace_inputs(const struct trace *t, const struct trace_input **out, const uint8_t **bytes);

/* Call sites of a stack, innermost first; the event's own site is not in it. */
uint32_t trace_stack(const struct trace *t, uint32_t stack, const uint32_t **sites);

/* Of the functions that are meant to be atomic (trace_options.atomic): the outermost that such an event
 * lies in; NULL: none. */
const char *trace_atomic_at(const struct trace *t, uint32_t site, uint32_t stack);

uint32_t trace_thread_count(const struct trace *t); /* highest tid seen so far */
/* "T3" for recordings, the name in the file for text. */
const char *trace_thread_name(const struct trace *t, uint32_t tid);
/* Name given with pthread_setname_np, or NULL. */
const char *trace_thread_label(const struct trace *t, uint32_t tid);

/*
 * What lies at addr at this point of the reading: a text trace's name, a global
 * ("total", "account.balance", "table[3]", "table[3].lock"), a heap object ("heap#7+16"), a stack
 * ("stack of T2+64") or "0x...".  The string is good until the next call of this or the next one.
 */
const char *trace_object_name(struct trace *t, uint64_t addr);
/* The same without the names that the program has given, for they come and go while the object stays, and
 * without those of members, "table[3]+16": text is written with this one. */
const char *trace_object_own(struct trace *t, uint64_t addr);
/* What the program calls it, as that function has it; NULL: nothing. */
const char *trace_object_given(struct trace *t, uint64_t addr);
/* And by the whole object, "table+48": ranges of one object overlap as their offsets say. */
const char *trace_object_range(struct trace *t, uint64_t addr);
/* Length of the part of a name that stands for the whole object, without "[3]" and "+16". */
size_t trace_object_whole(const char *name);
/* The name is made up for a place in memory (block, stack, address, number); it is no variable. */
bool trace_object_is_anonymous(const char *name);
/* Identity of the object at addr now: distinct after reuse; 0 when not known. */
uint64_t trace_object_id(struct trace *t, uint64_t addr);
/* The address that the same thing has in every reading of the trace.  In text, numbers depend on which
 * names were asked for early (names/variables.h); this undoes that. */
uint64_t trace_plain_address(const struct trace *t, uint64_t addr);
/*
 * What lay at addr when the trace began or its unit was loaded, for memory that is not allocated in
 * the trace.  STEADY: nobody writes there, so what is seen was there; *byte is not set.
 */
enum trace_first { TRACE_FIRST_UNKNOWN, TRACE_FIRST_BYTE, TRACE_FIRST_STEADY };
enum trace_first trace_first(struct trace *t, uint64_t addr, uint8_t *byte);
/* May memory at [addr, addr + len) have been given out without an ALLOC that says so?  Known when the
 * trace has been read. */
bool trace_hides(const struct trace *t, uint64_t addr, uint64_t len);
/* May [addr, addr + len) change without a record at any time: is it at another address of the process too, or does a
 * call that no event tells of in full look there? */
bool trace_unsteady(const struct trace *t, uint64_t addr, uint64_t len);
/* The global variable that lies at addr: where from, and how long it is.  False: there is none, or it
 * is not known. */
bool trace_extent(struct trace *t, uint64_t addr, uint64_t *from, uint64_t *len);
/* The program says that races there are no errors: its words.  Else NULL. */
const char *trace_object_benign(struct trace *t, uint64_t addr);

#endif /* TRACE_TRACE_H */
