/* Accesses of odd addresses in the sanitizers' words: one race, and one that is declared benign. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "../order.h"

uint16_t __sanitizer_unaligned_load16(const void *p);
uint32_t __sanitizer_unaligned_load32(const void *p);
uint64_t __sanitizer_unaligned_load64(const void *p);
void __sanitizer_unaligned_store16(void *p, uint16_t v);
void __sanitizer_unaligned_store32(void *p, uint32_t v);
void __sanitizer_unaligned_store64(void *p, uint64_t v);
void __tsan_unaligned_read4(const void *p);
void __tsan_unaligned_write8(void *p);
void __tsan_unaligned_read16(const void *p);
void WTFAnnotateBenignRaceSized(const char *file, int line, const volatile void *mem, long size,
				const char *why);

static char bytes[32], soft[8];
static uint64_t seen;

static void *writer(void *arg)
{
	order_at(0);
	__sanitizer_unaligned_store32(bytes + 5, 0x01020304);
	__sanitizer_unaligned_store16(soft + 1, 7);
	order_at(1);
	return arg;
}

static void *reader(void *arg)
{
	order_at(2);
	seen = __sanitizer_unaligned_load32(bytes + 5);
	seen += __sanitizer_unaligned_load16(soft + 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	WTFAnnotateBenignRaceSized(__FILE__, __LINE__, soft, sizeof(soft), "it is only a hint");
	__sanitizer_unaligned_store64(bytes + 17, 0x1122334455667788);
	__tsan_unaligned_read4(bytes + 17);
	__tsan_unaligned_write8(bytes + 17);
	__tsan_unaligned_read16(bytes + 1);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%llx %llx\n", (unsigned long long)seen,
	       (unsigned long long)__sanitizer_unaligned_load64(bytes + 17));
	return 0;
}
