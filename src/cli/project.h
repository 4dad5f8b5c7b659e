/*
 * The project's own settings: a file `.foresee' in the working directory or above it.
 *
 *	# options of run, check and observe; those of the command line win
 *	spec = landing.spec
 *	baseline = ci/known.json
 *	strict
 *	# rules of suppression, as --suppress takes them
 *	race:variable:stats.*
 *
 * Paths are relative to where the file lies.  What runs commands, loads code or writes files is no setting: such a
 * file may be somebody else's.  FORESEE_PROJECT names another file; empty: none.
 *
 * Ownership: the caller releases it, when nobody uses its strings any more.
 */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include "base/common.h"

struct project_setting {
	char *name, *value; /* value NULL: an option that takes none */
	uint32_t line;
};

struct project {
	char *path; /* NULL: there is no such file */
	VEC(struct project_setting) at;
	struct strbuf rules; /* suppressions, each on the line where it stands in the file */
	size_t nrules;
};

/* The file from the working directory upward, if there is one. */
enum status project_find(struct project *p, struct diag *d) ST_CHECKED;
/* What it says, as if it had been read; name is for messages, and where paths are relative to. */
enum status project_parse(struct project *p, const char *text, size_t n, const char *name,
			  struct diag *d) ST_CHECKED;
void project_release(struct project *p);

#endif /* CLI_PROJECT_H */
