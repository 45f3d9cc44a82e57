#include <math.h>
#include <string.h>

#include "hand/car.h"

// body and axles
static const double mc = 1360, ms = 40, Ixx = 480, Iyy = 2100, Izz = 2300, hcg = 0.56;
static const double lf = 1.25, lr = 1.45, wf = 0.745, wr = 0.745, kf = 30000, kr = 28000;
static const double k3 = 2e6, cf = 2800, cr = 2600, kxi = 1.2e6, cxi = 4000, ca = 0.4, g = 9.81;
// wheels and tyres
static const double Jw = 1.2, R0 = 0.310, kt = 210000, ct = 150, fr = 0.010, oms = 1, vlow = 0.5;
static const double cx = 5e5, cy = 1.2e5, dx_ = 500, dy_ = 500;
static const Tyre TYRE = {.Fz0 = 4000,
                          .Cx = 1.5,
                          .Dx1 = 1.1,
                          .Dx2 = -0.05,
                          .Ex1 = 0.3,
                          .Ex2 = 0.1,
                          .Kx1 = 30,
                          .Kx2 = -0.2,
                          .Kx3 = 0.25,
                          .Cy = 1.3,
                          .Dy1 = 1,
                          .Dy2 = -0.12,
                          .Ey1 = -0.8,
                          .Ey2 = -0.5,
                          .Ky1 = 15,
                          .Ky2 = 2,
                          .rBx1 = 12,
                          .rBx2 = 10,
                          .rCx1 = 1,
                          .rBy1 = 7,
                          .rBy2 = 4,
                          .rCy1 = 1};
// brakes
static const double MU[4] = {0.1954, 0.1772, 0.1672, 0.1669}, CB[4] = {62, 62, 30, 30};
static const double PF[4] = {1, 1.1, 1.04, 1.04}, omb = 1, pmax = 140;
// drive train
static const double Je = 0.2, Jgi = 0.02, Jgo = 0.02, Jc = 0.01, Jpin = 0.005, Jcar = 0.03,
                    Js = 0.01;
static const double idf = 3.6, kcl = 1500, dcl = 6, dcmax = 60, dc0 = 0.01, kp = 8000, dp = 15;
static const double kh = 8000, dh = 20, taue = 0.1, idle = 90;
// steering
static const double Jsw = 0.04, dsw = 0.2, ktb = 120, dtb = 1, rp = 0.0075, mr = 120, drk = 3000;
static const double la = 0.13, ka = 400, taua = 0.03, trail = 0.04, rsc = 0.01;
static const double kdr = 20, ddr = 2, Kpsi = 6, KY = 0.3;

enum { NX = 56, S = 12, SD = 16, XI = 20, XID = 22, YX = 24, YY = 28, WE = 32, WC = 33, WD = 35 };
enum {
  OM = 39,
  PHC = 43,
  PHP = 44,
  PHH = 46,
  TE = 50,
  THW = 51,
  THWD = 52,
  XR = 53,
  XRD = 54,
  FA = 55
};

static void start(double *x) {
  memset(x, 0, NX * sizeof *x);
  x[2] = hcg;
  x[WE] = 90;
}

static double limited(double x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

typedef struct Driver {
  double throttle, ratio, clutch, pressure[4];
} Driver;

static Driver driver(double t, const double *x) {
  static const double V_AT[] = {0, 0.5, 20, 30}, V[] = {0, 0, 19.6, 19.6};
  static const double B_AT[] = {0, 22, 22.15, 30}, B[] = {0, 0, 1, 1};
  static const double C_AT[] = {0,     0.5,   2.5,   5.75,  5.95, 6.05,  6.45,
                                11.75, 11.95, 12.05, 12.45, 22,   22.15, 30};
  static const double C[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0};
  static const double F_AT[] = {0, 22.05, 22.25, 22.6, 23, 23.4, 23.8, 24.2, 24.6, 30};
  static const double F[] = {0, 0, 0.85, 1, 0.88, 1, 0.9, 1, 0.92, 0.92};
  static const double R_AT[] = {0, 22.05, 22.3, 22.7, 23.1, 23.5, 23.9, 24.3, 24.6, 30};
  static const double R[] = {0, 0, 0.75, 0.85, 0.78, 0.86, 0.8, 0.86, 0.82, 0.82};
  Driver d;
  double brake = table_value(t, 4, B_AT, B), v = table_value(t, 4, V_AT, V);
  d.throttle = (1 - brake) * limited(0.8 * (v - x[6]) + 0.05) + limited(0.02 * (idle - x[WE]));
  d.ratio = t < 6 ? 3.6 : t < 12 ? 2 : 1.35;
  d.clutch = table_value(t, 14, C_AT, C);
  double front = table_value(t, 10, F_AT, F), rear = table_value(t, 10, R_AT, R);
  for (int i = 0; i < 4; i++) d.pressure[i] = pmax * PF[i] * (i < 2 ? front : rear);
  return d;
}

// Torques on the half shafts.
static void drive_train(const Driver *d, const double *x, double *dx, double Th[4]) {
  double we = x[WE], thr = d->throttle, ig = d->ratio;
  const double *wc = x + WC, *wd = x + WD, *om = x + OM;
  double e = (we - 380) / 480, Tmax = 220 * (1 - e * e), Tdrag = (12 + 0.06 * we) * tanh(we / 10);
  dx[TE] = (thr * Tmax - (1 - thr) * Tdrag - x[TE]) / taue;
  double dc = dcmax * d->clutch * d->clutch + dc0, wgo = (wc[0] + wc[1]) / 2;
  double Tcl = (kcl * x[PHC] + dcl * (we - ig * wgo)) / (1 + dcl / dc);
  dx[PHC] = (Tcl - kcl * x[PHC]) / dcl;
  dx[WE] = (x[TE] - Tcl) / Je;
  double Jcs = Jgi * ig * ig + Jgo, detc = Jc * (Jc + Jcs / 2), Qc[2], Tp[2];
  for (int a = 0; a < 2; a++) {
    dx[PHP + a] = wc[a] - idf * (wd[2 * a] + wd[2 * a + 1]) / 2;
    Tp[a] = kp * x[PHP + a] + dp * dx[PHP + a];
    Qc[a] = ig * Tcl / 2 - Tp[a];
  }
  for (int a = 0; a < 2; a++) dx[WC + a] = ((Jc + Jcs / 4) * Qc[a] - Jcs / 4 * Qc[1 - a]) / detc;
  double Jds = Jcar + Jpin * idf * idf, detd = Js * (Js + Jds / 2), Qd[4];
  for (int i = 0; i < 4; i++) {
    dx[PHH + i] = wd[i] - om[i];
    Th[i] = kh * x[PHH + i] + dh * dx[PHH + i];
    Qd[i] = idf * Tp[i / 2] / 2 - Th[i];
  }
  for (int i = 0; i < 4; i++) dx[WD + i] = ((Js + Jds / 4) * Qd[i] - Jds / 4 * Qd[i ^ 1]) / detd;
}

static void steering(const double *x, const double Fx[4], const double Fy[4], double *dx) {
  double thref = -Kpsi * x[5] - KY * x[1];
  double Tdrv = kdr * (thref - x[THW]) - ddr * x[THWD];
  double Ttb = ktb * (x[THW] - x[XR] / rp) + dtb * (x[THWD] - x[XRD] / rp);
  double Mk = -trail * (Fy[0] + Fy[1]) - rsc * (Fx[0] - Fx[1]);
  dx[THW] = x[THWD];
  dx[THWD] = (Tdrv - Ttb - dsw * x[THWD]) / Jsw;
  dx[XR] = x[XRD];
  dx[XRD] = (Ttb / rp + x[FA] + Mk / la - drk * x[XRD]) / mr;
  dx[FA] = (ka * Ttb - x[FA]) / taua;
}

static void rhs(double t, const double *x, double *dx) {
  const double L = lf + lr, mt = mc + 4 * ms;
  const double x0[4] = {lf, lf, -lr, -lr}, yw[4] = {wf, -wf, wr, -wr};
  const double ks[4] = {kf, kf, kr, kr}, cs[4] = {cf, cf, cr, cr};
  double Z = x[2], phi = x[3], theta = x[4], psi = x[5];
  double u = x[6], v = x[7], w = x[8], p = x[9], q = x[10], r = x[11];
  const double *s = x + S, *sd = x + SD, *om = x + OM;
  Driver d = driver(t, x);
  double Th[4], Fx[4], Fy[4], Fs[4], Gx[4], Gz[4], bx[4], bz[4], ey[4], Ty[4], z[4], xi[4], Tz[4];
  drive_train(&d, x, dx, Th);
  double cphi = cos(phi), sphi = sin(phi), cth = cos(theta), sth = sin(theta);
  double cpsi = cos(psi), spsi = sin(psi);
  double R11 = cth * cpsi, R12 = sphi * sth * cpsi - cphi * spsi,
         R13 = cphi * sth * cpsi + sphi * spsi;
  double R21 = cth * spsi, R22 = sphi * sth * spsi + cphi * cpsi,
         R23 = cphi * sth * spsi - sphi * cpsi;
  double R31 = -sth, R32 = sphi * cth, R33 = cphi * cth;
  double gx = -g * R31, gy = -g * R32, gz = -g * R33, W2 = p * p + q * q + r * r;
  double OX = R11 * p + R12 * q + R13 * r, OY = R21 * p + R22 * q + R23 * r;
  double cdf = cos(x[XR] / la), snf = sin(x[XR] / la);
  double Sx = 0, Sz = 0, Szz = 0, Sxz = 0, Syz = 0, Sxy = 0, sum_y = 0, sum_s = 0, B1 = 0;
  for (int i = 0; i < 4; i++) {
    double Fs0 = i < 2 ? mc * g * lr / (2 * L) : mc * g * lf / (2 * L), xdi = x[XID + i / 2];
    z[i] = R0 - (Fs0 + ms * g) / kt - hcg + s[i];
    xi[i] = x0[i] + x[XI + i / 2];
    double vbx = u + q * z[i] - r * yw[i] + xdi, vby = v + r * xi[i] - p * z[i];
    double vbz = w + p * yw[i] - q * xi[i] + sd[i];
    double VX = R11 * vbx + R12 * vby + R13 * vbz, VY = R21 * vbx + R22 * vby + R23 * vbz;
    double VZ = R31 * vbx + R32 * vby + R33 * vbz;
    double Rl = Z + R31 * xi[i] + R32 * yw[i] + R33 * z[i];
    double Fz = fmax(0, kt * (R0 - Rl) - ct * VZ);
    double cd = i < 2 ? cdf : 1, sn = i < 2 ? snf : 0;
    double hX = R11 * cd + R12 * sn, hY = R21 * cd + R22 * sn, hn = sqrt(hX * hX + hY * hY);
    double ch = hX / hn, sh = hY / hn;
    double vx = VX * ch + VY * sh, vy = -VX * sh + VY * ch + Rl * (OX * ch + OY * sh);
    double vd = sqrt(vx * vx + vlow * vlow), kap = (R0 * om[i] - vx) / vd, ta = vy / vd;
    TyreForce f = tyre_force(&TYRE, Fz, kap, atan(ta));
    double Dtx = dx_ + (fabs(kap) > 1e-6 ? f.Fx / kap : f.Gxa * f.Kx) / vd;
    double Dty = dy_ + (fabs(ta) > 1e-6 ? -f.Fy / ta : f.Gyk * f.Ky) / vd;
    dx[YX + i] = (f.Fx - cx * x[YX + i]) / Dtx;
    dx[YY + i] = (f.Fy - cy * x[YY + i]) / Dty;
    Fx[i] = cx * x[YX + i] + dx_ * dx[YX + i];
    Fy[i] = cy * x[YY + i] + dy_ * dx[YY + i];
    double FX = Fx[i] * ch - Fy[i] * sh, FY = Fx[i] * sh + Fy[i] * ch;
    double Fbx = R11 * FX + R21 * FY + R31 * Fz, Fby = R12 * FX + R22 * FY + R32 * Fz;
    double Fbz = R13 * FX + R23 * FY + R33 * Fz;
    double tx = -Rl * (R32 * Fbz - R33 * Fby), ty = -Rl * (R33 * Fbx - R31 * Fbz);
    double tz = -Rl * (R31 * Fby - R32 * Fbx), Mw = -sn * tx + cd * ty;
    double tau = Th[i] - MU[i] * CB[i] * d.pressure[i] * tanh(om[i] / omb);
    dx[OM + i] = (tau + Mw - fr * R0 * Fz * tanh(om[i] / oms)) / Jw;
    double Tx = tx + sn * (Mw + tau) + Jw * om[i] * r * cd;
    Ty[i] = ty - cd * (Mw + tau) + Jw * om[i] * r * sn;
    Tz[i] = tz - Jw * om[i] * (p * cd + q * sn);
    Fs[i] = Fs0 + ks[i] * s[i] + k3 * s[i] * s[i] * s[i] + cs[i] * sd[i];
    double wr_ = p * xi[i] + q * yw[i] + r * z[i];
    Gx[i] = Fbx + ms * gx, Gz[i] = Fbz + ms * gz;
    bx[i] = p * wr_ - xi[i] * W2 + 2 * q * sd[i];
    bz[i] = r * wr_ - z[i] * W2 - 2 * q * xdi;
    ey[i] = Fby + ms * gy - ms * (q * wr_ - yw[i] * W2 - 2 * p * sd[i] + 2 * r * xdi);
    Sx += ms * xi[i], Sz += ms * z[i], Szz += ms * z[i] * z[i], Sxz += ms * xi[i] * z[i];
    Syz += ms * yw[i] * z[i], Sxy += ms * (xi[i] * xi[i] + yw[i] * yw[i]);
    sum_y += ey[i], sum_s += Fs[i];
    B1 += yw[i] * Fs[i] - z[i] * ey[i] + Tx;
  }
  steering(x, Fx, Fy, dx);
  double Fxi[2], Gm[2], bm[2], zm[2], Szd = 0, B2 = 0, B3 = 0;
  for (int a = 0; a < 2; a++) {
    Fxi[a] = kxi * x[XI + a] + cxi * x[XID + a];
    Gm[a] = (Gx[2 * a] + Gx[2 * a + 1]) / 2;
    bm[a] = (bx[2 * a] + bx[2 * a + 1]) / 2;
    zm[a] = (z[2 * a] + z[2 * a + 1]) / 2;
  }
  for (int i = 0; i < 4; i++) {
    int a = i / 2;
    double Rx0 = Fxi[a] / 2 + (Gx[i] - Gm[a]) - ms * (bx[i] - bm[a]);
    Szd += ms * (z[i] - zm[a]) * (z[i] - zm[a]);
    B2 += z[i] * Rx0 - xi[i] * Fs[i] + Ty[i];
    B3 += xi[i] * ey[i] - yw[i] * Rx0 + Tz[i];
  }
  double ax = gx + (Fxi[0] + Fxi[1] - ca * u * fabs(u)) / mc, az = gz + sum_s / mc;
  double A0y = (mc * gy + sum_y) / mt, Hx = Ixx * p, Hy = Iyy * q, Hz = Izz * r;
  B1 += Sz * A0y - (q * Hz - r * Hy);
  B2 -= r * Hx - p * Hz;
  B3 += -Sx * A0y - (p * Hy - q * Hx);
  double J11 = Ixx + Szz - Sz * Sz / mt, J22 = Iyy + Szd, J33 = Izz + Sxy - Sx * Sx / mt;
  double J13 = -Sxz + Sx * Sz / mt, J23 = -Syz;
  double rd = (B3 - J13 * B1 / J11 - J23 * B2 / J22) / (J33 - J13 * J13 / J11 - J23 * J23 / J22);
  double pd = (B1 - J13 * rd) / J11, qd = (B2 - J23 * rd) / J22;
  for (int i = 0; i < 4; i++) {
    dx[S + i] = sd[i];
    dx[SD + i] = (Gz[i] - Fs[i]) / ms - (az + pd * yw[i] - qd * xi[i] + bz[i]);
  }
  for (int a = 0; a < 2; a++) {
    dx[XI + a] = x[XID + a];
    dx[XID + a] = (2 * Gm[a] - Fxi[a]) / (2 * ms) - ax - qd * zm[a] - bm[a];
  }
  dx[0] = R11 * u + R12 * v + R13 * w;
  dx[1] = R21 * u + R22 * v + R23 * w;
  dx[2] = R31 * u + R32 * v + R33 * w;
  dx[3] = p + (q * sphi + r * cphi) * (sth / cth);
  dx[4] = q * cphi - r * sphi;
  dx[5] = (q * sphi + r * cphi) / cth;
  dx[6] = ax - (q * w - r * v);
  dx[7] = A0y - (rd * Sx - pd * Sz) / mt - (r * u - p * w);
  dx[8] = az - (p * v - q * u);
  dx[9] = pd, dx[10] = qd, dx[11] = rd;
}

static const double BREAKS[] = {0.5,   2.5,   5.75, 5.95, 6,     6.05,  6.45,  11.75, 11.95, 12,
                                12.05, 12.45, 20,   22,   22.05, 22.15, 22.25, 22.3,  22.6,  22.7,
                                23,    23.1,  23.4, 23.5, 23.8,  23.9,  24.2,  24.3};

const HandCar HAND_CAR56 = {
    "vehicle56", "examples/vehicles/vehicle56.mo", NX, 24.6, BREAKS, 28, start, rhs};
