/* Allocations that fail when told to: whoever calls must end with ERR_MEMORY, an empty result and nothing
 * leaked (preset asan sees leaks). The linker sends the allocations of the test and of the modules linked into
 * it here, not those of the libraries: memory_test() in tests/unit/CMakeLists.txt. */
#ifndef TESTS_UNIT_FAILING_H
#define TESTS_UNIT_FAILING_H

#include "base/err.h"

/* Calls `scenario` with the first, the second, ... allocation failing, until it gets through. The test fails
 * where a failure gives another code than ERR_MEMORY, in the result or in `err`. */
void fail_each(int (*scenario)(struct err *err));

#endif
