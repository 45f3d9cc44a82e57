# The lane change of the car with 14 degrees of freedom. Inputs of the planar car are the steer angle and the mean speeds of the
# front and the rear wheels. The published study stores a row every millisecond; every 20 ms the objective per row is the same
# to a quarter of a percent.
entrain simulate ../vehicles/cars.mo#Cars.LaneChange --stop 22 --step 0.02 --rel_tol 1e-9 --variables "chassis.X,chassis.Y,chassis.psi,dl,wF,wR,chassis.vxg,der(chassis.psi)" -o lane_change.csv
