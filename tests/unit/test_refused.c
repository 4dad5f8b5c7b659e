/*
 * A finding that the checker refuses: its witness goes to a file of its own, whatever others have put
 * where they expect it.
 *
 * Never seen so far, so this is the whole tool with a checker that refuses everything (--wrap, in the
 * Makefile).
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/tap.h"
#include "witness/check.h"

void __wrap_checker_run(struct checker *c, const struct check_claim *claim,
			struct check_verdict *out);
void __wrap_checker_run(struct checker *c, const struct check_claim *claim,
			struct check_verdict *out)
{
	(void)c;
	(void)claim;
	*out = (struct check_verdict){ .what = "by this test" };
}

bool __wrap_checker_run_cut(struct checker *c, const struct check_cuts *k,
			    const struct check_claim *claim, const struct schedule *s,
			    struct check_verdict *out);
bool __wrap_checker_run_cut(struct checker *c, const struct check_cuts *k,
			    const struct check_claim *claim, const struct schedule *s,
			    struct check_verdict *out)
{
	(void)c;
	(void)k;
	(void)claim;
	(void)s;
	(void)out;
	return false;
}

int __real_main(int argc, char **argv);

static const char race[] = "T1|fork(T2)|1\nT1|w(x)|2\nT2|w(x)|3\n";

static void file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) == EOF || fclose(f) != 0)
		abort();
}

static char *file_read(const char *path)
{
	static char text[20000];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* What was in the way before: names that follow from the number of the process. */
static void links_plant(void)
{
	char name[100];

	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "foresee-refused-%ld-%d.witness", (long)getpid(), i);
		if (symlink("victim", name) != 0)
			abort();
	}
}

static int check_refused(void)
{
	char *argv[] = { "foresee", "check", "race.std", NULL };
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		links_plant();
		if (!freopen("out", "w", stdout) || dup2(fileno(stdout), 2) < 0)
			abort();
		exit(__real_main(3, argv));
	}
	waitpid(child, &status, 0);
	return status;
}

/* Files that hold a witness; others than plain files, and those that others may write to, count as bad. */
static unsigned witnesses_count(unsigned *bad)
{
	DIR *d = opendir(".");
	unsigned n = 0;
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "foresee-refused-", 16) != 0 || lstat(e->d_name, &st) != 0 ||
		    S_ISLNK(st.st_mode))
			continue;
		n++;
		*bad += !S_ISREG(st.st_mode) || (st.st_mode & 022) != 0 || st.st_size == 0;
	}
	if (d)
		closedir(d);
	return n;
}

static void dir_remove(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

int __wrap_main(void);
int __wrap_main(void)
{
	const char *tmp = getenv("TMPDIR");
	unsigned bad = 0;
	char dir[200];

	snprintf(dir, sizeof(dir), "%.150s/foresee-unit.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir) || chdir(dir) != 0)
		abort();
	setenv("TMPDIR", dir, 1);
	file_write("race.std", race);
	file_write("victim", "mine");
	check_refused();
	if (!TAP_OK(strstr(file_read("out"), "the checker refuses a schedule") != NULL,
		    "it is refused"))
		printf("# %s\n", file_read("out"));
	TAP_OK(strcmp(file_read("victim"), "mine") == 0, "what a link points to stays as it is");
	TAP_EQ(witnesses_count(&bad), 1, "the witness is a file");
	TAP_EQ(bad, 0, "that nobody else may write to");
	if (chdir("/") == 0)
		dir_remove(dir);
	return tap_done();
}
