-- An account whose longest gap is declared as nothing is not paced at all: its actions have neither gaps nor sessions, its
-- budgets alone decide. For providers without a pace of their own, and for measuring.
set local search_path = outrider, app, public;

create or replace function app.next_slot(p app.pacing, p_now bigint, p_heavy boolean, out slot bigint, out after app.pacing)
  language plpgsql stable
  as $$
  declare
    pause bigint;
    pace jsonb;
    session float8;
  begin
    select a.pacing into pace from outrider.network_account a where a.id = p.account_id;
    after := p;
    if (pace ->> 'maxGapSeconds')::float8 = 0 then
      slot := p_now;
      after.draws := p.draws + 1;
      return;
    end if;
    pause := 300000 + (900000 * app.seeded(p.account_id, p.draws, 'pause'))::bigint;
    session := coalesce((pace ->> 'sessionMinutes')::float8, 45) * 60000;
    slot := greatest(p_now, case when p_heavy then p.heavy_free_at else p.light_free_at end);
    if slot >= p.session_ends_at then
      if p.session_ends_at > 0 then slot := greatest(slot, p.session_ends_at + pause); end if;
      after.session_ends_at := slot + (session * 4 / 9 + session * 8 / 9 * app.seeded(p.account_id, p.draws, 'session'))::bigint;
    end if;
    if p_heavy then after.heavy_free_at := slot + app.gap_ms(p.account_id, p.draws, true, pace);
    else after.light_free_at := slot + app.gap_ms(p.account_id, p.draws, false, pace); end if;
    after.draws := p.draws + 1;
  end $$;
