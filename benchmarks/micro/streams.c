#include "micro/streams.h"

enum { FFMA_REGISTER_FORM = 0x223 };

static bool is_timed_ffma(const unsigned char *word)
{
    return ((word[0] | word[1] << 8) & 0xfff) == FFMA_REGISTER_FORM;
}

/* Bits of an instruction: Ra 24, Rb 32, Rc 64, stall 105 to 108, stay (no yield) 109, reuse 122. */
static void write_ffma(unsigned char *word, const struct stream *stream, const unsigned registers[3])
{
    word[3] = (unsigned char)registers[0];
    word[4] = (unsigned char)registers[1];
    word[8] = (unsigned char)registers[2];
    word[15] = (unsigned char)((word[15] & ~0x1c) | (stream->reuse ? 0x1c : 0));
    if (stream->stall)
        word[13] = (unsigned char)((word[13] & ~0x3e) | stream->stall << 1 | (stream->yields ? 0 : 0x20));
}

/* Returns how many FFMAs were written. */
static size_t write_stream(struct micro_code *code, const struct stream *stream, struct err *err)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    size_t written = 0, offset;

    if (cubin_init(&cubin, code->compiled.cubin, code->compiled.cubin_bytes, "banks", err))
        return 0;
    if (cubin_find(&kernel, &cubin, code->compiled.entry, err) == 0) {
        offset = (size_t)(kernel->code - cubin.image);
        for (size_t i = 0; i < kernel->code_bytes; i += SASS_BYTES) {
            unsigned char *word = code->compiled.cubin + offset + i;

            if (is_timed_ffma(word))
                write_ffma(word, stream, stream->registers[written++ % stream->count]);
        }
    }
    cubin_release(&cubin);
    return written;
}

int stream_compile(struct micro_code *out, const struct micro *micro, const struct stream *stream,
                   struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "banks.cu",
        .name = "banks",
        .body = {.parts = "- | FFMA*256", .bookkeeping = MICRO_LOOP, .bytes_max = BODY_CACHE},
    };
    int rc = micro_compile(out, micro, &kernel, err);

    if (rc == 0 && write_stream(out, stream, err) != STREAM_LENGTH) {
        micro_code_release(out);
        rc = err_set(err, ERR_FORMAT, "not every FFMA of the kernel could be written anew");
    }
    return rc;
}
