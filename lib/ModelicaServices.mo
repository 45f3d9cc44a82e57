within ;
package ModelicaServices "What the Modelica library needs to know about this program"
  constant String target = "entrain";
  package Machine "Numbers of this machine"
    constant Real eps = 2.220446049250313e-16 "The difference of 1 and the next number";
    constant Real small = 2.2250738585072014e-308 "The smallest number with all digits";
    constant Real inf = 1e60 "A large number";
    constant Integer Integer_inf = 2147483647 "The largest Integer";
  end Machine;
  package Types
    type SolverMethod = String;
  end Types;
end ModelicaServices;
