# The speeds of the four wheels while the car brakes with 2, 4 and 10 m/s2: w1 to w4 as simulated, om1 to om4 with normal noise
# of 1.61, 0.30 and 1.61 rad/s; p1 to p4 are the pressures of the brakes. The noise is the same for all, from a congruential generator that anybody can write again.
uniform() { # 4008 whole numbers below 2^53
  s=20000501 i=0
  while [ $i -lt 4008 ]; do
    s=$((s*6364136223846793005 + 1442695040888963407)) i=$((i + 1))
    echo $(((s >> 11) & 9007199254740991))
  done
}
uniform | awk '{ u = ($1 + 0.5)/9007199254740992 } NR % 2 { first = u; next } { print sqrt(-2*log(first))*cos(2*atan2(0, -1)*u) }' OFMT=%.12g >noise
brake() { # brake FILE PRESSURE SIGMA
  entrain simulate ../vehicles/cars.mo#Cars.Car56 --set pmax="$2" --times "$(seq -s, 21.6 0.006 24.6)" --rel_tol 1e-9 --variables 'corner[1].om,corner[2].om,corner[3].om,corner[4].om,brake[1].p,brake[2].p,brake[3].p,brake[4].p' |
    awk -F, -v sigma="$3" 'BEGIN { while ((getline g <"noise") > 0) noise[n++] = g }
      NR == 1 { print "time,om1,om2,om3,om4,w1,w2,w3,w4,p1,p2,p3,p4"; next }
      { printf "%s", $1
        for (i = 2; i <= 5; i++) printf ",%.8g", $i + sigma*noise[k++]
        for (i = 2; i <= 5; i++) printf ",%.8g", $i
        for (i = 6; i <= 9; i++) printf ",%.6g", $i
        print "" }' >"$1"
}
brake c1.csv 30 1.61
brake c2.csv 60 0.30
brake c3.csv 140 1.61
rm noise
