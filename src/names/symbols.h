/*
 * Names for addresses in a program or library, from its ELF file: functions and variables by its
 * symbol tables; files, lines and inlined functions by its debug information, or by that in
 * /usr/lib/debug for its build id.
 *
 * A file is opened when it is first asked about.  It may be gone, be another one by now (its build
 * id tells), or hold anything: then there are no names.
 *
 * Ownership: strings live as long as the struct.
 * Threads:   no locking.
 */
#ifndef NAMES_SYMBOLS_H
#define NAMES_SYMBOLS_H

#include "base/common.h"

struct layout;
struct symbols;
struct trace_site;

/* build_id: nid bytes; 0: not known, then any file will do.  Both are copied. */
struct symbols *symbols_new(const char *path, const uint8_t *build_id, size_t nid);
void symbols_free(struct symbols *s);

/* The path that it was recorded with. */
const char *symbols_path(const struct symbols *s);
/* Is the file at path the recorded one?  Its build id says so; UNKNOWN: the recording has none. */
enum symbols_file { SYMBOLS_SAME, SYMBOLS_OTHER, SYMBOLS_GONE, SYMBOLS_UNKNOWN };
enum symbols_file symbols_compare(const struct symbols *s, const char *path);

/* What is at an address of code, innermost first: functions that were inlined there, then the one
 * around them, each with file, line, column and, as the source has it, function.  At most max, 0:
 * nothing is known but perhaps symbols_function. */
size_t symbols_code(struct symbols *s, uint64_t address, struct trace_site *out, size_t max);

/* May the function at an address be called with a pointer to the structure of that name alone?  By debug information;
 * without any, and with no argument, it may.  *n: how many it takes. */
bool symbols_may_take(struct symbols *s, uint64_t address, const char *structure, unsigned *n);

/* Is the code there made by gcc, of a version in which atomics are moved and nothing else?  By debug
 * information. */
bool symbols_by_gcc(struct symbols *s, uint64_t address);

/* The function or variable around an address by the symbol tables, and how far in; NULL none. */
const char *symbols_function(struct symbols *s, uint64_t address, uint64_t *offset);
const char *symbols_variable(struct symbols *s, uint64_t address, uint64_t *offset);

/* The next variable of that name by the symbol tables; *i begins at 0.  False: no more. */
bool symbols_find(struct symbols *s, const char *name, size_t *i, uint64_t *address,
		  uint64_t *size);

/* Variables by debug information; NULL: there is none. */
struct layout *symbols_layout(struct symbols *s);

#endif /* NAMES_SYMBOLS_H */
