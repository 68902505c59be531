-- An erased person was still named by what servers and look-ups had said of their sends, by the subject of their thread, by reports
-- of bounces and by the bars that these made; and a send that was open at that moment kept its text and address for good, since
-- nobody came back to it. The same words of a deleted workflow stayed when its content was purged.
set local search_path = outrider, app, public;

-- Sends that were open when their person was erased: their texts go once the outcome is known.
create table outrider.erased_send (
  workspace_id text not null,
  send_id uuid not null,
  primary key (workspace_id, send_id)
);
alter table outrider.erased_send enable row level security;
alter table outrider.erased_send force row level security;
create policy owner_all on outrider.erased_send to outrider_owner using (true) with check (true);
create policy definer_all on outrider.erased_send to outrider_definer using (true) with check (true);
grant select, insert, delete on outrider.erased_send to outrider_definer;

-- That contact was made, when and with which outcome stays; what was said goes.
create function app.forget_words(p_sends uuid[]) returns integer
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare forgotten int;
  begin
    update send s set body = null, target = '{}', error = null,
        evidence = (select coalesce(jsonb_agg(e.said - 'text' order by e.place), '[]') from jsonb_array_elements(s.evidence) with ordinality e (said, place))
      where s.id = any (p_sends);
    get diagnostics forgotten = row_count;
    return forgotten;
  end $$;
alter function app.forget_words(uuid[]) owner to outrider_definer;
revoke execute on function app.forget_words(uuid[]) from public;
grant execute on function app.forget_words(uuid[]) to outrider_owner;

create function app.forget_settled(p_most int) returns integer
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare known uuid[];
  begin
    if not app.is_platform() then return 0; end if;
    with due as (
      select e.workspace_id, e.send_id from erased_send e left join send s on s.id = e.send_id
        where s.id is null or s.state not in ('dispatched', 'unknown') or s.maybe or s.dead_letter_state = 'discarded' limit p_most
    ),
    done as (delete from erased_send e using due d where e.workspace_id = d.workspace_id and e.send_id = d.send_id returning e.send_id)
    select array_agg(send_id) into known from done;
    return coalesce(app.forget_words(known), 0);
  end $$;
alter function app.forget_settled(int) owner to outrider_definer;
revoke execute on function app.forget_settled(int) from public;
grant execute on function app.forget_settled(int) to outrider_app, outrider_owner;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.erase_lead(text, uuid, bigint, boolean)'::regprocedure);
  after := replace(before, '''approvedSubjects'', ''redrafts'']', '''approvedSubjects'', ''redrafts'', ''mail'']');
  if after = before then raise exception 'app.erase_lead does not read as expected (facts)'; end if;
  before := after;
  -- 0430 finds the runs of the lead.
  after := regexp_replace(before, '(    runs uuid\[\] := [^\n]*\n)', E'\\1    sends uuid[] := array(select s.id from send s where s.run_id = any (runs));\n');
  if after = before then raise exception 'app.erase_lead does not read as expected (variables)'; end if;
  before := after;
  after := replace(before, 'update send s set body = null, target = ''{}'' where s.run_id = any (runs) and s.workspace_id = p_workspace and s.lead_id = p_lead and s.state not in (''dispatched'', ''unknown'');
    get diagnostics n = row_count;',
    'insert into erased_send (workspace_id, send_id) select s.workspace_id, s.id from send s
      where s.id = any (sends) and s.state in (''dispatched'', ''unknown'') on conflict do nothing;
    n := app.forget_words(array(select s.id from send s where s.id = any (sends) and s.state not in (''dispatched'', ''unknown'')));
    if cardinality(sends) > 0 then
      update mail_report m set address = '''', reason = '''' where m.send_id = any (sends)
        and m.account_id = any (array(select distinct s.account_id from send s where s.id = any (sends)));
    end if;
    -- Who must not be contacted is known by the tombstone.
    delete from suppression x where x.workspace_id = p_workspace and x.kind = ''mail'' and x.source = ''bounce'' and x.value = lower(l.email);');
  if after = before then raise exception 'app.erase_lead does not read as expected (sends)'; end if;
  execute after;

  before := pg_get_functiondef('app.purge_workflow(text, bigint, int)'::regprocedure);
  after := replace(before, '''approvedSubjects'']', '''approvedSubjects'', ''redrafts'', ''mail'']');
  if after = before then raise exception 'app.purge_workflow does not read as expected (facts)'; end if;
  before := after;
  after := replace(before, 'update send s set body = null, target = ''{}'' where s.run_id = any (runs);',
    'perform app.forget_words(array(select s.id from send s where s.run_id = any (runs)));');
  if after = before then raise exception 'app.purge_workflow does not read as expected (sends)'; end if;
  execute after;
end $$;
