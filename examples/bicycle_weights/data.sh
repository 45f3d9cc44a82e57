# The car with 14 degrees of freedom at 80 km/h: a sine with dwell, then a circle. Angle of the steering wheel, sideslip and yaw
# rate every 10 ms, with eight decimals.
entrain simulate ../vehicles/cars.mo#Cars.SineWithDwell --stop 105 --step 0.01 --rel_tol 1e-9 --variables 'usw,chassis.beta,der(chassis.psi)' |
  awk -F, 'NR == 1 { print "time,u,alpha,psid"; next } { printf "%.2f,%.10g,%.8f,%.8f\n", $1, $2, $3, $4 }' | sed 's/-0\.00000000/0.00000000/g; s/0\.00000000/0/g' >manoeuvres.csv
