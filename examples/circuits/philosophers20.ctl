# Neighbours never eat at the same time.
AG !(s0=eating * s1=eating + s1=eating * s2=eating + s2=eating * s3=eating + s3=eating * s4=eating + s4=eating * s5=eating +
   s5=eating * s6=eating + s6=eating * s7=eating + s7=eating * s8=eating + s8=eating * s9=eating + s9=eating * s10=eating +
   s10=eating * s11=eating + s11=eating * s12=eating + s12=eating * s13=eating + s13=eating * s14=eating + s14=eating * s15=eating
   + s15=eating * s16=eating + s16=eating * s17=eating + s17=eating * s18=eating + s18=eating * s19=eating + s19=eating *
   s0=eating);
# Wherever the run is, somebody may eat at last.
AG EF(s0=eating + s1=eating + s2=eating + s3=eating + s4=eating + s5=eating + s6=eating + s7=eating + s8=eating + s9=eating +
   s10=eating + s11=eating + s12=eating + s13=eating + s14=eating + s15=eating + s16=eating + s17=eating + s18=eating +
   s19=eating);
