#include "model/machine/clock.h"

#include <math.h>

/* Share of the limit that a byte a second beside products takes, from the clocks that were left at several rates and the time
 * that those left to products: all of it where that is not known. */
static double share_of_byte(const struct device_curve *clocks, const struct device_curve *shares,
                            const struct clock_limits *limits)
{
    double taken = 0, rates = 0;

    for (size_t i = 0; i < clocks->count; i++) {
        const double share = i < shares->count ? shares->y[i] : 1;

        taken += 1 - share * pow(clocks->y[i] / limits->tensor_hz, limits->exponent);
        rates += clocks->x[i];
    }
    return rates > 0 ? fmax(taken / rates, 0) : 0;
}

/* Share of the limit that a warp instruction a cycle beside products takes at the clock of products alone, from the clocks and the
 * time that it left to these at several rates. */
static double share_of_instruction(const struct device_curve *clocks, const struct device_curve *shares,
                                   const struct clock_limits *limits)
{
    double taken = 0, rates = 0;

    for (size_t i = 0; i < clocks->count && i < shares->count; i++) {
        taken += pow(limits->tensor_hz / clocks->y[i], limits->exponent) - shares->y[i];
        rates += clocks->x[i] / clocks->y[i];
    }
    return rates > 0 ? fmax(taken / rates, 0) : 0;
}

void clock_limits_init(struct clock_limits *out, const struct device *device, double exponent)
{
    const struct device_value *boost = &device->values[DEVICE_TENSOR_BOOST],
                              *alone = &device->values[DEVICE_TENSOR_CLOCK],
                              *warps = &device->values[DEVICE_TENSOR_WARP_CLOCK];
    const struct device_curve *curves = device->curves;

    *out = (struct clock_limits){
        .boost_hz = boost->known ? boost->sustained : 0, .warps = 1, .exponent = exponent};
    if (!alone->known)
        return;
    out->tensor_hz = alone->sustained;
    if (warps->known)
        out->warps = fmin(pow(out->tensor_hz / warps->sustained, exponent), 1);
    out->l2 =
        share_of_byte(&curves[DEVICE_CURVE_TENSOR_CLOCK_L2], &curves[DEVICE_CURVE_TENSOR_SHARE_L2], out);
    out->dram =
        share_of_byte(&curves[DEVICE_CURVE_TENSOR_CLOCK_DRAM], &curves[DEVICE_CURVE_TENSOR_SHARE_DRAM], out);
    out->dram = fmax(out->dram - out->l2, 0);
    out->issue = share_of_instruction(&curves[DEVICE_CURVE_TENSOR_CLOCK_ISSUE],
                                      &curves[DEVICE_CURVE_TENSOR_SHARE_ISSUE], out);
}

static double power_at(const struct clock_limits *limits, const struct clock_load *load, double hz)
{
    return (load->tensor_share + limits->warps * load->warp_share + limits->issue * load->issued) *
               pow(hz / limits->tensor_hz, limits->exponent) +
           (limits->l2 * load->l2_bytes + limits->dram * load->dram_bytes) * hz;
}

double clock_under(bool *power_limited, const struct clock_limits *limits, const struct clock_load *load,
                   double full_hz)
{
    double high = full_hz, low = 0;

    *power_limited = false;
    if (!(load->tensor_share + load->warp_share > 0))
        return full_hz;
    if (limits->boost_hz > 0)
        high = fmin(limits->boost_hz, full_hz);
    if (!(limits->tensor_hz > 0) || power_at(limits, load, high) <= 1)
        return high;
    *power_limited = true;
    /* Power rises with the clock; these halvings leave less than a millionth of a hertz. */
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;

        *(power_at(limits, load, middle) <= 1 ? &low : &high) = middle;
    }
    return low;
}
