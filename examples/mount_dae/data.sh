# The measurements, simulated with the parameters of the paper, without noise.
entrain simulate mount_dae.mo --set dH2=2e-9,cE1=123,cE2=2.5,dE=5e-3 --stop 5 --step 0.001 --variables x1 --rel_tol 1e-12 --abs_tol 1e-14 -o sweep.csv
entrain simulate mount_dae_published.mo --set dH2=2e-9,cE1=123,cE2=2.5,dE=5e-3 --stop 5 --step 0.001 --variables x1 --rel_tol 1e-12 --abs_tol 1e-14 -o sweep_published.csv
