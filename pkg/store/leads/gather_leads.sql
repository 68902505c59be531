-- Takes the last step of app.find_leads: returns all that matches below p_before, newest first, p_limit at most. It
-- looks through a list of up to 20,000, else through the few leads that have a tag or a score, else it gathers by
-- index. p_sample: what app.lead_sample saw, null when none was taken.
create or replace function app.gather_leads(
  p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb
)
  returns uuid[]
  language plpgsql stable
  set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    few text := app.few_belong(p_workspace, p);
    statement text;
    found_ids uuid[];
    listed int;
  begin
    if p ? 'leadListId' then
      select t.lead_count
      into listed
      from lead_list t
      where t.id = (p ->> 'leadListId')::uuid;
    end if;
    if listed <= 20000 then
      -- A list of this size costs less to look through than the pool.
      statement := app.lead_walk_sql(p_workspace, p, p_before, p_limit, listed);
    elsif few is not null then
      statement := app.lead_few_sql(few, p_workspace, p, p_before, p_limit);
    else
      statement := app.lead_gather_sql(
        p_workspace,
        p,
        p_before,
        p_limit,
        coalesce(p_sample, app.lead_sample(p_workspace, p, p_before, 500)),
        null
      );
    end if;
    execute format('select array(%s)', statement) into found_ids;
    return found_ids;
  end $$;

revoke execute on function app.gather_leads(text, jsonb, uuid, int, jsonb) from public;
grant execute on function app.gather_leads(text, jsonb, uuid, int, jsonb) to outrider_definer;
