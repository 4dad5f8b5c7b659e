/* Finding a pass and a compiler of the same LLVM; see the header. */
#include "driver/toolchain.h"

#include <stdarg.h>

static bool path_format(char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* out holds PATH_MAX bytes.  False when the path does not fit. */
static bool path_format(char *out, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(out, PATH_MAX, format, ap);
	va_end(ap);
	return n > 0 && n < PATH_MAX;
}

/* Is there a program of this name on PATH? */
static bool on_path(const char *name)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];

	for (; dir && *dir; dir += strcspn(dir, ":"), dir += *dir == ':')
		if (path_format(path, "%.*s/%s", (int)strcspn(dir, ":"), dir, name) &&
		    access(path, X_OK) == 0)
			return true;
	return false;
}

/* The directory above bin/, where this program lies. */
static bool find_prefix(char *out)
{
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);

	if (n < 0)
		return false;
	out[n] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(out, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	return true;
}

/* Fills pass and compiler for LLVM n, and says whether each is there. */
static void look_at(struct toolchain *t, bool cxx, int n, bool *pass, bool *compiler)
{
	*pass = path_format(t->pass, "%s/pass-%d.so", t->library, n) && access(t->pass, R_OK) == 0;
	snprintf(t->compiler, sizeof(t->compiler), "clang%s-%d", cxx ? "++" : "", n);
	*compiler = on_path(t->compiler);
}

static bool find_wanted(struct toolchain *t, const char *self, bool cxx, const char *wanted)
{
	char *end;
	long n = strtol(wanted, &end, 10);
	bool pass, compiler;

	if (*end || n < TOOLCHAIN_OLDEST || n > TOOLCHAIN_NEWEST) {
		fprintf(stderr, "%s: error: bad LLVM version '%s': want %d to %d\n", self, wanted,
			TOOLCHAIN_OLDEST, TOOLCHAIN_NEWEST);
		return false;
	}
	look_at(t, cxx, (int)n, &pass, &compiler);
	if (!compiler)
		fprintf(stderr, "%s: error: no %s on PATH; install the Debian package clang-%ld\n",
			self, t->compiler, n);
	else if (!pass)
		fprintf(stderr,
			"%s: error: no '%s'; build foresee with the Debian package llvm-%ld-dev installed\n",
			self, t->pass, n);
	return pass && compiler;
}

static bool find_any(struct toolchain *t, const char *self, bool cxx)
{
	bool pass, compiler;
	int built = 0;

	for (int n = TOOLCHAIN_OLDEST; n <= TOOLCHAIN_NEWEST; n++) {
		look_at(t, cxx, n, &pass, &compiler);
		if (pass && compiler)
			return true;
		if (pass && !built)
			built = n;
	}
	if (built)
		fprintf(stderr,
			"%s: error: no clang%s-%d on PATH; install the Debian package clang-%d\n",
			self, cxx ? "++" : "", built, built);
	else
		fprintf(stderr, "%s: error: no compiler pass in '%s'; build foresee with 'make'\n",
			self, t->library);
	return false;
}

bool toolchain_find(struct toolchain *t, const char *self, bool cxx, const char *wanted)
{
	char prefix[PATH_MAX];

	if (!find_prefix(prefix) || !path_format(t->library, "%s/lib/foresee", prefix) ||
	    !path_format(t->include, "%s/include", prefix) ||
	    !path_format(t->runtime, "%s/libforesee_rt.so", t->library)) {
		fprintf(stderr, "%s: error: cannot tell where this program lies\n", self);
		return false;
	}
	return wanted ? find_wanted(t, self, cxx, wanted) : find_any(t, self, cxx);
}
