/*
 * JSON written piece by piece to a stream: objects and arrays nest, commas
 * and quotes come by themselves.
 *
 *	json_open(&j, NULL, '{'); json_number(&j, "n", 3); json_close(&j, '}');
 *
 * key is NULL inside arrays and for the outermost value.  Bytes that are not
 * UTF-8 are written as U+FFFD, so the output is always valid.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "base/common.h"

struct json {
	FILE *to;
	bool more; /* something stands before, at this level */
};

void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_string(struct json *j, const char *key, const char *value); /* NULL: null */
/* An array of n strings. */
void json_strings(struct json *j, const char *key, const char *const *at, size_t n);
void json_number(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_real(struct json *j, const char *key, double value); /* finite */
void json_bool(struct json *j, const char *key, bool value);

#endif /* REPORT_JSON_H */
