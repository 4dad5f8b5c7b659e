/*
 * A program around cpp-httplib for bench-capture-real.sh: four threads serve one page.
 *
 *	httplib PORT
 */
#include <cstdlib>
#include <string>

#include "httplib.h"

int main(int argc, char **argv)
{
	httplib::Server server;
	std::string page(1000, 'x');

	if (argc != 2)
		return 2;
	server.new_task_queue = [] { return new httplib::ThreadPool(4); };
	server.set_keep_alive_max_count(1000000);
	server.set_tcp_nodelay(true);
	server.Get("/page.txt", [&](const httplib::Request &, httplib::Response &answer) {
		answer.set_content(page, "text/plain");
	});
	return server.listen("127.0.0.1", std::atoi(argv[1])) ? 0 : 1;
}
