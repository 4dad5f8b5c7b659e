/*
 * JSON as a tree, read from memory: reports of ours, which may have been written by anybody by now.
 *
 * Values are numbers of nodes; JSON_NONE stands for one that is not there, and every question may be asked
 * of it, so that a way down a tree is one expression:
 *
 *	json_text(t, json_get(t, json_get(t, report, "trace"), "path"))	  NULL: there is no such thing
 *
 * Ownership: a tree owns its strings.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"

struct diag;

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_node {
	enum json_type type;
	uint32_t next;	/* of the array or object it lies in; JSON_NONE: the last */
	uint32_t first; /* ARRAY, OBJECT */
	size_t key,
		text; /* in `text'; a key: of a member; text: STRING, and NUMBER as it was written */
};

#define JSON_NONE 0
#define JSON_DEEPEST 64
#define JSON_LONGEST ((uint64_t)1 << 30) /* bytes of a file */

struct json_tree {
	VEC(struct json_node) at; /* [0] is JSON_NONE */
	VEC(char) text;
};

/* All values of a text, one behind the other, become the elements of an array: *all.  name is for
 * messages, which give line and column. */
enum status json_read(struct json_tree *t, const char *text, size_t n, const char *name,
		      uint32_t *all, struct diag *d) ST_CHECKED;
/* The same of a file. */
enum status json_read_file(struct json_tree *t, const char *path, uint32_t *all,
			   struct diag *d) ST_CHECKED;
void json_tree_release(struct json_tree *t);

bool json_is(const struct json_tree *t, uint32_t node, enum json_type type);
/* The member of an object; of several with one key the first. */
uint32_t json_get(const struct json_tree *t, uint32_t node, const char *key);
/* Elements of an array, members of an object:
 * for (uint32_t i = json_first(t, list); i != JSON_NONE; i = json_next(t, i)) */
uint32_t json_first(const struct json_tree *t, uint32_t node);
uint32_t json_next(const struct json_tree *t, uint32_t node);
/* A string; else NULL. */
const char *json_text(const struct json_tree *t, uint32_t node);
/* Of a member, without its quotes; "": none. */
const char *json_key(const struct json_tree *t, uint32_t node);
/* A whole number that fits; else 0. */
uint64_t json_uint(const struct json_tree *t, uint32_t node);
bool json_is_true(const struct json_tree *t, uint32_t node);

#endif /* BASE_JSON_READ_H */
