AG(!loc[1:0]=3);  # holds
AG(req<*2*>=1 -> AF(loc[1:0]=2 * dr=OPEN));  # fails
AG(req<*0*>=1 -> AF(loc[1:0]=0));  # fails
AG(dr=OPEN -> AX(dr=CLOSED));  # holds
