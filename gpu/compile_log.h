/* What NVRTC says of a source that does not compile. */
#ifndef GPU_COMPILE_LOG_H
#define GPU_COMPILE_LOG_H

/* The first error of a log, or its first line; malloc'ed. Null: none, or memory ends. */
char *compile_first_error(const char *log);

#endif
