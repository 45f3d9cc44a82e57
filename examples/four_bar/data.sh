# The measurements, simulated with (m2, k, d) = (0.5, 1, 0.3), with noise of 1 % of the root mean square of each column.
entrain simulate four_bar.mo --set m2=0.5,k=1,d=0.3 --stop 3 --step 0.01 --variables phi1,phi2,phi3 --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.01 --noise_kind additive --seed 1 -o wipe.csv
