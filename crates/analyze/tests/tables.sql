create schema q;
create table q.t (a int4 primary key, b text, c numeric(10,2), d date, e varchar(10) not null, f float8, g int8, h bool, arr int4[]);
create table q.u (a int4, x text, y timestamptz, z int2, primary key (a, z));
create table q.v (id int8 unique, name varchar(20), t_a int4 references q.t, amount numeric);
create view q.w as select a, b from q.t;
create table q.empty ();
