/* What compiles: the processes, what they have done, the cache. Inside gpu/ only. */
#ifndef GPU_COMPILER_H
#define GPU_COMPILER_H

#include "gpu/compile_once.h"
#include "gpu/compile_pool.h"
#include "gpu/compile_writer.h"

#include <pthread.h>
#include <stdint.h>

struct compiler {
    char *worker, *library, *cache, *version;
    char *architectures;  /* " sm_75 sm_80 ...": what NVRTC compiles for */
    char *provenance;     /* "NVRTC 13.0 (path of the library), headers 2": part of the cache's keys */
    struct pool pool;     /* as many processes as calls were ever in flight */
    struct once once;     /* what they are at, and have done */
    struct writer writer; /* what others have done is on its way to the cache */
    pthread_mutex_t lock;
    uint64_t unchecked_bytes; /* written to the cache since its size was looked at */
};

/* Writes to the cache; a writer_write() of `compiler`. */
void compiler_write(const struct compile_result *result, void *compiler, struct key key);

#endif
