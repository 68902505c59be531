-- Says whether another lead of the same owner has the address that a provider found for this one. Then two people were
-- given one address: the other's becomes risky too, unless a person entered it.
create or replace function app.is_of_another(
  p_workspace text, p_lead uuid, p_owner text, p_email text, p_now bigint
)
  returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare other uuid;
  begin
    select o.id
    into other
    from lead o
    where coalesce(o.workspace_id, '') = coalesce(p_owner, '')
      and lower(o.email) = lower(p_email)
      and o.id <> p_lead
      and o.erased_at is null;
    if other is null then return false; end if;
    -- Who holds that lead at this moment may be waiting for this one: then only this one is flagged.
    update lead o
    set
      email_status = 'risky',
      provenance = o.provenance
        || jsonb_build_object('emailStatus', jsonb_build_object('source', 'shared address', 'at', p_now)),
      updated_at = p_now
    where o.id = (
      select x.id
      from lead x
      where x.id = other
        and x.workspace_id = p_workspace
        and (x.provenance -> 'email' ->> 'source') is distinct from 'manual'
      for update skip locked
    );
    return true;
  end $$;

alter function app.is_of_another(text, uuid, text, text, bigint) owner to outrider_definer;
revoke execute on function app.is_of_another(text, uuid, text, text, bigint) from public;
