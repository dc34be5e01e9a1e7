AG(!(s0=EX * s1=EX));  # holds
AG(!(s0=EX * s1=SH));  # holds
AG(EF(s0=SH * s1=SH));  # holds
AG(c0.p.o=WR * a.g=0 -> AX(c0.s=EX));  # holds
AG(c0.s=EX -> AF(c0.s=INV));  # fails
AG(bus=RD -> AX(!s0=EX + !s1=EX));  # holds
