-- Counts what an account's health is judged by (catalog: HealthFactor), over all workspaces that share it.
-- requests, accepted: requests that are older than a week, and those that led to a connection, also when somebody
-- removed it later; messaged, replied: persons who were written to more than three days ago, and those who answered;
-- both within 60 days. busiest_day, usual_day: units that reach a person, on the busiest and on an average active day
-- of the last seven in the account's timezone. sessions_lost, limit_signals, restrictions: days of the last 30 with
-- one. pending, connections: as of now.
-- p_now: product time, epoch ms. All null for an account that the caller may not use.
create or replace function app.account_facts(
  p_account text, p_now bigint, OUT requests int, OUT accepted int, OUT pending int, OUT messaged int,
  OUT replied int, OUT busiest_day int, OUT usual_day double precision, OUT sessions_lost int,
  OUT limit_signals int, OUT restrictions int, OUT connections int
)
  returns record
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare day_ms constant bigint := 86400000;
  begin
    if not app.may_use_account(p_account) then return; end if;
    select count(*), count(*) filter (where r.connected_at >= s.claimed_at)
    into requests, accepted
    from send s
    left join relation r on r.account_id = s.account_id and r.person_id = s.person_id
    where s.account_id = p_account
      and s.claimed_at between p_now - 60 * day_ms and p_now - 7 * day_ms
      and s.state = 'confirmed'
      and s.action like 'connection_request%';
    select count(*) filter (where state = 'pending'), count(*) filter (where state = 'connected')
    into pending, connections
    from relation
    where account_id = p_account;
    select
      count(*),
      count(*) filter (
        where exists (
          select 1
          from app.persons_at(p_account, x.person_id) as p (id)
          join conversation c on c.account_id = p_account and c.person_id = p.id
          join message m on m.conversation_id = c.id
          where m.direction = 'in'
            and m.sent_at >= x.first_at
        )
      )
    into messaged, replied
    from (
      select s.person_id, min(s.claimed_at) as first_at
      from send s
      where s.account_id = p_account
        and s.claimed_at between p_now - 60 * day_ms and p_now - 3 * day_ms
        and s.state = 'confirmed'
        and s.action in ('message', 'inmail')
      group by 1
    ) x;
    -- Days of the window on which something that reaches a person went out.
    select coalesce(max(d.units), 0), coalesce(avg(d.units), 0)
    into busiest_day, usual_day
    from (
      select b.head_date - u.days_before as day, sum(u.units)::int as units
      from account_budget b
      cross join lateral (
        select x.units, x.place::int - 1
        from unnest(b.used) with ordinality x (units, place)
      ) u (units, days_before)
      where b.account_id = p_account
        and b.action in ('connection_request', 'message', 'inmail', 'comment')
        and b.head_date - u.days_before
          > app.local_date(p_now, (select timezone from network_account where id = p_account)) - 7
      group by 1
    ) d
    where d.units > 0;
    select
      count(distinct i.at / day_ms) filter (where i.kind = 'session_lost'),
      count(distinct i.at / day_ms) filter (where i.kind = 'limit_signal'),
      count(distinct i.at / day_ms) filter (where i.kind = 'restricted')
    into sessions_lost, limit_signals, restrictions
    from account_incident i
    where i.account_id = p_account and i.at > p_now - 30 * day_ms;
  end $$;

alter function app.account_facts(text, bigint) owner to outrider_definer;
revoke execute on function app.account_facts(text, bigint) from public;
grant execute on function app.account_facts(text, bigint) to outrider_app, outrider_executor, outrider_owner;
