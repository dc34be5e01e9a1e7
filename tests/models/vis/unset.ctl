a[1:0]=0;  # fails
EF b=1;  # holds
AG(b=1 -> AG b=1);  # holds
AF(b=1);  # holds
AX:4(b=1);  # holds
AX:3(b=1);  # fails
AG(AF(m<*0*>[1:0]=2));  # holds
m<*1*>[1:0]=3 + m<*1*>[1:0]={0,1,2};  # holds
