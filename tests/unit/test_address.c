/* Addresses of observers: text, listening, connecting, whose socket it is. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "link/address.h"
#include "tap.h"

static struct diag d;
static char dir[] = "/tmp/foresee-address.XXXXXX";

static void test_text(void)
{
	static const struct {
		const char *text, *means; /* NULL: it is refused */
	} cases[] = {
		{ "unix:/run/x.sock", "unix:/run/x.sock" },
		{ "/run/x.sock", "unix:/run/x.sock" },
		{ "./x", "unix:./x" },
		{ "unix:x", "unix:x" },
		{ "unix:", NULL },
		{ "tcp:localhost:4000", "tcp:localhost:4000" },
		{ "localhost:4000", "tcp:localhost:4000" },
		{ ":4000", "tcp:127.0.0.1:4000" },
		{ "tcp::0", "tcp:127.0.0.1:0" },
		{ "[::1]:80", "tcp:[::1]:80" },
		{ "tcp:[fe80::1]:65535", "tcp:[fe80::1]:65535" },
		{ "::1:80", NULL },
		{ "[::1]", NULL },
		{ "[::1:80", NULL },
		{ "[]:80", NULL },
		{ "host", NULL },
		{ "host:", NULL },
		{ "host:65536", NULL },
		{ "host:-1", NULL },
		{ "host:http", NULL },
		{ "host:000001", NULL },
		{ "", NULL },
		{ ":", NULL },
	};
	char longest[400];
	struct address a;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf b = { 0 };
		enum status st;

		diag_clear(&d);
		st = address_parse(&a, cases[i].text, &d);
		if (cases[i].means) {
			address_format(&a, &b);
			TAP_STR(strbuf_str(&b), cases[i].means, "'%s'", cases[i].text);
		} else {
			TAP_OK(st == ST_BAD_INPUT && strstr(d.message, "expected unix:/PATH"),
			       "'%s' is refused with advice", cases[i].text);
		}
		strbuf_release(&b);
	}
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, "unix:/", 6);
	longest[sizeof(longest) - 1] = '\0';
	TAP_EQ(address_parse(&a, longest, &d), ST_BAD_INPUT, "a path that is too long");
	memcpy(longest, "xxxxxxx", 7);
	memcpy(longest + sizeof(longest) - 5, ":123", 5);
	TAP_EQ(address_parse(&a, longest, &d), ST_BAD_INPUT, "a host that is too long");
}

static void test_unix(void)
{
	struct address a, b;
	char text[200];
	struct stat st;
	int fd, other, peer, here;

	snprintf(text, sizeof(text), "unix:%s/s", dir);
	TAP_EQ(address_parse(&a, text, &d), ST_OK, "a socket");
	TAP_EQ(address_connect(&a, &fd, &d), ST_END, "nobody listens");
	TAP_EQ(address_listen(&a, &fd, &d), ST_OK, "listen");
	TAP_OK(stat(a.path, &st) == 0 && S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600,
	       "for its owner alone");
	b = a;
	diag_clear(&d);
	TAP_EQ(address_listen(&b, &other, &d), ST_IO, "a second time");
	TAP_OK(strstr(d.message, "somebody listens there already") != NULL, "is refused in words");
	TAP_EQ(address_connect(&a, &peer, &d), ST_OK, "connect");
	here = accept(fd, NULL, NULL);
	TAP_EQ(address_trust(&a, here, &d), ST_OK, "we trust ourselves");
	TAP_EQ(address_trust(&a, peer, &d), ST_OK, "on both sides");
	close(here);
	close(peer);
	close(fd);
	TAP_EQ(address_listen(&b, &fd, &d), ST_OK, "a stale socket is replaced");
	address_unlisten(&a); /* it may be another file with the same number by chance */
	if (b.ino != a.ino)
		TAP_OK(access(b.path, F_OK) == 0,
		       "the old listener does not remove the new socket");
	address_unlisten(&b);
	TAP_OK(access(b.path, F_OK) != 0, "the new one removes it");
	close(fd);

	close(creat(a.path, 0600));
	diag_clear(&d);
	TAP_EQ(address_listen(&a, &fd, &d), ST_IO, "a file of that name");
	TAP_OK(strstr(d.message, "there is a file of that name") && access(a.path, F_OK) == 0,
	       "stays");
	unlink(a.path);
}

static void test_tcp(void)
{
	struct address a;
	int fd, peer, here;

	TAP_EQ(address_parse(&a, ":0", &d), ST_OK, "any port");
	TAP_EQ(address_listen(&a, &fd, &d), ST_OK, "listen");
	TAP_OK(atoi(a.port) > 0, "the port is known then");
	TAP_OK(address_is_local(&a), "on this machine only");
	TAP_EQ(address_connect(&a, &peer, &d), ST_OK, "connect");
	here = accept(fd, NULL, NULL);
	TAP_OK(here >= 0, "accepted");
	close(here);
	close(peer);
	close(fd);
	TAP_EQ(address_connect(&a, &peer, &d), ST_END, "nobody listens any more");
	TAP_EQ(address_parse(&a, "0.0.0.0:1", &d), ST_OK, "all the world");
	TAP_OK(!address_is_local(&a), "is not this machine");
}

static void test_default(void)
{
	struct address a;
	char own[200];

	setenv("XDG_RUNTIME_DIR", dir, 1);
	TAP_EQ(address_default(&a, &d), ST_OK, "the default");
	snprintf(own, sizeof(own), "%s/foresee", dir);
	TAP_OK(strncmp(a.path, own, strlen(own)) == 0, "lies in a directory of our own");
	chmod(own, 0755);
	TAP_EQ(address_default(&a, &d), ST_BAD_INPUT, "which must be closed to others");
	rmdir(own);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	test_text();
	test_unix();
	test_tcp();
	test_default();
	rmdir(dir);
	return tap_done();
}
