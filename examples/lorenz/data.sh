# The measurements, simulated with (sigma, rho, beta) = (10, 28, 8/3), with noise of 5 % of the root mean square of x.
entrain simulate lorenz.mo --set sigma=10,rho=28,beta=8/3 --stop 20 --step 0.02 --variables x --rel_tol 1e-12 --abs_tol 1e-14 --noise 0.05 --noise_kind additive --seed 1 -o convection.csv
