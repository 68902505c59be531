-- Gives every lead its person: the one found by profile id or mail hash; several found are one (app.merge_person),
-- and where none is found it makes one. Two callers at once for one identity come one after the other.
-- p_leads: leads of the caller's workspaces or of the pool; others are passed over. p_now: epoch ms UTC, product
-- time. Returns the person of each lead. Locks: per lead, in the order of ids, its identities (advisory), the lead,
-- the person.
create or replace function app.resolve_persons(p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, person_id uuid)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    l record;
    found_ids uuid[];
    other uuid;
    target uuid;
  begin
    for l in
      select x.id, x.person_id, x.profile_id, app.person_mails(x.email, x.profile_id) as mails
      from lead x
      where x.id = any (p_leads)
        and (x.workspace_id is null or app.may_use(x.workspace_id))
        and (
          x.person_id is null
          or (
            x.profile_id is not null
            and not exists (
              select 1
              from person_alias a
              where a.kind = 'profile' and a.value = x.profile_id and a.person_id = x.person_id
            )
          )
          or (
            x.email is not null
            and not (x.profile_id is not null and app.is_role_mail(x.email))
            and not exists (
              select 1
              from person_alias a
              where a.kind = 'mail'
                and a.value = app.mail_hash(x.email)
                and a.person_id = x.person_id
            )
          )
          or (
            app.is_respelt(x.email)
            and not (x.profile_id is not null and app.is_role_mail(x.email))
            and not exists (
              select 1
              from person_alias a
              where a.kind = 'mail'
                and a.value = app.mail_hash(app.mail_identity(x.email))
                and a.person_id = x.person_id
            )
          )
        )
      order by x.id
    loop
      if l.profile_id is not null then
        perform pg_advisory_xact_lock(hashtextextended('person:' || l.profile_id, 0));
      end if;
      perform pg_advisory_xact_lock(hashtextextended('person:' || m, 0))
      from unnest(l.mails) m;
      -- It reads the person again, since others may have merged persons meanwhile.
      select x.person_id into l.person_id from lead x where x.id = l.id for no key update;
      select array_agg(distinct i.id order by i.id)
      into found_ids
      from (
        select a.person_id as id
        from person_alias a
        where a.kind = 'profile' and a.value = l.profile_id
        union
        select a.person_id
        from person_alias a
        where a.kind = 'mail' and a.value = any (l.mails)
        union
        select l.person_id
        where l.person_id is not null
      ) i;
      if found_ids is null then
        target := gen_random_uuid();
        insert into person (id, created_at) values (target, p_now);
      else
        target := found_ids[1];
        foreach other in array found_ids[2:] loop perform app.merge_person(other, target); end loop;
        -- It holds the person until the lead is theirs: a merge waits, and takes the lead along.
        target := app.person_now(target);
      end if;
      if l.profile_id is not null then
        insert into person_alias
        values ('profile', l.profile_id, target)
        on conflict do nothing;
      end if;
      insert into person_alias
      select 'mail', m, target
      from unnest(l.mails) m
      on conflict do nothing;
      update lead set person_id = target where id = l.id;
    end loop;
    return query
      select x.id, x.person_id
      from lead x
      where x.id = any (p_leads) and (x.workspace_id is null or app.may_use(x.workspace_id));
  end $$;

alter function app.resolve_persons(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.resolve_persons(uuid[], bigint) from public;
grant execute on function app.resolve_persons(uuid[], bigint) to outrider_app, outrider_executor;
