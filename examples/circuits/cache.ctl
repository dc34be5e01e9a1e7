# A look-up never hits two lines.
AG two=0;
AG EF empty=1;
