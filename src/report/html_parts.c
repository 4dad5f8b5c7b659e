/*
 * The page itself, as the assembler takes it in: src/report/html/ is what it looks like and does.
 */
#include "report/html_parts.h"

#define PART(name, file)                                 \
	__asm__(".section .rodata\n"                     \
		".global html_part_" #name "\n"          \
		"html_part_" #name ":\n"                 \
		".incbin \"src/report/html/" file "\"\n" \
		".byte 0\n"                              \
		".previous\n")

PART(page, "page.html");
PART(style, "page.css");
PART(script, "page.js");
