# The measurements: the position, with noise of 5 % of its root mean square.
entrain simulate oscillator.mo --stop 10 --step 0.02 --variables x --noise 0.05 --noise_kind additive --seed 1 -o position.csv
