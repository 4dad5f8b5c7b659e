#include "link/token.h"

#include <sys/random.h>
#include <sys/stat.h>

#define RANDOM_BYTES 16

static int take(const char *from, const char *text, char *into)
{
	size_t n = strlen(text);

	if (n == 0 || n >= TOKEN_BYTES) {
		talk_error("the token of %s must have 1 to %d characters", from, TOKEN_BYTES - 1);
		return EXIT_TROUBLE;
	}
	strcpy(into, text);
	return EXIT_FINE;
}

static void tell_readers(FILE *f, const char *path)
{
	struct stat st;

	if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0)
		talk_note("others may read the token in '%s': type 'chmod 600 %s'", path, path);
}

static int take_file(const char *path, bool quiet, char *into)
{
	FILE *f = fopen(path, "re");
	char line[TOKEN_BYTES + 2];

	if (!f) {
		talk_error("cannot read the token in '%s': %s", path, strerror(errno));
		return EXIT_TROUBLE;
	}
	if (!quiet)
		tell_readers(f, path);
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\r\n")] = '\0';
	return take(path, line, into);
}

int token_find(const char *given, const char *file, bool quiet, char into[TOKEN_BYTES])
{
	const char *set = getenv("FORESEE_TOKEN");

	into[0] = '\0';
	if (given)
		return take("--token", given, into);
	if (file)
		return take_file(file, quiet, into);
	return set ? take("FORESEE_TOKEN", set, into) : EXIT_FINE;
}

int token_make(char into[TOKEN_BYTES])
{
	unsigned char bytes[RANDOM_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		talk_error("cannot make a token: %s; use --token-file", strerror(errno));
		return EXIT_TROUBLE;
	}
	for (int i = 0; i < RANDOM_BYTES; i++)
		snprintf(into + (size_t)2 * i, 3, "%02x", bytes[i]);
	return EXIT_FINE;
}
