AG(!a[2:0]={5,6,7});  # holds
AG(sum[3:0]={0,1,2,3,4,5,6,7,8,9});  # holds
AG(f=1 -> sum[3:0]=0);  # holds
EF(sum[3:0]=9 * a[2:0]=4);  # holds
AG(sum[3:0]=9 -> EX f=1);  # holds
AG(EX(a[2:0]=4) * !EX(a[2:0]=5));  # holds
