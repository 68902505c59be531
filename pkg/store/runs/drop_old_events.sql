-- Drops months of history that ended more than p_keep_days before p_now (epoch ms, product time), at most twelve a
-- call, and older lines of the default partition. Returns how many months it dropped. For the platform; with less
-- than 30 days it does nothing. It belongs to the tables' owner, who alone may drop them. Errors: lock_not_available
-- where history is held for half a second; the next hour tries again.
create or replace function app.drop_old_events(p_now bigint, p_keep_days int) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  set lock_timeout = '500ms'
  as $$
  declare
    month record;
    dropped int := 0;
  begin
    if not app.is_platform() or p_keep_days < 30 then return 0; end if;
    for month in
      select c.relname as name
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'outrider.run_event'::regclass
        and c.relname ~ '^run_event_\d{4}_\d{2}$'
        and extract(epoch from to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') * 1000
          < p_now - p_keep_days::bigint * 86400000
      order by 1 limit 12
    loop
      execute format('drop table outrider.%I', month.name);
      dropped := dropped + 1;
    end loop;
    delete from outrider.run_event_default where at < p_now - p_keep_days::bigint * 86400000;
    return dropped;
  end $$;

revoke execute on function app.drop_old_events(bigint, int) from public;
grant execute on function app.drop_old_events(bigint, int) to outrider_app;
