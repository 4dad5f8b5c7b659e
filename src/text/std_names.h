/*
 * The names of a text trace, each as a small number, and the addresses that
 * stand in for them.
 *
 *	63..60   name space (enum event_object)
 *	plain    id * 8
 *	#fmt 1   id << 32 | offset
 *
 * so things of different names never overlap, and parts of one variable do
 * when their offsets do.
 *
 * A location is kept as text and shown as a site: "12" is a line, "a.c:12"
 * a file and a line, "a.c:12:f" with a function; anything else is taken as a
 * file without line.  std_site_format gives the text back unchanged.
 */
#ifndef TEXT_STD_NAMES_H
#define TEXT_STD_NAMES_H

#include "text/std.h"

struct std_names;
struct trace_site;

struct std_names *std_names_new(void);
void std_names_free(struct std_names *n);

/* Names can only be given out while fewer than 2^28 of a space exist: 0 past that. */
uint32_t std_name_add(struct std_names *n, enum event_object space, const char *s, size_t len);
/* The same of a name that the text may have later, or never. */
uint32_t std_name_expect(struct std_names *n, enum event_object space, const char *s, size_t len);
uint64_t std_address(enum event_object space, uint32_t id, bool fmt1, uint64_t offset);
/* The name that an address stands for, offset included; good until the next call. */
const char *std_address_name(struct std_names *n, uint64_t addr, bool fmt1);
/* The address that it would have if no names had been expected; as it is for unknown ones. */
uint64_t std_address_plain(const struct std_names *n, uint64_t addr, bool fmt1);
/* Name space and id as one number, never 0 for a known name. */
uint64_t std_address_id(const struct std_names *n, uint64_t addr, bool fmt1);

/*
 * The thread of a name, made when new; threads count from 1, 0 when there are
 * too many.  "T5" and "5" are the same thread.  column: it stood in the
 * thread column, whose spelling is the one shown.
 */
uint32_t std_thread_add(struct std_names *n, const char *s, size_t len, bool column);
uint32_t std_thread_count(const struct std_names *n);
const char *std_thread_name(const struct std_names *n, uint32_t tid);

/* A site id, from 1. */
uint32_t std_site_add(struct std_names *n, const char *s, size_t len);
uint32_t std_site_count(const struct std_names *n);
bool std_site_find(const struct std_names *n, uint32_t site, struct trace_site *out);

/* Text as it is, but for what would end a field: blanks and bars become '_'. */
void std_name_format(const char *name, struct strbuf *out);
/* The text of a site, the same way.  NULL or an unknown site: "0". */
void std_site_format(const struct trace_site *site, struct strbuf *out);

#endif /* TEXT_STD_NAMES_H */
