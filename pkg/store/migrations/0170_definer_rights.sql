-- A definer function acts with rights that its caller lacks, so only those named may call it. PostgreSQL lets everybody
-- execute a new function, and default privileges of a schema (0006) can not take that back: what carried no revoke of
-- its own was open to the executors' login, without a claim. Grants to named roles stay as they are.
do $$
declare
  open record;
begin
  for open in
    select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'app' and p.prosecdef and has_function_privilege('public', p.oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', open.name);
  end loop;
end $$;
