/* More of the library that reads and writes the caller's memory: input, output, rare names. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static char in[32], out[32] = "one line\nand another\n";
static struct timeval now;
static volatile size_t n = 20;

static void files(FILE *f)
{
	assert(fwrite(out, 1, n, f) == n); // see T1: read out
	assert(fputs(out, f) >= 0);	   // see T1: read out
	rewind(f);
	assert(fgets(in, sizeof(in), f) == in && strlen(in) == 9);	   // see T1: write in
	assert(fread(in, 2, 4, f) == 4 && memcmp(in, "and anot", 8) == 0); // see T1: write in
	assert(pwrite(fileno(f), out, n, 0) == (ssize_t)n);		   // see T1: read out
	assert(pread(fileno(f), in, n, 0) == (ssize_t)n);		   // see T1: write in
	assert(memcmp(in, out, n) == 0); // see T1: read in; read out
}

static void sockets(void)
{
	int s[2];

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	assert(send(s[0], out, n, 0) == (ssize_t)n);	     // see T1: read out
	assert(recv(s[1], in, sizeof(in), 0) == (ssize_t)n); // see T1: write in
	assert(recv(s[1], in, 1, MSG_DONTWAIT) == -1);
}

static void rare(void)
{
	char *end;

	assert(mempcpy(in, out, n) == in + n); // see T1: read out; write in
	bcopy(out, in + 1, n);		       // see T1: read out; write in+1
	assert(bcmp(in + 1, out, n) == 0);     // see T1: read in+1; read out
	strcpy(in, "4294967297x");
	assert(strtoul(in, &end, 10) == 4294967297 && *end == 'x'); // see T1: read in
	assert(strtoull(in, NULL, 16) == 0x4294967297 && strtoll(in, NULL, 10) == 4294967297);
	assert(atol(in) == 4294967297);	       // see T1: read in
	assert(gettimeofday(&now, NULL) == 0); // see T1: write now
}

int main(void)
{
	FILE *f = tmpfile();

	assert(f != NULL);
	files(f);
	fclose(f);
	sockets();
	rare();
	return 0;
}
