-- The walk over the live runs of a large workspace also wakes who waits for what the settings of an account decide: a change of settings moved all
-- of them in one statement, seconds for 100,000.
alter table outrider.release_walk
  -- accounts whose settings changed since the walk under way began: the next walk is for them
  add column settings_waiting text[] not null default '{}',
  -- accounts of the walk under way whose settings changed
  add column settings_of text[] not null default '{}';
