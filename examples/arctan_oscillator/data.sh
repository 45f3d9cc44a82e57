# The measurements, simulated with k = 1 and psi = 0.5.
entrain simulate arctan_oscillator.mo --set k=1,psi=0.5 --stop 50 --step 0.1 --variables u --rel_tol 1e-12 --abs_tol 1e-14 -o motion.csv
