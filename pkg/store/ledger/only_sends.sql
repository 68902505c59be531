-- Returns those of judged requests whose sends are among `p_sends`, in their order; null when none is.
create or replace function app.only_sends(p_judged app.judged_send[], p_sends uuid[]) returns app.judged_send[]
  language sql immutable
  as $$
    select case
      when cardinality(p_sends) = cardinality(p_judged) then p_judged
      else (
        select array_agg(j order by j.ord)
        from unnest(p_judged) j
        where j.send_id in (select unnest(p_sends))
      )
    end
  $$;

grant execute on function app.only_sends(app.judged_send[], uuid[]) to outrider_definer;
