AG(!(p0.s=CRIT * p1.s=CRIT));  # holds
AG((p0.s=TRY) -> AF(p0.s=CRIT));  # holds
AG(EF(p1.s=CRIT));  # holds
AG(p0.s={TRY,CRIT} -> c0=1);  # holds
turn=0;  # fails
