# The measurements, simulated with the parameters of the paper.
entrain simulate mr_damper.mo --set c0=50,k0=25,alpha=880,beta=100,gamma=100,A=120,n=2 --stop 1 --step 0.001 --variables F --rel_tol 1e-12 --abs_tol 1e-14 -o force.csv
# The same with the displacement and the speed, for pictures of the hysteresis.
entrain simulate mr_damper.mo --set c0=50,k0=25,alpha=880,beta=100,gamma=100,A=120,n=2 --stop 1 --step 0.0025 --variables F,x,v --rel_tol 1e-12 --abs_tol 1e-14 -o hysteresis.csv
