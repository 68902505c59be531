-- Returns which workspace holds the contact claim of a person, as p_workspace may know it: its own id, the word
-- `elsewhere` (never the name of another), or null when nobody does or the caller may not act for p_workspace.
create or replace function app.claimed_by(p_workspace text, p_person uuid) returns text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select case when bool_or(c.workspace_id = p_workspace) then p_workspace else 'elsewhere' end
    from contact_claim c
    where c.person_id = p_person and c.released_at is null and app.may_use(p_workspace)
    having count(*) > 0
  $$;

alter function app.claimed_by(text, uuid) owner to outrider_definer;
revoke execute on function app.claimed_by(text, uuid) from public;
grant execute on function app.claimed_by(text, uuid) to outrider_app;
