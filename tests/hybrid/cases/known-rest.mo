model KnownRest "two blocks on the ground, a rough contact between them, at rest; a constant force that the friction holds"
  parameter Real P=1.28, A=-0.1;
  Real v1(start=0,fixed=true), v2(start=0,fixed=true);
equation
  1.5*der(v1)=-P-0.7*sign(v1)+0.6*sign(v2-v1);
  1.2*der(v2)=A-1.0*sign(v2)-0.6*sign(v2-v1);
end KnownRest;
