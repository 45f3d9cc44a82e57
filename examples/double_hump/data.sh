# The measurements, simulated with (alpha, beta, mu) = (1.5, -0.5, 0.1). A quarter of them is the case of 2.5 s.
entrain simulate vanderpol_duffing.mo --set alpha=1.5,beta=-0.5,mu=0.1 --stop 10 --step 0.05 --variables x1 --rel_tol 1e-12 --abs_tol 1e-14 -o motion.csv
