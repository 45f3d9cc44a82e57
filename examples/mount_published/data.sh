# The measurements, simulated with the parameters of the paper: without noise, and with 1 % by its formula, x1*(1 + 0.01*r).
entrain simulate mount_published.mo --set dH2=2e-9,cE1=123,cE2=2.5,dE=5e-3 --stop 5 --step 0.001 --variables x1 --rel_tol 1e-12 --abs_tol 1e-14 -o sweep.csv
entrain simulate mount_published.mo --set dH2=2e-9,cE1=123,cE2=2.5,dE=5e-3 --stop 5 --step 0.001 --variables x1 --noise 0.01 --noise_kind proportional --seed 1 -o sweep_noisy.csv
