#include "explore/course.h"

#define HEAD "foresee schedule 1"
#define LINE_STEPS 40u
#define LINE_WORDS 6u

void course_release(struct course *s)
{
	for (size_t i = 0; i < s->arguments.n; i++)
		mem_free(s->arguments.at[i]);
	VEC_RELEASE(&s->arguments);
	VEC_RELEASE(&s->words);
	VEC_RELEASE(&s->steps);
	MEM_FREE_ALL(s->program, s->directory, s->outcome, s->spec, s->oracle);
	*s = (struct course){ 0 };
}

/* ---- writing ---- */

static bool has_newline(const struct course *s)
{
	bool has = strchr(s->program, '\n') || strchr(s->directory, '\n') ||
		   (s->spec && strchr(s->spec, '\n')) || (s->oracle && strchr(s->oracle, '\n'));

	for (size_t i = 0; i + 1 < s->arguments.n; i++)
		has |= strchr(s->arguments.at[i], '\n') != NULL;
	return has;
}

static void put(const struct course *s, FILE *to)
{
	fprintf(to, HEAD "\nprogram %s\ndirectory %s\n", s->program, s->directory);
	for (size_t i = 0; i + 1 < s->arguments.n; i++)
		fprintf(to, "argument %s\n", s->arguments.at[i]);
	fprintf(to, "outcome %s\n", s->outcome);
	if (s->spec)
		fprintf(to, "spec %s\n", s->spec);
	if (s->oracle)
		fprintf(to, "oracle %s\n", s->oracle);
	if (s->sandbox)
		fputs("sandbox yes\n", to);
	if (s->expected)
		fprintf(to, "expected %" PRIu32 "\n", s->expected);
	for (size_t i = 0; i < s->words.n; i++)
		fprintf(to, "%s %" PRIx64 "%s", i % LINE_WORDS == 0 ? "words" : "", s->words.at[i],
			i % LINE_WORDS == LINE_WORDS - 1 || i + 1 == s->words.n ? "\n" : "");
	for (size_t i = 0; i < s->steps.n; i++) {
		const struct baton_choice *c = &s->steps.at[i];

		fprintf(to, "%s %u", i % LINE_STEPS == 0 ? "steps" : "", c->thread);
		if (c->branch)
			fprintf(to, "/%u", c->branch);
		if (i % LINE_STEPS == LINE_STEPS - 1 || i + 1 == s->steps.n)
			fprintf(to, "\n");
	}
}

enum status course_write(const struct course *s, const char *path, struct diag *d)
{
	FILE *to;
	bool good;

	if (has_newline(s))
		return diag_fail(d, ST_BAD_INPUT,
				 "a schedule cannot be written for a command line with a newline");
	to = fopen(path, "we");
	if (!to)
		return diag_fail(d, ST_IO, "cannot write '%s': %s", path, strerror(errno));
	put(s, to);
	good = !ferror(to);
	if (fclose(to) != 0 || !good)
		return diag_fail(d, ST_IO, "cannot write '%s': %s", path, strerror(errno));
	return ST_OK;
}

/* ---- reading ---- */

static bool read_steps(struct course *s, char *at)
{
	for (;;) {
		unsigned long thread, branch = 0;
		char *end;

		at += strspn(at, " ");
		if (*at == '\0')
			return true;
		thread = strtoul(at, &end, 10);
		if (end == at || thread >= BATON_THREADS)
			return false;
		at = end;
		if (*at == '/') {
			branch = strtoul(at + 1, &end, 10);
			if (end == at + 1 || branch > UINT16_MAX)
				return false;
			at = end;
		}
		if (*at != ' ' && *at != '\0')
			return false;
		*VEC_PUSH(&s->steps) = (struct baton_choice){ (uint16_t)thread, (uint16_t)branch };
	}
}

static bool read_words(struct course *s, char *at)
{
	for (;;) {
		char *end;
		uint64_t word;

		at += strspn(at, " ");
		if (*at == '\0')
			return true;
		word = strtoull(at, &end, 16);
		if (end == at || (*end != ' ' && *end != '\0'))
			return false;
		at = end;
		*VEC_PUSH(&s->words) = word;
	}
}

/* What follows the word, if the line begins with it. */
static char *behind(char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

static void keep(char **where, const char *what)
{
	mem_free(*where);
	*where = mem_strdup(what);
}

static bool read_expected(struct course *s, const char *at)
{
	char *end;
	unsigned long n = strtoul(at, &end, 10);

	s->expected = (uint32_t)n;
	return end != at && *end == '\0' && n <= UINT8_MAX;
}

static bool read_line(struct course *s, char *line)
{
	char *rest;

	if ((rest = behind(line, "program")))
		keep(&s->program, rest);
	else if ((rest = behind(line, "directory")))
		keep(&s->directory, rest);
	else if ((rest = behind(line, "argument")))
		*VEC_PUSH(&s->arguments) = mem_strdup(rest);
	else if ((rest = behind(line, "outcome")))
		keep(&s->outcome, rest);
	else if ((rest = behind(line, "spec")))
		keep(&s->spec, rest);
	else if ((rest = behind(line, "oracle")))
		keep(&s->oracle, rest);
	else if ((rest = behind(line, "sandbox")))
		return (s->sandbox = strcmp(rest, "yes") == 0);
	else if ((rest = behind(line, "expected")))
		return read_expected(s, rest);
	else if ((rest = behind(line, "words")))
		return read_words(s, rest);
	else
		return (rest = behind(line, "steps")) && read_steps(s, rest);
	return true;
}

static enum status read_lines(struct course *s, FILE *from, const char *path, struct diag *d)
{
	enum status st = ST_OK;
	size_t room = 0, number = 0;
	char *line = NULL;
	ssize_t n;

	while (st == ST_OK && (n = getline(&line, &room, from)) >= 0) {
		if (n > 0 && line[n - 1] == '\n')
			line[n - 1] = '\0';
		number++;
		if (number == 1 ? strcmp(line, HEAD) != 0 : !read_line(s, line))
			st = diag_fail(d, ST_BAD_INPUT, "%s:%zu: this is no line of a schedule",
				       path, number);
	}
	free(line);
	if (st == ST_OK && (!s->program || !s->directory || !s->outcome || s->arguments.n == 0))
		st = diag_fail(d, ST_BAD_INPUT,
			       "'%s' is no whole schedule: program, directory, argument or outcome "
			       "is missing",
			       path);
	if (st == ST_OK && s->steps.n > COURSE_STEPS)
		st = diag_fail(d, ST_BAD_INPUT, "'%s' has more than %u steps", path, COURSE_STEPS);
	return st;
}

enum status course_parse(struct course *s, FILE *from, const char *path, struct diag *d)
{
	enum status st;

	*s = (struct course){ 0 };
	st = read_lines(s, from, path, d);
	*VEC_PUSH(&s->arguments) = NULL;
	if (st != ST_OK)
		course_release(s);
	return st;
}

enum status course_read(struct course *s, const char *path, struct diag *d)
{
	FILE *from = fopen(path, "re");
	enum status st;

	*s = (struct course){ 0 };
	if (!from)
		return diag_fail(d, ST_IO, "cannot read '%s': %s", path, strerror(errno));
	st = course_parse(s, from, path, d);
	fclose(from);
	return st;
}

bool course_is(const char *path)
{
	char head[sizeof(HEAD)] = "";
	FILE *from = fopen(path, "re");
	bool is = from && fread(head, 1, sizeof(head) - 1, from) == sizeof(head) - 1 &&
		  memcmp(head, HEAD, sizeof(head) - 1) == 0;

	if (from)
		fclose(from);
	return is;
}
