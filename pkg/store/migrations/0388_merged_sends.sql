-- Two who turn out to be one person while a send is under way. Before, the send kept the key of who it was for: when it was proven not to
-- have happened only that key was given back, and the next try found the other one taken and went on as if it were sent; and two with the
-- same step of a workflow claimed received it twice.
-- And two campaigns that may both write to a person keep the days between two touches also when both have claimed at one moment: the
-- dispatch looks at them once more.
set local search_path = outrider, app, public;

-- How far a send is: not begun, on its way, done (one that is not there any more was).
create function app.send_progress(p_send uuid) returns int language sql stable security definer set search_path = outrider, app, pg_catalog as $$
    select coalesce((select case s.state when 'confirmed' then 2 when 'dispatched' then 1 when 'unknown' then 1 else 0 end from send s where s.id = p_send), 2)
  $$;
alter function app.send_progress(uuid) owner to outrider_definer;
revoke all on function app.send_progress(uuid) from public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.merge_person(uuid, uuid)'::regprocedure);
  after := replace(before, 'update send set person_id = p_into where', 'update send set person_id = p_into, send_key = replace(send_key, p_from::text, p_into::text) where');
  after := replace(after, 'account_id, last_at, touches)', 'account_id, last_at, before_at, touches)');
  after := replace(after, 'o.account_id, o.last_at, o.touches', 'o.account_id, o.last_at, o.before_at, o.touches');
  after := replace(after, 'set last_at = greatest(l.last_at, excluded.last_at), touches', 'set last_at = greatest(l.last_at, excluded.last_at),
          before_at = case when excluded.last_at > l.last_at then greatest(excluded.before_at, l.last_at) else greatest(l.before_at, excluded.last_at) end, touches');
  -- The key is of whoever is furthest: what was sent stays sent when the other one is taken back.
  after := replace(after, 'from send_key k where k.person_id = p_from on conflict do nothing;', 'from send_key k where k.person_id = p_from
      on conflict (key) do update set workspace_id = excluded.workspace_id, send_id = excluded.send_id, taken_at = excluded.taken_at
        where app.send_progress(excluded.send_id) > app.send_progress(k.send_id);');
  after := replace(after, 'insert into send_key (key,', 'insert into send_key as k (key,');
  after := replace(after, 'select replace(k.key, p_from::text, p_into::text), p_into, k.workspace_id, k.send_id, k.taken_at', 'select replace(o.key, p_from::text, p_into::text), p_into, o.workspace_id, o.send_id, o.taken_at');
  after := replace(after, 'from send_key k where k.person_id = p_from', 'from send_key o where o.person_id = p_from');
  if (select count(*) from regexp_matches(after, 'send_key = replace|last_at, before_at|o\.before_at|before_at = case|send_key as k|replace\(o\.key|send_key o where|send_progress\(k', 'g')) <> 8 then raise exception 'app.merge_person does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.return_sends(uuid[])'::regprocedure);
  after := replace(before, 'delete from send_key k using send s where s.id = any (p_sends) and k.key = s.send_key and k.send_id = s.id;', 'delete from send_key k where k.send_id = any (p_sends);');
  if after = before then raise exception 'app.return_sends does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.dispatch_sends(bigint, uuid[])'::regprocedure);
  after := replace(before, 's.lead_id, s.state, s.epoch, s.action', 's.lead_id, s.state, s.epoch, s.action, s.send_key');
  after := replace(after, 'when s.lead_id in (select lead_id from barred) then ''suppressed''', 'when not exists (select 1 from send_key k where k.key = s.send_key and k.send_id = s.id) then ''already_sent''
        when s.lead_id in (select lead_id from barred) then ''suppressed''');
  after := replace(after, 's.action, s.send_key', 's.action, s.send_key, s.person_id, s.claimed_at');
  after := replace(after, 'held as materialized (select h.id from hold h where h.kind = ''run'')', 'held as materialized (select h.id from hold h where h.kind = ''run''),
      twins as materialized (select x.id from (select s.id, row_number() over (partition by s.person_id order by s.id) as place from s where s.state = ''claimed'' and app.is_heavy(s.action)) x where x.place > 1)');
  after := replace(after, 'in (select id from held) then ''send_freeze'' end as why', 'in (select id from held) then ''send_freeze''
        when app.is_heavy(s.action) and app.policy_days(c.settings, ''minDaysBetweenTouches'', 2) > 0 and (s.id in (select id from twins)
          or exists (select 1 from contact_log g where g.person_id = s.person_id and g.workspace_id = ws
            and g.last_at + app.policy_days(c.settings, ''minDaysBetweenTouches'', 2)::bigint * 86400000 > greatest(s.claimed_at, p_now))) then ''duration'' end as why');
  if (select count(*) from regexp_matches(after, 's\.action, s\.send_key, s\.person_id|already_sent|twins as materialized|then ''duration'' end as why', 'g')) <> 4 then raise exception 'app.dispatch_sends does not read as expected'; end if;
  execute after;
end $$;
