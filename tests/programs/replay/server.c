/* A server: answers each line that comes through a FIFO, until SIGTERM.  Its threads race on `asked'. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static int asked;
static const char *door;

static void leave(int signal)
{
	over = signal;
}

static void *serve(void *unused)
{
	char line[64];
	FILE *in = fopen(door, "r");

	(void)unused;
	while (in && fgets(line, sizeof(line), in) && strcmp(line, "end\n") != 0)
		asked++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argc;
	door = argv[1];
	signal(SIGTERM, leave);
	pthread_create(&t, NULL, serve, NULL);
	while (!over)
		usleep(1000);
	printf("asked %d\n", asked);
	return pthread_join(t, NULL);
}
