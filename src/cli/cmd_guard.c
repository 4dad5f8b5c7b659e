/*
 * guard: monitors inside the program.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/input.h"
#include "launch/guard.h"
#include "launch/made.h"
#include "launch/program.h"
#include "spec/spec.h"

struct guard_request {
	const char *spec;
	bool all, quiet;
};

#define AT(member) OPTION_AT(struct guard_request, member)
static const struct option_def guard_options[] = {
	{ AT(spec), 's', "spec", "FILE", "the specification; its mttl properties are guarded" },
	{ AT(all), 'v', "verbose", NULL, "tell of every violation, not of one for each place" },
	{ AT(quiet), 'q', "quiet", NULL, "no notes about the spec" },
	INPUT_COLOR_OPTION,
	{ 0 },
};

/* Returns only where the program could not be started. */
static int guard(const struct guard_request *r, char **argv)
{
	struct guard_order g = { .argv = argv, .all = r->all, .quiet = r->quiet };
	struct diag d = { 0 };
	struct spec *spec = NULL;
	char *path = NULL;
	enum status st = spec_read(r->spec, &spec, &d);

	g.spec = spec;
	if (st == ST_OK)
		st = program_find(argv[0], false, &path, &d);
	g.path = path;
	if (st == ST_OK)
		st = guard_become(&g, &d);
	talk_error("%s", d.message);
	spec_free(spec);
	mem_free(path);
	return EXIT_OWN_FAILURE;
}

/* Source is compiled to where somebody has to tidy up afterwards: the program is a child. */
static int guard_apart(const struct guard_request *r, char **argv)
{
	struct made made = { 0 };
	struct diag d = { 0 };
	struct spec *spec = NULL;
	int how = 0, status = EXIT_OWN_FAILURE;
	pid_t pid = -1;

	if (spec_read(r->spec, &spec, &d) != ST_OK ||
	    made_prepare(&made, argv, MADE_LEVEL, spec, &d) != ST_OK) {
		talk_error("%s", d.message);
	} else {
		fflush(NULL);
		pid = fork();
		if (pid == 0)
			_exit(guard(r, argv));
		signal(SIGINT, SIG_IGN); /* it is the program's */
		signal(SIGQUIT, SIG_IGN);
		while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
			;
	}
	if (pid > 0)
		status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	made_release(&made);
	spec_free(spec);
	return status;
}

static int guard_command(const struct command *c, int argc, char **argv)
{
	struct guard_request r = { 0 };
	struct option_parser p = { .into = { [OPTION_OWN] = &r }, .program = true };
	int status;

	if (!command_options(c, &p, argc, argv, &status))
		return status == EXIT_TROUBLE ? EXIT_OWN_FAILURE : status;
	if (!r.spec) {
		command_misuse(c, "no spec given: guard -s SPEC PROG");
		return EXIT_OWN_FAILURE;
	}
	if (p.noperands == 0) {
		command_misuse(c, "no program given");
		return EXIT_OWN_FAILURE;
	}
	return program_is_source(p.operands[0]) ? guard_apart(&r, p.operands)
						: guard(&r, p.operands);
}

const struct command cmd_guard = {
	.name = "guard",
	.usage = "[OPTIONS] -s SPEC [--] PROG|FILE.c [ARGS]",
	.summary = "run a program with monitors inside, which can recover",
	.details =
		"PROG must be built with foresee-cc. Nothing is recorded. The mttl properties of SPEC\n"
		"are judged in the program's own threads; a violation is told on stderr, or handled as\n"
		"SPEC says. The status is the program's own, 125 when it could not be started.\n"
		"FORESEE_GUARD=SPEC PROG does the same.\n",
	.options = guard_options,
	.run = guard_command,
};
