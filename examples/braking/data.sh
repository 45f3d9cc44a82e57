# The measurements: the speeds of the wheels, with noise of 2 % of the root mean square of each.
entrain simulate braking.mo --stop 2.4 --step 0.006 --variables w1,w2,w3,w4 --noise 0.02 --noise_kind additive --seed 1 -o braking.csv
