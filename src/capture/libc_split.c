/*
 * Library functions that cut a string into pieces in place: foresee_libc_NAME for every NAME of
 * FORESEE_LIBC_SPLIT.  strtok is not among them: what it keeps is libc's.
 */
#include <string.h>

#include "capture/libc_priv.h"
#include "capture/real.h"

#define X(name) extern __typeof__(name) foresee_libc_##name;
FORESEE_LIBC_SPLIT(X)
#undef X

extern __typeof__(strspn) foresee_libc_strspn;
extern __typeof__(strcspn) foresee_libc_strcspn;

/* Ends the piece that starts at s.  Where the next may start; NULL: it was the last. */
static char *piece_end(char *s, const char *set)
{
	char *end = s + foresee_libc_strcspn(s, set);

	if (*end == '\0')
		return NULL;
	log_store(end, "", 1);
	return end + 1;
}

static char *pointer_read(char *const *from)
{
	log_read(from, sizeof(*from));
	return *from;
}

EXPORT char *foresee_libc_strtok_r(char *restrict s, const char *restrict set, char **restrict rest)
{
	char *next, *piece;

	if (s == NULL)
		s = pointer_read(rest);
	s += foresee_libc_strspn(s, set);
	piece = *s != '\0' ? s : NULL;
	next = piece != NULL ? piece_end(s, set) : NULL;
	if (next == NULL)
		next = s + strlen(s);
	log_store(rest, &next, sizeof(next));
	return piece;
}

EXPORT char *foresee_libc___strtok_r(char *restrict s, const char *restrict set,
				     char **restrict rest)
{
	return foresee_libc_strtok_r(s, set, rest);
}

EXPORT char *foresee_libc_strsep(char **restrict rest, const char *restrict set)
{
	char *piece = pointer_read(rest), *next;

	if (piece == NULL)
		return NULL;
	next = piece_end(piece, set);
	log_store(rest, &next, sizeof(next));
	return piece;
}
