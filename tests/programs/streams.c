/* Streams give and take like the descriptors under them; those in memory do not. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char text[32], *line;
static size_t room;
volatile int sink;

static void out(FILE *f, int fd)
{
	fprintf(f, "%d %s\n", 1, "a"); // expect T1: threadbegin; give file
	sink = 1;
	fputs("two\n", f); // expect T1: give file
	sink = 1;
	fwrite("3 4 5\n", 6, 1, f); // expect T1: give file
	fputc('x', f);		    /* the same thread, and nothing in between */
	putc('y', f);
	sink = 1;
	fputc('z', f); // expect T1: give file
	fflush(f);
	sink = 1;
	dprintf(fd, "\n%d", 6); // expect T1: give file
}

static void in(FILE *f)
{
	int n = 0;

	assert(fgets(text, sizeof(text), f) == text); // expect T1: take file
	assert(getline(&line, &room, f) == 4 && !strcmp(line, "two\n"));
	assert(fscanf(f, "%d", &n) == 1 && n == 3);
	assert(fgetc(f) == ' ' && getc(f) == '4');
	assert(fread(text, 1, 3, f) == 3 && text[1] == '5');
}

int main(void)
{
	int ends[2];
	FILE *f, *g, *m;

	assert(pipe(ends) == 0);
	f = fdopen(ends[1], "w");
	g = fdopen(ends[0], "r");
	out(f, ends[1]);
	in(g);
	sink = 1;
	fclose(f); // expect T1: give file
	fclose(g); // expect T1: give file
	m = fmemopen(text, sizeof(text), "w");
	errno = 5555;
	assert(fputs("nobody", m) >= 0 && errno == 5555); // expect T1: give unseen
	fclose(m);					  // expect T1: give unseen
	return 0;					  // expect T1: take unseen; threadend
}
