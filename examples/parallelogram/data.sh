# The measurements, simulated with (m, k, d) = (3, 6, 0.15), with noise of 1 % of the root mean square of each column.
entrain simulate parallelogram.mo --set m=3,k=6,d=0.15 --stop 5 --step 0.01 --variables q1,x --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.01 --noise_kind additive --seed 1 -o shake.csv
