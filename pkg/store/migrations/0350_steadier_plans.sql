-- Executors keep the plans of the ledger's statements. Every analyze and every vacuum of a table that these read makes all executors plan them
-- anew, about 10 ms of a processor each, and some of it while they hold accounts that others wait for: ten executors with accounts in common
-- stood still for up to 0.7 s after each round of autovacuum. The plans do not depend on what statistics say (they look rows up by key), and
-- a few thousand dead rows cost no reader anything: what changes fast is looked through after so many changes, however small the table is.
do $$
declare
  name text;
begin
  foreach name in array array['send', 'send_key', 'contact_claim', 'relation', 'run', 'claim', 'network_account', 'account_pacing'] loop
    execute format('alter table outrider.%I set (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_threshold = 10000, '
      'autovacuum_vacuum_insert_threshold = 10000)', name);
  end loop;
  -- As many rows go as come, or the same few are updated again and again: the dead ones alone are the reason.
  foreach name in array array['agenda', 'open_send', 'account_budget', 'workspace_wake'] loop
    execute format('alter table outrider.%I set (autovacuum_analyze_threshold = 100000, autovacuum_vacuum_threshold = 10000, '
      'autovacuum_vacuum_insert_threshold = -1)', name);
  end loop;
  -- The dead version that a move leaves is taken by the next move on its page.
  alter table outrider.run set (autovacuum_vacuum_scale_factor = 0.5);
end $$;
