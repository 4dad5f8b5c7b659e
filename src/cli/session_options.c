#include "cli/session_options.h"

#include "cli/command.h"

/* Options go to the runtime one a line; a pattern cannot hold a line end. */
static bool add_pattern(struct session *s, const char *name, const char *pattern)
{
	if (*pattern == '\0' || strchr(pattern, '\n')) {
		talk_error("bad pattern of --%s: expected a name, with * and ?", name);
		return false;
	}
	strbuf_addf(&s->options, "%s=%s\n", name, pattern);
	return true;
}

/* Less would be a few chunks for each of a few threads. */
#define KEEP_LEAST (4u << 20)

bool session_option(struct session *s, const struct option_parser *p, int id, const char *value)
{
	switch (id) {
	case SESSION_TRACE:
		if (*value == '\0') {
			talk_error("empty file name for the trace");
			return false;
		}
		s->trace = value;
		return true;
	case SESSION_FULL:
		session_want_full(s);
		return true;
	case SESSION_ONLY:
		return add_pattern(s, "only", value);
	case SESSION_IGNORE:
		return add_pattern(s, "ignore", value);
	case SESSION_KEEP:
		return option_size(p, value, KEEP_LEAST, &s->keep);
	case SESSION_NO_HANG_STOP:
		s->hang = LAUNCH_HANG_TELL;
		return true;
	default:
		BUG("option %d is not of a session", id);
	}
}

static bool has_patterns(const struct session *s)
{
	return s->options.n && (strstr(s->options.at, "only=") || strstr(s->options.at, "ignore="));
}

int session_command(const struct command *c, int argc, char **argv, struct option_parser *p,
		    enum launch_hang hang, session_act *act)
{
	struct session s = { .hang = hang, .linger = SESSION_LINGER_MS };
	int status;

	p->program = true;
	p->into[OPTION_SESSION] = &s;
	if (!command_options(c, p, argc, argv, &status))
		;
	else if (p->noperands == 0)
		status = command_misuse(c, "no program given");
	else if (s.locks && s.options.n)
		status = command_misuse(c, "--locks-only goes without --full, --only and --ignore");
	else if (s.valgrind && (s.locks || s.keep || s.follow || has_patterns(&s)))
		status = command_misuse(c, "--valgrind goes without --locks-only, --keep, "
					   "--follow-fork, --only and --ignore");
	else
		status = act(p->into[OPTION_OWN], &s, p->operands);
	strbuf_release(&s.options);
	return status;
}
