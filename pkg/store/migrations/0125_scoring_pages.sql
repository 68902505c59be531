-- A scoring pass that changes no total rewrites a row within its page.
set local search_path = outrider, app, public;
alter table outrider.lead_score set (fillfactor = 70);
