-- Returns the words of a search that the index is asked for, rarest first, as a tsquery: those that less than the
-- share p_common of the sample has (p_sample: app.lead_sample), at least one. Null without words.
create or replace function app.rare_words(p_sample jsonb, p_common double precision) returns text
  language sql immutable
  as $$
    with ranked as (
      select
        key as word,
        value::int as met,
        row_number() over (order by value::int, length(key) desc, key) as place
      from jsonb_each_text(p_sample -> 'words')
    )
    select string_agg(word, ' & ' order by place)
    from ranked
    where place = 1 or met < (p_sample ->> 'sample')::int * p_common
  $$;

revoke execute on function app.rare_words(jsonb, double precision) from public;
grant execute on function app.rare_words(jsonb, double precision) to outrider_definer;
