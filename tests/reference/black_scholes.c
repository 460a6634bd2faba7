#include "reference.h"

#include <math.h>

static double cumulative_normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

void reference_black_scholes(int n, float rate, float volatility, const float *price, const float *strike,
                             const float *years, float *call, float *put)
{
    for (int i = 0; i < n; i++) {
        const double spread = volatility * sqrt(years[i]);
        const double drift = (rate + 0.5 * (double)volatility * volatility) * years[i];
        const double d1 = (log((double)price[i] / strike[i]) + drift) / spread, d2 = d1 - spread;
        const double discounted = strike[i] * exp(-(double)rate * years[i]);

        call[i] = (float)(price[i] * cumulative_normal(d1) - discounted * cumulative_normal(d2));
        put[i] = (float)(discounted * cumulative_normal(-d2) - price[i] * cumulative_normal(-d1));
    }
}
