#include "check.h"

#include "model/sass/arch/arch.h"
#include "model/sass/flow.h"
#include "model/sass/inspect.h"

/* Code for the passes, one character an instruction: `.` arithmetic, `?X` a conditional and `>X` a plain
 * branch to instruction X (a digit or a lower-case letter from 10 on), `(X` a call, `x` EXIT, `r` RET. */
static void assemble(struct sass *out, size_t *count, const char *text)
{
    const char *p;

    *count = 0;
    for (p = text; *p; p++) {
        struct sass *in = &out[*count];

        memset(in, 0, sizeof *in);
        in->pc = (uint32_t)(*count * SASS_BYTES);
        in->sm = 90;
        in->guard = SASS_PT;
        in->op = *p == 'x' ? SASS_EXIT : *p == 'r' ? SASS_RET : SASS_FFMA;
        if (strchr("?>(", *p)) {
            in->op = *p == '(' ? SASS_CALL : SASS_BRA;
            in->guard = *p == '?' ? 0 : SASS_PT;
            p++;
            in->has_target = true;
            in->target = (*p <= '9' ? *p - '0' : *p - 'a' + 10) * SASS_BYTES;
        }
        (*count)++;
    }
}

static void flow_of(struct flow *out, const char *text, const struct cubin_kernel *kernel)
{
    static const struct cubin_kernel plain;
    struct sass instructions[40];
    struct sass_code code = {.instructions = instructions, .sm = 90};
    struct err err = {0};

    assemble(instructions, &code.count, text);
    check_ok(flow_read(out, &code, kernel ? kernel : &plain, &err), &err);
}

static void straight_line(void **state)
{
    struct flow flow;

    flow_of(&flow, "...x", NULL);
    assert_int_equal(flow.block_count, 1);
    assert_int_equal(flow.blocks[0].count, 4);
    assert_int_equal(flow.blocks[0].edges, 0);
    assert_int_equal(flow.loop_count, 0);
    flow_release(&flow);
    flow_of(&flow, "", NULL);
    assert_int_equal(flow.block_count, 0);
    flow_release(&flow);
}

static void nested_loops(void **state)
{
    struct flow flow;

    /*            0 1 2 3  4 5  6 */
    flow_of(&flow, "...?2.?1x", NULL);
    assert_int_equal(flow.block_count, 5);
    assert_int_equal(flow.loop_count, 2);
    assert_int_equal(flow.loops[0].depth, 1);
    assert_int_equal(flow.blocks[flow.loops[0].header].first, 1);
    assert_int_equal(flow.loops[0].instructions, 5);
    assert_int_equal(flow.loops[1].depth, 2);
    assert_int_equal(flow.loops[1].parent, 0);
    assert_int_equal(flow.loops[1].instructions, 2);
    assert_int_equal(flow.loops[1].mix[SASS_CLASS_FP32], 1);
    assert_int_equal(flow.loops[1].mix[SASS_CLASS_CONTROL], 1);
    assert_int_equal(flow.blocks[0].loop, FLOW_NONE);
    assert_int_equal(flow.blocks[flow.loops[1].header].loop, 1);
    flow_release(&flow);
}

static void diamond_and_early_exit(void **state)
{
    struct flow flow;

    /*            0 1  2 3  4 5 */
    flow_of(&flow, ".?4.>5.x", NULL);
    assert_int_equal(flow.block_count, 4);
    assert_int_equal(flow.blocks[0].edges, 2);
    assert_int_equal(flow.blocks[3].dominator, 0);
    assert_int_equal(flow.loop_count, 0);
    flow_release(&flow);
}

static void jump_into_a_loop_is_irreducible(void **state)
{
    struct flow flow;

    /*            0  1 2 3  4 */
    flow_of(&flow, "?2..?1x", NULL);
    assert_int_equal(flow.loop_count, 0);
    assert_int_equal(flow.irreducible, 1);
    flow_release(&flow);
}

static void a_call_steps_over_and_makes_a_root(void **state)
{
    struct flow flow;

    /*            0 1  2 3 4 */
    flow_of(&flow, ".(4.x.r", NULL);
    assert_int_equal(flow.block_count, 3);
    assert_true(flow.blocks[2].reachable);
    assert_int_equal(flow.blocks[2].dominator, FLOW_NONE);
    assert_int_equal(flow.blocks[0].edges, 1);
    flow_release(&flow);
}

static void indirect_branches_go_where_the_cubin_says(void **state)
{
    struct cubin_branch branches[] = {{0, 32}, {0, 48}, {0, 12345}};
    const struct cubin_kernel kernel = {.branches = branches, .branch_count = 3};
    struct flow flow;

    flow_of(&flow, "x.xx", &kernel);
    assert_int_equal(flow.blocks[0].edges, 2);
    flow_release(&flow);
}

static void targets_outside_the_code_are_left_out(void **state)
{
    struct flow flow;

    flow_of(&flow, ".>z.x", NULL);
    assert_int_equal(flow.blocks[0].edges, 0);
    assert_false(flow.blocks[1].reachable);
    flow_release(&flow);
}

static void inspects_a_kernel(void **state)
{
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    struct json *json;
    struct err err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(cubin_read(&cubin, "tests/data/cubin/resources-sm_90.cubin", &err), 0);
    assert_int_equal(cubin_find(&kernel, &cubin, "spills", &err), 0);
    assert_int_equal(inspect_text(out, kernel, true, &err), 0);
    fclose(out);
    assert_non_null(strstr(text, "777, 0 unknown\n"));
    assert_non_null(strstr(text, "  blocks "));
    assert_non_null(strstr(text, "    loop at "));
    assert_non_null(strstr(text, "  spills "));
    assert_non_null(strstr(text, "STL"));
    assert_non_null(strstr(text, "EXIT"));
    free(text);
    json = js_new_object();
    assert_int_equal(inspect_json(json, kernel, true, &err), 0);
    text = js_text(json, JS_LINE);
    assert_non_null(strstr(text, "\"instructions\": 777"));
    assert_non_null(strstr(text, "\"loops\": ["));
    free(text);
    js_free(json);
    cubin_release(&cubin);
}

static void refuses_an_unknown_architecture(void **state)
{
    const struct cubin_kernel kernel = {.name = "old", .resources = {.sm = 61}};
    struct sass_code code;
    struct err err = {0};
    char wanted[100];
    size_t last = 0;

    while (arch_row(last + 1))
        last++;
    snprintf(wanted, sizeof wanted,
             "kernel old is for sm_61; its machine code can be read for sm_75 to sm_%u",
             arch_row(last)->last);
    assert_int_equal(sass_read(&code, &kernel, &err), ERR_FORMAT);
    assert_string_equal(err.text, wanted);
}

int main(void)
{
    return RUN_TESTS(straight_line, nested_loops, diamond_and_early_exit, jump_into_a_loop_is_irreducible,
                     a_call_steps_over_and_makes_a_root, indirect_branches_go_where_the_cubin_says,
                     targets_outside_the_code_are_left_out, inspects_a_kernel,
                     refuses_an_unknown_architecture);
}
