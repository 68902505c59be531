-- Refuses a request that comes at a moment which its account did not promise (catalog: pacing). A promise holds for
-- the minute that was promised, unless an action of its class was late and left just now. It is worth asking again at
-- once where the moment was missed, else in a minute.
create or replace function app.judge_pace(
  p_now bigint, p_unpaced boolean, p_promised_at bigint, p_free_at bigint
)
  returns app.send_refusal
  language sql immutable
  as $$
    select app.refused_if(
      p_unpaced is not true
        and (p_promised_at is null or p_promised_at < p_now - 60000 or p_now < coalesce(p_free_at, 0)),
      'pacing',
      coalesce(p_promised_at, p_now + 60000)
    )
  $$;

grant execute on function app.judge_pace(bigint, boolean, bigint, bigint) to outrider_definer;
