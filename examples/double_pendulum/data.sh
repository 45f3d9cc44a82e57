# The measurements, simulated with (L1, L2, mu) = (1, 0.75, 0.5), with noise of 2 % of the root mean square of theta1.
entrain simulate double_pendulum.mo --set L1=1,L2=0.75,mu=0.5 --stop 5 --step 0.01 --variables theta1 --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.02 --noise_kind additive --seed 1 -o swing.csv
