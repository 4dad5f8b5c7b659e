/* Library functions that read and write the caller's memory. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

static char a[64], b[64], text[16] = "hello world", *rest;
static char *volatile s = text; /* keeps the compiler from knowing better */
static volatile size_t n = 40;
static struct timespec now;
static time_t second;
static int io[2];

static void memory(void)
{
	memset(a, 'x', n);	      // see T1: write a
	assert(memcpy(b, a, n) == b); // see T1: read a free; write b
	assert(memmove(a + 1, a, n) == a + 1);
	assert(memcmp(a, b, n) == 0);	    // see T1: read a; read b
	assert(memchr(b, 'x', n) == b);	    // see T1: read b
	assert(memrchr(a, 'y', n) == NULL); // see T1: read a
	bzero(b, n);			    // see T1: write b
}

static void strings(void)
{
	char *end, *copy;

	assert(strlen(s) == 11);	// see T1: read text
	assert(strnlen(s, 5) == 5);	// see T1: read text
	assert(strcpy(b, s) == b);	// see T1: read text; write b
	assert(stpcpy(b, s) == b + 11); // see T1: read text; write b
	assert(strcmp(b, s) == 0);	// see T1: read b; read text
	assert(strncmp(b, "help", n) < 0 && strcasecmp(b, "HELLO WORLD") == 0);
	assert(strncasecmp(b, "HELP", 3) == 0);
	assert(strncpy(a, s, n) == a && a[11] == 0 && a[39] == 0); // see T1: write a
	assert(strcat(a, " again") == a && strcmp(a, "hello world again") == 0);
	assert(strncat(a, "!!!", 1) == a && strlen(a) == 18);
	assert(strchr(s, 'w') == text + 6 && strrchr(s, 'o') == text + 7 && !strchr(s, 'z'));
	assert(strstr(s, "wor") == text + 6 && strpbrk(s, "ow") == text + 4);
	assert(strspn(s, "ehl") == 4 && strcspn(s, " ") == 5);
	copy = strdup(s); // see T1: read text; alloc; write
	assert(strcmp(copy, s) == 0);
	free(copy);
	copy = strndup(s, 4);
	assert(strcmp(copy, "hell") == 0);
	free(copy);
	strcpy(b, "123 -4");
	assert(atoi(b) == 123 && strtol(b + 3, &end, 10) == -4 && end == b + 6);
}

static void pieces(void)
{
	strcpy(b, "  set key");
	assert(strtok_r(b, " ", &rest) == b + 2); // see T1: read b; write rest
	assert(strtok_r(NULL, " ", &rest) == b + 6 && strcmp(b + 6, "key") == 0);
	assert(strtok_r(NULL, " ", &rest) == NULL && rest == b + 9);
	assert(strcmp(b + 2, "set") == 0);
	strcpy(b, "a,,b");
	rest = b;
	assert(strsep(&rest, ",") == b && rest == b + 2); // see T1: read rest; read b; write rest
	assert(strsep(&rest, ",") == b + 2 && b[2] == 0);
	assert(strsep(&rest, ",") == b + 3 && rest == NULL && strsep(&rest, ",") == NULL);
}

static void world(void)
{
	assert(snprintf(a, 8, "%s", s) == 11 && strcmp(a, "hello w") == 0); // see T1: write a
	sprintf(b, "%d", 5);						    // see T1: write b
	clock_gettime(CLOCK_REALTIME, &now);				    // see T1: write now
	time(&second);							    // see T1: write second
	assert(second >= now.tv_sec);					    // see T1: read second
	assert(pipe(io) == 0);
	assert(write(io[1], s, 6) == 6);				       // see T1: read text
	assert(read(io[0], b, sizeof(b)) == 6 && memcmp(b, "hello ", 6) == 0); // see T1: write b
	assert(read(io[0] + 1000, b, 1) == -1);
	puts(s); // see T1: read text
}

int main(void)
{
	memory();
	strings();
	pieces();
	world();
	return 0;
}
