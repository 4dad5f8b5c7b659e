#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "cli/command.h"

/* Descriptors 0 to 2 that are closed would become files of ours, and messages would go into them.
 * Not to be written to, as they were; and closed in the programs that we start. */
static void fill_streams(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && fd < 2)
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd > 2)
		close(fd);
}

/* Short commands spend much of their time in page faults.  Memory that one table has given back is used by the
 * next, and only large tables are moved by the kernel when they grow. */
static void set_memory(void)
{
	mallopt(M_TOP_PAD, 1 << 20);
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

int main(int argc, char **argv)
{
	const struct command *c;

	fill_streams();
	set_memory();
	if (argc < 2) {
		command_overview(stderr);
		return EXIT_TROUBLE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("foresee %s\n", FORESEE_VERSION);
		return talk_finish(EXIT_FINE);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		command_overview(stdout);
		return talk_finish(EXIT_FINE);
	}
	if (argv[1][0] == '-') {
		talk_error("expected a command before '%s'", argv[1]);
		talk_more("try 'foresee help'");
		return EXIT_TROUBLE;
	}
	c = command_find(argv[1]);
	if (!c)
		return EXIT_TROUBLE;
	return talk_finish(c->run(c, argc - 1, argv + 1));
}
