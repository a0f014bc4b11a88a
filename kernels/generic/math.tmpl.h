/* math.tmpl.h - exp, GELU and tanh over 16 virtual lanes, the same for every ISA. Included by
 * table.tmpl.h after an ISA's lanes.h. Only IEEE operations (fma, division, square root, rounding
 * to nearest even) and no estimates, so all ISAs give the same bits. */

/* a + b * x, fused */
static inline v16 horner(v16 sum, v16 x, float next) { return v16_fma(sum, x, v16_set(next)); }

/* e^x for x in [-87.3, 88.3]; outside it, the value at the nearer end. Cody-Waite reduction by ln 2
 * in two parts, then the Taylor series to the seventh power on [-ln2/2, ln2/2] (its remainder is
 * below 6e-9). Relative error <= 2e-7. */
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

/* x * Phi(x), the exact (erf) form: x / 2 + x / 2 * erf(x / sqrt 2). erf is computed as z P(z^2) /
 * Q(z^2), with z = x limited to [-5.5, 5.5], outside which erf is 1 in float precision. The
 * coefficients are a least-squares fit, reweighted until its errors had equal magnitudes (2.3e-8 of
 * the product before rounding). Absolute error <= 2.5e-7 * max(1, |x|). NaN stays NaN, since
 * v16_max and v16_min return their second operand then. */
static inline v16 v16_gelu(v16 x) {
    const float p[] = {4.44800888e-8f, 1.29564546e-5f, 3.59800639e-4f, 9.48891833e-3f, 6.97682652e-2f, 0.797884289f};
    const float q[] = {1.19205865e-6f, 7.74724568e-5f, 1.94652653e-3f, 2.92467981e-2f, 0.254106292f, 1.0f};
    v16 above = v16_max(v16_set(-5.5f), x), z = v16_min(v16_set(5.5f), above), u = v16_mul(z, z);
    v16 over = v16_set(p[0]), under = v16_set(q[0]);
#pragma GCC unroll 5
    for (size_t i = 1; i < sizeof p / sizeof *p; i++) {
        over = horner(over, u, p[i]);
        under = horner(under, u, q[i]);
    }
    v16 half = v16_mul(above, v16_set(0.5f));
    return v16_fma(half, v16_div(v16_mul(z, over), under), half);
}

/* 1 - 2 / (e^2|x| + 1) with the sign of x. Absolute error <= 3e-7. */
static inline v16 v16_tanh(v16 x) {
    v16 z = v16_min(v16_abs(x), v16_set(10.0f));
    v16 e = v16_exp(v16_add(z, z));
    v16 y = v16_sub(v16_set(1.0f), v16_div(v16_set(2.0f), v16_add(e, v16_set(1.0f))));
    return v16_select_negative(x, v16_sub(v16_set(0.0f), y), y);
}
