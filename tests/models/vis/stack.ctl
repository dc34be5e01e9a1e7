AG(acc[3:0]={1,2,4,8,15} + FALSE);  # holds
EF(ov=1);  # holds
AG(ov=1 -> AG(ov=1));  # holds
AG(sp[1:0]=0 -> st<*0*>[3:0]=0);  # holds
AG(!(acc[3:0]=15) + ov=1 + EF(ov=1));  # holds
AG(lc[1:0]=1 * ov=1 -> acc[3:0]=15);  # holds
AG(sp[1:0]=2 * st<*1*>[3:0]=4 -> EX(acc[3:0]=4));  # holds
