# The measurements, simulated with (C1, C2, C3) = (1, 2, 3): with noise of 5 % of the root mean square of u, and without.
entrain simulate two_dof.mo --set C1=1,C2=2,C3=3 --stop 50 --step 0.1 --variables u --noise 0.05 --noise_kind additive --seed 1 -o motion.csv
entrain simulate two_dof.mo --set C1=1,C2=2,C3=3 --stop 50 --step 0.1 --variables u --rel_tol 1e-12 --abs_tol 1e-14 -o motion_clean.csv
