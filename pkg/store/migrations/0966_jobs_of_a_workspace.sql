-- Enrichment jobs of a workspace, newest first.
create index background_job_newest on outrider.background_job (workspace_id, created_at desc, id desc)
  where kind in ('lead_scrape', 'lead_enrich', 'company_enrich');
