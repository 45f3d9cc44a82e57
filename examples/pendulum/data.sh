# The measurements, simulated with p = 10: 0.1 s apart, 0.01 s apart as in the paper, and with noise of 5 % of their root mean square.
entrain simulate pendulum.mo --set p=10 --stop 50 --step 0.1 --variables theta --rel_tol 1e-12 --abs_tol 1e-14 -o swing.csv
entrain simulate pendulum.mo --set p=10 --stop 50 --step 0.01 --variables theta --rel_tol 1e-12 --abs_tol 1e-14 -o swing_fine.csv
entrain simulate pendulum.mo --set p=10 --stop 50 --step 0.1 --variables theta --noise 0.05 --noise_kind additive --seed 2 -o swing_noisy.csv
