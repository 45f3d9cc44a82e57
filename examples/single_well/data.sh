# The measurements, simulated with (alpha, beta, mu) = (0.5, 0.5, 0.1).
entrain simulate vanderpol_duffing.mo --set alpha=0.5,beta=0.5,mu=0.1 --stop 20 --step 0.05 --variables x1 --rel_tol 1e-12 --abs_tol 1e-14 -o motion.csv
