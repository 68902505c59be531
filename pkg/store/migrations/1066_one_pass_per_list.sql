-- One pass over a list of a CRM at a time: two that overlap would each think that whom the other met has left.
alter table outrider.provider_list
  -- the background job whose pass is under way; null, or a job that has ended: none is
  add column pass_job uuid;
