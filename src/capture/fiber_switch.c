/*
 * From one fiber to the other, and system calls that are let through.
 *
 * What a function must keep is saved on its stack, and the stack pointer beside it:
 *
 *	sp ->	control words of the floating point units
 *		r15 r14 r13 r12 rbx rbp
 *		where to go on
 *
 * The thread pointer, the base of fs, is set by the instruction for it where there is one.
 */
#include "capture/fiber_priv.h"

#ifdef __x86_64__
#include <asm/prctl.h>
#include <string.h>
#include <sys/auxv.h>

#define SAVED 7u	/* words below where to go on */
#define HAS_FSGSBASE 2u /* of AT_HWCAP2: programs may use wrfsbase */

_Static_assert(ARCH_SET_FS == 0x1002 && SYS_arch_prctl == 158 && SYS_pause == 34 &&
		       offsetof(struct fiber, run) == 0 && offsetof(struct fiber, arg) == 8 &&
		       offsetof(struct fiber, first_sp) == 16 &&
		       offsetof(struct fiber, ready) == 32,
	       "as written below");

__attribute__((visibility("hidden"))) bool fiber_switch_fast;

__asm__(".text\n"
	".p2align 4\n"
	".macro FIBER_SAVE\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	sub $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	mov %rsp, (%rdi)\n"
	".endm\n"
	".globl fiber_switch_to\n"
	".hidden fiber_switch_to\n"
	".type fiber_switch_to, @function\n"
	"fiber_switch_to:\n"
	"	FIBER_SAVE\n"
	".globl fiber_switch_load\n"
	".hidden fiber_switch_load\n"
	".type fiber_switch_load, @function\n"
	"fiber_switch_load:\n"
	"	mov %rsi, %rsp\n"
	"	cmpb $0, fiber_switch_fast(%rip)\n"
	"	je 1f\n"
	"	wrfsbase %rdx\n"
	"2:	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	add $8, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	"1:	mov $158, %eax\n" /* arch_prctl(ARCH_SET_FS, base) */
	"	mov $0x1002, %edi\n"
	"	mov %rdx, %rsi\n"
	"	syscall\n"
	"	jmp 2b\n"
	".globl fiber_switch_life\n"
	".hidden fiber_switch_life\n"
	".type fiber_switch_life, @function\n"
	"fiber_switch_life:\n"
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	call fiber_prepare\n"
	"	lea 16(%rbx), %rdi\n"
	"	call 1f\n"
	"	mov (%rbx), %rax\n"
	"	mov 8(%rbx), %rdi\n"
	"	pop %rbx\n"
	"	jmp *%rax\n"
	"1:	FIBER_SAVE\n"
	"	movl $1, 32(%rbx)\n"
	"2:	mov $34, %eax\n" /* pause, and no use of the stack, which is another one's now */
	"	syscall\n"
	"	jmp 2b\n"
	".globl fiber_switch_call\n"
	".hidden fiber_switch_call\n"
	".type fiber_switch_call, @function\n"
	"fiber_switch_call:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov 8(%rsp), %r9\n"
	"	syscall\n"
	".globl fiber_switch_called\n"
	".hidden fiber_switch_called\n"
	"fiber_switch_called:\n"
	"	ret\n");

uint64_t fiber_switch_new(char *end, void (*f)(void))
{
	uint64_t *at = (uint64_t *)((uintptr_t)end & ~15ul) - 2; /* as if it had been called */
	uint32_t *control;

	*at = (uintptr_t)f;
	at -= SAVED;
	memset(at, 0, SAVED * sizeof(*at));
	control = (uint32_t *)at;
	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(control[0]), "=m"(control[1]));
	return (uintptr_t)at;
}

void fiber_switch_start(void)
{
	fiber_switch_fast = getauxval(AT_HWCAP2) & HAS_FSGSBASE;
}
#endif
