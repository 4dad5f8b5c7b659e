/*
 * Properties about knowledge, compiled: what the tool makes of a spec (monitor/mttl_compile.h) and the
 * runtime maps.  One block of memory, tables by offset.
 *
 *	struct know_program
 *	struct know_node	[nnodes]	formulas and expressions
 *	struct know_term	[nterms]	what stands under an @, inner ones first
 *	struct know_property	[nproperties]
 *	struct know_variable	[nplaces]	shared ones, then what only patterns name
 *	struct know_local	[nlocals]
 *	struct know_event	[nevents]
 *	struct know_class	[nclasses]	threads; the first is `any'
 *	strings
 *
 * A node is evaluated in a thread and in an environment: which threads the names stand for.  Name 0 is the
 * formula's own thread, the others those of quantifiers.  A term, and a temporal operator, may depend on one
 * name of outside (`dim'); then it has a value for each thread.
 */
#ifndef KNOW_PROGRAM_H
#define KNOW_PROGRAM_H

#include <stdint.h>

#define KNOW_MAGIC UINT64_C(0x31776f6e6b736566)
#define KNOW_LOCALS 64u
#define KNOW_PLACES 128u  /* variables, and what only patterns name */
#define KNOW_NAMES 4u	  /* own thread and quantifiers around one another */
#define KNOW_DEPTH 64u	  /* of a formula: it is evaluated on somebody else's stack */
#define KNOW_FREE 0xffu	  /* depends on no name */
#define KNOW_CLASS 0x100u /* who: behind this, a class */

/* X(id): as in spec/spec.h where they are there */
/* clang-format off */
#define KNOW_OPS(X) \
	X(CONST) X(LOCAL) X(SHARED) X(BLOCK) X(TID) X(REMOTE) X(NEG) X(ADD) \
	X(SUB) X(MUL) X(DIV) X(MOD) X(EQ) X(NE) X(LT) X(LE) \
	X(GT) X(GE) X(TRUE) X(FALSE) X(EVENT) X(NOT) X(AND) X(OR) \
	X(IMPLIES) X(IFF) X(PREV) X(ONCE) X(HIST) X(START) X(STOP) X(SINCE) \
	X(WSINCE) X(INTERVAL) X(WINTERVAL) X(SOME) X(ALL)
/* clang-format on */

enum know_op {
#define X(id) KNOW_##id,
	KNOW_OPS(X)
#undef X
};

#define KNOW_UNSIGNED 1u /* SHARED, REMOTE: a 64-bit value without a sign */
#define KNOW_HAS_BITS 2u /* SOME, ALL; of others their second operand: temporal operators inside */

struct know_node {
	uint8_t op;
	uint8_t flags;
	uint8_t dim;  /* temporal: the name it depends on, or KNOW_FREE */
	uint8_t name; /* SOME, ALL: the name that is bound */
	uint32_t
		index; /* LOCAL, SHARED, EVENT: number; REMOTE: term; temporal: bit; SOME, ALL: class */
	uint32_t who;	/* REMOTE: a name, or KNOW_CLASS + class */
	uint32_t a, b;	/* operands */
	int64_t number; /* CONST */
};

struct know_term {
	uint32_t root;
	uint32_t dim;  /* a name, or KNOW_FREE */
	uint32_t slot; /* among those that depend on a name, or among the others */
};

/* What is done about a violation. */
enum know_action {
	KNOW_DO_LOG,
	KNOW_DO_COUNT,
	KNOW_DO_CALL,
	KNOW_DO_SET,
	KNOW_DO_WAIT,
	KNOW_DO_ABORT,
	KNOW_DO_STOP
};

struct know_property {
	uint32_t name; /* string */
	uint32_t root;
	uint32_t class;
	uint32_t action;  /* enum know_action */
	uint32_t text;	  /* string: as it was written */
	uint32_t handler; /* CALL: string */
	uint32_t target;  /* SET: variable */
	uint32_t until;	  /* WAIT: root */
	uint32_t limit;	  /* WAIT: milliseconds */
	uint32_t line;	  /* in the spec */
	int64_t value;	  /* SET */
};

#define KNOW_UNBOUND UINT32_MAX

struct know_variable {
	uint32_t name; /* string, as the spec has it */
	uint32_t
		global; /* string: the program's variable that it is, or is part of; KNOW_UNBOUND: none yet */
	uint64_t offset; /* in that one */
	uint64_t extent; /* bytes of that one */
	uint32_t size;
	uint32_t is_signed;
	uint64_t initial; /* if the program does not tell */
	uint32_t is_lock, pad;
	uint64_t reads, writes, acquires, releases; /* events of the spec */
};

struct know_local {
	uint32_t name;
	uint32_t pad;
	int64_t initial;
};

#define KNOW_ARGS 8u

struct know_event {
	uint32_t op;	/* enum spec_op */
	uint32_t name;	/* string: block, function, user event; 0: any */
	int32_t object; /* READ, WRITE, ACQ, REL: variable; -1: any */
	uint32_t by;	/* class */
	uint32_t other; /* FORK, JOIN: class; thread numbers are classes, too */
	uint32_t nargs;
	int64_t args[KNOW_ARGS];
};

enum know_class_kind { KNOW_ANY, KNOW_NUMBER, KNOW_NAMED, KNOW_HANDLE };

struct know_class {
	uint32_t kind;
	uint32_t name;	 /* NAMED: string */
	uint32_t handle; /* HANDLE: variable whose address pthread_create was given */
	uint32_t said;	 /* string: as the spec calls it */
	uint64_t number;
};

struct know_program {
	uint64_t magic;
	uint64_t bytes; /* of all */
	uint32_t nnodes, nterms, nproperties, nlocals, nevents, nclasses;
	uint32_t nvariables, nplaces; /* variables, and behind them what only patterns name */
	uint32_t nplain, nwide;	      /* terms: of no name, of one */
	uint32_t nbits, nwide_bits;   /* temporal operators likewise */
	uint32_t flow_all;
	uint64_t any[16]; /* events by enum spec_op whose object is any */
	uint32_t nodes, terms, properties, variables, locals, events, classes,
		strings; /* offsets */
	uint32_t path;	 /* string: of the spec */
	uint32_t pad;
};

/* Threads that can be followed: where terms are kept for each pair of them, fewer. */
#define KNOW_MOST 4096u
#define KNOW_MOST_WIDE 256u

static inline uint32_t know_most(const struct know_program *p)
{
	return p->nwide || p->nwide_bits ? KNOW_MOST_WIDE : KNOW_MOST;
}

#define KNOW_TABLE(type, p, member) ((const struct type *)((const char *)(p) + (p)->member))
#define know_nodes(p) KNOW_TABLE(know_node, p, nodes)
#define know_terms(p) KNOW_TABLE(know_term, p, terms)
#define know_properties(p) KNOW_TABLE(know_property, p, properties)
#define know_variables(p) KNOW_TABLE(know_variable, p, variables)
#define know_locals(p) KNOW_TABLE(know_local, p, locals)
#define know_events(p) KNOW_TABLE(know_event, p, events)
#define know_classes(p) KNOW_TABLE(know_class, p, classes)

static inline const char *know_string(const struct know_program *p, uint32_t at)
{
	return (const char *)p + p->strings + at;
}

#endif /* KNOW_PROGRAM_H */
