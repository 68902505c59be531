-- Signals fade without an event: once a day (product time) the leads whose scores rest on signals are scored anew.
set local search_path = outrider, app, public;

alter table outrider.icp add column faded_at bigint;
-- A pass over the leads that have a signal score only; a full pass that is asked for meanwhile takes its place.
alter table outrider.scoring_job add column only_fading boolean not null default false;
create index lead_score_signals on outrider.lead_score (icp_id, lead_id) where signal_score > 0;
