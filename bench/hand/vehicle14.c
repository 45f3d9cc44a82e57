// The vehicle as a person types it: named quantities, a loop over the four wheels, what depends on parameters alone
// computed once beforehand.
#include "hand/vehicle14.h"

#include <math.h>
#include <string.h>

// One line a parameter.
void vehicle14_parameters(Vehicle14 *c) {
  *c = (Vehicle14){.mc = 2077,
                   .ms = 10,
                   .kf = 48300,
                   .kr = 30520,
                   .cf = 3080,
                   .cr = 2330,
                   .wf = 0.760,
                   .wr = 0.795,
                   .lf = 1.353,
                   .lr = 1.487,
                   .g = 9.81,
                   .Ixx = 700,
                   .Iyy = 3300,
                   .Izz = 3500,
                   .Ixz = 0,
                   .hcg = 0.6,
                   .Jw = 1,
                   .R0 = 0.330,
                   .kt = 250000,
                   .ct = 200,
                   .soft = 10,
                   .fr = 0.010,
                   .oms = 1,
                   .vlow = 0.1,
                   .Fz0 = 5000,
                   .pCx1 = 1.5,
                   .pDx1 = 1.1,
                   .pDx2 = -0.05,
                   .pEx1 = 0.3,
                   .pEx2 = 0.1,
                   .pKx1 = 40,
                   .pKx2 = -0.2,
                   .pKx3 = 0.25,
                   .pCy1 = 1.3,
                   .pDy1 = 1,
                   .pDy2 = -0.12,
                   .pEy1 = -0.8,
                   .pEy2 = -0.5,
                   .pKy1 = 12,
                   .pKy2 = 2,
                   .rBx1 = 12,
                   .rBx2 = 10,
                   .rCx1 = 1,
                   .rBy1 = 7,
                   .rBy2 = 4,
                   .rCy1 = 1,
                   .v0 = 12,
                   .Tc = 17.1,
                   .Ta = 150,
                   .wt = 0.3,
                   .d0 = 0.03,
                   .wd = 1.8,
                   .toe = 0.002};
  c->L = c->lf + c->lr;
  c->mt = c->mc + 4 * c->ms;
  c->Fsf = c->mc * c->g * c->lr / (2 * c->L);
  c->Fsr = c->mc * c->g * c->lf / (2 * c->L);
  c->z0f = c->R0 - (c->Fsf + c->ms * c->g) / c->kt - c->hcg;
  c->z0r = c->R0 - (c->Fsr + c->ms * c->g) / c->kt - c->hcg;
  c->Sx = c->ms * (2 * c->lf - 2 * c->lr);
  c->J33 = c->Izz +
           c->ms * (2 * c->lf * c->lf + 2 * c->lr * c->lr + 2 * c->wf * c->wf + 2 * c->wr * c->wr) -
           c->Sx * c->Sx / c->mt;
  c->Ct = cos(c->toe);
  c->St = sin(c->toe);
}

void vehicle14_start(const Vehicle14 *c, double *x) {
  memset(x, 0, VEHICLE14_STATES * sizeof *x);
  x[2] = c->hcg;
  x[6] = c->v0;
  for (int i = 0; i < 4; i++) x[20 + i] = c->v0 / c->R0;
}

// Long, because this is how such a model is typed.
void vehicle14_rhs(double t, const double *x, const double *parameters, double *dx) {
  const Vehicle14 *c = (const Vehicle14 *)parameters;
  double Z = x[2], phi = x[3], theta = x[4], psi = x[5];
  double u = x[6], v = x[7], w = x[8], p = x[9], q = x[10], r = x[11];
  const double *s = x + 12, *sd = x + 16, *om = x + 20;
  double steer = c->d0 * sin(c->wd * t), tau = c->Tc + c->Ta * sin(c->wt * t);

  double R11 = cos(theta) * cos(psi);
  double R12 = sin(phi) * sin(theta) * cos(psi) - cos(phi) * sin(psi);
  double R13 = cos(phi) * sin(theta) * cos(psi) + sin(phi) * sin(psi);
  double R21 = cos(theta) * sin(psi);
  double R22 = sin(phi) * sin(theta) * sin(psi) + cos(phi) * cos(psi);
  double R23 = cos(phi) * sin(theta) * sin(psi) - sin(phi) * cos(psi);
  double R31 = -sin(theta), R32 = sin(phi) * cos(theta), R33 = cos(phi) * cos(theta);
  double gx = -c->g * R31, gy = -c->g * R32, gz = -c->g * R33;
  double W2 = p * p + q * q + r * r;
  double OX = R11 * p + R12 * q + R13 * r, OY = R21 * p + R22 * q + R23 * r;

  const double xw[4] = {c->lf, c->lf, -c->lr, -c->lr}, yw[4] = {c->wf, -c->wf, c->wr, -c->wr};
  const double ks[4] = {c->kf, c->kf, c->kr, c->kr}, cs[4] = {c->cf, c->cf, c->cr, c->cr};
  const double Fs0[4] = {c->Fsf, c->Fsf, c->Fsr, c->Fsr}, z0[4] = {c->z0f, c->z0f, c->z0r, c->z0r};
  double cos_steer = cos(steer), sin_steer = sin(steer);
  const double cd[4] = {cos_steer, cos_steer, c->Ct, c->Ct};
  const double sn[4] = {sin_steer, sin_steer, c->St, c->St};

  double Sz = 0, Szz = 0, Sxz = 0, Syz = 0, Fx_sum = 0, Fy_sum = 0, Fs_sum = 0, M1 = 0, M2 = 0,
         M3 = 0;
  double rest[4]; // of the wheel's vertical acceleration
  for (int i = 0; i < 4; i++) {
    double z = z0[i] + s[i];
    double vbx = u + q * z - r * yw[i];
    double vby = v + r * xw[i] - p * z;
    double vbz = w + p * yw[i] - q * xw[i] + sd[i];
    double VX = R11 * vbx + R12 * vby + R13 * vbz;
    double VY = R21 * vbx + R22 * vby + R23 * vbz;
    double VZ = R31 * vbx + R32 * vby + R33 * vbz;
    double Rl = Z + R31 * xw[i] + R32 * yw[i] + R33 * z;
    double N = c->kt * (c->R0 - Rl) - c->ct * VZ;
    double Fz = 0.5 * (N + sqrt(N * N + c->soft * c->soft));
    double hX = R11 * cd[i] + R12 * sn[i], hY = R21 * cd[i] + R22 * sn[i];
    double hn = sqrt(hX * hX + hY * hY), ch = hX / hn, sh = hY / hn;
    double vx = VX * ch + VY * sh;
    double vy = -VX * sh + VY * ch + Rl * (OX * ch + OY * sh);
    double vd = sqrt(vx * vx + c->vlow * c->vlow);
    double ka = (c->R0 * om[i] - vx) / vd, al = atan(vy / vd);

    double dfz = (Fz - c->Fz0) / c->Fz0;
    double Dx = (c->pDx1 + c->pDx2 * dfz) * Fz, Ex = c->pEx1 + c->pEx2 * dfz;
    double Kx = Fz * (c->pKx1 + c->pKx2 * dfz) * exp(c->pKx3 * dfz);
    double Bx = Kx / (c->pCx1 * Dx + 0.001);
    double Fx0 = Dx * sin(c->pCx1 * atan(Bx * ka - Ex * (Bx * ka - atan(Bx * ka))));
    double Dy = (c->pDy1 + c->pDy2 * dfz) * Fz, Ey = c->pEy1 + c->pEy2 * dfz;
    double Ky = c->pKy1 * c->Fz0 * sin(2 * atan(Fz / (c->pKy2 * c->Fz0)));
    double By = Ky / (c->pCy1 * Dy + 0.001);
    double Fy0 = -Dy * sin(c->pCy1 * atan(By * al - Ey * (By * al - atan(By * al))));
    double Fx = Fx0 * cos(c->rCx1 * atan(c->rBx1 * cos(atan(c->rBx2 * ka)) * al));
    double Fy = Fy0 * cos(c->rCy1 * atan(c->rBy1 * cos(atan(c->rBy2 * al)) * ka));

    double FX = Fx * ch - Fy * sh, FY = Fx * sh + Fy * ch;
    double Fbx = R11 * FX + R21 * FY + R31 * Fz;
    double Fby = R12 * FX + R22 * FY + R32 * Fz;
    double Fbz = R13 * FX + R23 * FY + R33 * Fz;
    double tx = -Rl * (R32 * Fbz - R33 * Fby);
    double ty = -Rl * (R33 * Fbx - R31 * Fbz);
    double tz = -Rl * (R31 * Fby - R32 * Fbx);
    double Mw = -sn[i] * tx + cd[i] * ty;
    double Tx = tx + sn[i] * (Mw + tau) + c->Jw * om[i] * r * cd[i];
    double Ty = ty - cd[i] * (Mw + tau) + c->Jw * om[i] * r * sn[i];
    double Tz = tz - c->Jw * om[i] * (p * cd[i] + q * sn[i]);
    double Fs = Fs0[i] + ks[i] * s[i] + cs[i] * sd[i];
    double along = p * xw[i] + q * yw[i] + r * z;
    double bx = p * along - xw[i] * W2 + 2 * q * sd[i];
    double by = q * along - yw[i] * W2 - 2 * p * sd[i];
    double bz = r * along - z * W2;
    double Gx = Fbx + c->ms * gx - c->ms * bx, Gy = Fby + c->ms * gy - c->ms * by;

    Sz += z;
    Szz += z * z;
    Sxz += xw[i] * z;
    Syz += yw[i] * z;
    Fx_sum += Gx;
    Fy_sum += Gy;
    Fs_sum += Fs;
    M1 += yw[i] * Fs - z * Gy + Tx;
    M2 += z * Gx - xw[i] * Fs + Ty;
    M3 += xw[i] * Gy - yw[i] * Gx + Tz;
    rest[i] = (Fbz + c->ms * gz - Fs) / c->ms - bz;
    dx[12 + i] = sd[i];
    dx[20 + i] = (tau + Mw - c->fr * c->R0 * Fz * tanh(om[i] / c->oms)) / c->Jw;
  }
  Sz *= c->ms, Szz *= c->ms, Sxz *= c->ms, Syz *= c->ms;

  double A0x = (c->mc * gx + Fx_sum) / c->mt, A0y = (c->mc * gy + Fy_sum) / c->mt;
  double az = gz + Fs_sum / c->mc;
  double Hx = c->Ixx * p - c->Ixz * r, Hy = c->Iyy * q, Hz = c->Izz * r - c->Ixz * p;
  double B1 = M1 + Sz * A0y - (q * Hz - r * Hy);
  double B2 = M2 - Sz * A0x - (r * Hx - p * Hz);
  double B3 = M3 - c->Sx * A0y - (p * Hy - q * Hx);
  double J11 = c->Ixx + Szz - Sz * Sz / c->mt, J22 = c->Iyy + Szz - Sz * Sz / c->mt;
  double J13 = -c->Ixz - Sxz + c->Sx * Sz / c->mt, J23 = -Syz;
  double rd = (B3 - J13 * B1 / J11 - J23 * B2 / J22) / (c->J33 - J13 * J13 / J11 - J23 * J23 / J22);
  double pd = (B1 - J13 * rd) / J11, qd = (B2 - J23 * rd) / J22;

  dx[0] = R11 * u + R12 * v + R13 * w;
  dx[1] = R21 * u + R22 * v + R23 * w;
  dx[2] = R31 * u + R32 * v + R33 * w;
  dx[3] = p + (q * sin(phi) + r * cos(phi)) * tan(theta);
  dx[4] = q * cos(phi) - r * sin(phi);
  dx[5] = (q * sin(phi) + r * cos(phi)) / cos(theta);
  dx[6] = A0x - qd * Sz / c->mt - (q * w - r * v);
  dx[7] = A0y - (rd * c->Sx - pd * Sz) / c->mt - (r * u - p * w);
  dx[8] = az - (p * v - q * u);
  dx[9] = pd;
  dx[10] = qd;
  dx[11] = rd;
  for (int i = 0; i < 4; i++) dx[16 + i] = rest[i] - (az + pd * yw[i] - qd * xw[i]);
}
