# The measurements, simulated with (c, d) = (6, 2), with noise of 1 % of the root mean square of each column.
entrain simulate frewin_correct.mo --set c=6,d=2 --stop 8 --step 0.1 --variables alpha,y,lam --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.01 --noise_kind additive --seed 1 -o swing.csv
