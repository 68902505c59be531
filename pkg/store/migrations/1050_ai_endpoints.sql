-- A workspace may have its texts written by a language model of its own (kind `ai`), and its leads enriched by its own
-- contracts with providers (kind `enrichment`).
alter table outrider.integration drop constraint integration_kind_check;
alter table outrider.integration
  add constraint integration_kind_check
  check (kind in ('crm', 'outreach', 'webhook', 'chat', 'ai', 'enrichment', 'calendar', 'mail'));
