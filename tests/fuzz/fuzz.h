/* The entry point of a fuzz target: libFuzzer calls it with bytes of its own making, replay.c with those of a
 * corpus. Returns 0; what is wrong shows as a crash, a sanitizer's report or an abort. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
