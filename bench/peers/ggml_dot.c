// ggml's own dot product of Q4_0 and Q8_0, in turns; links with ggml-cpu's arch/x86/quants.c.
//
// Each line of standard input is `COUNT RUNS`: a run is COUNT dots of 4,096; the answer is a line of JSON,
// {"ms": [one a run]}. As in ggml, halves are decoded by a table, filled once.
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COLUMNS 4096
#define BLOCKS (COLUMNS / 32)
#define ROWS 8

float ggml_table_f32_f16[1 << 16];

void ggml_vec_dot_q4_0_q8_0(int n, float *s, size_t bs, const void *vx, size_t bx, const void *vy, size_t by, int nrc);

static uint8_t weights[ROWS][BLOCKS * 18];
static uint8_t activations[BLOCKS * 34];

static uint32_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void fill(uint8_t *blocks, size_t count, size_t bytes, uint64_t *seed) {
    for (size_t i = 0; i < count * bytes; i++) blocks[i] = (uint8_t)next(seed);
    for (size_t i = 0; i < count; i++) {
        uint16_t half = (uint16_t)(0x2000 + next(seed) % 0x400);
        memcpy(blocks + i * bytes, &half, 2);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

int main(void) {
    for (int half = 0; half < 1 << 16; half++) ggml_table_f32_f16[half] = _cvtsh_ss((unsigned short)half);
    uint64_t seed = 1;
    fill(weights[0], ROWS * BLOCKS, 18, &seed);
    fill(activations, BLOCKS, 34, &seed);
    long count, runs;
    volatile float sink = 0;
    while (scanf("%ld %ld", &count, &runs) == 2) {
        printf("{\"ms\": [");
        for (long run = 0; run < runs; run++) {
            double start = now();
            for (long i = 0; i < count; i++) {
                float sum;
                ggml_vec_dot_q4_0_q8_0(COLUMNS, &sum, 0, weights[i % ROWS], 0, activations, 0, 1);
                sink += sum;
            }
            printf("%s%.6f", run ? ", " : "", now() - start);
        }
        printf("]}\n");
        fflush(stdout);
    }
    return 0;
}
