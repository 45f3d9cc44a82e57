# The measurements, simulated with (c0, mom, m3) = (4530, 0.033, 0.02373), with noise of 1 % of the root mean square of each column.
entrain simulate andrews.mo --set c0=4530,mom=0.033,m3=0.02373 --stop 0.03 --step 0.0001 --variables beta,phi --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.01 --noise_kind additive --seed 1 -o turn.csv
