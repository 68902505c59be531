-- The drafts of a workflow that is disabled are taken back in parts, which are found by index.
set local search_path = outrider, app, public;

create index review_open on outrider.review_item (workflow_id) where state in ('pending', 'approved');
