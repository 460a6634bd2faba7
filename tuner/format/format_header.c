#include "tuner/format/format.h"

#include "tuner/decision/header.h"

static int write_header(FILE *out, const struct format_input *in, struct err *err)
{
    return header_write(out, in->decisions, in->decision_count, in->row, err);
}

const struct format format_header = {
    .name = "header", .file = "-", .reads_decision = true, .write = write_header};
