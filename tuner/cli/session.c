/* occutune session: commands one after another, on workers that stay. For programs that tune often, such as the Python
 * package.
 *
 * A request is a line of JSON: {"arguments": ["tune", ...], "folder": "..."}. What the command writes comes back on standard
 * output as stretches: a line "output N" or "message N", and N bytes. The last line is "end STATUS". */
#include "tuner/cli/cli.h"

#include "base/line_reader.h"
#include "tuner/cli/client.h"
#include "tuner/cli/kept.h"
#include "tuner/cli/plain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IDLE_S = 20 }; /* a context on the GPU is not held for longer than that for nothing */

static const struct cli_option options[] = {
    {"device", 0, "N", "number of the GPU that is made ready for the first request"},
    {0},
};

/* A stream whose bytes go to standard output as stretches of a kind. */
struct stretches {
    const char *kind;
};

static ssize_t put_stretch(void *cookie, const char *bytes, size_t size)
{
    const struct stretches *stretches = cookie;

    printf("%s %zu\n", stretches->kind, size);
    fwrite(bytes, 1, size, stdout);
    return fflush(stdout) || ferror(stdout) ? 0 : (ssize_t)size;
}

static FILE *open_stretches(struct stretches *stretches)
{
    return fopencookie(stretches, "w", (cookie_io_functions_t){.write = put_stretch});
}

/* A request: the arguments are borrowed from the JSON, the name of the program stands before them. */
struct request {
    struct json *json;
    char **arguments;
    int count;
};

static void request_release(struct request *request)
{
    js_free(request->json);
    free(request->arguments);
    *request = (struct request){0};
}

static int read_request(struct request *out, const struct line_reader *reader, struct err *err)
{
    struct js_at root, list, folder;
    const char *text;

    if (js_read_text(&out->json, reader->line, reader->length, "request", err))
        return err->code;
    root = js_root(out->json, "request");
    if (js_member(&list, &root, "arguments", err) || js_expect(&list, JS_ARRAY, err) ||
        js_member(&folder, &root, "folder", err) || js_string(&text, &folder, err))
        return err->code;
    if (chdir(text))
        return err_set(err, ERR_USAGE, "%s: %s", text, strerror(errno));
    out->arguments = calloc(js_count(&list) + 2, sizeof *out->arguments);
    if (!out->arguments)
        return err_memory(err);
    out->arguments[out->count++] = (char *)"occutune";
    for (size_t i = 0; i < js_count(&list); i++) {
        const struct js_at element = js_element(&list, i);

        if (js_string((const char **)&out->arguments[out->count], &element, err))
            return err->code;
        out->count++;
    }
    return 0;
}

/* Those whose work the workers that stay do. */
static bool is_served(const struct request *request)
{
    return request->count > 1 &&
           (!strcmp(request->arguments[1], "tune") || !strcmp(request->arguments[1], "compile"));
}

/* What goes wrong with one request is its answer. */
static int answer(struct cli *cli, const struct line_reader *reader, enum line_got got)
{
    struct request request = {0};
    struct err err = {0};
    int status = CLI_WRONG_USE;

    if (got == LINE_LONG)
        err_set(&err, ERR_USAGE, "request: is longer than %d bytes", CLIENT_LINE_MOST);
    else if (!read_request(&request, reader, &err) && !is_served(&request))
        err_set(&err, ERR_USAGE, "a session runs tune and compile");
    if (err.code)
        fprintf(cli->err, "%s: %s\n", cli->program, err.text);
    else
        status = cli_run(cli, request.count, request.arguments);
    request_release(&request);
    fflush(cli->out);
    printf("end %d\n", status);
    return fflush(stdout) ? CLI_FAILED : CLI_OK;
}

/* Until nobody asks any more, or has asked for a while. */
static int serve(struct cli *cli, struct line_reader *requests)
{
    enum line_got got;
    int status = CLI_OK;

    while (status == CLI_OK &&
           ((got = line_reader_next(requests, IDLE_S * 1000)) == LINE_WHOLE || got == LINE_LONG))
        status = answer(cli, requests, got);
    return status;
}

/* Before anybody asks; what fails here fails again, and is said, when it is needed. */
static void make_ready(struct cli *cli, const char *device)
{
    char cache[4096];
    const struct environment_options wanted = {
        .device = device, .cache = cli_cache(cli, cache, sizeof cache), .ahead = true, .whole = true};
    struct environment *environment;

    /* Not returned: nothing of a trial is to be forgotten, and asking for that would wait for the context, beside whose making
     * the first request is read and compiled. */
    kept_lend(&environment, cli, &wanted, NULL);
}

static int run_session(struct cli *cli, const struct cli_args *args, struct err *err)
{
    struct kept kept = {0};
    struct stretches output = {"output"}, message = {"message"};
    FILE *out = open_stretches(&output), *messages = open_stretches(&message);
    struct line_reader requests = {0};
    struct cli own = *cli;
    int status = CLI_FAILED;

    own.kept = &kept;
    own.out = out ? plain_open(out) : NULL;
    own.err = messages ? plain_open(messages) : NULL;
    own.screen = messages;
    own.terminal = false;
    if (own.out && own.err && !line_reader_open(&requests, STDIN_FILENO, CLIENT_LINE_MOST, err) &&
        !client_watch(err)) {
        setvbuf(own.err, NULL, _IONBF, 0);
        own.catch_stop();
        if (cli_given(args, "device"))
            make_ready(&own, cli_text(args, "device"));
        status = serve(&own, &requests);
    } else if (!err->code) {
        err_memory(err);
    }
    kept_release(&kept);
    line_reader_release(&requests);
    if (own.out)
        fclose(own.out);
    if (own.err)
        fclose(own.err);
    if (out)
        fclose(out);
    if (messages)
        fclose(messages);
    return status;
}

const struct cli_command command_session = {
    "session",  "", "runs tune and compile one after another on workers that stay, for other programs",
    options,    0,  0,
    run_session};
