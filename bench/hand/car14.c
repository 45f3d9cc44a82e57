#include <math.h>
#include <string.h>

#include "hand/car.h"

static const double mc = 2077, ms = 10, kf = 48300, kr = 30520, cf = 3080, cr = 2330;
static const double wf = 0.760, wr = 0.795, lf = 1.353, lr = 1.487, g = 9.81;
static const double Ixx = 700, Iyy = 3300, Izz = 3500, hcg = 0.60, Jw = 1, R0 = 0.330;
static const double kt = 250000, ct = 200, fr = 0.010, oms = 1, vlow = 0.1;
static const double v0 = 4, d0 = 0.0095, ts = 8, Ts = 5;
static const Tyre TYRE = {.Fz0 = 5000,
                          .Cx = 1.5,
                          .Dx1 = 1.1,
                          .Dx2 = -0.05,
                          .Ex1 = 0.3,
                          .Ex2 = 0.1,
                          .Kx1 = 40,
                          .Kx2 = -0.2,
                          .Kx3 = 0.25,
                          .Cy = 1.3,
                          .Dy1 = 1,
                          .Dy2 = -0.12,
                          .Ey1 = -0.8,
                          .Ey2 = -0.5,
                          .Ky1 = 12,
                          .Ky2 = 2,
                          .rBx1 = 12,
                          .rBx2 = 10,
                          .rCx1 = 1,
                          .rBy1 = 7,
                          .rBy2 = 4,
                          .rCy1 = 1};

static void start(double *x) {
  memset(x, 0, 24 * sizeof *x);
  x[2] = hcg;
  x[6] = v0;
  for (int i = 0; i < 4; i++) x[20 + i] = v0 / R0;
}

static void rhs(double t, const double *x, double *dx) {
  static const double TORQUE_AT[] = {0, 0.5, 1, 6.5, 7, 14.5, 15, 19.5, 20, 22};
  static const double TORQUE[] = {17.1, 17.1, 350, 350, 17.1, 17.1, -312, -312, 17.1, 17.1};
  const double L = lf + lr, mt = mc + 4 * ms, Sx = ms * (2 * lf - 2 * lr);
  const double xw[4] = {lf, lf, -lr, -lr}, yw[4] = {wf, -wf, wr, -wr};
  const double ks[4] = {kf, kf, kr, kr}, cs[4] = {cf, cf, cr, cr};
  double Z = x[2], phi = x[3], theta = x[4], psi = x[5];
  double u = x[6], v = x[7], w = x[8], p = x[9], q = x[10], r = x[11];
  const double *s = x + 12, *sd = x + 16, *om = x + 20;
  double cphi = cos(phi), sphi = sin(phi), cth = cos(theta), sth = sin(theta);
  double cpsi = cos(psi), spsi = sin(psi);
  double R11 = cth * cpsi, R12 = sphi * sth * cpsi - cphi * spsi,
         R13 = cphi * sth * cpsi + sphi * spsi;
  double R21 = cth * spsi, R22 = sphi * sth * spsi + cphi * cpsi,
         R23 = cphi * sth * spsi - sphi * cpsi;
  double R31 = -sth, R32 = sphi * cth, R33 = cphi * cth;
  double gx = -g * R31, gy = -g * R32, gz = -g * R33, W2 = p * p + q * q + r * r;
  double OX = R11 * p + R12 * q + R13 * r, OY = R21 * p + R22 * q + R23 * r;
  double tau = table_value(t, 10, TORQUE_AT, TORQUE);
  double dl = t > ts && t < ts + Ts ? d0 * sin(2 * M_PI * (t - ts) / Ts) : 0;
  double cdf = cos(dl), snf = sin(dl);
  double Sz = 0, Szz = 0, Sxz = 0, Syz = 0, sum_x = 0, sum_y = 0, sum_s = 0, B1 = 0, B2 = 0, B3 = 0;
  double Fs[4], Gz[4], bz[4];
  for (int i = 0; i < 4; i++) {
    double Fs0 = i < 2 ? mc * g * lr / (2 * L) : mc * g * lf / (2 * L);
    double z = R0 - (Fs0 + ms * g) / kt - hcg + s[i];
    double vbx = u + q * z - r * yw[i], vby = v + r * xw[i] - p * z;
    double vbz = w + p * yw[i] - q * xw[i] + sd[i];
    double VX = R11 * vbx + R12 * vby + R13 * vbz, VY = R21 * vbx + R22 * vby + R23 * vbz;
    double VZ = R31 * vbx + R32 * vby + R33 * vbz;
    double Rl = Z + R31 * xw[i] + R32 * yw[i] + R33 * z;
    double Fz = fmax(0, kt * (R0 - Rl) - ct * VZ);
    double cd = i < 2 ? cdf : 1, sn = i < 2 ? snf : 0;
    double hX = R11 * cd + R12 * sn, hY = R21 * cd + R22 * sn, hn = sqrt(hX * hX + hY * hY);
    double ch = hX / hn, sh = hY / hn;
    double vx = VX * ch + VY * sh, vy = -VX * sh + VY * ch + Rl * (OX * ch + OY * sh);
    double vd = sqrt(vx * vx + vlow * vlow);
    TyreForce f = tyre_force(&TYRE, Fz, (R0 * om[i] - vx) / vd, atan(vy / vd));
    double FX = f.Fx * ch - f.Fy * sh, FY = f.Fx * sh + f.Fy * ch;
    double Fbx = R11 * FX + R21 * FY + R31 * Fz, Fby = R12 * FX + R22 * FY + R32 * Fz;
    double Fbz = R13 * FX + R23 * FY + R33 * Fz;
    double tx = -Rl * (R32 * Fbz - R33 * Fby), ty = -Rl * (R33 * Fbx - R31 * Fbz);
    double tz = -Rl * (R31 * Fby - R32 * Fbx), Mw = -sn * tx + cd * ty;
    double Tx = tx + sn * (Mw + tau) + Jw * om[i] * r * cd;
    double Ty = ty - cd * (Mw + tau) + Jw * om[i] * r * sn;
    double Tz = tz - Jw * om[i] * (p * cd + q * sn);
    dx[20 + i] = (tau + Mw - fr * R0 * Fz * tanh(om[i] / oms)) / Jw;
    Fs[i] = Fs0 + ks[i] * s[i] + cs[i] * sd[i];
    Gz[i] = Fbz + ms * gz;
    double wr_ = p * xw[i] + q * yw[i] + r * z;
    double ex = Fbx + ms * gx - ms * (p * wr_ - xw[i] * W2 + 2 * q * sd[i]);
    double ey = Fby + ms * gy - ms * (q * wr_ - yw[i] * W2 - 2 * p * sd[i]);
    bz[i] = r * wr_ - z * W2;
    Sz += ms * z, Szz += ms * z * z, Sxz += ms * xw[i] * z, Syz += ms * yw[i] * z;
    sum_x += ex, sum_y += ey, sum_s += Fs[i];
    B1 += yw[i] * Fs[i] - z * ey + Tx;
    B2 += z * ex - xw[i] * Fs[i] + Ty;
    B3 += xw[i] * ey - yw[i] * ex + Tz;
  }
  double A0x = (mc * gx + sum_x) / mt, A0y = (mc * gy + sum_y) / mt, az = gz + sum_s / mc;
  double Hx = Ixx * p, Hy = Iyy * q, Hz = Izz * r;
  B1 += Sz * A0y - (q * Hz - r * Hy);
  B2 += -Sz * A0x - (r * Hx - p * Hz);
  B3 += -Sx * A0y - (p * Hy - q * Hx);
  double J11 = Ixx + Szz - Sz * Sz / mt, J22 = Iyy + Szz - Sz * Sz / mt;
  double J33 = Izz + ms * (2 * lf * lf + 2 * lr * lr + 2 * wf * wf + 2 * wr * wr) - Sx * Sx / mt;
  double J13 = -Sxz + Sx * Sz / mt, J23 = -Syz;
  double rd = (B3 - J13 * B1 / J11 - J23 * B2 / J22) / (J33 - J13 * J13 / J11 - J23 * J23 / J22);
  double pd = (B1 - J13 * rd) / J11, qd = (B2 - J23 * rd) / J22;
  for (int i = 0; i < 4; i++) {
    dx[12 + i] = sd[i];
    dx[16 + i] = (Gz[i] - Fs[i]) / ms - (az + pd * yw[i] - qd * xw[i] + bz[i]);
  }
  dx[0] = R11 * u + R12 * v + R13 * w;
  dx[1] = R21 * u + R22 * v + R23 * w;
  dx[2] = R31 * u + R32 * v + R33 * w;
  dx[3] = p + (q * sphi + r * cphi) * (sth / cth);
  dx[4] = q * cphi - r * sphi;
  dx[5] = (q * sphi + r * cphi) / cth;
  dx[6] = A0x - qd * Sz / mt - (q * w - r * v);
  dx[7] = A0y - (rd * Sx - pd * Sz) / mt - (r * u - p * w);
  dx[8] = az - (p * v - q * u);
  dx[9] = pd, dx[10] = qd, dx[11] = rd;
}

static const double BREAKS[] = {0.5, 1, 6.5, 7, 8, 13, 14.5, 15, 19.5, 20};

const HandCar HAND_CAR14 = {
    "vehicle14", "examples/vehicles/vehicle14a.mo", 24, 22, BREAKS, 10, start, rhs};
