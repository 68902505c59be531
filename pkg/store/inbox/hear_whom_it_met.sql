-- Trigger of relation: once an account learns a person's id on the network, what they said to it before, as a
-- stranger or to another agency of the account, is theirs. Conversations of strangers under that id become the
-- person's, the newest 50 classified messages under it are recorded as replies, each at its own time, and what
-- somebody wrote by hand under it, the last of the newest 50, holds their runs (app.hold_for_human).
create or replace function app.hear_whom_it_met() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    talks uuid[];
    who uuid;
    synced bigint;
    said record;
    by_hand bigint;
  begin
    select array_agg(c.id)
    into talks
    from conversation c
    where c.account_id = new.account_id
      and c.provider_id = new.provider_id
      and c.person_id is distinct from new.person_id;
    if talks is null then return null; end if;
    who := coalesce(app.person_now(new.person_id), new.person_id);
    update conversation set person_id = who where id = any (talks) and person_id is null;
    select w.last_synced_at
    into synced
    from account_wake w
    where w.account_id = new.account_id;
    -- Of a stranger nobody could tell by the words alone that a send of ours carried them; now it can be told.
    with wrote as materialized (
      select m.sent_at, m.body
      from message m
      where m.conversation_id = any (talks) and m.direction = 'out' and m.via = 'elsewhere'
      order by m.sent_at desc limit 50
    )
    select max(w.sent_at)
    into by_hand
    from wrote w
    where w.body not in (
      select t.body
      from (select array_agg(x.body) as bodies from wrote x) b
      cross join lateral app.own_texts(new.account_id, who, b.bodies) t
    );
    if by_hand is not null then
      perform app.hold_for_human(greatest(by_hand, synced), new.account_id, array[who], by_hand, null, null);
    end if;
    for said in
      select x.sent_at, x.reply_class
      from (
        select m.sent_at, m.reply_class
        from message m
        where m.conversation_id = any (talks) and m.direction = 'in' and m.reply_class is not null
        order by m.sent_at desc limit 50
      ) x
      order by x.sent_at
    loop
      perform app.hear_reply(
        greatest(said.sent_at, synced), new.account_id, who, said.sent_at, said.reply_class, null
      );
    end loop;
    return null;
  end $$;

alter function app.hear_whom_it_met() owner to outrider_definer;
revoke execute on function app.hear_whom_it_met() from public;
