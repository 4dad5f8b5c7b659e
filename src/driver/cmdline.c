/*
 * Reading a compiler command line word by word.
 *
 * A word is a value if the option before it takes one, else an option if it
 * starts with '-', else an input.  The list of options with separate values is
 * what keeps `-I include' or `-o prog.c' from looking like an input.
 */
#include "driver/cmdline.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTED(list, word) listed(list, sizeof(list) / sizeof((list)[0]), word)

/* Response files inside response files; deeper ones are left to the compiler. */
#define CMDLINE_DEPTH 16

/* clang-format off */
static const char *const with_value[] = {
	"-o", "--output", "-x", "--language", "-I", "-L", "-D", "-U", "-F", "-B", "-T", "-u", "-e",
	"-z", "-l", "-A", "-G", "-V", "-b", "-include", "--include", "-include-pch", "-imacros",
	"--imacros", "-isystem", "-idirafter", "-iquote", "-iprefix", "-iwithprefix",
	"-iwithprefixbefore", "-isysroot", "-iframework", "-isystem-after", "-cxx-isystem",
	"-stdlib++-isystem", "-ivfsoverlay", "-imultilib", "-framework", "-MF", "-MT", "-MQ", "-MJ",
	"-Xclang", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xanalyzer", "-Xopenmp-target",
	"-Xarch_host", "-mllvm", "-target", "-arch", "-mthread-model", "--param", "--sysroot",
	"--prefix", "--std", "--config", "-specs", "--specs", "-resource-dir", "-working-directory",
	"-serialize-diagnostics", "--serialize-diagnostics", "-rpath", "-undefined",
	"-install_name", "-dependency-file", "--define-macro", "--undefine-macro",
	"--include-directory", "--include-directory-after", "--library-directory",
};

static const char *const queries[] = {
	"--version", "-dumpversion", "-dumpmachine", "-dumpspecs", "--help", "-help",
	"--help-hidden", "--target-help", "-###", "-cc1", "-cc1as", "--autocomplete",
};

/* No code comes out of these. */
static const char *const checks[] = {
	"-fsyntax-only", "--analyze", "-emit-ast", "-verify-pch", "-rewrite-objc",
	"-module-file-info", "--migrate", "-extract-api",
};

static const char *const preprocesses[] = { "-E", "-M", "-MM", "--preprocess" };
static const char *const compiles[] = { "-c", "-S", "--compile", "--assemble", "--precompile" };
static const char *const relocates[] = { "-r", "-Wl,-r", "-Wl,--relocatable" };

static const char *const source_suffixes[] = {
	"c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "CC", "CXX", "ii", "cppm", "ixx",
	"ll", "bc",
};

static const char *const header_suffixes[] = {
	"h", "hh", "hp", "hxx", "hpp", "HPP", "h++", "H", "tcc",
};

static const char *const source_languages[] = {
	"c", "c++", "cpp-output", "c++-cpp-output", "c++-module", "ir",
};

static const char *const header_languages[] = {
	"c-header", "c++-header", "c++-user-header", "c++-system-header",
};

/* Each of these owns the program's memory or its allocator, as the runtime does. */
static const char *const rival_sanitizers[] = {
	"address", "kernel-address", "hwaddress", "thread", "memory", "leak", "dataflow", "memtag",
};

/* clang-format on */

static bool listed(const char *const *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], word) == 0)
			return true;
	return false;
}

static bool starts(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

static void reach(struct cmdline *c, enum phase last)
{
	if (last < c->phase)
		c->phase = last;
}

static void see_input(struct cmdline *c, const char *name)
{
	const char *dot = strrchr(name, '.');
	bool source, header;

	/* What is not there the compiler complains about; we add nothing to that. */
	if (strcmp(name, "-") != 0 && access(name, F_OK) != 0)
		return;
	if (c->language) {
		source = LISTED(source_languages, c->language);
		header = LISTED(header_languages, c->language);
	} else {
		source = strcmp(name, "-") == 0 || (dot && LISTED(source_suffixes, dot + 1));
		header = dot && LISTED(header_suffixes, dot + 1);
	}
	c->inputs = true;
	c->sources |= source || header;
	c->linkable |= !header;
}

static void see_library(struct cmdline *c)
{
	c->inputs = c->linkable = true;
}

static void see_language(struct cmdline *c, const char *name)
{
	/* A word of a response file does not live on: keep a copy. */
	snprintf(c->language_name, sizeof(c->language_name), "%s", name);
	c->language = strcmp(name, "none") == 0 ? NULL : c->language_name;
}

/* list: "address,undefined"; on: asked for, or taken back. */
static void see_sanitizers(struct cmdline *c, const char *list, bool on)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		char name[sizeof(c->sanitizer)];

		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		if (on && LISTED(rival_sanitizers, name))
			memcpy(c->sanitizer, name, sizeof(name));
		else if (!on && (strcmp(name, c->sanitizer) == 0 || strcmp(name, "all") == 0))
			c->sanitizer[0] = '\0';
		list += n;
		list += *list == ',';
	}
}

static void see_option(struct cmdline *c, const char *word)
{
	if (LISTED(queries, word) || starts(word, "-print-") || starts(word, "--print-")) {
		c->query = true;
	} else if (LISTED(with_value, word)) {
		c->value = true;
		c->language_next = strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0;
		if (strcmp(word, "-l") == 0)
			see_library(c);
	} else if (starts(word, "-x")) {
		see_language(c, word + 2);
	} else if (starts(word, "-l")) {
		see_library(c);
	} else if (LISTED(checks, word)) {
		reach(c, PHASE_CHECK);
	} else if (LISTED(preprocesses, word)) {
		reach(c, PHASE_PREPROCESS);
	} else if (LISTED(compiles, word)) {
		reach(c, PHASE_COMPILE);
	} else if (LISTED(relocates, word)) {
		c->relocatable = true;
	} else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0) {
		c->is_static = "-static";
	} else if (strcmp(word, "-static-pie") == 0) {
		c->is_static = "-static-pie";
	} else if (strcmp(word, "-m32") == 0 || strcmp(word, "-mx32") == 0) {
		c->target = word[2] == 'x' ? "-mx32" : "-m32";
	} else if (strcmp(word, "-m64") == 0) {
		c->target = NULL;
	} else if (starts(word, "-fsanitize=")) {
		see_sanitizers(c, strchr(word, '=') + 1, true);
	} else if (starts(word, "-fno-sanitize=")) {
		see_sanitizers(c, strchr(word, '=') + 1, false);
	}
}

static bool see_response_file(struct cmdline *c, const char *name);

static void see_word(struct cmdline *c, const char *word)
{
	if (c->value) {
		if (c->language_next)
			see_language(c, word);
		c->value = c->language_next = false;
	} else if (word[0] == '@' && see_response_file(c, word + 1)) {
		return;
	} else if (c->files_only || word[0] != '-' || word[1] == '\0') {
		see_input(c, word);
	} else if (strcmp(word, "--") == 0) {
		c->files_only = true;
	} else {
		see_option(c, word);
	}
}

/* The next word of the text, unquoted in place; NULL at the end. */
static char *next_word(char **text)
{
	char *in = *text, *word, *out;
	char quote = 0;

	while (isspace((unsigned char)*in))
		in++;
	if (!*in)
		return NULL;
	for (word = out = in; *in && (quote || !isspace((unsigned char)*in)); in++) {
		if (*in == '\\' && quote != '\'' && in[1])
			*out++ = *++in;
		else if (quote ? *in == quote : *in == '"' || *in == '\'')
			quote = quote ? 0 : *in;
		else
			*out++ = *in;
	}
	*text = in + (*in != '\0');
	*out = '\0';
	return word;
}

/* False when there is no such file: then, as for the compiler, it is a name. */
static bool see_response_file(struct cmdline *c, const char *name)
{
	FILE *f = c->depth < CMDLINE_DEPTH ? fopen(name, "re") : NULL;
	char *text = NULL, *rest, *word;
	size_t capacity = 0;

	if (!f)
		return false;
	if (getdelim(&text, &capacity, '\0', f) >= 0) {
		c->depth++;
		for (rest = text; (word = next_word(&rest));)
			see_word(c, word);
		c->depth--;
	}
	free(text);
	fclose(f);
	return true;
}

void cmdline_read(struct cmdline *c, int argc, char *const *argv)
{
	memset(c, 0, sizeof(*c));
	c->phase = PHASE_LINK;
	for (int i = 1; i < argc; i++)
		see_word(c, argv[i]);
}
