# The measurements, simulated with (L1, L2, m2, d) = (1, 0.75, 0.8, 0.02), with noise of 1 % of the root mean square of each column.
entrain simulate double_pendulum_cartesian.mo --set L1=1,L2=0.75,m2=0.8,d=0.02 --stop 10 --step 0.02 --variables phi1,phi2 --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.01 --noise_kind additive --seed 1 -o swing.csv
