-- Neither a session nor a temporary table for roles of others, also where the roles and the database were made by hand.
-- The owner of the database may say so; where that is another role, nothing changes, and `outrider doctor` names it.
do $$
begin
  if pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
    execute format('revoke all on database %I from public', current_database());
    execute format('grant connect on database %I to outrider_app, outrider_executor', current_database());
  end if;
end $$;
