# The measurements, simulated with (m3, k, d) = (0.8, 320, 2), with noise of 1 % of the root mean square of each column.
entrain simulate slider_crank.mo --set m3=0.8,k=320,d=2 --stop 3 --step 0.01 --variables phi1,x3,a3 --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.01 --noise_kind additive --seed 1 -o swing.csv
