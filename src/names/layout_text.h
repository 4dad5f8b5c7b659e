/*
 * Parts of variables by the layouts that recordings carry (capture/hooks.h has the grammar), so that
 * members of structs are found where the program's file is not.
 */
#ifndef NAMES_LAYOUT_TEXT_H
#define NAMES_LAYOUT_TEXT_H

#include "names/layout.h"

/* As layout_part; names: where those of types are kept.  ST_END: it is not a layout that one could
 * read.  ST_BAD_INPUT: why says what is wrong with the part. */
enum status layout_text_part(const char *layout, const char *path, struct intern *names,
			     uint64_t *offset, struct layout_type *type,
			     struct strbuf *why) ST_CHECKED;

/* The part that lies at an offset, ".in.lock", "[1].lock": what of the offset is left, inside it, stays.  Into a union
 * no way leads, for which of its members is meant nobody knows. */
void layout_text_name(const char *layout, uint64_t *offset, struct strbuf *out);

#endif /* NAMES_LAYOUT_TEXT_H */
