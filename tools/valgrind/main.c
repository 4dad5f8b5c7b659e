/*
 * The tool as Valgrind sees it: options, start and end.
 */
#include "instrument.h"

#include "pub_tool_clientstate.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

Bool opt_full;
const HChar *opt_trace, *opt_asked = "";
Bool recording, accesses_on;

/* A thread is going to be made: from here on there are several orders. */
void accesses_begin(void)
{
	if (accesses_on || !recording)
		return;
	accesses_on = True;
	heap_tell();
	stack_switch();
}

/* ---- how it was started ---- */

static uint8_t *put_text(uint8_t *p, const uint8_t *end, const HChar *text)
{
	SizeT n = VG_(strlen)(text) + 1;

	if (p + n > end)
		return p;
	VG_(memcpy)(p, text, n);
	return p + n;
}

static void process_tell(void)
{
	static uint8_t buffer[32768];
	uint8_t *p = put_varint(buffer, (uint64_t)VG_(getpid)());
	const uint8_t *end = buffer + sizeof(buffer);
	HChar path[4096];

	VG_(client_fname)(path, sizeof(path), True);
	p = put_text(p, end, path);
	p = put_text(p, end, VG_(args_the_exename));
	for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++)
		p = put_text(p, end, *(HChar **)VG_(indexXA)(VG_(args_for_client), i));
	log_control(FORMAT_K_C_PROCESS, buffer, (SizeT)(p - buffer));
	p = put_text(buffer, end, VG_(get_startup_wd)());
	p = put_text(p, end, opt_asked);
	log_control(FORMAT_K_C_START, buffer, (SizeT)(p - buffer));
}

/* ---- what the core calls ---- */

static Bool option(const HChar *arg)
{
	if (VG_BOOL_CLO(arg, "--foresee-full", opt_full)) {
	} else if (VG_STR_CLO(arg, "--foresee-trace", opt_trace)) {
	} else if (VG_STR_CLO(arg, "--foresee-asked", opt_asked)) {
	} else {
		return False;
	}
	return True;
}

static void usage(void)
{
	VG_(printf)
	("    --foresee-trace=FILE   where the recording goes\n"
	 "    --foresee-full=no|yes  leave out no repeated reads [no]\n");
}

static void debug_usage(void)
{
}

static void forked(ThreadId v)
{
	(void)v;
	log_abandon();
	stack_switch();
}

static void forking(ThreadId v)
{
	(void)v;
	log_note("forked: the child is not recorded");
}

static void start(void)
{
	struct thread *t;

	if (opt_trace == NULL) {
		VG_(umsg)
		("foresee: no trace given: 'foresee record --valgrind' starts this tool\n");
		VG_(exit)(125);
	}
	if (!log_start(opt_trace)) {
		VG_(umsg)("foresee: cannot write '%s'\n", opt_trace);
		VG_(exit)(125);
	}
	/* Calls and returns are seen where blocks end. */
	VG_(clo_vex_control).guest_chase = False;
	VG_(atfork)(NULL, forking, forked);
	process_tell();
	t = thread_new();
	thread_bind(1, t);
	self = t;
}

static void finish(Int status)
{
	if (!recording)
		return;
	threads_finish();
	log_finish(status);
}

static void before_start(void)
{
	VG_(details_name)("foresee");
	VG_(details_version)(NULL);
	VG_(details_description)("a recorder for foresee");
	VG_(details_copyright_author)("");
	VG_(details_bug_reports_to)("the authors of foresee");
	VG_(details_avg_translation_sizeB)(400);
	VG_(basic_tool_funcs)(start, instrument, finish);
	VG_(needs_command_line_options)(option, usage, debug_usage);
	VG_(needs_client_requests)(sync_request);
	shadow_start();
	heap_start();
	threads_start();
	kernel_start();
}

VG_DETERMINE_INTERFACE_VERSION(before_start)
