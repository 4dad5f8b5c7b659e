/* Lines of text from one thread to another, by streams on both ends and by one. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int a[2], b[2];
int data, more;
volatile int sink;

static void *writer(void *arg)
{
	FILE *f = fdopen(a[1], "w"), *g = fdopen(b[1], "w");

	data = 1;
	fprintf(f, "%d\n", 5);
	fflush(f);
	more = 2;
	fputs("x", g);
	fclose(g);
	fclose(f);
	return arg;
}

static void *reader(void *arg)
{
	FILE *f = fdopen(a[0], "r");
	char line[8], c;

	assert(fgets(line, sizeof(line), f) == line);
	sink = data;
	assert(read(b[0], &c, 1) == 1 && c == 'x');
	sink = more;
	fclose(f);
	return arg;
}

int main(void)
{
	pthread_t t, u;

	assert(pipe(a) == 0 && pipe(b) == 0);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
