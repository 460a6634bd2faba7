#include "tuner/report/report.h"

#include "base/file.h"
#include "base/html.h"
#include "tuner/report/report_data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* D3, which is not ours, comes from the system that this was built on. */
static const char library[] = "d3.min.js";
static const char *const scripts[] = {"model.js",   "state.js",  "plot.js",     "pointer.js",
                                      "details.js", "charts.js", "parallel.js", "effects.js",
                                      "table.js",   "panels.js", "main.js"};

static int copy_file(FILE *out, const char *folder, const char *name, struct err *err)
{
    char path[PATH_MAX], *text;
    size_t size;
    int rc;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    rc = file_read(&text, &size, path, err);
    if (rc)
        return rc;
    fwrite(text, 1, size, out);
    free(text);
    return 0;
}

int report_check(const char *folder, struct err *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, library);
    if (!access(path, R_OK))
        return 0;
    return err_set(err, ERR_MISSING,
                   "%s: the charting library D3 is not installed with this occutune: put the d3.min.js of D3 "
                   "5 there (on "
                   "Debian the package node-d3 has it)",
                   path);
}

static int write_scripts(FILE *out, const char *folder, struct err *err)
{
    int rc;

    fputs("<script>\n", out);
    rc = copy_file(out, folder, library, err);
    fputs("\n</script>\n<script>\n", out);
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts && !rc; s++)
        rc = copy_file(out, folder, scripts[s], err);
    fputs("</script>\n", out);
    return rc;
}

static int write_data(FILE *out, const struct report_options *options, struct err *err)
{
    struct json *data;
    char *text;
    int rc = report_data(&data, options, err);

    if (rc)
        return rc;
    text = js_text(data, JS_LINE);
    js_free(data);
    if (!text)
        return err_memory(err);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    html_json(out, text);
    fputs("</script>\n", out);
    free(text);
    return 0;
}

static void write_title(FILE *out, const struct js_at *head)
{
    struct js_at at;
    const char *kernel = "occutune";

    if (js_find(&at, head, "kernel_name"))
        js_string(&kernel, &at, NULL);
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    html_text(out, kernel);
    fputs("</title>\n", out);
}

static int write_page(FILE *out, const struct report_options *options, struct err *err)
{
    int rc;

    write_title(out, &options->problems[0].head);
    fputs("<style>\n", out);
    rc = copy_file(out, options->assets, "style.css", err);
    fputs("</style>\n</head>\n<body>\n<main id=\"page\"></main>\n<div id=\"tip\" role=\"tooltip\"></div>\n"
          "<noscript>This page draws its charts with JavaScript.</noscript>\n<!--\n",
          out);
    if (!rc)
        rc = copy_file(out, options->assets, "d3-licence.txt", err);
    fputs("-->\n", out);
    if (!rc)
        rc = write_data(out, options, err);
    if (!rc)
        rc = write_scripts(out, options->assets, err);
    fputs("</body>\n</html>\n", out);
    return rc;
}

static int check_records(const struct report_options *options, struct err *err)
{
    size_t i, count = 0;

    for (i = 0; i < options->problem_count; i++)
        count += options->problems[i].count;
    if (count || options->live)
        return 0;
    return err_set(err, ERR_USAGE, "%s: holds no record", options->problems[0].source);
}

int report_page(FILE *out, const struct report_options *options, struct err *err)
{
    int rc = check_records(options, err);

    if (!rc)
        rc = report_check(options->assets, err);
    return rc ? rc : write_page(out, options, err);
}
