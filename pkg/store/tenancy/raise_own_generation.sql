-- Trigger: a change of a key or a user that decides what a key may do raises its own generation (see
-- app.raise_generations).
create or replace function app.raise_own_generation() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.generation := greatest(new.generation, old.generation + 1);
    return new;
  end $$;
