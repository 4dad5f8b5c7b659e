/*
 * The program and its libraries as a recording with --locks-only names them (C_IMAGE), and the
 * sites in their code (C_CODE).  Names are looked up when somebody asks, and kept.
 *
 * One address may stand for several sites, a function inlined into another: those further out get
 * site numbers of their own, from IMAGES_SITES on, that only trace_site.inlined leads to.
 *
 * Ownership: strings live as long as the struct.
 * Threads:   images_site may be called from several at once.
 */
#ifndef NAMES_IMAGES_H
#define NAMES_IMAGES_H

#include "trace/trace.h"

struct symbols;
struct wire;

#define IMAGES_SITES (1u << 30)

struct images *images_new(void);
void images_free(struct images *im);

/* The payloads of the two records.  A site in C_CODE is below most; *site is its number. */
void images_take(struct images *im, struct wire *w);
void images_take_code(struct images *im, struct wire *w, uint32_t most, uint32_t *site);

/* False: not a site of this kind. */
bool images_site(struct images *im, uint32_t site, struct trace_site *out);

/* "queue_lock", "table+40", "libfoo.so+0x4060"; "one_lock or two_lock" where one library has taken the
 * place of another; false, nothing added: addr is in no image. */
bool images_name(struct images *im, uint64_t addr, struct strbuf *out);

struct images_file {
	struct symbols *symbols;
	const char *name; /* last part of the path */
	uint64_t bias, low, high;
};
/* Image i, from 0; NULL: no more. */
const struct images_file *images_get(const struct images *im, size_t i);
/* The one that holds an address; of several the last: a library may have been loaded where another
 * was.  NULL: none does. */
const struct images_file *images_find(const struct images *im, uint64_t addr);

#endif /* NAMES_IMAGES_H */
