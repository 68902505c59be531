-- Judges a batch whose grants compete (app.grants_compete): goes through what app.judge_sends judged, by account and
-- in the order in which the requests came, which is that of the due times. The rules of app.judge_room decide again,
-- less the units, the places of the company and the pace that earlier requests took. `p_now`: epoch ms, product time.
create or replace function app.judge_in_turn(p_now bigint, p_judged app.judged_send[]) returns app.judged_send[]
  language plpgsql stable
  as $$
  declare
    j app.judged_send;
    judged app.judged_send[] := '{}';
    refused app.send_refusal;
    -- Company -> people whom the batch reaches there.
    reached jsonb := '{}';
    -- The account of the three below; spent: action -> units.
    account text;
    spent jsonb;
    contact_free_at bigint;
    passive_free_at bigint;
    action text;
  begin
    for j in select x.* from unnest(p_judged) x order by x.account_id, x.ord loop
      if account is distinct from j.account_id then
        account := j.account_id;
        spent := '{}';
        contact_free_at := 0;
        passive_free_at := 0;
      end if;
      if not j.stands then
        refused := app.judge_room(
          p_now,
          j.company_room - coalesce((reached ->> j.company_key)::int, 0),
          j.company_next_at,
          j.not_before,
          j.unpaced,
          j.promised_at,
          greatest(j.free_at, case when j.contact then contact_free_at else passive_free_at end),
          array(
            select greatest(0, b.units - coalesce((spent ->> b.action)::int, 0))
            from unnest(j.budgets, j.left_units) with ordinality as b (action, units, pos)
            order by b.pos
          ),
          j.units_on,
          j.zone
        );
        j.refusal := refused.why;
        j.next_at := refused.next_at;
      end if;
      judged := array_append(judged, j);
      continue when j.refusal is not null;
      foreach action in array j.budgets loop
        spent := jsonb_set(spent, array[action], to_jsonb(coalesce((spent ->> action)::int, 0) + 1));
      end loop;
      if j.contact then
        contact_free_at := p_now + coalesce(j.gap_ms, 0);
      else
        passive_free_at := p_now + coalesce(j.gap_ms, 0);
      end if;
      if j.company_key is not null then
        reached := jsonb_set(
          reached,
          array[j.company_key],
          to_jsonb(coalesce((reached ->> j.company_key)::int, 0) + 1)
        );
      end if;
    end loop;
    return judged;
  end $$;

grant execute on function app.judge_in_turn(bigint, app.judged_send[]) to outrider_definer;
