/* math.h - exp, GELU and tanh over 16 virtual lanes: one source of truth for every level. Included by table.h
 * after a level's lanes.h. Only IEEE operations (fma, division, square root, rounding to nearest even), no
 * estimates: so all levels give the same bits. */
#ifndef EG_KERNELS_MATH_H
#define EG_KERNELS_MATH_H

/* a + b * x, fused */
static inline v16 horner(v16 sum, v16 x, float next) { return v16_fma(sum, x, v16_set(next)); }

/* e^x for x in [-87.3, 88.3]; outside, the value at the nearer end. Cody-Waite reduction by ln 2 in two parts, then
 * the Taylor series to the seventh power on [-ln2/2, ln2/2] (its remainder is below 6e-9). Relative error <= 2e-7. */
static inline v16 v16_exp(v16 x) {
    x = v16_min(v16_max(x, v16_set(-87.3f)), v16_set(88.3f));
    v16 n = v16_round(v16_mul(x, v16_set(1.44269504f)));
    v16 r = v16_fma(n, v16_set(-0.693359375f), x);
    r = v16_fma(n, v16_set(2.12194440e-4f), r);
    v16 p = v16_set(1.0f / 5040);
    p = horner(p, r, 1.0f / 720);
    p = horner(p, r, 1.0f / 120);
    p = horner(p, r, 1.0f / 24);
    p = horner(p, r, 1.0f / 6);
    p = horner(p, r, 0.5f);
    p = horner(p, r, 1.0f);
    p = horner(p, r, 1.0f);
    return v16_scale2(p, n);
}

/* x * Phi(x), the exact (erf) form. erfc by formula 7.1.26 of Abramowitz and Stegun, "Handbook of Mathematical
 * Functions" (absolute error of erf 1.5e-7), used directly for negative x. Absolute error <= 5e-7. */
static inline v16 v16_gelu(v16 x) {
    v16 z = v16_abs(x);
    v16 t = v16_div(v16_set(1.0f), v16_fma(z, v16_set(0.23164189f), v16_set(1.0f))); /* 0.3275911 / sqrt 2 */
    v16 p = v16_set(1.061405429f);
    p = horner(p, t, -1.453152027f);
    p = horner(p, t, 1.421413741f);
    p = horner(p, t, -0.284496736f);
    p = horner(p, t, 0.254829592f);
    p = v16_mul(p, t);
    v16 e = v16_exp(v16_mul(v16_mul(z, z), v16_set(-0.5f)));
    v16 half_erfc = v16_mul(v16_mul(p, e), v16_set(0.5f));
    v16 phi = v16_select_negative(x, half_erfc, v16_sub(v16_set(1.0f), half_erfc));
    return v16_mul(x, phi);
}

/* 1 - 2 / (e^2|x| + 1) with the sign of x. Absolute error <= 3e-7. */
static inline v16 v16_tanh(v16 x) {
    v16 z = v16_min(v16_abs(x), v16_set(10.0f));
    v16 e = v16_exp(v16_add(z, z));
    v16 y = v16_sub(v16_set(1.0f), v16_div(v16_set(2.0f), v16_add(e, v16_set(1.0f))));
    return v16_select_negative(x, v16_sub(v16_set(0.0f), y), y);
}

#endif
