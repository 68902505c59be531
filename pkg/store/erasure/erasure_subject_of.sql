-- Returns all that is about a person whom these names know: leads by any of them, persons by their leads and aliases
-- (also those that are hashed since an erasure), leads of those persons, then runs, sends and conversations. A name
-- that one workspace wrote beside another finds nothing elsewhere: persons are of an agency or a workspace.
-- p_workspace: within one; null: everywhere. p_mails: addresses in lower case; p_mail_pattern: a regular expression of
-- their spellings, null: none. p_profiles: normalised ids. p_leads: leads that are named by themselves.
-- Null unless the caller is the platform.
create or replace function app.erasure_subject_of(
  p_workspace text, p_mails text[], p_mail_pattern text, p_profiles text[], p_leads uuid[]
)
  returns app.erasure_subject
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  declare
    s app.erasure_subject;
    -- The pattern looks at addresses of these hosts only; gmail.com has another name.
    hosts text[] := array(
      select '%' || case when m ~ '@g(oogle)?mail[.]com$' then 'mail.com' else '@' || split_part(m, '@', 2) end
      from unnest(p_mails) m
    );
  begin
    if not app.is_platform() then return null; end if;
    s.workspace_id := p_workspace;
    s.profiles := p_profiles;
    s.mails := p_mails || array(select app.mail_hash(m) from unnest(p_mails) m);
    s.leads := array(
      select l.id
      from lead l
      where (
          l.id = any (p_leads)
          or l.profile_id = any (p_profiles)
          or (lower(l.email) like any (hosts) and l.email ~* p_mail_pattern)
        )
        and (p_workspace is null or l.workspace_id = p_workspace)
    );
    s.persons := array(
      select l.person_id from lead l where l.id = any (s.leads) and l.person_id is not null
      union
      select p.person_id from pool_person p where p.lead_id = any (s.leads) and p_workspace is null
      union
      select a.person_id
      from person_alias a
      join unnest(s.mails || p_profiles) n (name) on a.value in (n.name, app.hashed_word(n.name))
      where p_workspace is null and a.kind in ('mail', 'profile')
    );
    s.leads := array(
      select l.id
      from lead l
      where (l.id = any (s.leads) or l.person_id = any (s.persons))
        and (p_workspace is null or l.workspace_id = p_workspace)
    );
    s.runs := array(
      select r.id
      from run r
      where (r.lead_id = any (s.leads) or r.person_id = any (s.persons))
        and (p_workspace is null or r.workspace_id = p_workspace)
    );
    -- What is open keeps its words until its outcome is known (app.forget_settled).
    s.sends := array(
      select x.id
      from send x
      where (
          x.run_id = any (s.runs)
          or x.action_id in (
            select a.id
            from action a
            where a.lead_id = any (s.leads) and (p_workspace is null or a.workspace_id = p_workspace)
          )
        )
        and not exists (select 1 from erased_send e where e.send_id = x.id)
        and (x.state not in ('dispatched', 'unknown') or x.maybe)
    );
    s.conversations := case
      when p_workspace is null then array(select c from app.conversations_of(s.persons) c)
      else '{}'
    end;
    -- What nobody else holds: their texts are the workspace's own.
    if p_workspace is not null then s.accounts := app.accounts_only_of(p_workspace); end if;
    return s;
  end $$;

alter function app.erasure_subject_of(text, text[], text, text[], uuid[]) owner to outrider_definer;
revoke execute on function app.erasure_subject_of(text, text[], text, text[], uuid[]) from public;
grant execute on function app.erasure_subject_of(text, text[], text, text[], uuid[]) to outrider_app;
