/*
 * Help that is not about a command: how to read what the tool prints.
 */
#ifndef CLI_TOPIC_H
#define CLI_TOPIC_H

#include "base/common.h"

struct topic {
	const char *name;
	const char *summary; /* lower case, no full stop */
	const char *text;    /* 80 columns */
};

const struct topic *topic_find(const char *name); /* NULL: there is none */
void topic_list(FILE *to);

#endif /* CLI_TOPIC_H */
