/*
 * The program's variables, for those who have a name and want the memory.
 *
 * A recording lists the globals of all units that were built for it, with their addresses, types
 * and first bytes (C_GLOBAL); how structs are laid out is in the debug information of the files
 * (C_IMAGE), if they are still there and the same.  Text has names alone.
 *
 * Ownership: strings live as long as the trace.
 */
#ifndef NAMES_VARIABLES_H
#define NAMES_VARIABLES_H

#include "names/layout.h"
#include "names/program.h"

size_t variables_count(struct trace *t);
bool variables_get(struct trace *t, size_t i, struct program_global *out);

/* Has [addr, addr + size) been that of two variables, one after the other: of a library, and of one
 * that was loaded where it had been?  Their names. */
bool variables_clash(struct trace *t, uint64_t addr, uint64_t size, const char *names[2]);

/* Part of it by debug information: "", ".balance", "[3]".  ST_END: there is no such information.
 * ST_BAD_INPUT: why says what is wrong with the part. */
enum status variables_part(struct trace *t, const struct program_global *v, const char *part,
			   uint64_t *offset, struct layout_type *type,
			   struct strbuf *why) ST_CHECKED;

/* The next variable by symbol tables, whoever built it; *at begins at 0. */
struct variables_cursor {
	size_t image, symbol;
};
bool variables_symbol(struct trace *t, const char *name, struct variables_cursor *at,
		      uint64_t *addr, uint64_t *size);

/* A variable of that name that is not listed above: where debug
 * information has it. */
bool variables_elsewhere(struct trace *t, const char *name, enum layout_storage *storage);

/* The program names memory as it runs, and may use this name; NULL: any. */
bool variables_may_come(struct trace *t, const char *name);

/* One variable of the program's own file lies at addr, which is never anything else, and nothing is
 * named as it runs: what the trace_object_* functions say of it is the same wherever the reading is. */
bool variables_is_fixed(struct trace *t, uint64_t addr);

/* Text: the address that stands for a name.  False: not text, or too many names. */
bool variables_address(struct trace *t, const char *name, bool lock, uint64_t *addr);

#endif /* NAMES_VARIABLES_H */
