within ;
package Entrain "Parts of mechanical systems and vehicles"
  package Units "Real numbers with units"
    type Length = Real(unit = "m");
    type Angle = Real(unit = "rad");
    type Velocity = Real(unit = "m/s");
    type AngularVelocity = Real(unit = "rad/s");
    type Acceleration = Real(unit = "m/s2");
    type AngularAcceleration = Real(unit = "rad/s2");
    type Mass = Real(unit = "kg", min = 0);
    type Inertia = Real(unit = "kg.m2", min = 0);
    type ProductOfInertia = Real(unit = "kg.m2");
    type Force = Real(unit = "N");
    type Torque = Real(unit = "N.m");
    type Stiffness = Real(unit = "N/m", min = 0);
    type AngularStiffness = Real(unit = "N.m/rad", min = 0);
    type CubicStiffness = Real(unit = "N/m3");
    type CubicAngularStiffness = Real(unit = "N.m/rad3");
    type Damping = Real(unit = "N.s/m", min = 0);
    type AngularDamping = Real(unit = "N.m.s/rad", min = 0);
    type Time = Real(unit = "s");
    type Frequency = Real(unit = "Hz");
    type Pressure = Real(unit = "bar");
  end Units;

  package Translational "Masses on a line: springs, dampers, friction"
    connector Flange "A point of a line: equal positions, forces in balance"
      Units.Length s "Position";
      flow Units.Force f "Force on the part";
    end Flange;

    partial model TwoFlanges "A part with two ends"
      Flange a "Left end";
      Flange b "Right end";
    end TwoFlanges;

    partial model Compliant "A massless part: one force, positive when it is pulled"
      extends TwoFlanges;
      Units.Length s_rel "Distance from a to b";
      Units.Force f "Force that pulls a and b together";
    equation
      s_rel = b.s - a.s;
      b.f = f;
      a.f = -f;
    end Compliant;

    partial model Sliding "A massless part whose force depends on a speed"
      extends Compliant;
      Units.Velocity v_rel "Speed of b seen from a";
    equation
      v_rel = der(s_rel);
    end Sliding;

    model Mass "A mass that slides without friction"
      extends TwoFlanges;
      parameter Units.Mass m = 1 "Mass";
      Units.Length s(start = 0) "Position";
      Units.Velocity v(start = 0) "Speed";
    equation
      a.s = s;
      b.s = s;
      der(s) = v;
      m*der(v) = a.f + b.f;
    end Mass;

    model Fixed "A point of the ground"
      parameter Units.Length s0 = 0 "Position";
      Flange a;
    equation
      a.s = s0;
    end Fixed;

    model Spring "A linear spring"
      extends Compliant;
      parameter Units.Stiffness c = 1 "Stiffness";
      parameter Units.Length s_rel0 = 0 "Length without force";
    equation
      f = c*(s_rel - s_rel0);
    end Spring;

    model CubicSpring "A spring with a linear and a cubic term"
      extends Compliant;
      parameter Units.Stiffness c = 1 "Stiffness at the length without force";
      parameter Units.CubicStiffness c3 = 0 "Cubic stiffness";
      parameter Units.Length s_rel0 = 0 "Length without force";
    equation
      f = c*(s_rel - s_rel0) + c3*(s_rel - s_rel0)^3;
    end CubicSpring;

    model Damper "A linear damper"
      extends Sliding;
      parameter Units.Damping d = 1 "Damping";
    equation
      f = d*v_rel;
    end Damper;

    model SpringDamper "A linear spring and a linear damper side by side"
      extends Sliding;
      parameter Units.Stiffness c = 1 "Stiffness";
      parameter Units.Damping d = 0 "Damping";
      parameter Units.Length s_rel0 = 0 "Length without force";
    equation
      f = c*(s_rel - s_rel0) + d*v_rel;
    end SpringDamper;

    model Backlash "A gap between two elastic stops, which push and never pull"
      extends Sliding;
      parameter Units.Stiffness c = 1e5 "Stiffness of a stop";
      parameter Units.Damping d = 0 "Damping of a stop";
      parameter Units.Length gap(min = 0) = 0.001 "Width of the gap";
      parameter Units.Length s_rel0 = 0 "Distance in the middle of the gap";
    protected
      Units.Length x "Distance from the middle of the gap";
    equation
      x = s_rel - s_rel0;
      f = if x > gap/2 then max(0, c*(x - gap/2) + d*v_rel)
        elseif x < -gap/2 then min(0, c*(x + gap/2) + d*v_rel) else 0;
    end Backlash;

    model Lever "A lever without mass: a moves ratio times as far as b"
      extends TwoFlanges;
      parameter Real ratio(unit = "1") = 1 "Position of a over position of b";
    equation
      a.s = ratio*b.s;
      ratio*a.f + b.f = 0;
    end Lever;

    model Force "A given force on b"
      Flange b;
      input Units.Force f "Force";
    equation
      b.f = -f;
    end Force;

    model Force2 "A given force between a and b, which pulls them together"
      extends TwoFlanges;
      input Units.Force f "Force";
    equation
      b.f = f;
      a.f = -f;
    end Force2;

    model Position "A given position of b; its second derivative must exist where b has a mass"
      Flange b;
      input Units.Length s "Position";
    equation
      b.s = s;
    end Position;

    model Speed "A given speed of b"
      parameter Units.Length s0 = 0 "Position at the start";
      Flange b;
      input Units.Velocity v "Speed";
    protected
      Units.Length s(start = s0, fixed = true) "Position";
    equation
      der(s) = v;
      b.s = s;
    end Speed;

    model PositionSensor "Measures a position"
      Flange a;
      output Units.Length s "Position";
    equation
      s = a.s;
      a.f = 0;
    end PositionSensor;

    model SpeedSensor "Measures a speed"
      Flange a;
      output Units.Velocity v "Speed";
    equation
      v = der(a.s);
      a.f = 0;
    end SpeedSensor;

    model RelativeSensor "Measures the distance from a to b"
      extends TwoFlanges;
      output Units.Length s_rel "Distance";
    equation
      s_rel = b.s - a.s;
      a.f = 0;
      b.f = 0;
    end RelativeSensor;

    model ForceSensor "Measures the force between a and b, which move together"
      extends TwoFlanges;
      output Units.Force f "Force, positive when it pulls";
    equation
      a.s = b.s;
      b.f = f;
      a.f = -f;
    end ForceSensor;

    model CoulombFriction "Dry friction, smooth near rest"
      extends Sliding;
      parameter Units.Force Fc(min = 0) = 1 "Force of sliding";
      parameter Units.Damping d = 0 "Viscous damping";
      parameter Units.Velocity v0(min = 0) = 1e-3 "Speed at which the force has 76 % of its size";
    equation
      f = Fc*tanh(v_rel/v0) + d*v_rel;
    end CoulombFriction;

    model StribeckFriction "Friction that falls from Fs at rest to Fc at high speed, smooth near rest (Stribeck 1902)"
      extends Sliding;
      parameter Units.Force Fc(min = 0) = 1 "Force of sliding";
      parameter Units.Force Fs(min = 0) = 1.5 "Largest force near rest";
      parameter Units.Velocity vs(min = 0) = 0.01 "Stribeck speed";
      parameter Units.Damping d = 0 "Viscous damping";
      parameter Units.Velocity v0(min = 0) = 1e-3 "Speed at which friction has 76 % of its size";
    equation
      f = (Fc + (Fs - Fc)*exp(-(v_rel/vs)^2))*tanh(v_rel/v0) + d*v_rel;
    end StribeckFriction;

    model DryFriction "Dry friction that holds: sign(v), falls from Fs at rest to Fc at high speed (Stribeck 1902)"
      extends Sliding;
      parameter Units.Force Fc(min = 0) = 1 "Force of sliding";
      parameter Units.Force Fs(min = 0) = Fc "Largest force of sticking";
      parameter Units.Velocity vs(min = 0) = 0.01 "Stribeck speed";
      parameter Units.Damping d = 0 "Viscous damping";
    equation
      f = (Fc + (Fs - Fc)*exp(-(v_rel/vs)^2))*sign(v_rel) + d*v_rel;
    end DryFriction;

    model StickFriction "Dry friction that holds exactly: sticks until the force exceeds Fs, then slides with Fc"
      extends Sliding;
      parameter Units.Force Fc(min = 0) = 1 "Force of sliding";
      parameter Units.Force Fs(min = 0) = 1.5 "Largest force of sticking";
      parameter Units.Damping d = 0 "Viscous damping";
      parameter Units.Velocity v_small(min = 0) = 1e-9 "Speed that counts as rest";
      constant Units.Mass unit_mass = 1;
      Integer mode(start = 0, fixed = true) "0 sticks, 1 slides forward, -1 backward";
      Boolean moving(start = false, fixed = true) "Has left the state of rest";
      Units.Acceleration a_rel "Relative acceleration";
    equation
      a_rel = der(v_rel);
      0 = if pre(mode) == 0 then unit_mass*a_rel else f - (pre(mode)*Fc + d*v_rel);
      moving = pre(mode) <> 0 and (pre(moving) or pre(mode)*v_rel > v_small);
      mode = if pre(mode) == 0 then (if f > Fs or v_rel > 2*v_small then 1
        elseif f < -Fs or v_rel < -2*v_small then -1 else 0)
        elseif pre(moving) and pre(mode)*v_rel < 0 or pre(mode)*v_rel < -v_small then 0 else pre(mode);
    end StickFriction;

    model Dahl "Friction as of elastic bristles that yield (Dahl 1968)"
      extends Sliding;
      parameter Units.Stiffness sigma0 = 1e4 "Stiffness at rest";
      parameter Units.Force Fc(min = 0) = 1 "Force of sliding";
      Units.Length z(start = 0, fixed = true) "Deflection of the bristles";
    equation
      der(z) = v_rel - sigma0*abs(v_rel)/Fc*z;
      f = sigma0*z;
    end Dahl;

    model LuGre "Friction as of bristles that bend, slip and are damped (Canudas de Wit and others 1995)"
      extends Sliding;
      parameter Units.Stiffness sigma0 = 1e5 "Stiffness of the bristles";
      parameter Units.Damping sigma1 = 300 "Damping of the bristles";
      parameter Units.Damping sigma2 = 0.4 "Viscous damping";
      parameter Units.Force Fc(min = 0) = 1 "Force of slow sliding";
      parameter Units.Force Fs(min = 0) = 1.5 "Largest force of sticking";
      parameter Units.Velocity vs(min = 0) = 0.001 "Stribeck speed";
      Units.Length z(start = 0, fixed = true) "Deflection of the bristles";
      Units.Force g "Force of sliding at this speed";
    equation
      g = Fc + (Fs - Fc)*exp(-(v_rel/vs)^2);
      der(z) = v_rel - sigma0*abs(v_rel)/g*z;
      f = sigma0*z + sigma1*der(z) + sigma2*v_rel;
    end LuGre;

    model BoucWen "A spring with hysteresis (Bouc 1967, Wen 1976)"
      extends Sliding;
      parameter Units.Stiffness c = 1 "Stiffness of small motions";
      parameter Real alpha(unit = "1", min = 0, max = 1) = 0.1 "Share that stays elastic";
      parameter Units.Damping d = 0 "Viscous damping";
      parameter Units.Length zy(min = 0) = 1 "Deflection of yielding, where beta + gamma = 1";
      parameter Real beta(unit = "1") = 0.5 "Shape of the loop";
      parameter Real gamma(unit = "1") = 0.5 "Shape of the loop";
      parameter Real n(unit = "1", min = 1) = 1 "Sharpness of yielding";
      Units.Length z(start = 0, fixed = true) "Deflection that yields";
    equation
      der(z) = v_rel - (beta*abs(v_rel)*z/zy*abs(z/zy)^(n - 1) + gamma*v_rel*abs(z/zy)^n);
      f = alpha*c*s_rel + (1 - alpha)*c*z + d*v_rel;
    end BoucWen;
  end Translational;

  package Rotational "Bodies that turn about one axis: springs, dampers, gears, friction"
    connector Flange "An end of a shaft: equal angles, torques in balance"
      Units.Angle phi "Angle";
      flow Units.Torque tau "Torque on the part";
    end Flange;

    partial model TwoFlanges "A part with two ends"
      Flange a "First end";
      Flange b "Second end";
    end TwoFlanges;

    partial model Compliant "A part without inertia: one torque, positive when b is turned forward"
      extends TwoFlanges;
      Units.Angle phi_rel "Angle from a to b";
      Units.Torque tau "Torque against turning b forward";
    equation
      phi_rel = b.phi - a.phi;
      b.tau = tau;
      a.tau = -tau;
    end Compliant;

    partial model Sliding "A part without inertia whose torque depends on a speed"
      extends Compliant;
      Units.AngularVelocity w_rel "Speed of b seen from a";
    equation
      w_rel = der(phi_rel);
    end Sliding;

    model Inertia "A body that turns without friction"
      extends TwoFlanges;
      parameter Units.Inertia J = 1 "Moment of inertia";
      Units.Angle phi(start = 0) "Angle";
      Units.AngularVelocity w(start = 0) "Speed";
    equation
      a.phi = phi;
      b.phi = phi;
      der(phi) = w;
      J*der(w) = a.tau + b.tau;
    end Inertia;

    model Fixed "A fixed end"
      parameter Units.Angle phi0 = 0 "Angle";
      Flange a;
    equation
      a.phi = phi0;
    end Fixed;

    model Spring "A linear spring"
      extends Compliant;
      parameter Units.AngularStiffness c = 1 "Stiffness";
      parameter Units.Angle phi_rel0 = 0 "Angle without torque";
    equation
      tau = c*(phi_rel - phi_rel0);
    end Spring;

    model CubicSpring "A spring with a linear and a cubic term"
      extends Compliant;
      parameter Units.AngularStiffness c = 1 "Stiffness at the angle without torque";
      parameter Units.CubicAngularStiffness c3 = 0 "Cubic stiffness";
      parameter Units.Angle phi_rel0 = 0 "Angle without torque";
    equation
      tau = c*(phi_rel - phi_rel0) + c3*(phi_rel - phi_rel0)^3;
    end CubicSpring;

    model Damper "A linear damper"
      extends Sliding;
      parameter Units.AngularDamping d = 1 "Damping";
    equation
      tau = d*w_rel;
    end Damper;

    model SpringDamper "A linear spring and a linear damper side by side"
      extends Sliding;
      parameter Units.AngularStiffness c = 1 "Stiffness";
      parameter Units.AngularDamping d = 0 "Damping";
      parameter Units.Angle phi_rel0 = 0 "Angle without torque";
    equation
      tau = c*(phi_rel - phi_rel0) + d*w_rel;
    end SpringDamper;

    model Backlash "A gap between two elastic stops, which push and never pull"
      extends Sliding;
      parameter Units.AngularStiffness c = 1e5 "Stiffness of a stop";
      parameter Units.AngularDamping d = 0 "Damping of a stop";
      parameter Units.Angle gap(min = 0) = 0.01 "Width of the gap";
      parameter Units.Angle phi_rel0 = 0 "Angle in the middle of the gap";
    protected
      Units.Angle x "Angle from the middle of the gap";
    equation
      x = phi_rel - phi_rel0;
      tau = if x > gap/2 then max(0, c*(x - gap/2) + d*w_rel)
        elseif x < -gap/2 then min(0, c*(x + gap/2) + d*w_rel) else 0;
    end Backlash;

    model Gear "A gear without inertia: a turns ratio times as far as b"
      extends TwoFlanges;
      parameter Real ratio(unit = "1") = 1 "Angle of a over angle of b";
    equation
      a.phi = ratio*b.phi;
      ratio*a.tau + b.tau = 0;
    end Gear;

    model Torque "A given torque on b"
      Flange b;
      input Units.Torque tau "Torque";
    equation
      b.tau = -tau;
    end Torque;

    model Torque2 "A given torque between a and b, which turns b back and a forward"
      extends TwoFlanges;
      input Units.Torque tau "Torque";
    equation
      b.tau = tau;
      a.tau = -tau;
    end Torque2;

    model Angle "A given angle of b; its second derivative must exist where b has an inertia"
      Flange b;
      input Units.Angle phi "Angle";
    equation
      b.phi = phi;
    end Angle;

    model Speed "A given speed of b"
      parameter Units.Angle phi0 = 0 "Angle at the start";
      Flange b;
      input Units.AngularVelocity w "Speed";
    protected
      Units.Angle phi(start = phi0, fixed = true) "Angle";
    equation
      der(phi) = w;
      b.phi = phi;
    end Speed;

    model AngleSensor "Measures an angle"
      Flange a;
      output Units.Angle phi "Angle";
    equation
      phi = a.phi;
      a.tau = 0;
    end AngleSensor;

    model SpeedSensor "Measures a speed"
      Flange a;
      output Units.AngularVelocity w "Speed";
    equation
      w = der(a.phi);
      a.tau = 0;
    end SpeedSensor;

    model RelativeSensor "Measures the angle from a to b"
      extends TwoFlanges;
      output Units.Angle phi_rel "Angle";
    equation
      phi_rel = b.phi - a.phi;
      a.tau = 0;
      b.tau = 0;
    end RelativeSensor;

    model TorqueSensor "Measures the torque between a and b, which turn together"
      extends TwoFlanges;
      output Units.Torque tau "Torque, positive when it turns b forward";
    equation
      a.phi = b.phi;
      b.tau = tau;
      a.tau = -tau;
    end TorqueSensor;

    model CoulombFriction "Dry friction, smooth near rest"
      extends Sliding;
      parameter Units.Torque Tc(min = 0) = 1 "Torque of sliding";
      parameter Units.AngularDamping d = 0 "Viscous damping";
      parameter Units.AngularVelocity w0(min = 0) = 1e-3 "Speed at which the torque has 76 % of its size";
    equation
      tau = Tc*tanh(w_rel/w0) + d*w_rel;
    end CoulombFriction;

    model StribeckFriction "Friction that falls from Ts at rest to Tc at high speed, smooth near rest (Stribeck 1902)"
      extends Sliding;
      parameter Units.Torque Tc(min = 0) = 1 "Torque of sliding";
      parameter Units.Torque Ts(min = 0) = 1.5 "Largest torque near rest";
      parameter Units.AngularVelocity ws(min = 0) = 0.01 "Stribeck speed";
      parameter Units.AngularDamping d = 0 "Viscous damping";
      parameter Units.AngularVelocity w0(min = 0) = 1e-3 "Speed at which friction has 76 % of its size";
    equation
      tau = (Tc + (Ts - Tc)*exp(-(w_rel/ws)^2))*tanh(w_rel/w0) + d*w_rel;
    end StribeckFriction;

    model DryFriction "Dry friction that holds: sign(w), falls from Ts at rest to Tc at high speed (Stribeck 1902)"
      extends Sliding;
      parameter Units.Torque Tc(min = 0) = 1 "Torque of sliding";
      parameter Units.Torque Ts(min = 0) = Tc "Largest torque of sticking";
      parameter Units.AngularVelocity ws(min = 0) = 0.01 "Stribeck speed";
      parameter Units.AngularDamping d = 0 "Viscous damping";
    equation
      tau = (Tc + (Ts - Tc)*exp(-(w_rel/ws)^2))*sign(w_rel) + d*w_rel;
    end DryFriction;

    model StickFriction "Dry friction that holds exactly: sticks until the torque exceeds Ts, then slides with Tc"
      extends Sliding;
      parameter Units.Torque Tc(min = 0) = 1 "Torque of sliding";
      parameter Units.Torque Ts(min = 0) = 1.5 "Largest torque of sticking";
      parameter Units.AngularDamping d = 0 "Viscous damping";
      parameter Units.AngularVelocity w_small(min = 0) = 1e-9 "Speed that counts as rest";
      constant Units.Inertia unit_inertia = 1;
      Integer mode(start = 0, fixed = true) "0 sticks, 1 turns forward, -1 backward";
      Boolean moving(start = false, fixed = true) "Has left the state of rest";
      Units.AngularAcceleration a_rel "Relative acceleration";
    equation
      a_rel = der(w_rel);
      0 = if pre(mode) == 0 then unit_inertia*a_rel else tau - (pre(mode)*Tc + d*w_rel);
      moving = pre(mode) <> 0 and (pre(moving) or pre(mode)*w_rel > w_small);
      mode = if pre(mode) == 0 then (if tau > Ts or w_rel > 2*w_small then 1
        elseif tau < -Ts or w_rel < -2*w_small then -1 else 0)
        elseif pre(moving) and pre(mode)*w_rel < 0 or pre(mode)*w_rel < -w_small then 0 else pre(mode);
    end StickFriction;

    model Dahl "Friction as of elastic bristles that yield (Dahl 1968)"
      extends Sliding;
      parameter Units.AngularStiffness sigma0 = 1e4 "Stiffness at rest";
      parameter Units.Torque Tc(min = 0) = 1 "Torque of sliding";
      Units.Angle z(start = 0, fixed = true) "Deflection of the bristles";
    equation
      der(z) = w_rel - sigma0*abs(w_rel)/Tc*z;
      tau = sigma0*z;
    end Dahl;

    model LuGre "Friction as of bristles that bend, slip and are damped (Canudas de Wit and others 1995)"
      extends Sliding;
      parameter Units.AngularStiffness sigma0 = 1e5 "Stiffness of the bristles";
      parameter Units.AngularDamping sigma1 = 300 "Damping of the bristles";
      parameter Units.AngularDamping sigma2 = 0.4 "Viscous damping";
      parameter Units.Torque Tc(min = 0) = 1 "Torque of slow sliding";
      parameter Units.Torque Ts(min = 0) = 1.5 "Largest torque of sticking";
      parameter Units.AngularVelocity ws(min = 0) = 0.001 "Stribeck speed";
      Units.Angle z(start = 0, fixed = true) "Deflection of the bristles";
      Units.Torque g "Torque of sliding at this speed";
    equation
      g = Tc + (Ts - Tc)*exp(-(w_rel/ws)^2);
      der(z) = w_rel - sigma0*abs(w_rel)/g*z;
      tau = sigma0*z + sigma1*der(z) + sigma2*w_rel;
    end LuGre;

    model BoucWen "A spring with hysteresis (Bouc 1967, Wen 1976)"
      extends Sliding;
      parameter Units.AngularStiffness c = 1 "Stiffness of small motions";
      parameter Real alpha(unit = "1", min = 0, max = 1) = 0.1 "Share that stays elastic";
      parameter Units.AngularDamping d = 0 "Viscous damping";
      parameter Units.Angle zy(min = 0) = 1 "Deflection of yielding, where beta + gamma = 1";
      parameter Real beta(unit = "1") = 0.5 "Shape of the loop";
      parameter Real gamma(unit = "1") = 0.5 "Shape of the loop";
      parameter Real n(unit = "1", min = 1) = 1 "Sharpness of yielding";
      Units.Angle z(start = 0, fixed = true) "Deflection that yields";
    equation
      der(z) = w_rel - (beta*abs(w_rel)*z/zy*abs(z/zy)^(n - 1) + gamma*w_rel*abs(z/zy)^n);
      tau = alpha*c*phi_rel + (1 - alpha)*c*z + d*w_rel;
    end BoucWen;

    model RackAndPinion "A pinion that moves a rack"
      parameter Units.Length r = 0.01 "Radius of the pinion";
      Flange a "The pinion";
      Translational.Flange b "The rack";
    equation
      b.s = r*a.phi;
      a.tau + r*b.f = 0;
    end RackAndPinion;
  end Rotational;

  package Tables "Functions of tables"
    function linear "Lines between the points; a break point that occurs twice is a jump"
      input Real u "Where";
      input Real x[:] "Break points, rising";
      input Real y[size(x, 1)] "Values at the break points";
      input Integer extrapolation = 1 "Beyond the table: 1 the last value, 2 the last line, 3 the period, 4 an error";
      output Real r;
      external "entrain";
    end linear;

    function hold "The value of the point to the left"
      input Real u "Where";
      input Real x[:] "Break points, rising";
      input Real y[size(x, 1)] "Values from the break points on";
      input Integer extrapolation = 1 "Beyond the table: 1 the last value, 2 the last line, 3 the period, 4 an error";
      output Real r;
      external "entrain";
    end hold;

    function spline "Akima's spline through the points: a continuous slope and little overshoot"
      input Real u "Where";
      input Real x[:] "Break points, rising";
      input Real y[size(x, 1)] "Values at the break points";
      input Integer extrapolation = 1 "Beyond the table: 1 the last value, 2 the last line, 3 the period, 4 an error";
      output Real r;
      external "entrain";
    end spline;

    function makima "Akima's spline in its modified form: flat stretches stay flat"
      input Real u "Where";
      input Real x[:] "Break points, rising";
      input Real y[size(x, 1)] "Values at the break points";
      input Integer extrapolation = 1 "Beyond the table: 1 the last value, 2 the last line, 3 the period, 4 an error";
      output Real r;
      external "entrain";
    end makima;

    function monotone "A spline that rises and falls with the points (Fritsch and Butland)"
      input Real u "Where";
      input Real x[:] "Break points, rising";
      input Real y[size(x, 1)] "Values at the break points";
      input Integer extrapolation = 1 "Beyond the table: 1 the last value, 2 the last line, 3 the period, 4 an error";
      output Real r;
      external "entrain";
    end monotone;

    function monotone2 "A spline that rises and falls with the points (Steffen)"
      input Real u "Where";
      input Real x[:] "Break points, rising";
      input Real y[size(x, 1)] "Values at the break points";
      input Integer extrapolation = 1 "Beyond the table: 1 the last value, 2 the last line, 3 the period, 4 an error";
      output Real r;
      external "entrain";
    end monotone2;

    function linear2 "Bilinear between the points of a grid"
      input Real u "Where along x";
      input Real v "Where along y";
      input Real x[:] "Break points, rising";
      input Real y[:] "Break points, rising";
      input Real z[size(x, 1), size(y, 1)] "Values: a row for each x";
      input Integer extrapolation = 2 "Beyond the table: 1 the last value, 2 the last plane, 4 an error";
      output Real r;
      external "entrain";
    end linear2;
  end Tables;

  package Blocks "Signals: sources and transfer functions"
    partial block Source "A signal"
      output Real y "Signal";
    end Source;

    partial block Transfer "From one signal to another"
      input Real u "Input";
      output Real y "Output";
    end Transfer;

    block Constant "A constant"
      extends Source;
      parameter Real k = 1 "Value";
    equation
      y = k;
    end Constant;

    block Sine "A sine that begins at a time"
      extends Source;
      parameter Real amplitude = 1 "Amplitude";
      parameter Units.Frequency f = 1 "Frequency";
      parameter Units.Angle phase = 0 "Phase";
      parameter Real offset = 0 "Mean value";
      parameter Units.Time start = 0 "Begin; the signal is the offset before";
    equation
      y = offset + (if time < start then 0 else amplitude*sin(2*Modelica.Constants.pi*f*(time - start) + phase));
    end Sine;

    block Ramp "A line between two constants"
      extends Source;
      parameter Real height = 1 "Rise";
      parameter Units.Time duration(min = 0) = 1 "Duration of the rise";
      parameter Real offset = 0 "Value before";
      parameter Units.Time start = 0 "Begin";
    equation
      y = offset + (if time < start then 0 elseif time < start + duration then (time - start)*height/duration else height);
    end Ramp;

    block Step "A step"
      extends Source;
      parameter Real height = 1 "Height";
      parameter Real offset = 0 "Value before";
      parameter Units.Time start = 0 "Time of the step";
    equation
      y = offset + (if time < start then 0 else height);
    end Step;

    block Pulse "Rectangles without end"
      extends Source;
      parameter Real amplitude = 1 "Height";
      parameter Units.Time period(min = 0) = 1 "Period";
      parameter Real width(unit = "1", min = 0, max = 1) = 0.5 "Share of the period with the height";
      parameter Real offset = 0 "Value between";
      parameter Units.Time start = 0 "Begin";
    equation
      y = offset + (if time >= start and mod(time - start, period) < width*period then amplitude else 0);
    end Pulse;

    block TimeTable "Lines between points in time"
      extends Source;
      parameter Units.Time t[:] = {0, 1} "Times";
      parameter Real values[size(t, 1)] = {0, 1} "Values at these times";
      parameter Integer extrapolation = 1 "As in Tables.linear";
    equation
      y = Tables.linear(time, t, values, extrapolation);
    end TimeTable;

    block Table "Lines between points"
      extends Transfer;
      parameter Real x[:] = {0, 1} "Break points of u";
      parameter Real values[size(x, 1)] = {0, 1} "Values";
      parameter Integer extrapolation = 1 "As in Tables.linear";
    equation
      y = Tables.linear(u, x, values, extrapolation);
    end Table;

    block Gain "A factor"
      extends Transfer;
      parameter Real k = 1 "Factor";
    equation
      y = k*u;
    end Gain;

    block Add "The sum of two signals with factors"
      parameter Real k1 = 1 "Factor of u1";
      parameter Real k2 = 1 "Factor of u2; -1 for a difference";
      input Real u1 "First input";
      input Real u2 "Second input";
      output Real y "Output";
    equation
      y = k1*u1 + k2*u2;
    end Add;

    block Limiter "Keeps a signal between limits"
      extends Transfer;
      parameter Real low = -1 "Lower limit";
      parameter Real high = 1 "Upper limit";
    equation
      y = max(low, min(high, u));
    end Limiter;

    block Integrator "k/s"
      extends Transfer(y(start = 0, fixed = true));
      parameter Real k(unit = "1/s") = 1 "Gain";
    equation
      der(y) = k*u;
    end Integrator;

    block FirstOrder "k/(T*s + 1)"
      extends Transfer(y(start = 0, fixed = true));
      parameter Real k = 1 "Gain";
      parameter Units.Time T(min = 0) = 1 "Time constant";
    equation
      der(y) = (k*u - y)/T;
    end FirstOrder;

    block SecondOrder "k/((s/w)^2 + 2*zeta*s/w + 1)"
      extends Transfer(y(start = 0, fixed = true));
      parameter Real k = 1 "Gain";
      parameter Units.AngularVelocity w(min = 0) = 1 "Natural frequency";
      parameter Real zeta(unit = "1", min = 0) = 0.7 "Damping ratio";
      Real yd(start = 0, fixed = true) "Derivative of y";
    equation
      der(y) = yd;
      der(yd) = w^2*(k*u - y) - 2*zeta*w*yd;
    end SecondOrder;

    block PID "k*(1 + 1/(Ti*s) + Td*s/(Td/N*s + 1))"
      extends Transfer;
      parameter Real k = 1 "Gain";
      parameter Units.Time Ti(min = 0) = 0.5 "Time of the integral part";
      parameter Units.Time Td(min = 0) = 0.1 "Time of the derivative part";
      parameter Real N(unit = "1", min = 1) = 10 "The derivative is filtered with Td/N";
      Real xi(start = 0, fixed = true) "State of the integral part";
      Real xd(start = 0, fixed = true) "State of the derivative part";
    equation
      der(xi) = u/Ti;
      der(xd) = (u - xd)*N/Td;
      y = k*(u + xi + N*(u - xd));
    end PID;

    block PadeDelay "Delays a signal: Pade's approximation, all-pass of order 1 to 3"
      extends Transfer;
      parameter Units.Time delay(min = 0) = 0.1 "Delay";
      parameter Integer order(min = 1, max = 3) = 2 "Order";
      Real x[order] "States";
    protected
      final parameter Real c[4] = if order == 1 then {1, 1/2, 0, 0} elseif order == 2 then {1, 1/2, 1/12, 0}
        else {1, 1/2, 1/10, 1/120} "Coefficients of the powers of delay*s";
      Real xn "delay*der(x[order])";
    initial equation
      x[1] = u;
      for i in 2:order loop
        x[i] = 0;
      end for;
    equation
      for i in 1:order - 1 loop
        delay*der(x[i]) = x[i + 1];
      end for;
      delay*der(x[order]) = xn;
      u = sum(c[i]*x[i] for i in 1:order) + c[order + 1]*xn;
      y = sum((-1)^(i - 1)*c[i]*x[i] for i in 1:order) + (-1)^order*c[order + 1]*xn;
    end PadeDelay;
  end Blocks;

  package Vehicle "Cars: body, wheels, tyres, drive train, brakes, steering"
    // ISO 8855: x forward, y left, z up; yaw psi, pitch theta (positive nose down), roll phi (positive right side down).

    connector Carrier "A body with parts on it: gives its motion, takes their loads; vectors in body axes"
      output Real R[3, 3](each unit = "1") "From body axes to inertial axes";
      output Units.Length Z "Height of the centre of mass";
      output Units.Velocity v[3] "Velocity of the centre of mass";
      output Units.AngularVelocity w[3] "Angular velocity";
      Units.Acceleration a[3] "Acceleration of the centre of mass";
      Units.AngularAcceleration alpha[3] "Angular acceleration";
      flow Units.Force f[3] "Force on the part";
      flow Units.Torque t[3] "Torque on the part about the centre of mass of the body";
    end Carrier;

    connector Mount "The other side of a Carrier"
      input Real R[3, 3](each unit = "1") "From body axes to inertial axes";
      input Units.Length Z "Height of the centre of mass";
      input Units.Velocity v[3] "Velocity of the centre of mass";
      input Units.AngularVelocity w[3] "Angular velocity";
      Units.Acceleration a[3] "Acceleration of the centre of mass";
      Units.AngularAcceleration alpha[3] "Angular acceleration";
      flow Units.Force f[3] "Force on the part";
      flow Units.Torque t[3] "Torque on the part about the centre of mass of the body";
    end Mount;

    connector Guide "Fore-aft motion of wheels relative to the body, given by their guide"
      output Units.Length x "Displacement";
      output Units.Velocity v "Speed";
      Units.Acceleration a "Acceleration";
      flow Units.Force f "Force on the part";
    end Guide;

    connector Guided "The other side of a Guide"
      input Units.Length x "Displacement";
      input Units.Velocity v "Speed";
      Units.Acceleration a "Acceleration";
      flow Units.Force f "Force on the part";
    end Guided;

    connector Shaft "An end of a shaft whose angle does not matter"
      Units.AngularVelocity w "Speed";
      flow Units.Torque T "Torque on the part";
    end Shaft;

    model Chassis "A rigid body on the road, six degrees of freedom, air drag"
      parameter Units.Mass m = 1500 "Mass without what is mounted on it";
      parameter Units.Inertia Ixx = 600 "Moment of inertia, roll";
      parameter Units.Inertia Iyy = 2500 "Moment of inertia, pitch";
      parameter Units.Inertia Izz = 2800 "Moment of inertia, yaw";
      parameter Units.ProductOfInertia Ixz = 0 "Product of inertia";
      parameter Units.Length h(min = 0) = 0.55 "Height of the centre of mass at rest";
      parameter Real ca(unit = "N.s2/m2", min = 0) = 0 "Air drag over the square of the speed";
      parameter Units.Acceleration g = 9.81 "Gravity";
      parameter Units.Velocity v0 = 0 "Speed at the start";
      Carrier carrier "Where wheels are mounted";
      Units.Length X(start = 0) "Position forward";
      Units.Length Y(start = 0) "Position to the left";
      Units.Length Z(start = h) "Height";
      Units.Angle phi(start = 0) "Roll";
      Units.Angle theta(start = 0) "Pitch";
      Units.Angle psi(start = 0) "Yaw";
      Units.Velocity u(start = v0) "Speed forward, body axes";
      Units.Velocity v(start = 0) "Speed to the left, body axes";
      Units.Velocity w(start = 0) "Speed up, body axes";
      Units.AngularVelocity p(start = 0) "Roll rate, body axes";
      Units.AngularVelocity q(start = 0) "Pitch rate, body axes";
      Units.AngularVelocity r(start = 0) "Yaw rate, body axes";
      Units.Velocity vxg "Speed forward, in the ground plane";
      Units.Velocity vyg "Speed to the left, in the ground plane";
      Units.Angle beta "Sideslip";
      Units.Acceleration ayg "Acceleration to the left, in the ground plane";
    protected
      Real R[3, 3](each unit = "1") "From body axes to inertial axes";
      Real Hx(unit = "kg.m2/s") "Angular momentum";
      Real Hy(unit = "kg.m2/s") "Angular momentum";
      Real Hz(unit = "kg.m2/s") "Angular momentum";
    equation
      R = {{cos(theta)*cos(psi), sin(phi)*sin(theta)*cos(psi) - cos(phi)*sin(psi),
            cos(phi)*sin(theta)*cos(psi) + sin(phi)*sin(psi)},
           {cos(theta)*sin(psi), sin(phi)*sin(theta)*sin(psi) + cos(phi)*cos(psi),
            cos(phi)*sin(theta)*sin(psi) - sin(phi)*cos(psi)},
           {-sin(theta), sin(phi)*cos(theta), cos(phi)*cos(theta)}};
      carrier.R = R;
      carrier.Z = Z;
      carrier.v = {u, v, w};
      carrier.w = {p, q, r};
      m*carrier.a[1] = carrier.f[1] - m*g*R[3, 1] - ca*u*abs(u);
      m*carrier.a[2] = carrier.f[2] - m*g*R[3, 2];
      m*carrier.a[3] = carrier.f[3] - m*g*R[3, 3];
      Hx = Ixx*p - Ixz*r;
      Hy = Iyy*q;
      Hz = Izz*r - Ixz*p;
      Ixx*carrier.alpha[1] - Ixz*carrier.alpha[3] = carrier.t[1] - (q*Hz - r*Hy);
      Iyy*carrier.alpha[2] = carrier.t[2] - (r*Hx - p*Hz);
      Izz*carrier.alpha[3] - Ixz*carrier.alpha[1] = carrier.t[3] - (p*Hy - q*Hx);
      der(u) = carrier.a[1] - (q*w - r*v);
      der(v) = carrier.a[2] - (r*u - p*w);
      der(w) = carrier.a[3] - (p*v - q*u);
      der(p) = carrier.alpha[1];
      der(q) = carrier.alpha[2];
      der(r) = carrier.alpha[3];
      der(X) = R[1, 1]*u + R[1, 2]*v + R[1, 3]*w;
      der(Y) = R[2, 1]*u + R[2, 2]*v + R[2, 3]*w;
      der(Z) = R[3, 1]*u + R[3, 2]*v + R[3, 3]*w;
      der(phi) = p + (q*sin(phi) + r*cos(phi))*tan(theta);
      der(theta) = q*cos(phi) - r*sin(phi);
      der(psi) = (q*sin(phi) + r*cos(phi))/cos(theta);
      vxg = der(X)*cos(psi) + der(Y)*sin(psi);
      vyg = -der(X)*sin(psi) + der(Y)*cos(psi);
      beta = atan(vyg/vxg);
      ayg = carrier.a[2]*cos(phi) - carrier.a[3]*sin(phi);
    end Chassis;

    function magicFormula "D*sin(C*atan(B*x - E*(B*x - atan(B*x)))) (Pacejka)"
      input Real x "Slip";
      input Real B "Stiffness factor";
      input Real C "Shape factor";
      input Real D "Peak";
      input Real E "Curvature factor";
      output Real y;
    algorithm
      y := D*sin(C*atan(B*x - E*(B*x - atan(B*x))));
    end magicFormula;

    partial model MagicTyre "Slip and steady forces: Magic Formula with load dependence and combined slip, no shifts"
      parameter Units.Length R0 = 0.33 "Unloaded radius, also that of rolling";
      parameter Units.Velocity vlow(min = 0) = 0.1 "Keeps the slip finite at rest";
      parameter Units.Force Fz0 = 5000 "Nominal load";
      parameter Real pCx1(unit = "1") = 1.5 "Shape factor, longitudinal";
      parameter Real pDx1(unit = "1") = 1.1 "Friction, longitudinal";
      parameter Real pDx2(unit = "1") = -0.05 "Its change with load";
      parameter Real pEx1(unit = "1") = 0.3 "Curvature, longitudinal";
      parameter Real pEx2(unit = "1") = 0.1 "Its change with load";
      parameter Real pKx1(unit = "1") = 40 "Slip stiffness over load";
      parameter Real pKx2(unit = "1") = -0.2 "Its change with load";
      parameter Real pKx3(unit = "1") = 0.25 "Its exponential change with load";
      parameter Real pCy1(unit = "1") = 1.3 "Shape factor, lateral";
      parameter Real pDy1(unit = "1") = 1 "Friction, lateral";
      parameter Real pDy2(unit = "1") = -0.12 "Its change with load";
      parameter Real pEy1(unit = "1") = -0.8 "Curvature, lateral";
      parameter Real pEy2(unit = "1") = -0.5 "Its change with load";
      parameter Real pKy1(unit = "1") = 12 "Largest cornering stiffness over nominal load";
      parameter Real pKy2(unit = "1") = 2 "Load of the largest cornering stiffness over nominal load";
      parameter Real rBx1(unit = "1") = 12 "Combined slip, longitudinal";
      parameter Real rBx2(unit = "1") = 10 "Combined slip, longitudinal";
      parameter Real rCx1(unit = "1") = 1 "Combined slip, longitudinal";
      parameter Real rBy1(unit = "1") = 7 "Combined slip, lateral";
      parameter Real rBy2(unit = "1") = 4 "Combined slip, lateral";
      parameter Real rCy1(unit = "1") = 1 "Combined slip, lateral";
      parameter Real lk(unit = "1") = 1 "Scale of the cornering stiffness";
      parameter Real lm(unit = "1") = 1 "Scale of the lateral friction";
      input Units.Force Fz "Load";
      input Units.Velocity vx "Speed of the contact point forward";
      input Units.Velocity vy "Speed of the contact point to the left";
      input Units.AngularVelocity w "Spin of the wheel";
      output Units.Force Fx "Force forward";
      output Units.Force Fy "Force to the left";
      Units.Velocity vd "Speed in the denominators of slip";
      Real kappa(unit = "1") "Longitudinal slip";
      Units.Angle alpha "Slip angle";
      Units.Force Fxs "Steady force forward";
      Units.Force Fys "Steady force to the left";
    protected
      Real ta(unit = "1") "Tangent of the slip angle";
      Real dfz(unit = "1") "Relative excess of load";
      Units.Force Dx "Peak, longitudinal";
      Units.Force Kx "Slip stiffness";
      Real Gx(unit = "1") "Weight of combined slip";
      Units.Force Dy "Peak, lateral";
      Units.Force Ky "Cornering stiffness";
      Real Gy(unit = "1") "Weight of combined slip";
    equation
      vd = sqrt(vx^2 + vlow^2);
      kappa = (R0*w - vx)/vd;
      ta = vy/vd;
      alpha = atan(ta);
      dfz = (Fz - Fz0)/Fz0;
      Dx = (pDx1 + pDx2*dfz)*Fz;
      Kx = Fz*(pKx1 + pKx2*dfz)*exp(pKx3*dfz);
      Dy = lm*(pDy1 + pDy2*dfz)*Fz;
      Ky = lk*pKy1*Fz0*sin(2*atan(Fz/(pKy2*Fz0)));
      Gx = cos(rCx1*atan(rBx1*cos(atan(rBx2*kappa))*alpha));
      Gy = cos(rCy1*atan(rBy1*cos(atan(rBy2*alpha))*kappa));
      Fxs = Gx*magicFormula(kappa, Kx/(pCx1*Dx + 0.001), pCx1, Dx, pEx1 + pEx2*dfz);
      Fys = -Gy*magicFormula(alpha, Ky/(pCy1*Dy + 0.001), pCy1, Dy, pEy1 + pEy2*dfz);
    end MagicTyre;

    model SteadyTyre "A tyre whose forces follow the slip at once"
      extends MagicTyre;
    equation
      Fx = Fxs;
      Fy = Fys;
    end SteadyTyre;

    model ElasticTyre "A tyre whose deflections follow the slip: D*der(y) = F - c*y, D = d + secant stiffness/speed"
      extends MagicTyre;
      parameter Units.Stiffness cx = 5e5 "Longitudinal stiffness";
      parameter Units.Stiffness cy = 1.2e5 "Lateral stiffness";
      parameter Units.Damping dx = 500 "Longitudinal damping";
      parameter Units.Damping dy = 500 "Lateral damping";
      Units.Length x(start = 0) "Longitudinal deflection";
      Units.Length y(start = 0) "Lateral deflection";
    protected
      Units.Damping Dtx "Resistance of the longitudinal deflection";
      Units.Damping Dty "Resistance of the lateral deflection";
    equation
      Dtx = dx + noEvent(if abs(kappa) > 1e-6 then Fxs/kappa else Gx*Kx)/vd;
      Dty = dy + noEvent(if abs(ta) > 1e-6 then -Fys/ta else Gy*Ky)/vd;
      der(x) = (Fxs - cx*x)/Dtx;
      der(y) = (Fys - cy*y)/Dty;
      Fx = cx*x + dx*der(x);
      Fy = cy*y + dy*der(y);
    end ElasticTyre;

    model Corner "A wheel with tyre and strut: travel along the z axis of the body, spin, steer angle"
      replaceable model Tyre = SteadyTyre constrainedby MagicTyre "Tyre";
      parameter Units.Mass m = 40 "Mass with wheel";
      parameter Units.Length x = 1.3 "Position forward of the centre of mass of the body";
      parameter Units.Length y = 0.75 "Position to the left of it";
      parameter Units.Length h(min = 0) = 0.55 "Height of the centre of mass of the body at rest";
      parameter Units.Force F0 = 4000 "Force of the strut at rest";
      parameter Units.Stiffness c = 3e4 "Stiffness of the strut";
      parameter Units.CubicStiffness c3 = 0 "Its cubic term";
      parameter Units.Damping d = 3000 "Damping of the strut";
      parameter Units.Inertia J = 1 "Moment of inertia of the wheel about its axle";
      parameter Units.Length R0 = 0.33 "Unloaded radius of the tyre";
      parameter Units.Stiffness ct = 2.5e5 "Vertical stiffness of the tyre";
      parameter Units.Damping dt = 200 "Vertical damping of the tyre";
      parameter Real fr(unit = "1", min = 0) = 0.01 "Coefficient of rolling resistance";
      parameter Units.AngularVelocity w0(min = 0) = 1 "Spin below which rolling resistance fades";
      parameter Units.Acceleration g = 9.81 "Gravity";
      parameter Units.Velocity v0 = 0 "Speed at the start";
      final parameter Units.Length z0 = R0 - (F0 + m*g)/ct - h "Position above the centre of mass of the body at rest";
      Mount mount "The body";
      Guided guide "Gives the fore-aft motion";
      Shaft shaft "Drives the wheel";
      input Units.Angle delta "Steer angle";
      Units.Length s(start = 0) "Travel, positive up";
      Units.Velocity sd(start = 0) "Its speed";
      Units.AngularVelocity om(start = v0/R0) "Spin, positive forward";
      Units.Force Fz "Load of the tyre";
      Units.Length Rl "Height of the wheel centre";
      Tyre tyre(R0 = R0, Fz = Fz, vx = V[1]*ch + V[2]*sh,
        vy = -V[1]*sh + V[2]*ch + Rl*(O[1]*ch + O[2]*sh), w = om);
    protected
      Units.Length r[3] "Wheel centre, body axes";
      Units.Velocity rd[3] "Its velocity relative to the body";
      Units.Velocity V[3] "Velocity of the wheel centre, inertial axes";
      Units.AngularVelocity O[3] "Angular velocity of the body, inertial axes";
      Real k[3](each unit = "1") "Vertical, body axes";
      Real e[3](each unit = "1") "Axle, body axes";
      Real hX(unit = "1") "Heading";
      Real hY(unit = "1") "Heading";
      Real hn(unit = "1") "Its length";
      Real ch(unit = "1") "Cosine of the heading";
      Real sh(unit = "1") "Sine of the heading";
      Units.Force F[3] "Force of the tyre, body axes";
      Units.Torque M[3] "Its moment about the wheel centre, body axes";
      Units.Torque Mw "Its part along the axle";
      Units.Acceleration b[3] "Acceleration of the wheel centre without those of body, guide and strut";
      Units.Acceleration acc[3] "Acceleration of the wheel centre, body axes";
      Units.Force Fs "Force of the strut on the body";
      Units.Force L[3] "Force on the body";
    equation
      shaft.w = om;
      r = {x + guide.x, y, z0 + s};
      rd = {guide.v, 0, sd};
      k = mount.R[3, :];
      e = {-sin(delta), cos(delta), 0};
      V = mount.R*(mount.v + cross(mount.w, r) + rd);
      O = mount.R*mount.w;
      Rl = mount.Z + k*r;
      Fz = max(0, ct*(R0 - Rl) - dt*V[3]);
      hX = mount.R[1, 1]*e[2] - mount.R[1, 2]*e[1];
      hY = mount.R[2, 1]*e[2] - mount.R[2, 2]*e[1];
      hn = sqrt(hX^2 + hY^2);
      ch = hX/hn;
      sh = hY/hn;
      F = {tyre.Fx*ch - tyre.Fy*sh, tyre.Fx*sh + tyre.Fy*ch, Fz}*mount.R;
      M = -Rl*cross(k, F);
      Mw = e[1]*M[1] + e[2]*M[2];
      J*der(om) = shaft.T + Mw - fr*R0*Fz*tanh(om/w0);
      Fs = F0 + c*s + c3*s^3 + d*sd;
      b = cross(mount.w, cross(mount.w, r)) + 2*cross(mount.w, rd);
      acc = mount.a + cross(mount.alpha, r) + b + {guide.a, 0, der(sd)};
      der(s) = sd;
      m*acc[3] = F[3] - m*g*k[3] - Fs;
      L = {F[1] - m*g*k[1] - m*acc[1], F[2] - m*g*k[2] - m*acc[2], Fs};
      guide.f = -L[1];
      mount.f = -L;
      mount.t = -(cross(r, L) + M - e*(Mw + shaft.T) - J*om*cross(mount.w, e));
    end Corner;

    model FixedGuide "Wheels that do not move fore and aft"
      Guide guide;
    equation
      guide.x = 0;
      guide.v = 0;
      guide.a = 0;
    end FixedGuide;

    model ElasticGuide "Wheels that move fore and aft together against a spring and a damper"
      parameter Units.Stiffness c = 1.2e6 "Stiffness";
      parameter Units.Damping d = 4000 "Damping";
      Guide guide;
      Units.Length x(start = 0) "Displacement forward";
      Units.Velocity v(start = 0) "Its speed";
    equation
      guide.x = x;
      guide.v = v;
      der(x) = v;
      der(v) = guide.a;
      guide.f = c*x + d*v;
    end ElasticGuide;

    model Flywheel "A body on a shaft"
      parameter Units.Inertia J = 1 "Moment of inertia";
      Shaft shaft;
      Units.AngularVelocity w(start = 0) "Speed";
    equation
      shaft.w = w;
      J*der(w) = shaft.T;
    end Flywheel;

    model ShaftTorque "A given torque on a shaft"
      Shaft shaft;
      input Units.Torque T "Torque";
    equation
      shaft.T = -T;
    end ShaftTorque;

    model Engine "An engine: a parabola of torque over speed, drag, a delay of first order"
      parameter Units.Inertia J = 0.2 "Moment of inertia";
      parameter Units.Torque Tmax = 220 "Largest torque";
      parameter Units.AngularVelocity wmax = 380 "Its speed";
      parameter Units.AngularVelocity width = 480 "Distance in speed from there to no torque";
      parameter Units.Torque T0 = 12 "Drag at rest";
      parameter Units.AngularDamping d = 0.06 "Its change with speed";
      parameter Units.AngularVelocity w0 = 10 "Speed below which drag fades";
      parameter Units.Time tau(min = 0) = 0.1 "Time constant of the torque";
      parameter Units.AngularVelocity w_start = 90 "Speed at the start";
      Shaft shaft;
      input Real throttle(unit = "1") "From 0 to 1";
      Units.AngularVelocity w(start = w_start) "Speed";
      Units.Torque T(start = 0) "Torque";
    equation
      shaft.w = w;
      der(T) = (throttle*Tmax*(1 - ((w - wmax)/width)^2) - (1 - throttle)*(T0 + d*w)*tanh(w/w0) - T)/tau;
      J*der(w) = T + shaft.T;
    end Engine;

    model Clutch "A viscous clutch and a torsional damper, in series"
      parameter Units.AngularStiffness c = 1500 "Stiffness of the torsional damper";
      parameter Units.AngularDamping d = 6 "Its damping";
      parameter Units.AngularDamping dmax = 60 "Damping of the closed clutch";
      parameter Units.AngularDamping d0 = 0.01 "Damping of the open clutch";
      Shaft a "Engine";
      Shaft b "Gearbox";
      input Real closed(unit = "1") "From 0, open, to 1, closed";
      Units.Angle phi(start = 0) "Twist of the torsional damper";
      Units.Torque T "Torque";
    equation
      T = (c*phi + d*(a.w - b.w))/(1 + d/(dmax*closed^2 + d0));
      der(phi) = (T - c*phi)/d;
      a.T = T;
      b.T = -T;
    end Clutch;

    model Differential "An open differential behind a gear, with inertias; its outputs share the torque equally"
      parameter Units.Inertia Jin = 0.005 "Moment of inertia at the input";
      parameter Units.Inertia Jcarrier = 0.03 "Moment of inertia of the carrier";
      parameter Units.Inertia Jout = 0.01 "Moment of inertia of each output";
      Shaft a "Input";
      Shaft b1 "First output";
      Shaft b2 "Second output";
      input Real ratio(unit = "1") "Speed of the input over mean speed of the outputs";
      Units.AngularVelocity w1(start = 0) "Speed of the first output";
      Units.AngularVelocity w2(start = 0) "Speed of the second output";
    protected
      Units.Inertia J "Moment of inertia that turns with the mean speed";
      Units.AngularAcceleration acc "Mean acceleration of the outputs";
      Units.Torque T "Half of the torque on the carrier";
    equation
      a.w = ratio*(w1 + w2)/2;
      b1.w = w1;
      b2.w = w2;
      J = Jcarrier + Jin*ratio^2;
      (J + 2*Jout)*acc = ratio*a.T + b1.T + b2.T;
      T = (ratio*a.T - J*acc)/2;
      Jout*der(w1) = T + b1.T;
      Jout*der(w2) = T + b2.T;
    end Differential;

    model ElasticShaft "A shaft with stiffness and damping"
      parameter Units.AngularStiffness c = 8000 "Stiffness";
      parameter Units.AngularDamping d = 20 "Damping";
      Shaft a;
      Shaft b;
      Units.Angle phi(start = 0) "Twist";
      Units.Torque T "Torque";
    equation
      der(phi) = a.w - b.w;
      T = c*phi + d*(a.w - b.w);
      a.T = T;
      b.T = -T;
    end ElasticShaft;

    model Brake "A brake: friction coefficient times pressure"
      parameter Real mu(unit = "1", min = 0) = 0.35 "Coefficient of friction";
      parameter Real C(unit = "N.m/bar", min = 0) = 60 "Torque over pressure and coefficient of friction";
      parameter Units.AngularVelocity w0(min = 0) = 1 "Speed below which the torque fades";
      Shaft shaft;
      input Units.Pressure p "Pressure";
    equation
      shaft.T = mu*C*p*tanh(shaft.w/w0);
    end Brake;

    model Steering "Steering wheel, torsion bar, rack and assistance"
      parameter Units.Inertia J = 0.04 "Moment of inertia of the steering wheel";
      parameter Units.AngularDamping dw = 0.2 "Damping of the steering wheel";
      parameter Units.AngularStiffness c = 120 "Stiffness of the torsion bar";
      parameter Units.AngularDamping d = 1 "Damping of the torsion bar";
      parameter Units.Length rp(min = 0) = 0.0075 "Radius of the pinion";
      parameter Units.Mass m = 120 "Mass of the rack";
      parameter Units.Damping dr = 3000 "Damping of the rack";
      parameter Units.Length la(min = 0) = 0.13 "Steering arm";
      parameter Real ka(unit = "1/m") = 400 "Assistance: force over torque of the torsion bar";
      parameter Units.Time tau(min = 0) = 0.03 "Time constant of the assistance";
      parameter Units.Length trail = 0.04 "Caster trail";
      parameter Units.Length scrub = 0.01 "Scrub radius";
      input Units.Torque T "Torque of the driver";
      input Units.Force Fx[2] "Forces of the tyres forward, left and right";
      input Units.Force Fy[2] "Forces of the tyres to the left, left and right";
      output Units.Angle delta "Steer angle of both wheels";
      Units.Angle phi(start = 0) "Angle of the steering wheel";
      Units.AngularVelocity w(start = 0) "Its speed";
      Units.Length x(start = 0) "Position of the rack";
      Units.Velocity v(start = 0) "Its speed";
      Units.Force Fa(start = 0) "Force of the assistance";
      Units.Torque Tb "Torque of the torsion bar";
      Units.Torque Mk "Moment about the kingpins";
    equation
      Tb = c*(phi - x/rp) + d*(w - v/rp);
      Mk = -trail*(Fy[1] + Fy[2]) - scrub*(Fx[1] - Fx[2]);
      der(phi) = w;
      J*der(w) = T - Tb - dw*w;
      der(x) = v;
      m*der(v) = Tb/rp + Fa + Mk/la - dr*v;
      der(Fa) = (ka*Tb - Fa)/tau;
      delta = x/la;
    end Steering;

    model PlanarBody "A body that moves in the plane of the road; rates can be coupled to measurements"
      parameter Units.Mass m = 1500 "Mass";
      parameter Units.Inertia J = 2800 "Moment of inertia, yaw";
      parameter Units.Velocity v0 = 10 "Speed at the start";
      input Units.Force Fx "Force forward";
      input Units.Force Fy "Force to the left";
      input Units.Torque M "Moment about the vertical";
      input Real pull[6] = zeros(6) "Added to the derivatives of x, y, psi, vX, vY, om";
      output Units.Velocity u "Speed forward, body axes";
      output Units.Velocity v "Speed to the left, body axes";
      Units.Length x(start = 0) "Position";
      Units.Length y(start = 0) "Position";
      Units.Angle psi(start = 0) "Yaw";
      Units.Velocity vX(start = v0) "Speed, inertial axes";
      Units.Velocity vY(start = 0) "Speed, inertial axes";
      Units.AngularVelocity om(start = 0) "Yaw rate";
    equation
      u = vX*cos(psi) + vY*sin(psi);
      v = -vX*sin(psi) + vY*cos(psi);
      der(x) = vX + pull[1];
      der(y) = vY + pull[2];
      der(psi) = om + pull[3];
      der(vX) = (Fx*cos(psi) - Fy*sin(psi))/m + pull[4];
      der(vY) = (Fx*sin(psi) + Fy*cos(psi))/m + pull[5];
      der(om) = M/J + pull[6];
    end PlanarBody;

    model PlanarWheel "The tyres of an axle on a PlanarBody: force A*(1 - exp(-B*slip)) of the load, odd in the slip"
      parameter Units.Force Fz = 7500 "Load";
      parameter Units.Length R0 = 0.33 "Radius";
      parameter Units.Length x = 1.3 "Position forward of the centre of mass of the body";
      parameter Real Along(unit = "1") = 1 "Largest force over load, longitudinal";
      parameter Real Blong(unit = "1") = 40 "Decay over slip, longitudinal";
      parameter Real Alat(unit = "1") = 1 "Largest force over load, lateral";
      parameter Real Blat(unit = "1/rad") = 15 "Decay over slip angle, lateral";
      input Units.Velocity u "Speed of the body forward";
      input Units.Velocity v "Speed of the body to the left";
      input Units.AngularVelocity r "Yaw rate of the body";
      input Units.AngularVelocity w "Speed of the wheels";
      input Units.Angle delta = 0 "Steer angle";
      output Units.Force Fx "Force forward, body axes";
      output Units.Force Fy "Force to the left, body axes";
      Units.Velocity vx "Speed along the wheel";
      Units.Velocity vy "Speed across the wheel";
      Real slip(unit = "1") "Longitudinal slip";
      Units.Angle alpha "Slip angle";
      Units.Force Fl "Force along the wheel";
      Units.Force Fq "Force across the wheel";
    equation
      vx = u*cos(delta) + (v + x*r)*sin(delta);
      vy = -u*sin(delta) + (v + x*r)*cos(delta);
      slip = 1 - vx/(R0*w);
      alpha = atan(vy/vx);
      Fl = Along*Fz*(if slip >= 0 then 1 - exp(-Blong*slip) else exp(Blong*slip) - 1);
      Fq = -Alat*Fz*(if alpha >= 0 then 1 - exp(-Blat*alpha) else exp(Blat*alpha) - 1);
      Fx = Fl*cos(delta) - Fq*sin(delta);
      Fy = Fl*sin(delta) + Fq*cos(delta);
    end PlanarWheel;

    model LateralBody "Sideslip and yaw rate at a constant speed"
      parameter Units.Mass m = 1500 "Mass";
      parameter Units.Inertia J = 2800 "Moment of inertia, yaw";
      parameter Units.Velocity vx = 20 "Speed forward";
      input Units.Force Fy "Force to the left";
      input Units.Torque M "Moment about the vertical";
      Units.Angle alpha(start = 0) "Sideslip";
      Units.AngularVelocity psid(start = 0) "Yaw rate";
    equation
      der(alpha) = Fy/(m*vx) - psid;
      der(psid) = M/J;
    end LateralBody;

    model LateralAxle "The tyres of an axle on a LateralBody: Magic Formula of the slip angle"
      parameter Units.Length x = 1.3 "Position forward of the centre of mass of the body";
      parameter Units.Velocity vx = 20 "Speed forward";
      parameter Real B(unit = "1") = 10 "Stiffness factor";
      parameter Real C(unit = "1") = 1.5 "Shape factor";
      parameter Units.Force D = -8000 "Peak; negative: the force opposes the slip";
      parameter Real E(unit = "1") = -1 "Curvature factor";
      input Units.Angle beta "Sideslip of the body";
      input Units.AngularVelocity r "Yaw rate of the body";
      input Units.Angle delta = 0 "Steer angle";
      output Units.Force F "Force to the left";
      Units.Angle alpha "Slip angle";
    equation
      alpha = beta + x*r/vx - delta;
      F = magicFormula(alpha, B, C, D, E);
    end LateralAxle;
  end Vehicle;
end Entrain;
