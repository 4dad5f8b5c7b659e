#include "cli/session_options.h"

#include <string.h>

#include "base/diag.h"
#include "base/talk.h"
#include "cli/command.h"
#include "launch/session.h"

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

static bool take_option(struct session *s, const struct option_parser *p, int id, const char *value)
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
		return option_size(p, "--keep", value, KEEP_LEAST, &s->keep);
	case SESSION_LINGER:
		return option_number(p, "--linger", value, 0, 600000, &s->linger);
	case SESSION_COLOR:
		return talk_parse_color(value);
	case SESSION_NO_HANG_STOP:
		s->hang = LAUNCH_HANG_TELL;
		return true;
	case SESSION_VERBOSE: /* session_command has seen to it */
		return true;
	default:
		BUG("option %d is not of a session", id);
	}
}

static bool is_own(int id)
{
	return id >= SESSION_TRACE && id <= SESSION_LINGER;
}

int session_command(const struct command *c, int argc, char **argv,
		    const struct session_command *how)
{
	struct session s = { .hang = how->hang, .linger = SESSION_LINGER_MS };
	struct option_parser p;
	const char *value;
	int id, status = EXIT_TROUBLE;

	option_begin(&p, c->name, c->options, argc, argv);
	p.program = true;
	p.into = &s;
	while ((id = option_next(&p, &value)) > OPTION_DONE) {
		s.announce |= id == how->announce;
		if (is_own(id) ? !take_option(&s, &p, id, value)
			       : !how->option(how->arg, &p, id, value))
			goto out;
	}
	if (id == OPTION_HELP) {
		command_help(c, stdout);
		status = EXIT_FINE;
	} else if (id == OPTION_DONE && p.noperands == 0) {
		status = command_misuse(c, "no program given");
	} else if (id == OPTION_DONE && s.locks && s.options.n) {
		status = command_misuse(c, "--locks-only goes without --full, --only and --ignore");
	} else if (id == OPTION_DONE) {
		status = how->act(how->arg, &s, p.operands);
	}
out:
	strbuf_release(&s.options);
	return status;
}
