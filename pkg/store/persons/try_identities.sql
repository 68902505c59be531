-- Takes the locks of identities that leads will have, before anything is written. p_workspace: whose leads they are;
-- p_profiles, p_mails: profile id and mail address of each, null: none. It waits for none: where another transaction
-- has one it raises 55P03 (app.refuse_identities).
create or replace function app.try_identities(p_workspace text, p_profiles text[], p_mails text[]) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    home text;
    stripe bigint;
  begin
    if not app.may_use(p_workspace) then return; end if;
    home := app.person_scope(p_workspace);
    for stripe in
      select distinct app.identity_stripe(home, i.value)
      from unnest(p_profiles, p_mails) n (profile, mail)
      cross join lateral unnest(array[n.profile] || app.person_mails(n.mail, n.profile)) i (value)
      where i.value is not null
      order by 1
    loop
      if not pg_try_advisory_xact_lock(stripe) then perform app.refuse_identities(); end if;
    end loop;
  end $$;

alter function app.try_identities(text, text[], text[]) owner to outrider_definer;
revoke execute on function app.try_identities(text, text[], text[]) from public;
grant execute on function app.try_identities(text, text[], text[]) to outrider_app;
