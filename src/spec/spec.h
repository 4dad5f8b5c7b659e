/*
 * A specification as it was written: variables, events, threads, and the properties over them.
 *
 * The text is parsed once into these trees; names are resolved within the file (a property's `x' is
 * variable number i), not in the program: monitor/watch.h does that.  They may be used before they are
 * declared.
 *
 *	shared int landing = 0;
 *	event open = call(file_open);
 *	property land step write: ptltl start(landing == 1) -> once(landing == 0);
 *
 * Ownership: a spec owns all it points to; trees die with it.
 * Threads:   read-only after spec_parse.
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/common.h"

/* What one file may hold; more is an error that says so. */
#define SPEC_BYTES (16u << 20)
#define SPEC_VARIABLES 64 /* a set of them is a word */
#define SPEC_EVENTS 64	  /* likewise */
#define SPEC_THREADS 64
#define SPEC_PROPERTIES 64 /* likewise */
#define SPEC_DEPTH 500	   /* of nesting; a row of operators nests too */
#define SPEC_NODES 10000   /* of one property */

struct spec_spot {
	uint32_t line, column; /* from 1; column in bytes */
};

/* ---- values and expressions ---- */

enum spec_kind { SPEC_INT, SPEC_FLOAT, SPEC_POINTER };

struct spec_type {
	enum spec_kind kind;
	uint8_t size;	  /* bytes: 1, 2, 4, 8 */
	bool is_signed;	  /* SPEC_INT */
	const char *text; /* as written, one blank between words */
};

struct spec_number {
	bool is_float;
	bool is_big; /* an integer above INT64_MAX: as unsigned */
	union {
		int64_t i;
		double f;
	};
};

struct spec_variable {
	/* "x", "account.balance", "table[3]", "file.c:count" (no quotes around a file that had
	 * them), "@symbol" */
	const char *name;
	struct spec_type type;
	bool has_initial;
	struct spec_number initial;
	bool local; /* one for each thread, set by FORESEE_INTERNAL; for mttl only */
	struct spec_spot spot;
};

enum spec_expr_op {
	SPEC_CONST,
	SPEC_VARIABLE, /* index: variable */
	SPEC_TID,      /* creation index of the thread whose event it is; main is 1 */
	SPEC_BLOCK,    /* mttl: number of the atomic block that the thread is in */
	SPEC_NEG,      /* a */
	SPEC_ADD,      /* a, b */
	SPEC_SUB,
	SPEC_MUL,
	SPEC_DIV,
	SPEC_MOD,
	SPEC_EQ, /* from here on: truth values */
	SPEC_NE,
	SPEC_LT,
	SPEC_LE,
	SPEC_GT,
	SPEC_GE,
	SPEC_REMOTE, /* mttl: a, as thread `index' knew it last */
};

/* "+", "==": of those with a and b; else NULL. */
extern const char *const spec_expr_words[SPEC_REMOTE + 1];

struct spec_expr {
	enum spec_expr_op op;
	struct spec_spot spot;
	uint32_t index;	  /* VARIABLE: its number; REMOTE: a thread, SPEC_WHO_* */
	const char *name; /* REMOTE: that thread's */
	struct spec_number number;
	struct spec_expr *a, *b;
};

/* ---- event patterns ---- */

/* X(id, word).  any(): every event of the trace, whatever it is; takes no arguments. */
#define SPEC_OPS(X)       \
	X(READ, "read")   \
	X(WRITE, "write") \
	X(ACQ, "acq")     \
	X(REL, "rel")     \
	X(FORK, "fork")   \
	X(JOIN, "join")   \
	X(BEGIN, "begin") \
	X(FINISH, "end")  \
	X(CALL, "call")   \
	X(USER, "user")   \
	X(ANY, "any")

enum spec_op {
#define X(id, word) SPEC_##id,
	SPEC_OPS(X)
#undef X
		SPEC_NOPS
};

struct spec_arg {
	bool is_number;
	struct spec_number number;
	const char *name; /* as written; for fork and join a declared thread: */
	int32_t thread;	  /* its number, or -1 */
};

struct spec_event {
	const char *name;
	enum spec_op op;
	struct spec_arg *args; /* none: any object.  user, call: the name, then numbers to match */
	uint32_t nargs;
	int32_t variable; /* READ, WRITE of a declared variable: its number, else -1 (args[0].name) */
	int32_t by;	  /* thread declaration, or -1: any */
	struct spec_expr *when; /* a truth value, in the state after the event; or NULL */
	struct spec_spot spot;
};

struct spec_thread {
	const char *name;
	bool is_number;
	uint64_t number;     /* creation index; main is 1 */
	const char *routine; /* start routine, thread name or label */
	struct spec_spot spot;
};

/* ---- formulas ---- */

/* X(id, word, operands, temporal) */
#define SPEC_FORMS(X)              \
	X(TRUE, "true", 0, 0)      \
	X(FALSE, "false", 0, 0)    \
	X(EXPR, "", 0, 0)          \
	X(EVENT, "()", 0, 0)       \
	X(NOT, "!", 1, 0)          \
	X(AND, "&&", 2, 0)         \
	X(OR, "||", 2, 0)          \
	X(IMPLIES, "->", 2, 0)     \
	X(IFF, "<->", 2, 0)        \
	X(PREV, "prev", 1, 1)      \
	X(ONCE, "once", 1, 1)      \
	X(HIST, "hist", 1, 1)      \
	X(START, "start", 1, 1)    \
	X(STOP, "end", 1, 1)       \
	X(SINCE, "since", 2, 1)    \
	X(WSINCE, "wsince", 2, 1)  \
	X(INTERVAL, "[,)", 2, 1)   \
	X(WINTERVAL, "[,)w", 2, 1) \
	X(AT, "@", 1, 0)           \
	X(SOME, "some", 1, 0)      \
	X(ALL, "all", 1, 0)

enum spec_form_op {
#define X(id, word, operands, temporal) SPEC_F_##id,
	SPEC_FORMS(X)
#undef X
		SPEC_NFORMS
};

/* Which thread, in mttl: a declared one by its number, or */
#define SPEC_WHO_ANY SPEC_THREADS
#define SPEC_WHO_BOUND (SPEC_THREADS + 1) /* and more: of quantifiers, the outermost first */

struct spec_form {
	enum spec_form_op op;
	struct spec_spot spot;
	uint32_t index;	  /* EVENT: its number; AT, SOME, ALL: a thread, or threads, SPEC_WHO_* */
	const char *name; /* AT: that thread's; SOME, ALL: of the thread that is bound */
	struct spec_expr *expr;
	struct spec_form *a, *b;
};

/* ---- regular expressions ---- */

enum spec_rx_op {
	SPEC_RX_EMPTY, /* the empty word */
	SPEC_RX_EVENT, /* index */
	SPEC_RX_ANY,   /* any one event of the property */
	SPEC_RX_CAT,
	SPEC_RX_OR,
	SPEC_RX_AND,
	SPEC_RX_NOT,
	SPEC_RX_STAR,
	SPEC_RX_PLUS,
	SPEC_RX_OPT,
};

struct spec_rx {
	enum spec_rx_op op;
	struct spec_spot spot;
	uint32_t index;
	struct spec_rx *a, *b;
};

/* ---- state machines ---- */

struct spec_move {
	uint32_t event, to;
	struct spec_expr *when; /* or NULL */
	struct spec_spot spot;
};

struct spec_state {
	const char *name;
	bool initial, bad;
	struct spec_move *moves; /* in the order written */
	uint32_t nmoves;
	struct spec_spot spot;
};

/* ---- properties ---- */

enum spec_body { SPEC_PTLTL, SPEC_ERE_NEVER, SPEC_ERE_MUST, SPEC_FSM, SPEC_MTTL };

/* Which events a property looks at (`step' in a spec).  AUTO: each of its events and each write of one of its
 * variables; EVENT: its events alone; WRITE: the writes alone. */
enum spec_step { SPEC_STEP_AUTO, SPEC_STEP_EVENT, SPEC_STEP_WRITE };

/* What is done where a property about knowledge is violated (mttl; others know functions alone). */
#define SPEC_ACTIONS(X)   \
	X(LOG, "log")     \
	X(COUNT, "count") \
	X(CALL, "")       \
	X(SET, "set")     \
	X(WAIT, "wait")   \
	X(ABORT, "abort") \
	X(STOP, "stop")

enum spec_action {
#define X(id, word) SPEC_DO_##id,
	SPEC_ACTIONS(X)
#undef X
};

struct spec_property {
	const char *name;
	enum spec_step step;
	enum spec_body body;
	struct spec_form *form;	   /* PTLTL, MTTL */
	uint32_t at;		   /* MTTL: thread declaration, or SPEC_WHO_ANY */
	struct spec_rx *rx;	   /* ERE_* */
	struct spec_state *states; /* FSM */
	uint32_t nstates;
	bool any;	     /* FSM: every move that fits is taken, not the first */
	const char *handler; /* CALL: function; or NULL */
	bool has_action;     /* it was said: */
	enum spec_action action;
	uint32_t target;	   /* SET: variable */
	struct spec_number number; /* SET: its value; WAIT: milliseconds */
	struct spec_form *until;   /* WAIT */
	struct spec_spot action_spot;
	/* Sets of numbers: what it names, itself or in the conditions of its events and moves. */
	uint64_t variables, events;
	struct spec_spot spot;
};

struct spec {
	const char *path; /* for messages */
	const char *text; /* all of it, ended by NUL */
	size_t ntext;
	struct spec_variable *variables;
	uint32_t nvariables;
	struct spec_event *events;
	uint32_t nevents;
	struct spec_thread *threads;
	uint32_t nthreads;
	struct spec_property *properties;
	uint32_t nproperties;
	/* Declared `relevant': every access of these variables, not only writes, and these events are
	 * in the lattice, and looks of every property. */
	uint64_t relevant_variables, relevant_events;
	/* `flow all': in mttl every access of memory carries knowledge, not only those of variables that the
	 * spec names. */
	bool flow_all;
	struct spec_priv *priv;
};

/* Parses n bytes.  On an error the diag has "PATH:LINE:COLUMN: what", the line, and a caret under
 * it; *out is NULL. */
enum status spec_parse(const char *path, const char *text, size_t n, struct spec **out,
		       struct diag *d) ST_CHECKED;
/* The same from a file. */
enum status spec_read(const char *path, struct spec **out, struct diag *d) ST_CHECKED;
void spec_free(struct spec *s);

/* A message about a spot in the spec, as spec_parse makes them, for those who find errors later
 * (a name that the program does not have).  ST_BAD_INPUT. */
enum status spec_complain(const struct spec *s, struct spec_spot at, struct diag *d,
			  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What a name of a spec may stand for. */
enum spec_use_kind {
	SPEC_USE_VARIABLE,
	SPEC_USE_EVENT,
	SPEC_USE_THREAD,
	SPEC_USE_PROPERTY, /* these four are declared */
	SPEC_USE_ACCESS,   /* a variable if it is declared, else anything */
	SPEC_USE_RELEVANT, /* a variable or an event */
	SPEC_USE_WHO,	   /* a thread, or `any' */
};
/* The number of what is declared by that name, one of the first four kinds; -1: there is none. */
int spec_find(const struct spec *s, enum spec_use_kind kind, const char *name);

/* Fully parenthesised; parses to the same tree. */
void spec_print_expr(const struct spec *s, const struct spec_expr *e, struct strbuf *out);
void spec_print_property(const struct spec *s, const struct spec_property *p, struct strbuf *out);
/* The whole file, declarations too. */
void spec_print(const struct spec *s, struct strbuf *out);

#endif /* SPEC_SPEC_H */
