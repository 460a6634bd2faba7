#include "check.h"

#include "micro/report.h"

static void a_page_of_holes_is_still_a_page(void **state)
{
    struct device device;
    struct err err = {0};
    char *page;

    device_init(&device);
    snprintf(device.name, sizeof device.name, "<a GPU & more>");
    assert_int_equal(calibrate_report(&page, &device, &err), 0);
    assert_non_null(strstr(page, "&lt;a GPU &amp; more&gt;"));
    assert_non_null(strstr(page, "no data"));
    assert_non_null(strstr(page, "calibrated never"));
    assert_null(strstr(page, "nan"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    free(page);
}

static void what_is_known_stands_in_its_row(void **state)
{
    const double x[] = {1, 2, 4}, y[] = {0.25, 0.5, 1};
    struct device device;
    struct err err = {0};
    char *page;

    device_init(&device);
    device.limits.subpartitions = 4;
    device.ops[DEVICE_OP_FFMA].latency = (struct device_value){true, 4, 4, 0, "chain"};
    device.ops[DEVICE_OP_FFMA].interval = (struct device_value){true, 1, 1, 0, "saturated"};
    device.ops[DEVICE_OP_FFMA].ridge_warps = 16;
    device.values[DEVICE_DRAM_READ] = (struct device_value){true, 4.65e12, 4.7e12, 0, "stream"};
    device.values[DEVICE_SHARED_LATENCY] = (struct device_value){true, 23, 23, 0, "near"};
    assert_int_equal(device_curve_set(&device.ops[DEVICE_OP_FFMA].roofline, x, y, 3, "saturated", &err), 0);
    assert_int_equal(device_note(&device, &err, "l1_latency: instruction 3 is MOV"), 0);
    assert_int_equal(calibrate_report(&page, &device, &err), 0);
    assert_non_null(strstr(page,
                           "<tr><td>FFMA</td><td class=\"n\">4.0</td><td class=\"n\">0.00</td>"
                           "<td class=\"n\">&ndash;</td><td class=\"n\">&ndash;</td><td class=\"n\">1.00</td>"
                           "<td class=\"n\">128.0</td><td class=\"n\">16</td>"));
    assert_non_null(strstr(page, "23 cycles"));
    assert_non_null(
        strstr(page, "<td class=\"n\">4.65</td><td class=\"n\">4.7</td><td class=\"n\">0</td><td>TB/s</td>"));
    assert_non_null(strstr(page, "l1_latency: instruction 3 is MOV"));
    assert_non_null(strstr(page, "<title>FFMA, 4: 1</title>")); /* a point answers the pointer */
    assert_null(strstr(page, "invert("));                       /* charts have colours for dark pages */
    free(page);
    device_release(&device);
}

int main(void)
{
    return RUN_TESTS(a_page_of_holes_is_still_a_page, what_is_known_stands_in_its_row);
}
