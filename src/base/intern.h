/*
 * Strings as small numbers: equal strings get equal ids.  Ids start at 1; 0
 * stands for "no string".  A string lives as long as its table.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *t);
uint32_t intern_add(struct intern *t, const char *s, size_t n);
/* The id, or 0 when the string was never added. */
uint32_t intern_find(const struct intern *t, const char *s, size_t n);
const char *intern_str(const struct intern *t, uint32_t id); /* NULL for 0 */
/* The text as it is kept; NULL for NULL and for "". */
const char *intern_keep(struct intern *t, const char *s);
uint32_t intern_count(const struct intern *t); /* highest id */

#endif /* BASE_INTERN_H */
