!(a=P1);  # holds
b=P1 <-> a=P0;  # holds
AG(EX(a==b) * !(a=P2 * b=P0));  # holds
AG(k[1:0]={0,1,2,3});  # holds
k[1:0]=1;  # fails
AG(!(k[1:0]=0) + AX(k[1:0]=3));  # holds
