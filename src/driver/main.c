/*
 * foresee-cc and foresee-c++: clang, plus what makes a program recordable.
 *
 *	compiling	debug information, value names, the pass, <foresee.h>
 *	linking		the runtime, ahead of every library it stands in for
 *
 * Everything else is clang's: the command line goes to it unchanged, in its
 * place this program's process ends, and questions (--version and the like) get
 * nothing added.  Build systems probe compilers by warnings, so no warning
 * is added or lost: what we add stands between --start-no-unused-arguments and its end.
 */
#include <errno.h>

#include "driver/cmdline.h"
#include "driver/toolchain.h"

#define LLVM_OPTION "--foresee-llvm="
#define CALLS_OPTION "--foresee-calls="
#define CALLS_VARIABLE "FORESEE_CALLS" /* where the pass finds the names */

/* More than command_build adds, and the NULL. */
#define ROOM 24

struct command {
	char **argv;
	int argc;
	char strings[3][PATH_MAX + 32]; /* options made from paths */
};

static void add(struct command *k, const char *word)
{
	k->argv[k->argc++] = (char *)word;
}

/* An option that ends in a path. */
static void add_path(struct command *k, int i, const char *option, const char *path)
{
	snprintf(k->strings[i], sizeof(k->strings[i]), "%s%s", option, path);
	add(k, k->strings[i]);
}

static void add_compile(struct command *k, const struct cmdline *c, const struct toolchain *t)
{
	add(k, "-D__FORESEE__=1");
	add(k, "-idirafter");
	add(k, t->include);
	if (c->phase >= PHASE_COMPILE) {
		add(k, "-fno-discard-value-names");
		add_path(k, 0, "-fpass-plugin=", t->pass);
	}
}

/*
 * First on the line: the dynamic linker looks names up in the order of the
 * libraries, and the runtime must come before a libc or malloc named here.
 */
static void add_link(struct command *k, const struct toolchain *t)
{
	add(k, "-Wl,--push-state,--no-as-needed");
	add(k, t->runtime);
	add(k, "-Wl,--pop-state");
	add_path(k, 1, "-Wl,-rpath,", t->library);
}

/*
 * Sites need lines and names whatever the user said about -g, and the last -g
 * option counts.  Version 4, because Valgrind 3.19 stops at version 5.
 */
static void add_debug(struct command *k)
{
	add(k, "--start-no-unused-arguments");
	add(k, "-gdwarf-4");
	add(k, "--end-no-unused-arguments");
}

static void command_build(struct command *k, int argc, char **argv, const struct cmdline *c,
			  const struct toolchain *t)
{
	bool work = c->inputs && !c->query;
	bool compile = work && c->sources;
	bool link = work && c->linkable && c->phase == PHASE_LINK && !c->relocatable;
	bool debug = compile && c->phase >= PHASE_COMPILE;

	add(k, t->compiler);
	if (compile || link)
		add(k, "--start-no-unused-arguments");
	if (compile)
		add_compile(k, c, t);
	if (link)
		add_link(k, t);
	if (compile || link)
		add(k, "--end-no-unused-arguments");
	for (int i = 1; i < argc; i++) {
		if (debug && strcmp(argv[i], "--") == 0) {
			add_debug(k);
			debug = false;
		}
		add(k, argv[i]);
	}
	if (debug)
		add_debug(k);
	add(k, NULL);
}

/* What cannot be recorded is refused here, in words, and not by the linker. */
static bool command_is_possible(const char *self, const struct cmdline *c)
{
	if (!c->inputs || c->query || c->phase < PHASE_COMPILE)
		return true;
	if (c->target) {
		fprintf(stderr, "%s: error: %s: only x86-64 programs can be recorded\n", self,
			c->target);
	} else if (c->sanitizer[0]) {
		fprintf(stderr, "%s: error: -fsanitize=%s cannot be combined with recording\n",
			self, c->sanitizer);
	} else if (c->is_static && c->phase == PHASE_LINK && !c->relocatable) {
		fprintf(stderr, "%s: error: %s: a static program cannot be recorded\n", self,
			c->is_static);
	} else {
		return true;
	}
	return false;
}

/* The environment's variable gets one word more.  False: out of memory. */
static bool variable_add(const char *name, char between, const char *word)
{
	const char *old = getenv(name);
	char *all;
	bool set;

	if (asprintf(&all, "%s%c%s", old ? old : "", between, word) < 0)
		return false;
	set = setenv(name, old && *old ? all : all + 1, 1) == 0;
	free(all);
	return set;
}

/* A cache of objects in front of the compiler looks at neither the pass nor the names that the pass finds in the
 * environment: an object that another pass has made would be taken for ours.  ccache is told. */
static bool caches_tell(const struct toolchain *t)
{
	const char *calls = getenv(CALLS_VARIABLE);

	return variable_add("CCACHE_EXTRAFILES", ':', t->pass) &&
	       (!calls || variable_add("CCACHE_NAMESPACE", ' ', calls));
}

/* Takes our own options out of argv.  *llvm: as --foresee-llvm=N says, the last one counts, then
 * FORESEE_LLVM; NULL: not at all.  False: out of memory. */
static bool take_options(int *argc, char **argv, const char **llvm)
{
	int n = 1;

	*llvm = getenv("FORESEE_LLVM");
	for (int i = 1; i < *argc; i++) {
		if (strncmp(argv[i], LLVM_OPTION, strlen(LLVM_OPTION)) == 0)
			*llvm = argv[i] + strlen(LLVM_OPTION);
		else if (strncmp(argv[i], CALLS_OPTION, strlen(CALLS_OPTION)) != 0)
			argv[n++] = argv[i];
		else if (!variable_add(CALLS_VARIABLE, ',', argv[i] + strlen(CALLS_OPTION)))
			return false;
	}
	*argc = n;
	*llvm = *llvm && **llvm ? *llvm : NULL;
	return true;
}

static int no_memory(const char *self)
{
	fprintf(stderr, "%s: error: out of memory\n", self);
	return 1;
}

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *self = slash ? slash + 1 : argc > 0 ? argv[0] : "foresee-cc";
	bool cxx = strstr(self, "++") != NULL;
	const char *wanted;
	static struct toolchain tools;
	static struct command command;
	struct cmdline line;

	command.argv = calloc((size_t)argc + ROOM, sizeof(*command.argv));
	if (!command.argv || !take_options(&argc, argv, &wanted))
		return no_memory(self);
	cmdline_read(&line, argc, argv);
	if (!command_is_possible(self, &line) || !toolchain_find(&tools, self, cxx, wanted))
		return 1;
	if (!caches_tell(&tools))
		return no_memory(self);
	command_build(&command, argc, argv, &line, &tools);
	execvp(tools.compiler, command.argv);
	fprintf(stderr, "%s: error: cannot run %s: %s\n", self, tools.compiler, strerror(errno));
	return 1;
}
