// Scales a vector with the configuration that was found best for this GPU and this size.
#include "scale.cuh"
#include "scale.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "scale: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

// Every configuration of the header is instantiated; the one chosen is launched.
static void launch(const scale_configuration *chosen, float *y, const float *x, float a, int n)
{
    switch (chosen->variant) {
#define LAUNCH(variant, threads, items)                                                                      \
    case variant:                                                                                            \
        scale<threads, items><<<(n + threads * items - 1) / (threads * items), threads>>>(y, x, a, n);       \
        break;
        SCALE_CONFIGURATIONS(LAUNCH)
#undef LAUNCH
    }
    check(cudaGetLastError());
}

static bool run(const cudaDeviceProp &device, int n)
{
    const scale_configuration *chosen = scale_configuration_for(device.name, 10 * device.major + device.minor, n);
    std::vector<float> x(n), y(n);
    float *device_x, *device_y;
    bool right = true;

    for (int i = 0; i < n; i++)
        x[i] = static_cast<float>(i % 1000);
    check(cudaMalloc(&device_x, n * sizeof(float)));
    check(cudaMalloc(&device_y, n * sizeof(float)));
    check(cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    launch(chosen, device_y, device_x, 3, n);
    check(cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaFree(device_x));
    check(cudaFree(device_y));
    for (int i = 0; i < n; i++)
        right = right && y[i] == 3 * x[i];
    std::printf("n = %d: %d threads, %d items each: %s\n", n, chosen->THREADS, chosen->ITEMS, right ? "right" : "wrong");
    return right;
}

int main()
{
    cudaDeviceProp device;

    check(cudaGetDeviceProperties(&device, 0));
    return run(device, 1 << 16) && run(device, 1 << 26) ? 0 : 1;
}
