-- Returns the keys of run.facts that carry words about a person, which an erasure and a purge take out of runs.
create or replace function app.wordy_facts() returns text[]
  language sql immutable parallel safe
  as $$
    select array['crafted', 'craftedFacts', 'slots', 'approved', 'approvedSubjects', 'redrafts', 'mail']
  $$;

revoke execute on function app.wordy_facts() from public;
grant execute on function app.wordy_facts() to outrider_definer;
