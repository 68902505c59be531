-- An import counts whom its file says must not be contacted.
alter table outrider.lead_import
  -- leads that the file itself excludes
  add column excluded int not null default 0;
