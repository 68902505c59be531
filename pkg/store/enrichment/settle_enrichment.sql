-- Writes what was found into the lead or the company and closes the fields, once: a field that another settled
-- meanwhile is left out. What may not be written is not found.
-- p_results: [{field, state (found, not_found, failed, open), provider, answer (columns, see app.fill_lead and
-- app.fill_company), confidence, credits, about}]; open: left for another try, at once. p_now: epoch ms UTC, product
-- time. Returns per field that was ours how it ended, and the credits that its first settlement costs.
-- Locks: the fields in the order of their names, then the lead or the company.
create or replace function app.settle_enrichment(
  p_workspace text, p_subject uuid, p_holder text, p_results jsonb, p_now bigint
)
  returns table (field text, state text, credits int)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    r record;
    f record;
    wrote boolean;
    told boolean := false;
  begin
    if not app.may_use(p_workspace) then
      raise exception 'no access to this workspace' using errcode = '42501';
    end if;
    for r in
      select x.*
      from jsonb_to_recordset(p_results) as x (
        field text, state text, provider text, answer jsonb, confidence real, credits int, about text
      )
      order by x.field
    loop
      select * into f
      from enrichment_field e
      where e.workspace_id = p_workspace and e.subject_id = p_subject and e.field = r.field
      for update;
      continue when f.holder is distinct from p_holder or f.state <> 'open';
      if r.state = 'open' then
        update enrichment_field e set lease_until = clock_timestamp()
        where e.workspace_id = p_workspace and e.subject_id = p_subject and e.field = r.field;
        return query select r.field, 'open'::text, 0;
        continue;
      end if;
      wrote := r.state = 'found' and case
        when r.field = 'company'
          then app.fill_company(p_workspace, p_subject, r.answer, r.provider, r.confidence, p_now)
        else cardinality(app.fill_lead(p_workspace, p_subject, r.answer, r.provider, r.confidence, p_now)) > 0
      end;
      if r.state = 'found' then
        update enrichment_attempt a
        set
          outcome = case when wrote then 'found' else 'mismatch' end,
          credits = case when wrote then r.credits else 0 end
        where a.workspace_id = p_workspace and a.subject_id = p_subject and a.field = r.field and a.round = f.round
          and a.provider = r.provider;
      end if;
      update enrichment_field e
      set
        state = case when wrote then 'found' when r.state = 'found' then 'not_found' else r.state end,
        provider = case when wrote then r.provider end,
        credits = case when wrote then r.credits else 0 end,
        about = coalesce(r.about, e.about),
        settled_at = p_now
      where e.workspace_id = p_workspace and e.subject_id = p_subject and e.field = r.field
      returning e.state, e.credits into f.state, f.credits;
      told := told or (wrote and r.field <> 'company');
      return query select r.field, f.state, f.credits;
    end loop;
    if told then
      insert into run_event (workspace_id, at, kind, actor, data)
      values (p_workspace, p_now, 'lead.enriched', 'system', jsonb_build_object('leadId', p_subject));
    end if;
  end $$;

alter function app.settle_enrichment(text, uuid, text, jsonb, bigint) owner to outrider_definer;
revoke execute on function app.settle_enrichment(text, uuid, text, jsonb, bigint) from public;
grant execute on function app.settle_enrichment(text, uuid, text, jsonb, bigint) to outrider_app, outrider_executor;
