AG(!cnt[1:0]=3 + full=1);  # holds
AG(EF(empty=1));  # holds
AG(full=1 -> EX(empty=0));  # holds
AG(cnt[1:0]=1 * mem<*0*>[1:0]=2 -> E(dout[1:0]=2 U cnt[1:0]=0));  # holds
AG(empty=1 -> mem<*0*>[1:0]=0);  # holds
