# Case C: the speeds of the four wheels while the car brakes with 4 m/s2, with noise of about 0.3 rad/s.
entrain simulate cars.mo#Cars.Car56 --set pmax=60 --times "$(seq -s, 21.6 0.03 24.6)" --rel_tol 1e-9 --variables corner[1].om,corner[2].om,corner[3].om,corner[4].om --noise 0.006 --noise_kind additive --seed 1 -o wheels.csv
# Case A: the lane change. Inputs of the planar car are the steer angle and the mean speeds of the front and the rear wheels.
entrain simulate cars.mo#Cars.LaneChange --stop 22 --step 0.02 --rel_tol 1e-9 --variables chassis.X,chassis.Y,chassis.psi,dl,wF,wR -o lane_change.csv
