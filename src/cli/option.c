#include "cli/option.h"

#include "base/near.h"

void option_begin(struct option_parser *p, const char *command, const struct option_def *table,
		  int argc, char **argv)
{
	p->command = command;
	p->table = table;
	p->argc = argc;
	p->argv = argv;
	p->operands = argv + 1;
	p->at = 1;
}

static int bad(const struct option_parser *p)
{
	talk_more("try 'foresee %s --help'", p->command);
	return OPTION_BAD;
}

static int unknown_long(const struct option_parser *p, const char *name, size_t n)
{
	const char *names[64];
	char word[NEAR_WORD + 2];
	const char *near;
	size_t count = 0;

	for (const struct option_def *o = p->table; o->id && count < 63; o++)
		if (o->name)
			names[count++] = o->name;
	names[count++] = "help";
	snprintf(word, sizeof(word), "%.*s", (int)n, name);
	near = near_find(word, names, count);
	if (near)
		talk_error("unknown option '--%.*s', did you mean '--%s'?", (int)n, name, near);
	else
		talk_error("unknown option '--%.*s'", (int)n, name);
	return bad(p);
}

void option_choose(struct texts *chosen, char letter, const char *name, const char *value)
{
	if (letter)
		texts_add(chosen, "-%c", letter);
	else
		texts_add(chosen, "--%s", name);
	if (value)
		texts_add(chosen, "%s", value);
}

/* The value of the option that was found: what is attached to it, or the next argument. */
static int value_take(struct option_parser *p, const struct option_def *o, const char *attached,
		      const char **value)
{
	assert(o - p->table < 64);
	p->found = o;
	p->given |= (uint64_t)1 << (o - p->table);
	if (o->value && !attached && p->at == p->argc)
		return OPTION_BAD;
	if (o->value)
		*value = attached ? attached : p->argv[p->at++];
	if (o->chooses && p->chosen)
		option_choose(p->chosen, o->letter, o->name, *value);
	return o->id;
}

static int next_long(struct option_parser *p, const char *arg, const char **value)
{
	const char *name = arg + 2;
	const char *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);

	if (n == 4 && memcmp(name, "help", 4) == 0 && !equals)
		return OPTION_HELP;
	for (const struct option_def *o = p->table; o->id; o++) {
		if (!o->name || strlen(o->name) != n || memcmp(o->name, name, n) != 0)
			continue;
		if (!o->value && equals) {
			talk_error("option '--%s' takes no value", o->name);
			return bad(p);
		}
		if (value_take(p, o, equals ? equals + 1 : NULL, value) == o->id)
			return o->id;
		talk_error("option '--%s' needs a value: --%s %s", o->name, o->name, o->value);
		return bad(p);
	}
	return unknown_long(p, name, n);
}

static int next_short(struct option_parser *p, const char **value)
{
	char letter = *p->bundle++;

	for (const struct option_def *o = p->table; o->id; o++) {
		if (o->letter != letter)
			continue;
		if (value_take(p, o, *p->bundle ? p->bundle : NULL, value) != o->id) {
			talk_error("option '-%c' needs a value: -%c %s", letter, letter, o->value);
			return bad(p);
		}
		if (o->value)
			p->bundle = NULL;
		return o->id;
	}
	if (letter == 'h')
		return OPTION_HELP;
	talk_error("unknown option '-%c'", letter);
	return bad(p);
}

static int next(struct option_parser *p, const char **value)
{
	*value = NULL;
	if (p->bundle && *p->bundle)
		return next_short(p, value);
	p->bundle = NULL;
	while (p->at < p->argc) {
		char *arg = p->argv[p->at];

		if (strcmp(arg, "--") == 0) {
			p->at++;
			break;
		}
		if (arg[0] != '-' || arg[1] == '\0') {
			if (p->program)
				break;
			p->at++;
			p->operands[p->noperands++] = arg;
			continue;
		}
		p->at++;
		if (arg[1] == '-')
			return next_long(p, arg, value);
		p->bundle = arg + 1;
		return next_short(p, value);
	}
	/* A program's arguments stay where they are, with the NULL behind them. */
	if (p->noperands == 0)
		p->operands = p->argv + p->at;
	for (; p->at < p->argc; p->at++)
		p->operands[p->noperands++] = p->argv[p->at];
	return OPTION_DONE;
}

static bool number_store(const struct option_parser *p, const char *text, void *to)
{
	const struct option_def *o = p->found;
	uint64_t n;

	if (!option_number(p, text, "", o->low, o->high, &n))
		return false;
	memcpy(to, &n, o->width); /* little-endian, as traces are */
	return true;
}

int option_next(struct option_parser *p, const char **value)
{
	int id;

	while ((id = next(p, value)) >= OPTION_ROOM) {
		void *to = (char *)p->into[id / OPTION_ROOM - 1] + id % OPTION_ROOM;

		if (!*value)
			*(bool *)to = true;
		else if (!p->found->width)
			*(const char **)to = *value;
		else if (!number_store(p, *value, to))
			return OPTION_BAD;
	}
	return id;
}

bool option_number(const struct option_parser *p, const char *text, const char *other, uint64_t low,
		   uint64_t high, uint64_t *out)
{
	char *end, most[32] = "";

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && *out >= low && *out <= high)
		return true;
	if (high != UINT64_MAX)
		snprintf(most, sizeof(most), " to %" PRIu64, high);
	talk_error("bad value '%s' of --%s: expected a number from %" PRIu64 "%s%s", text,
		   p->found->name, low, most, other);
	bad(p);
	return false;
}

bool option_size(const struct option_parser *p, const char *text, uint64_t low, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	unsigned long long v;
	unsigned shift = 0;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (*end && (unit = strchr(units, *end & ~0x20)) != NULL) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	*out = v << shift;
	if (text[0] < '0' || text[0] > '9' || *end || errno || v > UINT64_MAX >> shift)
		talk_error("bad value '%s' of --%s: expected a size like 500M or 2G", text,
			   p->found->name);
	else if (*out < low)
		talk_error("--%s %s is too little: give at least %" PRIu64 "%c", p->found->name,
			   text, low >> 20 ? low >> 20 : low >> 10, low >> 20 ? 'M' : 'K');
	else
		return true;
	bad(p);
	return false;
}

void option_help(const struct option_def *table, FILE *to)
{
	for (const struct option_def *o = table; o->id; o++) {
		char left[80];
		int n = 0;

		n += snprintf(left + n, sizeof(left) - (size_t)n, o->letter ? "-%c" : "   ",
			      o->letter);
		if (o->name)
			n += snprintf(left + n, sizeof(left) - (size_t)n, "%s--%s",
				      o->letter ? ", " : " ", o->name);
		if (o->value)
			snprintf(left + n, sizeof(left) - (size_t)n, " %s", o->value);
		fprintf(to, "  %-24s  %s\n", left, o->help);
	}
	fprintf(to, "  %-24s  %s\n", "-h, --help", "print this and leave");
}
