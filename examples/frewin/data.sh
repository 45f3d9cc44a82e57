# The measurements, simulated with (c, d) = (6, 2), (2, 2) and (10, 10), without noise as in the paper.
entrain simulate frewin.mo --set c=6,d=2 --stop 8 --step 0.1 --variables alpha,y --rel_tol 1e-12 --abs_tol 1e-14 -o swing_6_2.csv
entrain simulate frewin.mo --set c=2,d=2 --stop 8 --step 0.1 --variables alpha,y --rel_tol 1e-12 --abs_tol 1e-14 -o swing_2_2.csv
entrain simulate frewin.mo --set c=10,d=10 --stop 8 --step 0.1 --variables alpha,y --rel_tol 1e-12 --abs_tol 1e-14 -o swing_10_10.csv
