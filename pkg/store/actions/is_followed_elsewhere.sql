-- Says whether a run of another workspace follows the person now, where its campaign's contact policy claims them for
-- the whole agency or for this account (catalog: dedupeScope).
create or replace function app.is_followed_elsewhere(p_workspace text, p_account text, p_person uuid) returns boolean
  language sql stable
  as $$
    select exists (
      select 1
      from app.same_at(p_account, p_person) as h (id)
      join contact_claim c on c.person_id = h.id
      where c.workspace_id <> p_workspace
        and c.scope_key in (
          'account:' || p_account,
          'agency:' || (select w.agency_id from workspace w where w.id = p_workspace)
        )
        and c.released_at is null
    )
  $$;

grant execute on function app.is_followed_elsewhere(text, text, uuid) to outrider_definer;
