/*
 * Variables by the debug information of one file: where they lie and how they are laid out.
 *
 * All variables of all units are listed when somebody first asks, those within functions too.  The
 * information may be damaged, or say anything: then there are fewer variables.
 *
 * Ownership: strings live as long as the struct.
 * Threads:   no locking.
 */
#ifndef NAMES_LAYOUT_H
#define NAMES_LAYOUT_H

#include "base/common.h"

struct Dwarf;
struct layout;

/* dwarf: borrowed. */
struct layout *layout_new(struct Dwarf *dwarf);
void layout_free(struct layout *l);

enum layout_storage {
	LAYOUT_MEMORY,
	LAYOUT_THREAD,	/* one for each thread */
	LAYOUT_CHANGED, /* the compiler keeps something else, or it in pieces */
	LAYOUT_GONE,	/* it has none: optimised out, or never defined here */
};

struct layout_variable {
	const char *name;     /* of the variable alone */
	const char *function; /* it is local to; or NULL */
	const char *file;     /* of its unit; or NULL */
	bool external;
	enum layout_storage storage;
	uint64_t address; /* in the file; LAYOUT_MEMORY */
};
size_t layout_count(struct layout *l);
void layout_get(struct layout *l, size_t i, struct layout_variable *out);
/* The variable that begins at an address of the file; false: none is known. */
bool layout_find(struct layout *l, uint64_t address, size_t *i);

enum layout_kind { LAYOUT_INT, LAYOUT_FLOAT, LAYOUT_POINTER, LAYOUT_OTHER };

struct layout_type {
	enum layout_kind kind;
	uint64_t size;
	bool is_signed; /* LAYOUT_INT */
	bool is_loose; /* LAYOUT_INT: whether it is signed is the compiler's choice, or no matter */
	const char *text;
};

/* Part of variable i: "", ".balance", "[3].next".  False: why says what is wrong with it. */
bool layout_part(struct layout *l, size_t i, const char *path, uint64_t *offset,
		 struct layout_type *type, struct strbuf *why);

#endif /* NAMES_LAYOUT_H */
